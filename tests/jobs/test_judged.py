"""A measurement against its claim: the right number of the right runs, and the setup that was really run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.jobs.judged import judged
from app.jobs.numbers import compute
from tests.compare.factories import ratio, row
from tests.jobs.runs import attempt, plan

if TYPE_CHECKING:
    from pathlib import Path

    from app.claims.schema import ClaimRow
    from app.compare.reproduction import Verdict
    from app.protocol.outcome import Report

SAME: dict[str, Any] = {
    "axis": "tpot",
    "unit": "ms",
    "value": "10.02",
    "conditions.engine": {"name": "vLLM", "version": "0.33.0"},
    "conditions.model": {"id": "Llama-3.1-8B", "weights": "dummy"},
    "conditions.hardware": {"accelerator": "H200", "count": 1},
    "conditions.parallelism": "TP1",
    "conditions.dtypes": {"weights": "bf16", "kv": "bf16"},
    "conditions.approximations": None,
    "conditions.execution": None,
    "conditions.workload": {
        "input_tokens": "8", "output_tokens": "11", "dataset": "uniform random token ids", "temperature": "0",
        "prefix_cache": "cleared",
    },
    "conditions.load": {"concurrency": "2"},
    "conditions.limit": None,
}  # fmt: skip


def verdict(claim: ClaimRow, made: tuple[Report, dict[str, Path]]) -> Verdict:
    report, traces = made
    return judged(claim, report, compute(report, traces, report.plan))


def test_the_same_setup_and_number_stand_within(tmp_path: Path) -> None:
    found = verdict(row(**SAME), attempt(tmp_path, plan()))
    assert (found.status, found.differences, found.left_open) == ("within", (), ())
    assert found.how == (
        "the median of its requests of each run (the claim says median); median of 3 repeats at concurrency 2"
    )


def test_a_verdict_lists_what_the_plan_took_for_granted(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan())
    numbers = compute(report, traces, report.plan)
    for claim in (row(**SAME), row(**{**SAME, "axis": "kernel_ratio"})):  # the second one is inconclusive
        assert judged(claim, report, numbers, ["seed of the prompts: 1"]).assumptions == ("seed of the prompts: 1",)


def test_every_stated_fact_of_the_setup_that_differs_is_listed(tmp_path: Path) -> None:
    claim = row(**{
        **SAME,
        "conditions.engine": {"name": "vLLM", "version": "0.19.1"},
        "conditions.model": {"id": "Llama-3.1-8B"},
        "conditions.hardware": {"accelerator": "H100", "count": 2},
        "conditions.parallelism": "TP2",
    })  # fmt: skip
    found = verdict(claim, attempt(tmp_path, plan()))
    assert found.status == "different_setup"
    assert found.standing == "within"
    told = {item.field: (item.claimed, item.measured) for item in found.differences}
    assert told == {
        "engine.version": ("0.19.1", "0.33.0"),
        "model.weights": (None, "dummy"),
        "hardware.accelerator": ("H100", "H200"),
        "hardware.count": ("2", "1"),
        "parallelism": ("TP2", "TP1"),
    }


def test_what_the_claim_does_not_state_is_left_open_and_refutes_nothing(tmp_path: Path) -> None:
    claim = row(**{**SAME, "conditions.engine": {"name": "vLLM"}, "value": "9.00"})
    found = verdict(claim, attempt(tmp_path, plan()))
    assert found.status == "above"
    assert [item.field for item in found.left_open] == ["engine.version"]


@pytest.mark.parametrize("stated", ["CPU", "cpu", "AMD EPYC 7B13", "AMD EPYC 7B13 Processor @ 2.2GHz"])
def test_a_card_of_this_machines_processor_is_measured_within(tmp_path: Path, stated: str) -> None:
    report, traces = attempt(tmp_path, plan(gpus=0))
    report = report.model_copy(
        update={"machine": report.machine.model_copy(update={"processor": "AMD EPYC 7B13 64-Core Processor"})}
    )
    claim = row(**{**SAME, "conditions.hardware": {"accelerator": stated}})
    found = verdict(claim, (report, traces))
    assert (found.status, found.differences) == ("within", ())


@pytest.mark.parametrize("stated", ["Intel Xeon Platinum 8480C", "H200", "AMD EPYC 9654"])
def test_another_processor_is_a_different_setup(tmp_path: Path, stated: str) -> None:
    report, traces = attempt(tmp_path, plan(gpus=0))
    report = report.model_copy(
        update={"machine": report.machine.model_copy(update={"processor": "AMD EPYC 7B13 64-Core Processor"})}
    )
    found = verdict(row(**{**SAME, "conditions.hardware": {"accelerator": stated}}), (report, traces))
    assert [item.field for item in found.differences] == ["hardware.accelerator"]


def test_a_release_is_not_the_commit_that_a_claim_names(tmp_path: Path) -> None:
    claim = row(**{**SAME, "conditions.engine": {"name": "vLLM", "commit": "d59c1ddf7"}})
    (item,) = verdict(claim, attempt(tmp_path, plan())).differences
    assert (item.field, item.claimed, item.measured) == ("engine.version", "d59c1ddf7", "0.33.0")


def test_a_throughput_per_gpu_is_divided_by_the_gpus_that_ran(tmp_path: Path) -> None:
    made = attempt(tmp_path, plan(gpus=2))
    one = verdict(row(**{**SAME, "axis": "output_per_gpu", "unit": "tok/s/GPU"}), made)
    both = verdict(row(**{**SAME, "axis": "output_throughput", "unit": "tok/s"}), made)
    assert one.measured is not None and both.measured is not None
    assert abs(both.measured / one.measured - 2) < 0.001


def test_seconds_are_measured_against_seconds(tmp_path: Path) -> None:
    found = verdict(row(**{**SAME, "axis": "e2e_latency", "unit": "s", "value": "0.12"}), attempt(tmp_path, plan()))
    assert found.status == "within"


def test_a_ratio_is_judged_by_its_pairs_and_both_sides_setups(tmp_path: Path) -> None:
    baseline = {"kind": "feature_off", "key": "kv", "text": "bf16", "conditions": {"dtypes": {"kv": "bf16"}}}
    claim = ratio(**{**SAME, "unit": "x", "value": "0.50", "baseline": baseline, "conditions.dtypes.kv": "fp8"})
    found = verdict(claim, attempt(tmp_path, plan(sides=2), {"a": 10.0, "b": 5.0}))
    assert (found.status, found.differences) == ("within", ())
    off = claim.model_copy(update={"baseline": claim.baseline.model_copy(update={"conditions": None})})
    (item,) = verdict(off, attempt(tmp_path, plan(sides=2), {"a": 10.0, "b": 5.0})).differences
    assert (item.field, item.claimed, item.measured) == ("baseline.dtypes.kv", "fp8", "bf16")


def test_a_ratio_cannot_be_judged_by_one_side(tmp_path: Path) -> None:
    found = verdict(ratio(**{**SAME, "unit": "x"}), attempt(tmp_path, plan()))
    assert (found.status, found.reasons) == (
        "inconclusive", ("the claim is a ratio, and one side alone was measured",),
    )  # fmt: skip


def test_a_sweep_answers_a_limit_with_a_measured_point(tmp_path: Path) -> None:
    limited = {"axis": "per_gpu_at_limit", "unit": "tok/s/GPU", "conditions.load": {}}
    claim = row(**{**SAME, **limited, "conditions.limit": "P90 interactivity > 50 tok/s/user"})
    found = verdict(claim, attempt(tmp_path, plan(points=(1, 2, 4))))
    assert "median of 3 repeats at concurrency 4" in str(found.how)
    high = row(**{**SAME, **limited, "conditions.limit": "P90 interactivity > 500 tok/s/user"})
    (reason,) = verdict(high, attempt(tmp_path, plan(points=(1, 2, 4)))).reasons
    assert reason.startswith("no measured point above 500 tok/s/user: the fastest has 99.")


def test_a_sweep_without_the_claims_load_says_so(tmp_path: Path) -> None:
    found = verdict(row(**{**SAME, "conditions.load": {"concurrency": "64"}}), attempt(tmp_path, plan(points=(1, 2))))
    assert found.reasons == ("nothing was measured at the claim's load",)


def test_runs_that_are_no_results_make_it_inconclusive_with_their_reasons(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan())
    traces["a-0-1.parquet"].write_bytes(b"")
    found = verdict(row(**SAME), (report, traces))
    assert found.status == "inconclusive"
    assert found.reasons[0].startswith("run 1: trace_unreadable")


def test_a_claim_on_no_axis_of_a_load_test_is_not_judged(tmp_path: Path) -> None:
    found = verdict(row(**{**SAME, "axis": "kernel_time"}), attempt(tmp_path, plan()))
    assert found.reasons == ("what the claim measures (kernel time) is nothing that a load test measures",)
