"""The numbers of a measurement as its page shows them: how far repeats reach, and what the server's counters say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.jobs.numbers import compute
from app.web.measurement_numbers import referee_lines, set_lines
from tests.jobs.runs import attempt, plan

if TYPE_CHECKING:
    from pathlib import Path


def test_the_servers_own_counters_stand_beside_the_client_and_a_line_says_where_they_part(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan())
    told = {"engine": "vllm", "generated_tokens": 44, "ttft_ms": 20.0, "tpot_ms": 5.0, "e2e_ms": 120.0}
    told |= {"prompt_tokens": 32, "cached_tokens": 1, "preemptions": 0}
    runs = tuple(run.model_copy(update={"referee": told}) for run in report.runs)
    numbers = compute(report.model_copy(update={"runs": runs}), traces, report.plan)
    (line,) = referee_lines(numbers, {"a": ""})
    assert [cell.value for cell in line.cells] == ["132", "3", "0", "20.0", "5.00", "120.0", "0.5 ms"]
    assert (line.cells[0].range, line.cells[1].range) == ("client: 132", "of 96")
    assert line.cells[4].range == "client: 10.0 (+100.4 %)"
    assert line.reasons == (
        "mean TPOT is 10.02 ms at the client, 5.02 ms more than at the server",
        "The server's own means do not add up: a TTFT of 20.0 ms and 10 more tokens at a TPOT of 5.00 ms make 70.0 ms, "
        "and its end-to-end latency is 120.0 ms; 50.0 ms of it (42 %) are in neither: its core stamps TPOT, without "
        "the time in which its front end passes tokens on",
    )
    assert referee_lines(compute(report, traces, report.plan), {"a": ""}) == ()


def test_a_run_with_a_failed_request_is_left_out_of_the_means_on_both_sides_and_silences_no_finding(
    tmp_path: Path,
) -> None:
    report, traces = attempt(tmp_path, plan())
    told = {"engine": "vllm", "generated_tokens": 44, "ttft_ms": 20.0, "tpot_ms": 5.0, "e2e_ms": 120.0}
    runs = tuple(run.model_copy(update={"referee": told}) for run in report.runs)
    numbers = compute(report.model_copy(update={"runs": runs}), traces, report.plan)
    failed, *_ = numbers["sets"][0]["runs"]
    failed["tpot_ms"]["mean"] = "inf"
    failed["referee"]["tpot_ms"] = 900.0
    (line,) = referee_lines(numbers, {"a": ""})
    assert (line.cells[4].value, line.cells[4].range) == ("5.00", "client: 10.0 (+100.5 %), 2 of 3 runs")
    assert line.reasons[:1] == (
        "mean TPOT is 10.02 ms at the client, 5.02 ms more than at the server, by the 2 of 3 runs that have both",
    )


def test_few_repeats_have_a_range_and_many_an_interval(tmp_path: Path) -> None:
    for repeats, said in ((3, "10.0 to 10.0"), (6, "10.0 to 10.1, 95 %")):
        report, traces = attempt(tmp_path / str(repeats), plan(repeats=repeats))
        (line,) = set_lines(compute(report, traces, report.plan), {"a": ""})
        assert line.cells[1].range == said


def test_counters_that_are_no_numbers_and_an_infinite_mean_are_not_stated(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan(repeats=1))
    told = {"engine": "vllm", "generated_tokens": "44", "ttft_ms": [1], "tpot_ms": 10**400, "e2e_ms": 120.0}
    (run,) = report.runs
    numbers = compute(
        report.model_copy(update={"runs": (run.model_copy(update={"referee": told}),)}), traces, report.plan
    )
    numbers["sets"][0]["runs"][0]["e2e_ms"]["mean"] = "inf"  # as it is where a request failed
    (line,) = referee_lines(numbers, {"a": ""})
    unknown = "not stated by this engine"
    assert [cell.value for cell in line.cells[:6]] == ["0", unknown, unknown, "not stated", "not stated", "120.0"]
    assert line.cells[5].range == "client: not stated"
    assert line.reasons == ()
