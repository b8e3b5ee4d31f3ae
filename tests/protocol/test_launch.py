"""One launch has one text and one digest, and nothing in it can be read in two ways."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from app.protocol.engines import ENGINES
from app.protocol.exact import canonical, digest
from app.protocol.launch import Launch
from tests.protocol.launches import COMMIT, launch

CHANGES: list[dict[str, Any]] = [
    {"engine": "sglang"},
    {"version": "0.32.1"},
    {"model": "owner/tinz"},
    {"revision": COMMIT[:-1] + "8"},
    {"revision": None},
    {"weights": "dummy"},
    {"gpus": 1},
    {"flags": {"max-num-seqs": 17}},
    {"flags": {"max-num-seqs": 16.0}},
    {"flags": {"max-num-seqs": "16"}},
    {"flags": {"max-num-seqs": 16, "enforce-eager": False}},
    {"env": {"OMP_NUM_THREADS": "1 "}},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_a_change_anywhere_is_another_digest(change: dict[str, Any]) -> None:
    start: dict[str, Any] = {"flags": {"max-num-seqs": 16}, "env": {"OMP_NUM_THREADS": "1"}}
    assert digest(launch(**start)) != digest(launch(**(start | change)))


def other_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of Benchcard: one that adds an argument to every vLLM."""
    engine = ENGINES["vllm"]
    monkeypatch.setitem(ENGINES, "vllm", replace(engine, fixed={**engine.fixed, "seed": 0}))


def test_what_the_runner_adds_is_bound_too(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = launch()
    said, before = json.loads(canonical(wanted)), digest(wanted)
    assert {"text": "--port={PORT}", "place": "PORT"} in said["start"]["argv"]
    assert said["start"]["env"]["VLLM_SERVER_DEV_MODE"] == "1"
    other_version(monkeypatch)
    assert digest(wanted) != before


def test_what_cannot_be_started_has_a_digest_of_nothing_to_start() -> None:
    for nothing in (launch(version="0.1.0"), launch(flags={"nonsense": 1})):
        assert json.loads(canonical(nothing))["start"] is None


def test_the_order_of_keys_is_not_a_change() -> None:
    one = launch(flags={"a": {"x": 1, "y": [True, None]}, "b": 2}, env={"A": "1", "B": "2"})
    other = launch(env={"B": "2", "A": "1"}, flags={"b": 2, "a": {"y": [True, None], "x": 1}})
    assert canonical(one) == canonical(other)
    assert digest(one) == digest(other)
    flags = {"max-num-seqs": 16, "enforce-eager": True}
    assert digest(launch(flags=flags)) == digest(launch(flags=dict(reversed(flags.items()))))


def test_a_launch_that_went_over_the_wire_has_its_digest_still() -> None:
    start = launch(flags={"a": 0.1, "b": 1.0, "c": {"d": 2**53 - 1, "e": -0.5}, "f": "é"})
    again = Launch.model_validate_json(json.dumps(json.loads(start.model_dump_json())))
    assert (again, digest(again)) == (start, digest(start))


@pytest.mark.parametrize(
    "bad",
    [
        {"flags": {"a": float("nan")}},
        {"flags": {"a": {"b": [float("inf")]}}},
        {"flags": {"a": 2**53}},
        {"flags": {"a": {"b": 2**53}}},
        {"flags": {"a": None}},
        {"flags": {"a": ["b"]}},
        {"flags": {"a": "x\0y"}},
        {"flags": {"a": "x\ny"}},
        {"flags": {"a": {"b": "x\ny"}}},
        {"flags": {"a": {"b\n": 1}}},
        {"flags": {"a": "\ud800"}},
        {"flags": {"a": {"b": "\ud800"}}},
        {"flags": {"a": "e\u0301"}},  # é in two characters
        {"flags": {"a": "x" * 4001}},
        {"flags": {"a": {"b": ["x"] * 2001}}},
        {"flags": {f"a{number}": 1 for number in range(101)}},
        {"env": {"A": 1}},
        {"env": {"a": "1"}},
        {"env": {"A=B": "1"}},
        {"env": {"A": "1\nLD_PRELOAD=x"}},
        {"model": "/models/tiny"},
        {"model": "./tiny"},
        {"model": "owner/../tiny"},
        {"model": "оwner/tiny"},  # a Cyrillic о
        {"revision": "main"},
        {"version": "latest"},
        {"gpus": -1},
        {"gpus": True},
        {"weights": "maybe"},
        {"shell": "rm"},
    ],
    ids=lambda bad: ascii(bad)[:60],
)
def test_what_could_be_read_in_two_ways_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        launch(**bad)


def test_json_that_is_too_deep_is_refused() -> None:
    value: Any = 1
    for _ in range(40):
        value = {"a": value}
    with pytest.raises(ValidationError, match="16 deep"):
        launch(flags={"a": value})
