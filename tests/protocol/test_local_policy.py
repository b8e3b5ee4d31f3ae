"""A runner decides again by itself, whatever the app says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from app.protocol.exact import digest
from app.protocol.plan import Attach, Plan
from app.protocol.policy.local import LocalPolicy, of_toml
from tests.protocol.launches import COMMIT, PIN, WIDEST, launch

if TYPE_CHECKING:
    from app.protocol.launch import Launch


def test_the_table_of_a_configuration_is_read() -> None:
    found = of_toml(f"""
        engines = ["vllm==0.32.0"]
        models = ["{PIN}"]
        approved = true
        denied_flags = ["enforce-eager"]
        attach = ["10.0.0.7:8000"]
        max_gpus = 2
        wall_s = 600.0
    """)
    assert (found.engines, found.models, found.max_gpus) == (("vllm==0.32.0",), (PIN,), 2)


@pytest.mark.parametrize(
    "text",
    ['models = ["owner/tiny"]', 'models = ["owner/tiny@main"]', 'engines = ["vllm"]', "approved = 1", "shell = true"],
)
def test_a_table_that_says_less_than_it_must_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        of_toml(text)


@pytest.mark.parametrize(
    ("policy", "given", "told"),
    [
        ({}, {}, ["model: not on the list of models that run unasked"]),
        ({"models": (PIN,)}, {}, []),
        ({"models": (PIN,), "engines": ("vllm==0.32.0",)}, {}, []),
        ({"models": (PIN,), "engines": ("vllm==0.25.1",)}, {}, ["vllm==0.32.0: not an engine that it starts"]),
        ({"models": (PIN,), "max_gpus": 1}, {"gpus": 2}, ["2 GPUs: it gives at most 1"]),
        (
            {"models": (PIN,), "denied_flags": ("enforce-eager",)},
            {"flags": {"enforce-eager": True}},
            ["enforce-eager: denied here"],
        ),
        (
            {"models": (PIN,)},
            {"flags": {"enable-lora": True}},
            ["enable-lora: It loads or serves adapters."],
        ),
        (
            {"models": (PIN,), "approved": True},
            {"version": "0.23.0"},
            [
                "vllm: the options of vllm 0.23.0 have not been sorted yet; "
                "CVE-2026-53923: a GGUF file overflows a GPU buffer (fixed in vllm 0.23.1)"
            ],
        ),
    ],
)
def test_what_the_owner_has_not_allowed_is_refused(
    policy: dict[str, Any], given: dict[str, Any], told: list[str]
) -> None:
    assert LocalPolicy(**policy).refusals(launch(**given), approved=False) == told


def test_an_approval_counts_only_where_the_owner_takes_approvals() -> None:
    wanted = launch(model="other/tiny", flags={"enable-lora": True})
    assert len(LocalPolicy().refusals(wanted, approved=True)) == 2
    assert LocalPolicy(approved=True).refusals(wanted, approved=True) == []
    assert len(LocalPolicy(approved=True).refusals(wanted, approved=False)) == 2


def test_no_approval_lets_run_what_never_runs() -> None:
    wanted = launch(flags={"trust-remote-code": True}, env={"LD_PRELOAD": "/tmp/x.so"}, version="0.32.0")
    assert len(WIDEST.refusals(wanted, approved=True)) == 2
    assert WIDEST.refusals(launch(version="0.13.0"), approved=True)


def test_a_running_server_is_measured_at_a_listed_address_alone() -> None:
    assert WIDEST.refusals(Attach(address="10.0.0.7:8000", model="m"), approved=False) == []
    for address in ("10.0.0.7:8001", "10.0.0.8:8000", "localhost:8000"):
        assert WIDEST.refusals(Attach(address=address, model="m"), approved=True)


def plan(*launches: Launch, wall_s: float = 60.0) -> Plan:
    sides = [
        {"name": name, "label": name, "launch": wanted.model_dump()}
        for name, wanted in zip("ab", launches, strict=False)
    ]
    return Plan.model_validate_json(
        Plan.model_validate(
            {
                "kind": "ab" if len(launches) == 2 else "point",
                "sides": sides,
                "workload": {
                    "input_tokens": 8, "output_tokens": 8, "seed": 1, "prefix_cache": "cleared",
                },
                "points": [{"concurrency": 1, "requests": 1}],
                "wall_s": wall_s,
            },
            strict=False,
        ).model_dump_json()
    )  # fmt: skip


def test_a_plan_is_refused_for_its_time_and_for_either_side() -> None:
    policy = LocalPolicy(models=(PIN,), approved=True, wall_s=100.0)
    good, other = launch(), launch(revision=COMMIT[::-1])
    assert policy.plan_refusals(plan(good), ()) == []
    assert policy.plan_refusals(plan(good, wall_s=101.0), ()) == ["101 s: it takes attempts of at most 100 s"]
    told, why = policy.plan_refusals(plan(good, other), [digest(good)])
    assert told.startswith("side b: model: ")
    assert f"(SHA-256 {digest(other)}): where a maintainer has approved it" in why
    assert policy.plan_refusals(plan(good, other), [digest(other)]) == []
