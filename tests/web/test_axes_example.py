"""The worked example of the axes page: one run, and every number of it worked out by hand here."""

from __future__ import annotations

import pytest

from app.axes import TOOLS
from app.web.axes_example import worked_example


def row(key: str) -> tuple[str, dict[str, str | None], set[str]]:
    """Our number, the tools' numbers, and which of them are told to differ."""
    found = next(row for row in worked_example().rows if row.key == key)
    values = {reading.tool: reading.cell.value if reading.cell else None for reading in found.readings}
    return found.ours, values, {reading.tool for reading in found.readings if reading.cell and reading.cell.differs}


def test_every_tool_of_the_registry_reads_the_run() -> None:
    assert set(worked_example().tools) == set(TOOLS)


def test_ttft_counts_the_first_event_with_a_token_whether_or_not_it_has_text() -> None:
    ours, tools, differing = row("ttft")
    assert ours == "40.0", "(40 - 0 + 50 - 10) / 2"
    assert tools["sglang bench_serving"] == "50.0", "(60 - 0 + 50 - 10) / 2: its first text comes with the second event"
    assert differing == {"sglang bench_serving", "guidellm", "aiperf", "inference-perf", "genai-bench"}


def test_tpot_is_the_time_after_the_first_event_over_the_tokens_after_it() -> None:
    ours, tools, _ = row("tpot")
    assert ours == "15.6", "((140 - 40) / 9 + (110 - 50) / 3) / 2"
    assert tools["guidellm"] == "11.7", "((140 - 60) + (110 - 50)) / (9 + 3): weighted by tokens, from the first text"
    assert tools["aiperf"] == "14.4", "((140 - 60) / 9 + (110 - 50) / 3) / 2"


def test_an_event_gap_is_no_token_itl() -> None:
    assert row("event_gap")[0] == "22.9", "(4 gaps of 100 ms in all + 3 of 60 ms) / 7"
    assert row("token_itl")[0] == "13.3", "160 ms over the 12 tokens after the two first events"
    assert row("token_itl")[1]["vllm bench"] is None


@pytest.mark.parametrize(
    ("key", "ours", "vllm"), [("output_throughput", "100.0", "93.3"), ("e2e_latency", "120.0", "120.0")]
)
def test_the_window_ends_with_the_last_token(key: str, ours: str, vllm: str) -> None:
    found = row(key)
    assert (found[0], found[1]["vllm bench"]) == (ours, vllm), "14 tokens in 140 ms, or in 150 ms to [DONE]"


def differing() -> list[tuple[str, str, str]]:
    cells = [(row.key, reading.tool, reading.cell) for row in worked_example().rows for reading in row.readings]
    return [(key, tool, cell.why) for key, tool, cell in cells if cell and cell.differs]


def test_every_number_that_differs_says_why() -> None:
    assert len(differing()) > 20
    assert all(why for _, _, why in differing())


def test_the_reasons_below_the_table_are_those_of_its_cells() -> None:
    for row in worked_example().rows:
        told = {(tool.rsplit(" ", 1)[0], reason.reason) for reason in row.reasons for tool in reason.tools.split(", ")}
        assert told == {(tool, why) for key, tool, why in differing() if key == row.key}


def test_each_tool_says_what_it_makes_of_a_failed_request() -> None:
    assert {tool for why in worked_example().failed for tool in why.tools.split(", ")} == set(TOOLS)
