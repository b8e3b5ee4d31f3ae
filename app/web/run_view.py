"""One run's trace -> what its charts and tables show. Pure.

A curve has at most MOST_POINTS points, a timeline at most MOST_STEPS steps; what a chart shows stands in its CSV.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.web.axes_example import Row, reports_of, rows_of
from runners.load import metrics
from runners.load.count import UNKNOWN
from runners.load.trace import MISSING

if TYPE_CHECKING:
    from runners.load.metrics import Metrics
    from runners.load.statistics import Floats
    from runners.load.trace import Trace

S = 1e9  # ns
MOST_POINTS, MOST_STEPS = 400, 150
STEPS_S = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600)
SHARES = (1, 5, 10, 25, 50, 75, 90, 95, 99, 100)  # percent, of the table beside a curve


@dataclass(frozen=True, slots=True)
class Curve:
    """How large a share of all values is at most `x`: `share` in percent, of all `count` values, failed ones included,
    which are infinite."""

    x: tuple[float, ...]
    share: tuple[float, ...]
    count: int
    infinite: int

    def at(self, percent: float) -> float | None:
        """The smallest value that this share reaches; None where it is infinite."""
        return next((x for x, share in zip(self.x, self.share, strict=True) if share >= percent - 1e-9), None)


@dataclass(frozen=True, slots=True)
class Timeline:
    """Steps of `step_s` seconds from the first request on: the mean number of requests under way, and output tok/s,
    None where events have unknown lengths."""

    step_s: float
    running: tuple[float, ...]
    tokens_s: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class RunView:
    """A run: under every definition, its distributions, and how it went over time."""

    tools: tuple[str, ...]
    rows: tuple[Row, ...]
    curves: dict[str, Curve]  # by axis: ttft, tpot, event_gap
    timeline: Timeline | None
    requests: int
    failed: int


def run_view(trace: Trace) -> RunView:
    found, each, reports = metrics.measure(trace), metrics.per_request(trace), reports_of(trace)
    gaps, _ = metrics.event_gaps(trace)
    values = {"ttft": each.ttft_ms, "tpot": each.tpot_ms, "event_gap": gaps}
    curves = {axis: _curve(of, found, axis) for axis, of in values.items()}
    return RunView(
        tools=tuple(name for name, _ in reports),
        rows=rows_of(found, reports),
        curves={axis: curve for axis, curve in curves.items() if curve is not None},
        timeline=_timeline(trace),
        requests=found.requests,
        failed=found.failed,
    )


def _curve(values: Floats, found: Metrics, axis: str) -> Curve | None:
    """Failed requests count as the axis has them: its distribution knows how many values there are with them."""
    known = np.sort(values[np.isfinite(values)])
    whole = getattr(found, f"{axis}_ms")
    if not len(known) or whole is None:
        return None
    count = int(whole.count)
    places = np.unique(np.linspace(0, len(known) - 1, min(MOST_POINTS, len(known))).round().astype(np.int64))
    shares = (places + 1) / count * 100
    return Curve(tuple(known[places].tolist()), tuple(shares.tolist()), count, count - len(known))


def _timeline(trace: Trace) -> Timeline | None:
    sent, ended = trace.numbers["sent_ns"], trace.numbers["ended_ns"]
    were = (sent != MISSING) & (ended != MISSING)
    if not were.any():
        return None
    begin = float(sent[were].min())
    starts, ends = (sent[were] - begin) / S, (ended[were] - begin) / S
    length = float(ends.max())
    step = next((float(size) for size in STEPS_S if length / size <= MOST_STEPS), length / MOST_STEPS)
    count = max(1, int(np.ceil(length / step - 1e-9)))
    edges = np.arange(count + 1, dtype=np.float64) * float(step)
    busy = np.array([np.clip(np.minimum(ends, b) - np.maximum(starts, a), 0, None).sum() for a, b in _pairs(edges)])
    return Timeline(step, tuple((busy / step).tolist()), _tokens_s(trace, begin, edges, step))


def _pairs(edges: Floats) -> list[tuple[float, float]]:
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _tokens_s(trace: Trace, begin: float, edges: Floats, step: float) -> tuple[float, ...] | None:
    carries = trace.event_tokens != 0
    tokens = trace.event_tokens[carries]
    if (tokens == UNKNOWN).any():
        return None
    filled, _ = np.histogram((trace.event_ns[carries] - begin) / S, bins=edges, weights=tokens)
    return tuple((filled / step).tolist())
