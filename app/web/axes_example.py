"""One short run read by eight definitions: the worked example of the axes page. Pure; every number is computed here by
the code that measures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.claims.words import axis_name
from app.language import _, as_number, kept
from app.protocol.english import counted, measured
from runners.load import metrics
from runners.load.example import STREAMS, example
from runners.load.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runners.load.example import Sent
    from runners.load.metrics import Metrics
    from runners.load.statistics import Distribution
    from runners.load.tools import Report, Value
    from runners.load.trace import Trace

# Axis, the statistic that most tools print, and its unit here.
ROWS = (
    ("ttft", "mean", "ms"),
    ("tpot", "mean", "ms"),
    ("event_gap", "mean", "ms"),
    ("token_itl", "mean", "ms"),
    ("e2e_latency", "mean", "ms"),
    ("output_throughput", "", "tok/s"),
    ("request_throughput", "", "req/s"),
)
NAMES = {"vllm": "vllm bench", "sglang": "sglang bench_serving", "inferencex": "InferenceX"}  # as app.axes.TOOLS
MEANS = ("mean", "avg")
SAME = 0.005  # of the axis's number: what is closer is the same number
SAME_SAID = f"{SAME * 100:g} %"
FAILED = "failed"  # what becomes of failed requests, of which the example has none


@dataclass(frozen=True, slots=True)
class Cell:
    value: str
    name: str
    formula: str
    differs: bool
    why: str


@dataclass(frozen=True, slots=True)
class Reading:
    tool: str
    cell: Cell | None


@dataclass(frozen=True, slots=True)
class Why:
    """A reason for another number, and the tools that it holds for, each with its number."""

    tools: str
    reason: str


@dataclass(frozen=True, slots=True)
class Row:
    axis: str
    key: str
    unit: str
    ours: str
    readings: tuple[Reading, ...]
    reasons: tuple[Why, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """An event as the page lists it."""

    at: str
    tokens: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    streams: tuple[tuple[str, tuple[Drawn, ...]], ...]
    tools: tuple[str, ...]
    rows: tuple[Row, ...]
    same: str  # what is closer to the axis's number than this is the same
    failed: tuple[Why, ...]


@kept(10)
def worked_example() -> Example:
    """The run is fixed, so it is read once."""
    trace = example()
    reports = reports_of(trace)
    return Example(
        streams=tuple(
            (
                _("sent at {sent_ms} ms, usage and [DONE] at {ended_ms} ms").format(
                    sent_ms=stream.sent_ms, ended_ms=stream.ended_ms
                ),
                _drawn(stream.events),
            )
            for stream in STREAMS
        ),
        tools=tuple(name for name, _ in reports),
        rows=rows_of(metrics.measure(trace), reports),
        same=as_number(SAME_SAID),
        failed=_together([(name, report.departs[FAILED]) for name, report in reports]),
    )


def reports_of(trace: Trace) -> list[tuple[str, Report]]:
    """What every tool would make of a run, by the tool's name."""
    return [(NAMES.get(tool, tool), read(trace)) for tool, read in TOOLS.items()]


def rows_of(ours: Metrics, reports: Sequence[tuple[str, Report]]) -> tuple[Row, ...]:
    """A run under every definition, axis by axis."""
    return tuple(_row(row, ours, reports) for row in ROWS)


def _row(row: tuple[str, str, str], ours: Metrics, reports: Sequence[tuple[str, Report]]) -> Row:
    key, statistic, unit = row
    own = _own(key, ours)
    readings = tuple(Reading(tool, _cell(report, key, statistic, unit, own)) for tool, report in reports)
    name = axis_name(key)
    differing = [
        (f"{reading.tool} {reading.cell.value}", reading.cell.why)
        for reading in readings
        if reading.cell and reading.cell.differs
    ]
    return Row(f"{name}, {statistic}" if statistic else name, key, unit, shown(own), readings, _together(differing))


def _together(said: Sequence[tuple[str, str]]) -> tuple[Why, ...]:
    """Tools of one and the same reason in one line."""
    tools: dict[str, list[str]] = {}
    for tool, reason in said:
        tools.setdefault(reason, []).append(tool)
    return tuple(Why(", ".join(names), reason) for reason, names in tools.items())


def _own(key: str, ours: Metrics) -> float | None:
    rates = {"output_throughput": ours.output_tok_s, "request_throughput": ours.requests_s}
    if key in rates:
        return rates[key]
    found: Distribution | None = getattr(ours, "e2e_ms" if key == "e2e_latency" else f"{key}_ms")
    return found.mean if found else None


def _cell(report: Report, key: str, statistic: str, unit: str, own: float | None) -> Cell | None:
    found = next((value for value in report.values if value.axis == key and _is(value, statistic)), None)
    if found is None or found.value is None:
        return None
    value = found.value * 1000 if (found.unit, unit) == ("s", "ms") else found.value
    differs = own is not None and not _same(value, own)
    return Cell(shown(value), found.name, found.formula, differs, report.departs.get(key, "") if differs else "")


def _is(value: Value, statistic: str) -> bool:
    words = value.name.replace(".", "_").replace(" ", "_").split("_")
    return not statistic or any(mean in words for mean in MEANS)


def _same(value: float, own: float) -> bool:
    return value == own or abs(value - own) <= SAME * own < math.inf


def shown(value: float | None) -> str:
    if value is None:
        return _("not stated")
    if math.isinf(value):
        return _("infinite")
    return measured(value)


def _drawn(events: Sequence[Sent]) -> tuple[Drawn, ...]:
    return tuple(Drawn(f"{event.at_ms} ms", counted(event.tokens, "token"), event.text) for event in events)
