"""One run's trace -> its numbers, and all that the trace says against them. Pure but for reading the trace."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING, Any

from app.jobs.planned import other_load, other_work
from app.language import F_
from runners.load import metrics, trace_file, verdict
from runners.load.plausible import impossible
from runners.report import COUNTS, NAMES, numbers, withheld

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from app.protocol.outcome import RunReport
    from app.protocol.plan import Plan
    from runners.load.metrics import Metrics
    from runners.load.trace import Trace

Json = dict[str, Any]
MOST_FIGURE = 1e12  # that a client can say of itself
MOST_REASON = 1000  # characters
LONGEST_WORD = 40  # of those that name how a run was made
BROKEN = (trace_file.TraceError, OSError, ValueError, TypeError, ArithmeticError, LookupError, MemoryError)


def of_run(run: RunReport, plan: Plan, traces: Mapping[str, Path]) -> Json:
    """One repeat; what its own trace says against it is found here again, whatever its report says. Never raises for
    what the trace holds."""
    file = traces.get(run.trace)
    if file is None:
        return _nothing(run, None, {}, "trace_missing: " + F_("there is no trace `{trace}`").format(trace=run.trace))
    try:
        with file.open("rb") as data:
            digest = hashlib.file_digest(data, "sha256").hexdigest()
        return _measured(run, plan, trace_file.read(file), digest)
    except FileNotFoundError:
        return _nothing(
            run, None, {}, "trace_missing: " + F_("the file of the trace `{trace}` is gone").format(trace=run.trace)
        )
    except BROKEN as error:
        why = str(error).splitlines()[0].replace(str(file), "it") if str(error) else ""
        why = "it needs more memory than a trace may" if isinstance(error, MemoryError) else why or type(error).__name__
        return unread(run, F_("the trace `{trace}` cannot be read: {why}").format(trace=run.trace, why=why[:300]))


def unread(run: RunReport, why: str) -> Json:
    """A repeat whose trace cannot be read: no result."""
    return _nothing(run, None, {}, f"trace_unreadable: {why}")


def _measured(run: RunReport, plan: Plan, trace: Trace, digest: str) -> Json:
    cannot = [f"impossible_trace: {said}" for said in impossible(trace)]
    if cannot:  # its sums could be anything, and take any amount of memory
        return _nothing(run, digest, _about(trace), *cannot)
    measured = metrics.measure(trace)
    found = numbers(trace, measured)
    against = [*_judged(trace, measured, plan, run), *other_work(trace, plan, run)]
    reasons = list(dict.fromkeys([*run.reasons, *(reason[:MOST_REASON] for reason in against)]))
    kept = withheld(found) if reasons else found
    said = {"valid": not reasons, "reasons": reasons, "failures": _failures(trace)}
    return {**_place(run, digest), **said, **_about(trace), **kept}


def _failures(trace: Trace) -> list[Json]:
    """What became of failed requests: each kind, how often, and what was said when it first happened."""
    kinds = Counter(kind for kind in trace.words["failure"] if kind is not None)
    return [
        {"kind": kind, "count": count, "first": _first(trace, kind)[:MOST_REASON]}
        for kind, count in kinds.most_common()
    ]


def _first(trace: Trace, kind: str) -> str:
    return trace.words["message"][trace.words["failure"].index(kind)] or ""


def _place(run: RunReport, digest: str | None) -> Json:
    return {"repeat": run.repeat, "trace": run.trace, "referee": run.referee, "trace_sha256": digest}


def _nothing(run: RunReport, digest: str | None, about: Json, *reasons: str) -> Json:
    none = dict.fromkeys(("counting", "endpoint", "client", "seed"))
    numberless = dict.fromkeys((*COUNTS, *NAMES, "tokens_per_event", "acceptance"))
    said = {"valid": False, "reasons": list(dict.fromkeys([*run.reasons, *reasons])), "failures": []}
    return {**_place(run, digest), **none, **about, **said, **numberless}


def _about(trace: Trace) -> Json:
    """What the trace says of itself; what is not of its kind is as good as not said."""
    words = {name: trace.meta.get(name) for name in ("counting", "endpoint")}
    known = {
        name: word if isinstance(word, str) and len(word) <= LONGEST_WORD else None for name, word in words.items()
    }
    seed = trace.meta.get("seed")
    client = trace.meta["client"] if _client(trace) else None
    return {**known, "client": client, "seed": seed if type(seed) is int and abs(seed) < 2**53 else None}


def _judged(trace: Trace, measured: Metrics, plan: Plan, run: RunReport) -> Iterator[str]:
    """What the trace itself says against the run: its client, its failures, its load."""
    point, work = plan.points[run.point], plan.workload
    known = {reason.partition(":")[0] for reason in run.reasons}
    client = _client(trace)
    if client is None:
        yield "client_unknown: " + F_("the trace does not say how its client fared")
    else:
        warm = work.prefix_cache == "warm" or work.turns > 1
        for reason in verdict.judge(trace, measured, client, point.concurrency, verdict.DEFAULT):
            if reason.rule not in known and not (warm and reason.rule == "warm_cache"):
                yield str(reason)
    yield from other_load(point, work.turns, measured.in_flight_peak)


def _client(trace: Trace) -> verdict.Client | None:
    told, names = trace.meta.get("client"), verdict.Client.__slots__
    if not isinstance(told, dict) or set(told) != set(names):
        return None
    figures = [told[name] for name in names]
    if not all(type(figure) in (int, float) and 0 <= figure < MOST_FIGURE for figure in figures):
        return None
    return verdict.Client(**told)
