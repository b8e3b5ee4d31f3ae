"""One trace under other tools' definitions, against what those tools' own code was seen to make of the same streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.axes import AXES
from app.axes import TOOLS as AXIS_TOOLS
from runners import report as printed
from runners.load import metrics
from runners.load.statistics import Distribution
from runners.load.tools import TOOLS, Report, Value
from tests.runners.load.golden.scenarios import SCENARIOS
from tests.runners.load.script import (
    DONE,
    TOKEN,
    TTFT,
    N,
    Write,
    base,
    delta,
    event,
    piece,
    stream,
    traced,
    usage,
)

if TYPE_CHECKING:
    from collections.abc import Callable

UNASKED = {"usage": False, "continuous": False}


def value(report: Report, name: str) -> float | None:
    return next(item.value for item in report.values if item.name == name)


def by(tool: str, *streams: list[Write], **meta: Any) -> Report:
    return TOOLS[tool](traced(*streams, **meta))


TPOT = {
    "vllm": "mean_tpot_ms",
    "sglang": "mean_tpot_ms",
    "inferencex": "mean_tpot_ms",
    "aiperf": "inter_token_latency avg",
    "guidellm": "inter_token_latency_ms mean",
    "inference-perf": "time_per_output_token mean",
    "genai-bench": "stats.tpot.mean",
}
TTFT_NAME = {
    "vllm": "mean_ttft_ms",
    "sglang": "mean_ttft_ms",
    "inferencex": "mean_ttft_ms",
    "aiperf": "time_to_first_token avg",
    "guidellm": "time_to_first_token_ms mean",
    "inference-perf": "time_to_first_token mean",
    "genai-bench": "stats.ttft.mean",
}


@pytest.mark.parametrize("tool", TOOLS)
def test_01_all_tools_agree_on_one_token_an_event_except_the_one_with_ttft_in_tpot(tool: str) -> None:
    report = by(tool, base(ids=False))
    assert (report.completed, report.failed) == (1, 0)
    assert value(report, TPOT[tool]) == pytest.approx(10)
    assert value(report, TTFT_NAME[tool]) == pytest.approx(200)
    if tool == "guidellm":
        assert value(report, "time_per_output_token_ms mean") == pytest.approx(500 / 31)


@pytest.mark.parametrize(
    ("tool", "name", "truth"),
    [
        ("vllm", "mean_itl_ms", 30),
        ("sglang", "mean_itl_ms", 30),
        ("inferencex", "mean_itl_ms", 30),
        ("aiperf", "inter_chunk_latency avg", 30),
        ("aiperf", "inter_token_latency avg", 10),
        ("inference-perf", "inter_token_latency mean", 10),
        ("inference-perf", "inter_token_latency median", 0),
        ("guidellm", "inter_token_latency_ms mean", 10),
    ],
)
def test_02_inter_token_latency_means_three_different_things(tool: str, name: str, truth: float) -> None:
    assert value(by(tool, stream([1] + [3] * 10, 30)), name) == pytest.approx(truth)


@pytest.mark.parametrize("tool", TOOLS)
def test_03_every_tool_takes_the_first_event_for_one_token(tool: str) -> None:
    assert value(by(tool, stream([4] + [3] * 9, 30)), TPOT[tool]) == pytest.approx(9.0)


@pytest.mark.parametrize(
    ("tool", "ttft", "tpot"),
    [("vllm", 50, 15), ("inferencex", 50, 15), ("sglang", 200, 10), ("aiperf", 200, 10), ("guidellm", 200, 10)],
)
def test_04_an_empty_chunk_opens_the_window_of_some(tool: str, ttft: float, tpot: float) -> None:
    report = by(tool, [(50, piece(0, text="")), *base(ids=False)])
    assert value(report, TTFT_NAME[tool]) == pytest.approx(ttft)
    assert value(report, TPOT[tool]) == pytest.approx(tpot)


def test_05_usage_on_the_last_chunk_with_text_is_lost_on_inferencex() -> None:
    end = TTFT + (N - 1) * TOKEN
    writes: list[Write] = [(TTFT + i * TOKEN, piece()) for i in range(N - 1)]
    writes += [(end, piece(so_far=N, finish="length")), (end, DONE)]
    report = by("inferencex", writes, asked={"usage": True, "continuous": False})
    assert (report.completed, value(report, "mean_tpot_ms"), value(report, "output_throughput")) == (1, None, 0)
    assert value(by("vllm", writes), "mean_tpot_ms") == pytest.approx(10)


@pytest.mark.parametrize(
    ("tool", "name", "late", "prompt"),
    [
        ("sglang", "mean_tpot_ms", 20, 10),
        ("vllm", "mean_tpot_ms", 10, 10),
        ("guidellm", "request_latency mean", 0.8, 0.5),
        ("inference-perf", "request_latency mean", 800, 500),
        ("aiperf", "request_latency avg", 500, 500),
    ],
)
def test_08_a_late_done_lengthens_what_ends_there(tool: str, name: str, late: float, prompt: float) -> None:
    writes = base(ids=False)
    assert value(by(tool, writes), name) == pytest.approx(prompt)
    at, done = writes.pop()
    assert value(by(tool, [*writes, (at + 300, done)]), name) == pytest.approx(late)


def succeeded(writes: list[Write], **meta: Any) -> dict[str, int]:
    """Which tools call the request a success."""
    return {tool: by(tool, writes, **meta).completed for tool in TOOLS}


def test_10_crlf_in_one_write_is_lost_on_vllm_and_empty_for_inference_perf() -> None:
    body = b"".join(data for _, data in base(ids=False)).replace(b"\n", b"\r\n")
    found = succeeded([(TTFT, body)])
    assert [tool for tool, good in found.items() if not good] == ["vllm"]
    assert value(by("inference-perf", [(TTFT, body)]), "time_to_first_token mean") is None
    assert value(by("inferencex", [(TTFT, body)]), "mean_tpot_ms") == 0


def test_11_data_without_a_space_is_read_by_half_of_them() -> None:
    writes = [(at, data.replace(b"data: ", b"data:")) for at, data in base(ids=False)]
    found = succeeded(writes)
    assert [tool for tool, good in found.items() if not good] == ["vllm", "sglang", "inferencex"]
    assert value(by("inference-perf", writes), "time_to_first_token mean") is None


def test_13_comments_end_the_requests_of_the_line_readers() -> None:
    writes: list[Write] = [(at, b": ping\n\n" + data) for at, data in base(ids=False)]
    assert [tool for tool, good in succeeded(writes).items() if not good] == ["sglang", "inferencex"]


def test_15_an_error_in_the_data_is_a_success_for_most() -> None:
    writes: list[Write] = [*base(ids=False)[:5], (260, event({"error": {"message": "gone"}})), (260, DONE)]
    assert [tool for tool, good in succeeded(writes).items() if not good] == ["sglang", "guidellm", "genai-bench"]


def test_15_an_event_named_error_fails_on_aiperf_too() -> None:
    writes: list[Write] = [*base(ids=False)[:5], (260, b'event: error\ndata: {"message": "gone"}\n\n'), (260, DONE)]
    assert not succeeded(writes)["aiperf"]


def test_17_an_end_without_done_is_a_success_for_all_and_full_length_for_sglang() -> None:
    writes = base(ids=False)[:5]
    assert all(succeeded(writes).values())
    assert value(by("sglang", writes), "mean_tpot_ms") == pytest.approx(40 / 30)


def test_18_an_early_stop_counts_as_full_length_on_sglang() -> None:
    writes = [*base(ids=False)[:4], (240.0, piece(finish="stop")), (240.0, usage(5)), (240.0, DONE)]
    assert value(by("sglang", writes), "mean_tpot_ms") == pytest.approx(40 / 30)
    assert value(by("vllm", writes), "mean_tpot_ms") == pytest.approx(10)


def test_22_done_alone_is_a_success_for_sglang_and_inference_perf() -> None:
    found = succeeded([(200, DONE)])
    assert [tool for tool, good in found.items() if good] == ["sglang", "inference-perf"]
    sglang = by("sglang", [(200, DONE)])
    assert value(sglang, "mean_ttft_ms") == 0
    assert value(sglang, "mean_tpot_ms") == pytest.approx(200 / 30)


def test_23_empty_texts_leave_sglang_without_a_first_token() -> None:
    writes: list[Write] = [(TTFT + i * TOKEN, piece(text="")) for i in range(N)]
    writes += [(500.0, usage(N)), (500.0, DONE)]
    found = succeeded(writes)
    assert [tool for tool, good in found.items() if not good] == ["aiperf", "genai-bench"]
    sglang = by("sglang", writes)
    assert value(sglang, "mean_ttft_ms") == 0
    assert value(sglang, "mean_tpot_ms") == pytest.approx(500 / 30)
    assert value(by("guidellm", writes), "time_to_first_token_ms mean") is None


def test_25_a_usage_chunk_that_nobody_asked_for_ends_sglangs_request() -> None:
    found = succeeded(base(ids=False), asked=UNASKED)
    assert [tool for tool, good in found.items() if not good] == ["sglang"]


def test_usage_of_each_event_that_only_benchcard_asked_for_is_not_in_the_view() -> None:
    exact, plain = base(ids=True), base(ids=False)
    asked = {"usage": True, "continuous": True}
    for tool in TOOLS:
        seen = by(tool, exact, asked=asked).values
        for one, other in zip(seen, by(tool, plain).values, strict=True):
            assert one.value == pytest.approx(other.value), one.name


def test_reasoning_content_is_no_token_for_vllm_and_reasoning_is() -> None:
    for name, ttft in (("reasoning", 100), ("reasoning_content", 300)):
        thoughts: list[Write] = [(100 + i * TOKEN, delta(**{name: "hm"})) for i in range(20)]
        answer: list[Write] = [(300 + i * TOKEN, delta(content="x")) for i in range(5)]
        writes = [*thoughts, *answer, (340.0, usage(25)), (340.0, DONE)]
        assert value(by("vllm", writes, endpoint="chat"), "mean_ttft_ms") == pytest.approx(ttft)
        assert value(by("aiperf", writes, endpoint="chat"), "time_to_first_token avg") == pytest.approx(100)
        assert value(by("inference-perf", writes, endpoint="chat"), "time_to_first_token mean") == pytest.approx(300)


def test_a_connection_of_its_own_is_added_where_a_tool_opens_one() -> None:
    for tool, ttft in (("sglang", 203), ("inferencex", 203), ("genai-bench", 203), ("vllm", 200), ("guidellm", 200)):
        report = by(tool, base(ids=False), connect_ns=3_000_000)
        assert value(report, TTFT_NAME[tool]) == pytest.approx(ttft)


def test_p90_interactivity_of_two_tools_lies_on_two_sides_of_a_limit() -> None:
    gaps = [10, 11, 12, 13, 14, 15, 16, 18, 25, 40]
    streams = [stream([1, 1], gap, ids=False) for gap in gaps]
    trace = traced(*streams, tokens=2)
    slow = value(TOOLS["inferencex"](trace), "p90_intvty")
    fast = value(TOOLS["aiperf"](trace), "output_token_throughput_per_user p90")
    assert slow == pytest.approx(37.7, abs=0.05)
    assert fast == pytest.approx(91.8, abs=0.05)


@pytest.mark.parametrize("tool", TOOLS)
def test_every_number_names_its_axis_its_formula_and_its_source(tool: str) -> None:
    report = by(tool, base())
    assert all(item.axis in AXES and item.formula for item in report.values)
    assert report.source
    assert report.version in AXIS_TOOLS.values()


@pytest.mark.parametrize("tool", TOOLS)
def test_a_run_without_any_success_has_no_numbers_and_does_not_fail(tool: str) -> None:
    broken: list[Write] = [(1, b"data: {oops\n\n")]
    report = by(tool, broken)
    for item in report.values:
        assert item.value is None or item.value >= 0


def test_rules_live_in_one_file_a_tool() -> None:
    folder = Path(__file__).parents[3] / "runners/load/tools"
    names = {file.stem.replace("_", "-") for file in folder.glob("*.py")} - {"--init--", "view"}
    assert names == set(TOOLS)


OURS: dict[str, Callable[[metrics.Metrics], Distribution | float | None]] = {
    "ttft": lambda found: found.ttft_ms,
    "tpot": lambda found: found.tpot_ms,
    "event_gap": lambda found: found.event_gap_ms,
    "token_itl": lambda found: found.token_itl_ms,
    "e2e_latency": lambda found: found.e2e_ms,
    "decode_rate": lambda found: found.decode_tok_s,
    "output_throughput": lambda found: found.output_tok_s,
    "total_throughput": lambda found: found.total_tok_s,
    "request_throughput": lambda found: found.requests_s,
    "interactivity_p90_slow": lambda found: found.interactivity_p90_slow,
    "interactivity_p90_fast": lambda found: found.interactivity_p90_fast,
    "interactivity_e2e": lambda found: found.interactivity_e2e,
}
STATISTIC = {"mean": "mean", "avg": "mean", "median": "median", "p50": "median", "p90": "p90", "p99": "p99"}


def own(item: Value, found: metrics.Metrics) -> float | None:
    """Benchcard's number of the same axis and statistic; None where there is none to set beside it."""
    number = OURS[item.axis](found)
    if not isinstance(number, Distribution):
        return number
    words = item.name.replace(".", "_").replace(" ", "_").split("_")
    statistic = next((STATISTIC[word] for word in words if word in STATISTIC), None)
    return None if statistic is None else float(getattr(number, statistic))


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_number_that_lies_more_than_a_hundredth_from_ours_has_a_reason(tool: str, name: str) -> None:
    scenario = SCENARIOS[name]
    endpoint = "chat" if scenario.chat else "completions"
    trace = traced(*scenario.requests, tokens=scenario.asked, prompt=8, endpoint=endpoint, connect_ns=9_000_000)
    found, report = metrics.measure(trace), TOOLS[tool](trace)
    assert report.departs["failed"]
    if found.failed or report.failed:
        return
    for item in report.values:
        mine = own(item, found)
        if mine is None or item.value is None or item.value == pytest.approx(mine, rel=0.01):
            continue
        assert report.departs.get(item.axis), f"{item.name}: {item.value} where the axis says {mine}"


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_departs_only_on_axes_that_it_reports(tool: str) -> None:
    report = by(tool, base())
    assert set(report.departs) <= {item.axis for item in report.values} | {"failed"}
    assert all(reason.endswith(".") for reason in report.departs.values())


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_stream_can_be_printed_under_every_definition(name: str) -> None:
    trace = traced(*SCENARIOS[name].requests, tokens=SCENARIOS[name].asked)
    for tool in (None, *TOOLS):
        json.dumps(printed.trace_json(trace, tool), allow_nan=False)
        assert printed.trace_text(trace, tool)
