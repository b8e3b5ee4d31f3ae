"""A run's trace held against the point of the plan that it is said to be of. Pure.

All that the plan fixes and the trace states is compared: what the client was told (seed, load, workload, repeat, how
tokens are counted) and what its requests show (how many, how long, when). What a trace of this client always states
and this one does not is told too: it could be of any point.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from app.language import F_
from runners.load.trace import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.protocol.outcome import RunReport
    from app.protocol.plan import Plan, Point, Workload
    from runners.load.trace import Trace

RULE = "other_work"
EXACT = 1e-6  # share by which a mean of sending times in ns may differ from the plan's rate
HALF = 2  # the load was not the plan's where fewer than one in two of its requests were ever under way at once


class _Fixed(NamedTuple):
    what: str
    place: tuple[str, ...]  # in the trace's own words about itself
    wanted: object


def other_work(trace: Trace, plan: Plan, run: RunReport) -> Iterator[str]:
    """Every way in which the trace is of another run than the plan's, as a reason."""
    point = plan.points[run.point]
    for fixed in _fixed(plan, run):
        said = _said(trace.meta, fixed.place)
        if said is None:
            yield f"{RULE}: " + F_("the trace does not say its {what}; the plan wants {wanted}").format(
                what=fixed.what, wanted=_shown(fixed.wanted)
            )
        elif not _same(said, fixed.wanted):
            yield f"{RULE}: " + F_("the trace has {what} {has}, the plan {wanted}").format(
                what=fixed.what, has=_shown(said), wanted=_shown(fixed.wanted)
            )
    yield from _counted(trace, point)
    yield from _requests(trace, plan.workload, point)


def other_load(point: Point, turns: int, peak: int) -> Iterator[str]:
    """The same of how many requests were under way at once: `peak` at most, as the trace's times show."""
    if point.concurrency is None:
        return
    under_way = min(point.concurrency, -(-point.requests // turns))
    if peak > point.concurrency:
        yield f"{RULE}: " + F_("the trace has {peak} requests under way at once, the plan {concurrency}").format(
            peak=peak, concurrency=point.concurrency
        )
    elif peak * HALF < under_way:
        yield f"{RULE}: " + F_("the trace never has more than {peak} requests under way, the plan {under_way}").format(
            peak=peak, under_way=under_way
        )


def _fixed(plan: Plan, run: RunReport) -> Iterator[_Fixed]:
    """What the client was told, as runners.sides tells it."""
    work, point = plan.workload, plan.points[run.point]
    yield _Fixed("seed", ("seed",), work.seed + run.point)
    yield _Fixed("repeat", ("repeat",), run.repeat)
    for name in ("input_tokens", "output_tokens", "turns"):
        yield _Fixed(f"{name.replace('_', ' ')} a request", ("workload", name), getattr(work, name))
    yield _Fixed("shared prefix tokens", ("workload", "prefix_tokens"), 0)
    yield _Fixed("seconds between turns", ("workload", "think_s"), 0.0)
    if point.rate is not None:
        yield _Fixed("load", ("load", "kind"), "open")
        yield _Fixed("requests/s", ("load", "rate"), point.rate)
        yield _Fixed("arrivals", ("load", "shape"), "poisson")
        yield _Fixed("arrivals seed", ("load", "seed"), work.seed)
    else:
        yield _Fixed("load", ("load", "kind"), "sessions" if work.turns > 1 else "closed")
        yield _Fixed("concurrency", ("load", "concurrency"), point.concurrency)
    side = next(item for item in plan.sides if item.name == run.side)
    if side.attach is not None:
        yield _Fixed("server", ("url",), f"http://{side.attach.address}")
        yield _Fixed("model", ("model",), side.attach.model)


def _counted(trace: Trace, point: Point) -> Iterator[str]:
    """A server that refuses to count with each event is asked at the end, and the trace says that it refused."""
    each_event = _said(trace.meta, ("asked", "continuous"))
    refused = isinstance(trace.meta.get("refused"), str)
    if not isinstance(each_event, bool):
        yield f"{RULE}: " + F_("the trace does not say whether token counts were asked for with each event")
    elif each_event and point.counting == "at_end":
        yield f"{RULE}: " + F_("the trace asked for token counts with each event, the plan at the end")
    elif not each_event and point.counting == "each_event" and not refused:
        yield f"{RULE}: " + F_("the trace asked for token counts at the end, the plan with each event")


def _requests(trace: Trace, work: Workload, point: Point) -> Iterator[str]:
    column, planned = trace.numbers, -(-point.requests // work.turns) * work.turns
    if not point.requests <= len(trace) <= planned:  # of a conversation that broke off the later turns are missing
        yield f"{RULE}: " + F_("the trace has {trace} requests, the plan {planned}").format(
            trace=len(trace), planned=planned
        )
    asked = set(column["asked_tokens"].tolist())
    if asked - {work.output_tokens}:
        yield f"{RULE}: " + F_("the trace asked for {asked} output tokens, the plan for {output_tokens}").format(
            asked=sorted(asked)[:3], output_tokens=work.output_tokens
        )
    yield from _prompts(trace, work)
    if ((column["session"] != MISSING) != (work.turns > 1)).any():
        yield f"{RULE}: " + (
            F_("the trace has no conversations, which the plan does not want")
            if work.turns > 1
            else F_("the trace has conversations, which the plan does not want")
        )
    scheduled = column["scheduled_ns"]
    if point.rate is None:
        if (scheduled != MISSING).any():
            yield f"{RULE}: " + F_(
                "the trace's requests have times of their own, the plan sends one when one has ended"
            )
    elif (scheduled == MISSING).any():
        yield f"{RULE}: " + F_("the trace does not say when its requests were to be sent")
    elif len(scheduled) > 1:
        rate = (len(scheduled) - 1) / (float(scheduled.max()) - float(scheduled.min()) or 1.0) * 1e9
        if not math.isclose(rate, point.rate, rel_tol=EXACT):
            yield f"{RULE}: " + F_(
                "the trace's requests were to be sent at {rate} requests/s, the plan's at {rate_2}"
            ).format(rate=format(rate, "g"), rate_2=format(point.rate, "g"))


def _prompts(trace: Trace, work: Workload) -> Iterator[str]:
    """A turn's prompt is all that came before it and its own part."""
    given, turn = trace.numbers["input_tokens"], trace.numbers["turn"]
    if ((turn < 0) | (turn >= work.turns)).any():
        yield f"{RULE}: " + F_("the trace has turns that a conversation of {turns} has not").format(turns=work.turns)
        return
    wanted = work.input_tokens * (turn + 1) + work.output_tokens * turn
    if (given[given != MISSING] != wanted[given != MISSING]).any():
        yield f"{RULE}: " + F_(
            "the trace sent other prompts than of {input_tokens} tokens, which the plan wants"
        ).format(input_tokens=work.input_tokens)
    if trace.meta.get("endpoint") != "chat" and (given == MISSING).any():  # only texts have an unknown length
        yield f"{RULE}: " + F_("the trace does not say how long its prompts are")


def _said(meta: dict[str, Any], place: tuple[str, ...]) -> Any:
    found: Any = meta
    for name in place:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _same(said: Any, wanted: object) -> bool:
    numbers = all(isinstance(item, int | float) and not isinstance(item, bool) for item in (said, wanted))
    return bool(said == wanted) if numbers or type(said) is type(wanted) else False


def _shown(value: object) -> str:
    return (
        f"`{value[:60]}`" if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)[:60]
    )
