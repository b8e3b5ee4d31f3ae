"""What charts show of a run, from traces whose numbers are known in advance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.web.run_view import MOST_POINTS, MOST_STEPS, run_view
from runners.load import trace_file
from runners.load.example import example
from tests.jobs.runs import OUTPUT, write_trace

if TYPE_CHECKING:
    from pathlib import Path

    from app.web.run_view import RunView


def view(tmp_path: Path, requests: int = 4, streams: int = 2, failed: int = 0) -> RunView:
    write_trace(tmp_path / "t.parquet", requests, streams, 20.0, 10.0, failed=failed)
    return run_view(trace_file.read(tmp_path / "t.parquet"))


def test_a_curve_rises_to_the_whole_of_its_values(tmp_path: Path) -> None:
    curve = view(tmp_path).curves["ttft"]
    assert curve.x[0] == curve.x[-1] == pytest.approx(20)
    assert (curve.share[-1], curve.count, curve.infinite) == (100, 4, 0)
    assert curve.at(50) == pytest.approx(20)


def test_a_curve_ends_below_the_whole_where_requests_failed(tmp_path: Path) -> None:
    curve = view(tmp_path, failed=1).curves["ttft"]
    assert (curve.share[-1], curve.infinite) == (75, 1)
    assert curve.at(100) is None


def test_a_long_run_is_drawn_with_few_points_and_steps(tmp_path: Path) -> None:
    found = view(tmp_path, requests=1000)
    assert len(found.curves["event_gap"].x) <= MOST_POINTS
    assert found.curves["event_gap"].share[-1] == 100
    assert found.timeline is not None
    assert len(found.timeline.running) <= MOST_STEPS


def test_a_timeline_loses_no_token_and_no_time(tmp_path: Path) -> None:
    found = view(tmp_path, requests=8, streams=2).timeline
    assert found is not None
    assert found.tokens_s is not None
    assert sum(found.tokens_s) * found.step_s == pytest.approx(8 * OUTPUT)
    assert sum(found.running) * found.step_s == pytest.approx(8 * 0.120)
    assert max(found.running) == pytest.approx(2)


def test_every_tool_reads_the_run(tmp_path: Path) -> None:
    found = run_view(example())
    assert len(found.tools) == 7
    assert any(reading.cell and reading.cell.differs for row in found.rows for reading in row.readings)


@pytest.mark.parametrize("asked", [None, 1, True, "x", [], {"continuous": 1}])
def test_a_trace_that_says_oddly_what_was_asked_is_drawn_all_the_same(tmp_path: Path, asked: object) -> None:
    write_trace(tmp_path / "t.parquet", 4, 2, 20.0, 10.0, asked=asked)
    assert run_view(trace_file.read(tmp_path / "t.parquet")).requests == 4
