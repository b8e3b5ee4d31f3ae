"""Every number of an attempt is computed from its traces, and what a trace says against its run is found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.jobs.numbers import compute
from tests.jobs.runs import attempt, digest, plan, write_trace

if TYPE_CHECKING:
    from pathlib import Path

    from app.protocol.outcome import Report


def numbers(report: Report, traces: dict[str, Path]) -> dict[str, Any]:
    return compute(report, traces, report.plan)


def test_a_point_is_the_median_of_its_repeats_with_interval_and_spread(tmp_path: Path) -> None:
    (found,) = numbers(*attempt(tmp_path, plan()))["sets"]
    assert (found["load"], found["gpus"], found["label"], found["valid"]) == (
        "concurrency 2", 1, "median of 3 runs", True,
    )  # fmt: skip
    assert found["tpot_ms"]["median"] == pytest.approx(10.02)
    assert found["ttft_ms"]["median"] == pytest.approx(20.0)
    assert found["spread"]["tpot_ms"]["interval"] == pytest.approx((10.01, 10.03))
    assert found["per_gpu"]["output_tok_s"] == pytest.approx(found["output_tok_s"])


def test_a_run_whose_tokens_came_in_no_time_is_no_result_and_has_no_number(tmp_path: Path) -> None:
    found = numbers(*attempt(tmp_path, plan(sides=2), {"a": 10.0, "b": 0.0}))
    seen, unseen = found["sets"]
    assert (seen["valid"], unseen["valid"], found["ratios"]) == (True, False, [])
    assert "tokens_at_once: all tokens of 4 of 4 requests arrived at one instant" in unseen["reasons"][0]
    assert (unseen["tpot_ms"], unseen["output_tok_s"], unseen["runs"][0]["tpot_ms"]) == (None, None, None)


def test_a_run_whose_first_tokens_came_as_it_was_sent_is_no_record_of_one(tmp_path: Path) -> None:
    (found,) = numbers(*attempt(tmp_path, plan(), ttft_ms=0.0))["sets"]
    assert (found["valid"], found["ttft_ms"], found["e2e_ms"]) == (False, None, None)
    assert "impossible_trace: tokens arrived at the instant at which their request was sent" in found["reasons"][0]


def test_a_run_says_which_bytes_its_numbers_came_from(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan())
    runs = numbers(report, traces)["sets"][0]["runs"]
    assert [run["trace_sha256"] for run in runs] == [digest(traces[run.trace]) for run in report.runs]


def test_both_sides_have_a_ratio_of_their_pairs(tmp_path: Path) -> None:
    found = numbers(*attempt(tmp_path, plan(sides=2), {"a": 10.0, "b": 5.0}))
    (ratios,) = found["ratios"]
    assert ratios["tpot_ms"]["median"] == pytest.approx(0.5)
    assert len(ratios["tpot_ms"]["pairs"]) == 3


def test_a_sweep_has_its_front(tmp_path: Path) -> None:
    found = numbers(*attempt(tmp_path, plan(points=(1, 2, 4))))
    assert [item["place"] for item in found["front"]] == ["dominated", "dominated", "front"]
    assert found["front"][0]["per_gpu"] is True


def test_per_gpu_numbers_divide_by_the_launchs_gpus_and_a_cpu_has_none(tmp_path: Path) -> None:
    (two,) = numbers(*attempt(tmp_path, plan(gpus=2)))["sets"]
    (none,) = numbers(*attempt(tmp_path, plan(gpus=0)))["sets"]
    assert two["per_gpu"]["total_tok_s"] == pytest.approx(two["total_tok_s"] / 2)
    assert none["per_gpu"] is None


def test_one_repeat_that_is_no_result_withholds_the_point_and_nothing_else(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan(points=(1, 2)))
    runs = (report.runs[0].model_copy(update={"reasons": ("lagging_client: late",)}), *report.runs[1:])
    found = numbers(report.model_copy(update={"runs": runs}), traces)
    one, two = found["sets"]
    assert (one["valid"], one["tpot_ms"], one["requests"]) == (False, None, 12)
    assert two["valid"]
    assert found["reasons"] == ["side a, concurrency 1: run 1: lagging_client: late"]


def test_a_missing_trace_is_a_reason_and_no_error(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan())
    del traces["a-0-2.parquet"]
    traces["a-0-3.parquet"].unlink()
    (found,) = numbers(report, traces)["sets"]
    assert found["reasons"] == [
        "run 2: trace_missing: there is no trace `a-0-2.parquet`",
        "run 3: trace_missing: the file of the trace `a-0-3.parquet` is gone",
    ]


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + b"\0" * 100 + b"PAR1", b"not a trace"])
def test_a_corrupt_trace_is_a_reason_and_no_error(tmp_path: Path, data: bytes) -> None:
    report, traces = attempt(tmp_path, plan())
    traces["a-0-1.parquet"].write_bytes(data)
    (found,) = numbers(report, traces)["sets"]
    (reason,) = found["reasons"]
    assert reason.startswith("run 1: trace_unreadable: the trace `a-0-1.parquet` cannot be read: ")
    assert str(tmp_path) not in reason


@pytest.mark.parametrize("keep", range(1, 10))
def test_a_trace_that_was_cut_off_is_a_reason(tmp_path: Path, keep: int) -> None:
    report, traces = attempt(tmp_path, plan())
    whole = traces["a-0-1.parquet"].read_bytes()
    traces["a-0-1.parquet"].write_bytes(whole[: len(whole) * keep // 10])
    assert not numbers(report, traces)["sets"][0]["valid"]


def test_what_a_trace_says_against_its_run_is_found_although_the_report_is_silent(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan())
    write_trace(traces["a-0-1.parquet"], 4, 2, 20.0, 10.0, failed=2)
    write_trace(traces["a-0-2.parquet"], 3, 2, 20.0, 10.0)
    write_trace(traces["a-0-3.parquet"], 4, 2, 20.0, 10.0, client=None)
    (found,) = numbers(report, traces)["sets"]
    rules = [reason.split(": ")[:2] for reason in found["reasons"]]
    assert rules == [
        ["run 1", "failures"], ["run 1", "timeout"], ["run 2", "other_work"], ["run 3", "client_unknown"],
    ]  # fmt: skip


def test_runs_that_the_plan_has_no_place_for_are_named_and_not_counted(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan())
    runs = (*report.runs, report.runs[0], report.runs[0].model_copy(update={"point": 7}))
    found = numbers(report.model_copy(update={"runs": runs}), traces)
    assert found["reasons"] == [
        "twice: side a, point 0, repeat 1 or its trace stands twice in the report",
        "not_planned: the plan has no side a, point 7, repeat 1",
    ]
    assert found["valid"] is False


def test_repeats_that_were_not_made_are_a_reason(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan())
    (found,) = numbers(report.model_copy(update={"runs": report.runs[:2]}), traces)["sets"]
    assert found["reasons"] == ["not_all_runs: 2 of 3 repeats were made"]


def test_a_report_without_a_run_has_no_numbers_and_no_error(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan(sides=2))
    found = numbers(report.model_copy(update={"runs": ()}), traces)
    assert (found["valid"], found["ratios"], found["sets"][0]["tpot_ms"]) == (False, [], None)


def test_a_report_of_another_plan_is_no_result(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan())
    found = compute(report, traces, plan(repeats=4))
    assert found["reasons"] == ["other_plan: the report is of another plan than the job's"]


def test_the_same_traces_have_the_same_numbers(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan(sides=2))
    assert numbers(report, traces) == numbers(report, traces)
