"""The outputs of two servers are compared request by request, by what their traces keep of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from app.jobs.evidence import check
from app.jobs.judged import judged
from app.jobs.numbers import compute
from tests.compare.factories import row
from tests.jobs.bundles import files_of, written
from tests.jobs.runs import attempt, plan, write_trace
from tests.jobs.test_judged import SAME

if TYPE_CHECKING:
    from pathlib import Path

AB = plan(sides=2)


def compared(folder: Path, **of_b: Any) -> dict[str, Any]:
    """Of 3 repeats of 4 requests, with the second server's first trace written anew."""
    report, traces = attempt(folder, AB)
    if of_b:
        write_trace(traces["b-0-1.parquet"], 4, 2, 20.0, 10.01, **of_b)
    found: dict[str, Any] = compute(report, traces, AB)["outputs"]
    return found


def test_equal_outputs_are_counted_pair_by_pair(tmp_path: Path) -> None:
    found = compared(tmp_path)
    assert (found["pairs"], found["compared"], found["equal"], found["other_length"]) == (12, 12, 12, 0)
    assert found["text"] == "12 of 12 pairs of outputs are equal, by token ids."


def test_outputs_that_differ_are_counted_with_those_of_another_length(tmp_path: Path) -> None:
    found = compared(tmp_path, changed=3)
    assert found["text"] == "9 of 12 pairs of outputs are equal, by token ids; 3 differ in length."
    assert [(item["load"], item["equal"]) for item in found["points"]] == [("concurrency 2", 9)]


@pytest.mark.parametrize("asked", [{"endpoint": "chat"}, {"refused": "no token ids"}, {"vocabulary": [5, 900]}])
def test_requests_that_were_made_in_another_way_are_not_compared(tmp_path: Path, asked: dict[str, Any]) -> None:
    found = compared(tmp_path, **asked)
    assert (found["pairs"], found["compared"]) == (12, 8)
    assert "4 further pairs could not be compared" in found["text"]


def test_a_run_that_is_no_result_is_not_looked_at(tmp_path: Path) -> None:
    assert compared(tmp_path, failed=2)["pairs"] == 8


def test_nothing_to_compare_is_said(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, AB)
    for name in list(traces):
        if name.startswith("b"):
            del traces[name]
    assert "could not be compared" in compute(report, traces, AB)["outputs"]["text"]


def test_one_server_has_no_such_number(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan())
    assert "outputs" not in compute(report, traces, plan())


def test_the_verdict_carries_it(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, AB)
    verdict = judged(row(**SAME), report, compute(report, traces, AB))
    assert verdict.outputs == "12 of 12 pairs of outputs are equal, by token ids."


def test_a_bundle_from_before_outputs_were_compared_verifies_and_one_that_lies_does_not(tmp_path: Path) -> None:
    def told(name: str, change: Any) -> tuple[str, ...]:
        files = files_of(tmp_path / name, AB)
        for inside in ("numbers.json", "verdict.json"):
            data = files[inside]
            assert isinstance(data, bytes)
            files[inside] = json.dumps(change(json.loads(data))).encode()
        return check(written(tmp_path, files, f"{name}.zip"), tmp_path / name / "unpacked").differences

    def older(said: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in said.items() if name != "outputs"}

    def lying(said: dict[str, Any]) -> dict[str, Any]:
        return said | {"outputs": {**said["outputs"], "equal": 11} if "sets" in said else "All are equal."}

    assert told("older", older) == ()
    assert {text.partition(":")[0] for text in told("lying", lying)} == {"numbers.outputs.equal", "verdict.outputs"}
