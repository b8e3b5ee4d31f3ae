"""How far a claim's stated workload lies from the asker's. Pure.

Only what a claim states as one number is compared: a range, a sweep or "at most" is no single length, and what is not
stated is not guessed.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from app.tools.numbers import rounded
from app.tools.schema import Compared, Named, NearClaim, Stated

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.claims.workloads import StatedWorkload
    from app.tools.schema import Dimension

TIMES = Decimal(2)  # a stated number is near from half to twice yours
POINTS = Decimal(10)  # a hit rate is near within so many percentage points
THOUSANDS = {"": 1, "K": 1024, "M": 1024**2}  # as benchmarks mean 4K: a hundredth or two matters to nothing here
ONE_NUMBER = re.compile(r"(?:median |mean |about )?(\d+(?:\.\d+)?)([KM]?)(?: \+-\d+ %)?", re.ASCII)
HIT_RATE = re.compile(r"(?:hit rate (?:above |about )?)?(\d+(?:\.\d+)?) %(?: hit rate)?", re.ASCII)
NO_HITS = ("off", "cleared")


@dataclass(frozen=True)
class Shape:
    """The asker's medians; None where not given. `hit_rate` in percent."""

    input_tokens: Decimal
    output_tokens: Decimal
    hit_rate: Decimal | None = None
    turns: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """One dimension of a claim beside the asker's, before it is told (app.tools.schema.Stated)."""

    dimension: Dimension
    text: str | None
    times: Decimal | None = None
    points: Decimal | None = None


@dataclass(frozen=True)
class Neighbourhood:
    near: tuple[NearClaim, ...]
    compared: Compared
    only_named: tuple[Named, ...]


@lru_cache(maxsize=1024)
def one_number(text: str | None) -> Decimal | None:
    """The length that a workload states, None where it states none or several."""
    found = ONE_NUMBER.fullmatch(text or "")
    number = Decimal(found[1]) * THOUSANDS[found[2]] if found else None
    return number or None


@lru_cache(maxsize=1024)
def hit_rate(text: str | None) -> Decimal | None:
    """Percent of the input that came from the prefix cache; a cache that is off or was cleared gives 0."""
    if text in NO_HITS:
        return Decimal(0)
    found = HIT_RATE.fullmatch(text or "")
    return Decimal(found[1]) if found and Decimal(found[1]) <= 100 else None


def neighbourhood(yours: Shape, claims: Sequence[StatedWorkload], speaks_to: Mapping[str, str]) -> Neighbourhood:
    """The claims near `yours`. `speaks_to` gives each axis the deciding one whose question it answers, in the order of
    those; its claims come first, among them those that state more, then the closer ones."""
    order = list(dict.fromkeys(speaks_to.values()))
    heaps: Counter[str] = Counter()
    named: Counter[str] = Counter()
    near: list[tuple[tuple[object, ...], NearClaim]] = []
    for number, claim in enumerate(claims):
        places = tuple(_places(yours, claim))
        heap = _heap(places, claim)
        heaps[heap] += 1
        if heap == "only_named":
            named[claim.name or ""] += 1
        if heap == "near":
            deciding = speaks_to.get(claim.axis)
            group = order.index(deciding) if deciding else len(order)
            found = _near(claim, places, deciding)
            near.append(((group, -found.compared, _distance(places), number), found))
    near.sort(key=lambda item: item[0])
    compared = Compared(looked_at=len(claims), **{name: heaps[name] for name in HEAPS})
    names = tuple(Named(name=name, claims=count) for name, count in named.most_common())
    return Neighbourhood(tuple(found for _, found in near), compared, names)


HEAPS = ("near", "further", "no_single_number", "only_named", "nothing_stated")


def _places(yours: Shape, claim: StatedWorkload) -> Iterator[Place]:
    lengths: tuple[tuple[Dimension, str | None, Decimal | None], ...] = (
        ("input_tokens", claim.input_tokens, yours.input_tokens),
        ("output_tokens", claim.output_tokens, yours.output_tokens),
        ("turns", claim.turns, yours.turns),
    )
    for name, text, mine in lengths:
        number = one_number(text)
        times = number / mine if number is not None and mine is not None else None
        yield Place(name, text, times=times)
    rate = hit_rate(claim.prefix_cache)
    points = rate - yours.hit_rate if rate is not None and yours.hit_rate is not None else None
    yield Place("prefix_hit_rate", claim.prefix_cache, points=points)


def _heap(places: Sequence[Place], claim: StatedWorkload) -> str:
    """A cache's state alone places no workload: a length has to be compared."""
    if any(item.times is not None for item in places):
        return "near" if all(map(_is_near, places)) else "further"
    if claim.input_tokens is not None or claim.output_tokens is not None:
        return "no_single_number"
    return "only_named" if claim.name is not None else "nothing_stated"


def _is_near(item: Place) -> bool:
    if item.times is not None:
        return 1 / TIMES <= item.times <= TIMES
    return item.points is None or abs(item.points) <= POINTS


def _distance(places: Sequence[Place]) -> Decimal:
    """The furthest dimension: how many times apart, whichever way; a hit rate at the edge counts as twice."""
    apart = [max(item.times, 1 / item.times) for item in places if item.times is not None]
    return max([*apart, *(1 + abs(item.points) / POINTS for item in places if item.points is not None)])


def _near(claim: StatedWorkload, places: Sequence[Place], speaks_to: str | None) -> NearClaim:
    return NearClaim(
        id=claim.id,
        headline=claim.headline,
        axis=claim.axis,
        speaks_to=speaks_to,
        engine=claim.engine,
        model=claim.model,
        title=claim.title,
        stated=tuple(map(_told, places)),
        compared=sum(item.times is not None or item.points is not None for item in places),
        acceptance=claim.acceptance,
        caveats=claim.caveats,
    )


def _told(place: Place) -> Stated:
    times = None if place.times is None else rounded(place.times)
    return Stated(dimension=place.dimension, text=place.text, times=times, points=place.points)
