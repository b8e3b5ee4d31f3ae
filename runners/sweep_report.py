"""What a sweep says, as JSON and as text for people: one point a load, those that are no result among them. Pure."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from app.protocol.reasons import said as worded
from runners import report
from runners.load.schedule import described, spoken
from runners.report import NAMES, short

if TYPE_CHECKING:
    from runners.load.selfcheck import Ceiling
    from runners.report import Json
    from runners.sweep import Point, Sweep

# The columns of the readable result: key, heading, and whether it is the median of a distribution.
COLUMNS = (
    ("output_tok_s", "output tok/s", False),
    ("ttft_ms", "TTFT ms", True),
    ("tpot_ms", "TPOT ms", True),
    ("interactivity_p90_slow", "P90 tok/s/user", False),
)
LEGEND = "TTFT and TPOT are medians; P90 tok/s/user is P90 interactivity, the slow tail: 1000 / P90 of TPOT in ms"


def as_json(sweep: Sweep) -> Json:
    """The whole sweep; each of its `points` is what `measure` prints of one load."""
    first = sweep.points[0].options
    points = [_point(point) for point in sweep.points]
    return {
        "valid": sweep.valid,
        "reasons": [
            f"{spoken(point.options.load)}: {reason}"
            for point, said in zip(sweep.points, points, strict=True)
            for reason in said["reasons"]
        ],
        "url": first.url,
        "model": first.model,
        "endpoint": sweep.dialect.endpoint,
        "workload": asdict(first.workload),
        "seed": first.seed,
        "runs_a_point": first.runs,
        "notes": sweep.notes,
        "client_ceiling": _ceiling(sweep.ceiling),
        "axes": {name: axis for name, (axis, _, _) in NAMES.items() if axis},
        "points": points,
    }


def _point(point: Point) -> Json:
    if point.result is None:
        nothing: Json = dict.fromkeys((*report.COUNTS, *NAMES))
        reasons = list(map(str, point.stopped))
        return {**nothing, "load": described(point.options.load), "valid": False, "reasons": reasons, "runs": []}
    return report.as_json(point.result, point.stopped)


def _ceiling(ceiling: Ceiling | None) -> Json | None:
    if ceiling is None:
        return None
    checks = [{**asdict(check), "passed": not check.reasons} for check in ceiling.checks]
    return {"events_s": ceiling.events_s, "checks": checks}


def as_text(sweep: Sweep) -> str:
    """The same for people: a line a point, then what is to be said against points."""
    found = as_json(sweep)
    options = sweep.points[0].options
    label = report.label(options.runs)
    lines = [
        f"{options.model} at {options.url}",
        f"{report.shape(options.workload)}, {len(sweep.points)} points, each {label}",
        *_ceiling_text(sweep.ceiling),
        *(f"note: {note}" for note in _notes(sweep, found)),
        "",
        *_table(sweep, found["points"]),
        "",
        LEGEND,
    ]
    if found["reasons"]:
        lines += ["", "No results:", *(f"  - {worded(reason)}" for reason in found["reasons"])]
    return "\n".join([*lines, ""])


def _notes(sweep: Sweep, found: Json) -> list[str]:
    """Of the whole sweep, then those that one point has alone."""
    own = [
        f"{spoken(point.options.load)}: {note}"
        for point, said in zip(sweep.points, found["points"], strict=True)
        for note in said.get("notes", ())
        if note not in sweep.notes
    ]
    return [*sweep.notes, *own]


def _ceiling_text(ceiling: Ceiling | None) -> list[str]:
    if ceiling is None:
        return []
    if ceiling.events_s is None:
        return ["client: sees none of these event rates rightly on this machine"]
    return [f"client: sees {ceiling.events_s:,.0f} events/s rightly on this machine, checked before the runs"]


def _table(sweep: Sweep, points: list[Json]) -> list[str]:
    rows = [["", *(heading for _, heading, _ in COLUMNS), "output between runs"]]
    for point, said in zip(sweep.points, points, strict=True):
        name = spoken(point.options.load)
        if not said["valid"]:
            rows.append([name, "no result", *[""] * len(COLUMNS)])
            continue
        values = [said[key]["median"] if of and said[key] else said[key] for key, _, of in COLUMNS]
        between = said["spread"].get(COLUMNS[0][0])
        extent = f"{short(between['lowest'])} to {short(between['highest'])}" if between else ""
        rows.append([name, *map(short, values), extent])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        f"  {row[0]:<{widths[0]}}  "
        + "  ".join(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)).rstrip()
        for row in rows
    ]
