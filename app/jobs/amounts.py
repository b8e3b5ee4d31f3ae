"""How much a plan sends and asks for, and what is too much for one job. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.language import _, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.protocol.plan import Plan, Point

MOST_TOKENS = 10**10  # of a whole job: a day of 100,000 tokens/s
MOST_OF_A_REPEAT = 10**9  # which the client that measures holds in memory


@dataclass(frozen=True)
class Amount:
    """Over all servers, loads and repeats. A conversation's later turns send its earlier ones again. `least_s`: what
    requests at a stated rate take by themselves, in seconds."""

    requests: int
    input_tokens: int
    output_tokens: int
    least_s: float

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


def amount(plan: Plan) -> Amount:
    """Of the whole plan, but for what servers are warmed up with."""
    times = plan.repeats * len(plan.sides) * (1 + len(plan.tools))  # each tool measures the same again
    parts = [_of_repeat(plan, point) for point in plan.points]
    return Amount(
        requests=times * sum(part.requests for part in parts),
        input_tokens=times * sum(part.input_tokens for part in parts),
        output_tokens=times * sum(part.output_tokens for part in parts),
        least_s=times * sum(part.least_s for part in parts),
    )


def too_much(plan: Plan) -> Iterator[str]:
    """Why a plan is more than one job may be, each with what to change; nothing where it is not."""
    whole, largest = amount(plan), max(_of_repeat(plan, point).tokens for point in plan.points)
    fewer = _("ask for fewer requests or shorter texts")
    if whole.tokens > MOST_TOKENS:
        yield (
            _(
                "the plan moves {tokens} tokens ({requests} requests over all repeats), a job at "
                "most {most}: {fewer}, or fewer repeats or loads"
            ).format(
                tokens=number(whole.tokens), requests=number(whole.requests), most=number(MOST_TOKENS), fewer=fewer
            )
        )
    elif largest > MOST_OF_A_REPEAT:
        yield _("one repeat moves {largest} tokens, at most {most} are measured at once: {fewer}").format(
            largest=number(largest), most=number(MOST_OF_A_REPEAT), fewer=fewer
        )
    if whole.least_s > plan.wall_s:
        yield (
            _(
                "at the stated rate its requests alone take {needed} min, and the job may take "
                "{most} min: ask for fewer requests or repeats, or for more time"
            ).format(needed=number(whole.least_s / 60, ",.0f"), most=number(plan.wall_s / 60, ",.0f"))
        )


def _of_repeat(plan: Plan, point: Point) -> Amount:
    work, turns = plan.workload, plan.workload.turns
    sessions = -(-point.requests // turns)
    earlier = turns * (turns - 1) // 2  # turns that are sent again in one conversation
    sent = sessions * (turns * work.input_tokens + earlier * (work.input_tokens + work.output_tokens))
    return Amount(
        requests=sessions * turns,
        input_tokens=sent * (2 if work.prefix_cache == "warm" else 1),  # warm: each prompt was sent once before
        output_tokens=sessions * turns * work.output_tokens,
        least_s=point.requests / point.rate if point.rate else 0.0,
    )
