"""The report and the traces of an attempt -> every number of it, always computed here. Pure but for reading the traces.

    {format, valid, reasons, axes, sets: [{side, point, load, gpus, valid, reasons, label, runs: [...], spread, per_gpu,
     ...numbers}], ratios: [{point, NAME: {median, interval, pairs}}], front: [{...}]}

A set is one point of one side: its numbers are medians over its repeats, withheld where one of them is no result, as
`benchcard measure` does. The numbers of a run are those of runners.report. Infinity is the text "inf". A job of kind
agreement also has `agreement` (app.jobs.agreement), one of kind ab `outputs` (app.jobs.outputs).
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Any

from app.compare.pareto import SweepPoint, front
from app.jobs.agreement import MOST_RESULT, agreement
from app.jobs.one_run import of_run, unread
from app.jobs.outputs import outputs
from app.language import F_, N_, _
from runners.load.statistics import bootstrap_median
from runners.report import COUNTS, NAMES, label, over_runs, spread, withheld

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from app.protocol.outcome import Report, RunReport
    from app.protocol.plan import Plan, Point

Json = dict[str, Any]
FORMAT = 2  # 2: of an agreement, the server's TPOT by its front end, and rules with numbers in `why`
AT_END = N_(", tokens counted at the end")
PER_GPU = ("output_tok_s", "total_tok_s")


def compute(report: Report, traces: Mapping[str, Path], planned: Plan, failure: str = "") -> Json:
    """All numbers. A trace that is missing or cannot be read makes its run no result, and says so; a report of another
    plan than was asked for has no valid number. `failure`: why none of the traces could be read at all."""
    placed, misplaced = _placed(report)
    if report.plan != planned:
        misplaced.insert(0, "other_plan: " + F_("the report is of another plan than the job's"))
    runs = [(run, unread(run, failure) if failure else of_run(run, report.plan, traces)) for run in placed]
    misplaced += _same_bytes([found for _, found in runs])
    sets = list(_sets(report.plan, runs))
    reasons = [*misplaced, *(f"{_named(item)}: {reason}" for item in sets for reason in item["reasons"])]
    found: Json = {
        "format": FORMAT,
        "valid": bool(sets) and not reasons,
        "reasons": reasons,
        "axes": {name: axis for name, (axis, _, _) in NAMES.items() if axis},
        "sets": sets,
        "ratios": _ratios(sets) if report.plan.kind == "ab" else [],
        "front": _front(sets) if report.plan.kind == "sweep" else [],
    }
    if report.plan.kind == "ab":
        found["outputs"] = outputs(sets, traces)
    if report.plan.kind == "agreement":
        found["agreement"] = agreement(report, sets, _results(report, traces))
    return dict(_speakable(found))


def _results(report: Report, parts: Mapping[str, Path]) -> dict[str, bytes]:
    """What other tools wrote, as far as it is there and no larger than such a thing is."""
    found = {}
    for run in report.tool_runs:
        with contextlib.suppress(KeyError, OSError):
            file = parts[run.result or ""]
            if file.stat().st_size <= MOST_RESULT:
                found[str(run.result)] = file.read_bytes()
    return found


def _speakable(value: Any) -> Any:
    """As JSON can say it, and as it comes back from there."""
    if isinstance(value, dict):
        return {str(name): _speakable(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_speakable(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def load_words(point: Point) -> str:
    """ "concurrency 16", "2.5 requests/s", "concurrency 16, tokens counted at the end"."""
    load = f"{point.rate:g} requests/s" if point.rate is not None else f"concurrency {point.concurrency}"
    return load if point.counting == "each_event" else f"{load}{AT_END}"


def load_said(load: str) -> str:
    """A load as `load_words` wrote it, in the language spoken."""
    return load.removesuffix(AT_END) + _(AT_END) if load.endswith(AT_END) else load


def sweep_points(sets: list[Json], side: str = "a") -> list[SweepPoint]:
    """The sets of a sweep as points; throughput per GPU, of the whole machine where it has no GPU."""
    return [
        SweepPoint(
            label=item["load"],
            throughput=_float((item["per_gpu"] or item)["total_tok_s"]),
            interactivity=_float(item["interactivity_p90_slow"]),
            reasons=tuple(item["reasons"]),
        )
        for item in sets
        if item["side"] == side
    ]


def _float(number: Any) -> float | None:
    return None if number is None else float(number)


def _front(sets: list[Json]) -> list[Json]:
    return [
        {
            "load": item.point.label,
            "throughput": item.point.throughput,
            "per_gpu": sets[0]["gpus"] is not None,
            "interactivity_p90_slow": item.point.interactivity,
            "place": item.place,
            "beaten_by": item.beaten_by,
        }
        for item in front(sweep_points(sets))
    ]


def _placed(report: Report) -> tuple[list[RunReport], list[str]]:
    """The runs that stand where the plan has a place for one, and what is wrong with the others."""
    plan = report.plan
    taken: set[object] = set()
    found: list[RunReport] = []
    wrong: list[str] = []
    sides = {side.name for side in plan.sides}
    for run in report.runs:
        place = (run.side, run.point, run.repeat)
        named = f"side {run.side}, point {run.point}, repeat {run.repeat}"
        if run.side not in sides or run.point >= len(plan.points) or run.repeat > plan.repeats:
            wrong.append("not_planned: " + F_("the plan has no {named}").format(named=named))
        elif place in taken or run.trace in taken:
            wrong.append("twice: " + F_("{named} or its trace stands twice in the report").format(named=named))
        else:
            taken |= {place, run.trace}
            found.append(run)
    return found, wrong


def _same_bytes(runs: list[Json]) -> Iterator[str]:
    """A run happens once: two names of one trace are one run told twice."""
    digests = Counter(run["trace_sha256"] for run in runs if run["trace_sha256"])
    for sha256 in (sha256 for sha256, times in digests.items() if times > 1):
        names = [f"`{run['trace']}`" for run in runs if run["trace_sha256"] == sha256]
        yield "twice: " + F_("the traces {names} are the same bytes").format(names=", ".join(names[:5]))


def _sets(plan: Plan, runs: list[tuple[RunReport, Json]]) -> Iterator[Json]:
    for side in plan.sides:
        gpus = (side.launch.gpus or None) if side.launch else None
        for place, point in enumerate(plan.points):
            of_set = [found for run, found in runs if (run.side, run.point) == (side.name, place)]
            yield _set(side.name, place, point, plan.repeats, gpus, sorted(of_set, key=lambda run: int(run["repeat"])))


def _set(side: str, place: int, point: Point, repeats: int, gpus: int | None, runs: list[Json]) -> Json:
    reasons = [f"run {run['repeat']}: {reason}" for run in runs for reason in run["reasons"]]
    if len(runs) < repeats:
        reasons.append(
            "not_all_runs: " + F_("{runs} of {repeats} repeats were made").format(runs=len(runs), repeats=repeats)
        )
    nothing = dict.fromkeys((*COUNTS, *NAMES))
    top = over_runs(runs) if runs else nothing
    per_gpu = {name: _shared(top[name], gpus) for name in PER_GPU} if gpus else None
    return {
        "side": side,
        "point": place,
        "load": load_words(point),
        "gpus": gpus,
        "valid": not reasons,
        "reasons": reasons,
        "label": label(len(runs)),
        **(withheld(top) if reasons else top),
        "per_gpu": None if reasons else per_gpu,
        "spread": {} if reasons else spread(runs),
        "runs": runs,
    }


def _shared(number: Any, gpus: int) -> Any:
    return None if number is None else float(number) / gpus


def _named(item: Json) -> str:
    return f"side {item['side']}, {item['load']}"


def _ratios(sets: list[Json]) -> list[Json]:
    """b / a of every number, pair by pair: repeats of one number were made one after the other."""
    found = []
    for one in (item for item in sets if item["side"] == "a"):
        two = next(item for item in sets if (item["side"], item["point"]) == ("b", one["point"]))
        if one["valid"] and two["valid"]:
            pairs = list(zip(one["runs"], two["runs"], strict=True))
            ratios = {name: _ratio([(_middle(a[name]), _middle(b[name])) for a, b in pairs]) for name in NAMES}
            found.append({"point": one["point"], "load": one["load"], **ratios})
    return found


def _middle(number: Any) -> float | None:
    return _float(number["median"] if isinstance(number, dict) else number)


def _ratio(pairs: list[tuple[float | None, float | None]]) -> Json | None:
    ratios = [b / a for a, b in pairs if a and b]
    if len(ratios) < len(pairs) or not all(map(math.isfinite, ratios)):
        return None
    return {"median": median(ratios), "interval": bootstrap_median(ratios), "pairs": ratios}
