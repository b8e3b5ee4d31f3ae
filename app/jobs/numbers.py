"""The report and the traces of an attempt -> every number of it, always computed here. Pure but for reading the traces.

    {format, valid, reasons, axes, sets: [{side, point, load, gpus, valid, reasons, label, runs: [...], spread, per_gpu,
     ...numbers}], ratios: [{point, NAME: {median, interval, pairs}}], front: [{...}]}

A set is one point of one side: its numbers are medians over its repeats, withheld where one of them is no result, as
`benchcard measure` does. The numbers of a run are those of runners.report. Infinity is the text "inf". A job of kind
agreement also has `agreement` (app.jobs.agreement).
"""

from __future__ import annotations

import contextlib
import hashlib
import math
from statistics import median
from typing import TYPE_CHECKING, Any

from app.compare.pareto import SweepPoint, front
from app.jobs.agreement import MOST_RESULT, agreement
from runners.load import metrics, trace_file, verdict
from runners.load.plausible import impossible
from runners.load.statistics import bootstrap_median
from runners.load.trace import MISSING
from runners.report import COUNTS, NAMES, label, numbers, over_runs, spread, withheld

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from app.protocol.outcome import Report, RunReport
    from app.protocol.plan import Plan, Point
    from runners.load.metrics import Metrics
    from runners.load.trace import Trace

Json = dict[str, Any]
FORMAT = 1
PER_GPU = ("output_tok_s", "total_tok_s")
MOST_BYTES = 4 << 30  # of a trace's columns once unpacked, as its own index says


def compute(report: Report, traces: Mapping[str, Path], planned: Plan) -> Json:
    """All numbers. A trace that is missing or cannot be read makes its run no result, and says so; a report of another
    plan than was asked for has no valid number."""
    placed, misplaced = _placed(report)
    if report.plan != planned:
        misplaced.insert(0, "other_plan: the report is of another plan than the job's")
    sets = list(_sets(report.plan, [(run, _run(run, report.plan, traces)) for run in placed]))
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
    return load if point.counting == "each_event" else f"{load}, tokens counted at the end"


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


def _run(run: RunReport, plan: Plan, traces: Mapping[str, Path]) -> Json:
    """One repeat; what its own trace says against it is found here again, whatever its report says."""
    place = {"repeat": run.repeat, "trace": run.trace, "referee": run.referee}
    try:
        trace, digest = _read(traces[run.trace])
        measured = metrics.measure(trace)
        found = numbers(trace, measured)
        reasons = list(dict.fromkeys([*run.reasons, *_judged(trace, measured, plan, run)]))
    except KeyError as missing:
        return _unread(place, run, f"trace_missing: there is no trace `{missing.args[0]}`")
    except FileNotFoundError:
        return _unread(place, run, f"trace_missing: the file of the trace `{run.trace}` is gone")
    except (trace_file.TraceError, OSError, ValueError, TypeError, ArithmeticError, LookupError, MemoryError) as error:
        why = str(error).splitlines()[0].replace(str(traces[run.trace]), "it") if str(error) else type(error).__name__
        return _unread(place, run, f"trace_unreadable: the trace `{run.trace}` cannot be read: {why[:300]}")
    kept = withheld(found) if reasons else found
    return {**place, "trace_sha256": digest, "valid": not reasons, "reasons": reasons, **_about(trace), **kept}


def _read(file: Path) -> tuple[Trace, str]:
    unpacked = trace_file.unpacked_bytes(file)
    if unpacked > MOST_BYTES:
        raise trace_file.TraceError(f"it unpacks to {unpacked / 1e9:.1f} GB, at most {MOST_BYTES / 1e9:.1f} are read")
    with file.open("rb") as data:
        return trace_file.read(file), hashlib.file_digest(data, "sha256").hexdigest()


def _about(trace: Trace) -> Json:
    return {name: trace.meta.get(name) for name in ("counting", "endpoint", "client", "seed")}


def _unread(place: Json, run: RunReport, reason: str) -> Json:
    nothing = dict.fromkeys((*COUNTS, *NAMES, "tokens_per_event", "acceptance"))
    about = {"trace_sha256": None, "counting": None, "endpoint": None, "client": None, "seed": None}
    return {**place, **about, "valid": False, "reasons": [*run.reasons, reason], **nothing}


def _judged(trace: Trace, measured: Metrics, plan: Plan, run: RunReport) -> Iterator[str]:
    """What the trace itself says against the run: its client, its failures, its load, another work than planned."""
    point, work = plan.points[run.point], plan.workload
    yield from (f"impossible_trace: {said}" for said in impossible(trace))
    told = trace.meta.get("client")
    known = {reason.partition(":")[0] for reason in run.reasons}
    if told is None or not all(math.isfinite(figure) for figure in told.values()):
        yield "client_unknown: the trace does not say how its client fared"
    else:
        found = verdict.judge(trace, measured, verdict.Client(**told), point.concurrency, verdict.DEFAULT)
        warm = work.prefix_cache == "warm" or work.turns > 1
        for reason in found:
            if reason.rule not in known and not (warm and reason.rule == "warm_cache"):
                yield f"{reason.rule}: {reason.message}"
    given = trace.numbers["input_tokens"]
    if work.turns == 1 and (given[given != MISSING] != work.input_tokens).any():
        yield f"other_work: the trace sent other prompts than of {work.input_tokens} tokens, which the plan wants"
    if work.turns == 1 and (trace.numbers["session"] != MISSING).any():
        yield "other_work: the trace has conversations, which the plan does not want"
    asked = set(trace.numbers["asked_tokens"].tolist())
    if asked - {work.output_tokens}:
        yield f"other_work: the trace asked for {sorted(asked)[:3]} output tokens, the plan for {work.output_tokens}"
    if len(trace) < point.requests:
        yield f"other_work: the trace has {len(trace)} requests, the plan {point.requests}"


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
            wrong.append(f"not_planned: the plan has no {named}")
        elif place in taken or run.trace in taken:
            wrong.append(f"twice: {named} or its trace stands twice in the report")
        else:
            taken |= {place, run.trace}
            found.append(run)
    return found, wrong


def _sets(plan: Plan, runs: list[tuple[RunReport, Json]]) -> Iterator[Json]:
    for side in plan.sides:
        gpus = (side.launch.gpus or None) if side.launch else None
        for place, point in enumerate(plan.points):
            of_set = [found for run, found in runs if (run.side, run.point) == (side.name, place)]
            yield _set(side.name, place, point, plan.repeats, gpus, sorted(of_set, key=lambda run: int(run["repeat"])))


def _set(side: str, place: int, point: Point, repeats: int, gpus: int | None, runs: list[Json]) -> Json:
    reasons = [f"run {run['repeat']}: {reason}" for run in runs for reason in run["reasons"]]
    if len(runs) < repeats:
        reasons.append(f"not_all_runs: {len(runs)} of {repeats} repeats were made")
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
    ratios = [b / a for a, b in pairs if a and b is not None]
    if len(ratios) < len(pairs) or not all(map(math.isfinite, ratios)):
        return None
    return {"median": median(ratios), "interval": bootstrap_median(ratios), "pairs": ratios}
