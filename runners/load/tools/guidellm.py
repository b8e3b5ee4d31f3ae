"""guidellm 0.8.1, the OpenAI HTTP backend (guidellm/backends/openai/{http,request_handlers}.py for what is seen,
guidellm/schemas/base/{request_stats,statistics}.py for the statistics). Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runners.load import chunks
from runners.load.tools import view
from runners.load.tools.view import Report, Seen, Stream, Value

if TYPE_CHECKING:
    from runners.load.statistics import Floats
    from runners.load.trace import Trace

NAME = "guidellm"
VERSION = "guidellm 0.8.1"
SOURCE = "guidellm/schemas/base/request_stats.py, guidellm/schemas/base/statistics.py"
STATISTICS = {"mean": -1.0, "median": 50.0, "p90": 90.0, "p99": 99.0}
DEPARTS = {
    "ttft": view.FIRST_TEXT,
    "interactivity_e2e": "It is a time in ms with TTFT in it, weighted by tokens; the axis is a rate, of which it "
    "takes the slow tail over requests.",
    "tpot": "The window runs from the first text to the last, while n - 1 counts tokens before it too; requests weigh "
    "by their tokens, on the axis all alike.",
    "e2e_latency": "[DONE] ends it, not the last token.",
    "output_throughput": view.TO_THE_END,
    "request_throughput": view.TO_THE_END,
    "failed": "They stand apart and are left out of all latencies; their time stays in the throughput.",
}


def see(stream: Stream) -> Seen | None:
    """An error in the stream fails the request; a reply without text or tokens does too."""
    text = stream.has(chunks.OUTPUT)
    if stream.transport_failed or stream.has(chunks.ERROR | chunks.BROKEN).any():
        return None
    if not text.any() and stream.counted == 0:
        return None
    return view.taken(stream, stream.sent, text, None, stream.counted)


def ended(stream: Stream) -> int:
    """It stops reading at [DONE]."""
    done = stream.times[stream.has(chunks.DONE)]
    return int(done[0]) if len(done) else stream.ended


def weighted(values: Floats, weights: Floats, percent: float) -> float | None:
    """Its percentile: the first value at which the weights so far reach the share. Percent -1 is the mean."""
    if not len(values) or weights.sum() <= 0:
        return None
    if percent < 0:
        return float((values * weights).sum() / weights.sum())
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / weights.sum()
    place = int(np.searchsorted(reached, percent / 100))
    return float(values[order][min(place, len(values) - 1)])


def report(trace: Trace) -> Report:
    found = view.streams(trace)
    pairs = [(stream, seen) for stream in found if (seen := see(stream)) is not None]
    good = [seen for _, seen in pairs]
    tokens = np.array([seen.tokens for seen in good], np.float64)
    latency = np.array([ended(stream) - seen.start for stream, seen in pairs], np.float64)
    ends = np.array([seen.end - seen.start if seen.first is not None else np.nan for seen in good])
    lists = {
        "time_to_first_token_ms": (
            np.array([seen.ttft for seen in good]),
            tokens * 0 + 1,
            "ttft",
            "first text - start",
        ),
        "time_per_output_token_ms": (
            np.where(np.isnan(ends), latency, ends) / np.maximum(tokens, 1),
            tokens,
            "interactivity_e2e",
            "(last text - start) / n, weighted by n: TTFT is in it",
        ),
        "inter_token_latency_ms": (
            np.array([view.per_token(seen) for seen in good]),
            tokens - 1,
            "tpot",
            "(last text - first text) / (n - 1), weighted by n - 1",
        ),
        "request_latency": (latency, tokens * 0 + 1, "e2e_latency", "end of the stream - start"),
    }
    values = []
    for name, (numbers, weights, axis, formula) in lists.items():
        kept = ~np.isnan(numbers)
        scale, unit = (view.S, "s") if name == "request_latency" else (view.MS, "ms")
        for statistic, percent in STATISTICS.items():
            value = weighted(numbers[kept] / scale, weights[kept], percent)
            values.append(Value(f"{name} {statistic}", value, unit, axis, formula))
    seconds = (max(map(ended, found)) - min(stream.sent for stream in found)) / view.S if found else 0.0
    for name, amount, unit, axis in (
        ("output_tokens_per_second mean", float(tokens.sum()), "tok/s", "output_throughput"),
        ("requests_per_second mean", float(len(good)), "req/s", "request_throughput"),
    ):
        values.append(Value(name, view.rate(amount, seconds), unit, axis, "over the measured time"))
    notes = ("it stamps with the wall clock; percentiles take the nearest rank",)
    return Report(NAME, VERSION, SOURCE, len(good), len(found) - len(good), tuple(values), notes, DEPARTS)
