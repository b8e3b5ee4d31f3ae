"""Other load tools are held against the server's own counters of the same run, and so is Benchcard's client."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from app.jobs.agreement import of_tool
from app.jobs.numbers import compute
from app.protocol.outcome import ToolRun
from tests.importers.factories import DATA
from tests.jobs.runs import attempt, plan

if TYPE_CHECKING:
    from pathlib import Path

    from app.protocol.outcome import Report
    from app.protocol.plan import BenchTool, Plan

# A run of 4 requests of 11 tokens, two at a time, as tests.jobs.runs writes it: TTFT 20 ms, TPOT 10 ms, end-to-end 120.
TRUTH = {"generated_tokens": 44, "ttft_ms": 20.0, "tpot_ms": 10.0, "e2e_ms": 120.0}
RATE = 2 * 44 / (4 * 0.120)
RIGHT = {
    "completed": 4, "total_output_tokens": 44, "duration": 0.24, "output_throughput": RATE,
    "mean_ttft_ms": 21.0, "mean_tpot_ms": 10.0, "mean_e2el_ms": 120.0,
}  # fmt: skip


def held(
    folder: Path, wrote: dict[str, Any] | bytes | None, repeats: int = 1, **more: Any
) -> tuple[Report, dict[str, Path]]:
    """Repeats by Benchcard's client and by vLLM's tool."""
    of = plan(repeats=repeats).model_copy(update={"kind": "agreement", "tools": ("vllm_bench",)})
    report, parts = attempt(folder, of)
    run: dict[str, Any] = {
        "point": 0, "tool": "vllm_bench", "version": "0.32.0", "argv": ("python",), "referee": TRUTH,
    }  # fmt: skip
    if wrote is not None:
        run["result"] = "vllm.json"
        parts["vllm.json"] = folder / "vllm.json"
        parts["vllm.json"].write_bytes(wrote if isinstance(wrote, bytes) else json.dumps(wrote).encode())
    update = {"referee": TRUTH, "server_cores": (0.2, 0.4)}
    ours = tuple(each.model_copy(update=update) for each in report.runs if each.point == 0)
    theirs = tuple(ToolRun(**{"result": None, "repeat": each.repeat} | run | more) for each in ours)
    return report.model_copy(update={"runs": ours, "tool_runs": theirs}), parts


def of_engine(given: Plan, engine: str) -> Plan:
    side = given.sides[0]
    assert side.launch is not None
    launch = side.launch.model_copy(update={"engine": engine})
    return given.model_copy(update={"sides": (side.model_copy(update={"launch": launch}),)})


def clients(report: Report, parts: dict[str, Path]) -> tuple[dict[str, Any], dict[str, Any]]:
    ((point),) = compute(report, parts, report.plan)["agreement"]
    ours, theirs = point["clients"]
    return ours, theirs


def test_what_a_tool_reports_is_held_against_the_counters_of_its_own_run(tmp_path: Path) -> None:
    _, theirs = clients(*held(tmp_path, RIGHT | {"mean_e2el_ms": 150.0}))
    assert theirs["apart"] == pytest.approx(
        {"output_tokens": 0.0, "output_tok_s": 0.0, "tpot_ms": 0.0, "e2e_ms": 0.25, "ttft_ms": 0.05}
    )
    assert (theirs["worst"], theirs["within"]) == ("e2e_ms", False)
    assert theirs["why"] == [{"rule": "latency", "apart_ms": pytest.approx(30), "first_token_ms": pytest.approx(1)}]


def test_a_late_first_token_alone_is_shown_and_not_judged(tmp_path: Path) -> None:
    _, theirs = clients(*held(tmp_path, RIGHT | {"mean_ttft_ms": 40.0}))
    assert (theirs["apart"]["ttft_ms"], theirs["within"], theirs["why"]) == (1.0, True, [])


def test_benchcards_own_client_is_held_against_the_counters_too(tmp_path: Path) -> None:
    ours, theirs = clients(*held(tmp_path, RIGHT))
    assert (ours["client"], ours["within"]) == ("benchcard", True)
    assert ours["apart"]["output_tokens"] == 0.0
    assert ours["apart"]["tpot_ms"] == pytest.approx(0.001, abs=1e-6)  # its traces are 0.1 % slower than those counters
    assert theirs["version"] == "0.32.0"


def test_tokens_that_a_tool_miscounts_are_named(tmp_path: Path) -> None:
    _, theirs = clients(*held(tmp_path, RIGHT | {"total_output_tokens": 33, "output_throughput": RATE * 0.75}))
    assert theirs["apart"]["output_tokens"] == pytest.approx(-0.25)
    assert theirs["why"] == [{"rule": "miscounts", "counted": 33.0, "generated": 44.0}]


def test_a_busy_tool_and_a_slower_server_are_told_from_the_seconds_of_the_run_alone(tmp_path: Path) -> None:
    slow = TRUTH | {"e2e_ms": 240.0, "ttft_ms": 140.0}
    wrote = RIGHT | {"mean_e2el_ms": 240.0, "output_throughput": RATE / 2, "duration": 2.5}
    cores = (0.1, 0.1, 1.02, 0.99, 0.98)  # it starts for two seconds
    _, theirs = clients(*held(tmp_path, wrote, referee=slow, tool_cores=cores, server_cores=(0.0, 0.0, 1.0, 1.0, 1.0)))
    assert (theirs["tool_cores"], theirs["server_cores"], theirs["within"]) == (0.99, 1.0, True)
    assert theirs["why"] == [
        {"rule": "client_busy", "cores": 0.99},
        {"rule": "other_rate", "output_tok_s": RATE / 2, "under_benchcard_tok_s": RATE},
        {"rule": "server_busy", "cores": 1.0},
    ]


def test_a_run_of_a_moment_says_nothing_of_cores_and_a_scheduler_that_polls_is_no_limit(tmp_path: Path) -> None:
    _, theirs = clients(*held(tmp_path, RIGHT, tool_cores=(0.1, 1.0), server_cores=(0.1, 1.0)))
    assert (theirs["tool_cores"], theirs["server_cores"], theirs["why"]) == (None, None, [])
    busy: dict[str, Any] = {"tool_cores": (0.5,) * 3, "server_cores": (1.01,) * 3}
    report, parts = held(tmp_path, RIGHT | {"duration": 2.5, "output_throughput": RATE}, **busy)
    assert [item["rule"] for item in clients(report, parts)[1]["why"]] == ["server_busy"]
    polling = report.model_copy(update={"plan": of_engine(report.plan, "sglang")})
    assert clients(polling, parts)[1]["why"] == []


def test_the_servers_tpot_is_between_its_first_token_and_its_end_whatever_its_core_says(tmp_path: Path) -> None:
    """vLLM's front end can pass tokens on long after its core has stamped them; SGLang states no TPOT at all."""
    _, theirs = clients(*held(tmp_path, RIGHT, referee=TRUTH | {"tpot_ms": 6.0}))
    assert theirs["referee"]["tpot_ms"] == pytest.approx(10.0)
    assert (theirs["within"], theirs["apart"]["tpot_ms"]) == (True, pytest.approx(0.0))
    assert theirs["why"] == [{"rule": "core_ahead", "core_tpot_ms": 6.0, "tpot_ms": pytest.approx(10.0)}]
    unsaid = {name: value for name, value in TRUTH.items() if name != "tpot_ms"}
    _, theirs = clients(*held(tmp_path, RIGHT, referee=unsaid))
    assert (theirs["referee"]["tpot_ms"], theirs["why"]) == (pytest.approx(10.0), [])


def test_a_rate_over_a_slow_start_or_end_is_told_with_the_streams_that_were_under_way(tmp_path: Path) -> None:
    _, theirs = clients(*held(tmp_path, RIGHT | {"duration": 0.32, "output_throughput": 44 / 0.32}))
    assert theirs["streams"] == pytest.approx(1.5)
    assert theirs["why"] == [{"rule": "window", "streams": pytest.approx(1.5), "concurrency": 2}]


def test_none_is_called_the_closest_before_each_has_three_runs(tmp_path: Path) -> None:
    (one,) = compute(*held(tmp_path, RIGHT, repeats=2), plan())["agreement"]
    (three,) = compute(*held(tmp_path, RIGHT | {"mean_tpot_ms": 10.4}, repeats=3), plan())["agreement"]
    assert (one["closest"], three["closest"]) == (None, "benchcard")


@pytest.mark.parametrize(
    ("wrote", "reason"),
    [
        (None, "no_result: the tool wrote no result"),
        (b"{", "unreadable: `vllm.json` cannot be read"),
        (b"[]", "unreadable: `vllm.json` cannot be read: it is no JSON object"),
        (b"[" * 100_000, "unreadable: `vllm.json` cannot be read: it is nested too deeply"),
        (b"\xff", "unreadable: `vllm.json` cannot be read"),
    ],
)
def test_a_result_that_is_none_is_a_reason_and_no_number(wrote: bytes | None, reason: str, tmp_path: Path) -> None:
    ours, theirs = clients(*held(tmp_path, wrote))
    assert theirs["runs"][0]["reasons"][0].startswith(reason)
    assert (theirs["usable"], theirs["worst"], theirs["within"], theirs["output_tok_s"]) == (0, None, False, None)
    assert ours["within"]


def test_a_result_that_is_gone_is_a_reason(tmp_path: Path) -> None:
    report, parts = held(tmp_path, RIGHT)
    parts["vllm.json"].unlink()
    assert clients(report, parts)[1]["runs"][0]["reasons"] == ["no_result: there is no part `vllm.json`"]


def test_a_run_that_its_runner_has_something_against_gives_no_number(tmp_path: Path) -> None:
    _, theirs = clients(*held(tmp_path, RIGHT, reasons=("cache_not_flushed: no",)))
    assert (theirs["usable"], theirs["output_tok_s"]) == (0, None)


@pytest.mark.parametrize("value", [None, "10", True, float("nan"), float("inf"), 10**400])
def test_what_is_no_finite_number_is_not_stated(value: object) -> None:
    data = json.dumps(RIGHT | {"mean_tpot_ms": value}).encode()
    assert of_tool("vllm_bench", data).tpot_ms is None


@pytest.mark.parametrize(
    ("tool", "file"), [("vllm_bench", "vllm_ngram_detailed.json"), ("sglang_bench", "sglang_vllm.jsonl")]
)
def test_the_real_tools_results_are_read_whole(tool: BenchTool, file: str) -> None:
    found = of_tool(tool, (DATA / file).read_bytes())
    stated = (found.requests, found.output_tokens, found.duration_s, found.output_tok_s, found.ttft_ms, found.tpot_ms)
    assert None not in stated
