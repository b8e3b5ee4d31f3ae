"""Traces that no client could have written are told from real ones, each by its own sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from runners.load import trace_file
from runners.load.plausible import impossible
from runners.load.trace import MISSING
from tests.jobs.runs import write_trace

if TYPE_CHECKING:
    from pathlib import Path

    from runners.load.trace import Trace


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    write_trace(tmp_path / "run.parquet", 4, 2, 20.0, 10.0)
    return trace_file.read(tmp_path / "run.parquet")


def test_a_run_as_clients_write_it_is_possible(trace: Trace) -> None:
    assert impossible(trace) == []


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("output_tokens", 10**6, "more output tokens than were asked for"),
        ("output_tokens", -5, "fewer output tokens than none"),
        ("prompt_tokens", -100, "prompts have fewer tokens than none"),
        ("cached_tokens", 10**6, "more of a prompt was cached"),
        ("status", 500, "not answered with 200"),
        ("sent_ns", MISSING, "never sent"),
        ("ended_ns", 0, "ended before they were sent"),
        ("sent_ns", 2**60, "events arrived before their request was sent"),
        ("index", 0, "two requests have one place"),
        ("scheduled_ns", 2**60, "sent before their time"),
    ],
)
def test_what_cannot_be_is_told(trace: Trace, column: str, value: int, said: str) -> None:
    trace.numbers[column][:] = value
    assert said in "; ".join(impossible(trace))
    trace.words["failure"] = ["status"] * len(trace)
    assert column == "index" or not impossible(trace)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda trace: trace.event_ns[::-1].copy(), "go back in time"),
        (lambda trace: trace.event_ns + 2**60, "after it had ended"),
        (lambda trace: np.repeat(trace.numbers["sent_ns"], np.diff(trace.offsets)), "at the instant at which their"),
    ],
)
def test_events_stand_in_order_within_their_request(trace: Trace, change: Any, said: str) -> None:
    trace.event_ns[:] = change(trace)
    assert said in "; ".join(impossible(trace))


def test_events_do_not_hold_more_than_their_request(trace: Trace) -> None:
    trace.event_tokens[:] = np.int32(100)
    assert "events hold more tokens than their request has" in impossible(trace)
