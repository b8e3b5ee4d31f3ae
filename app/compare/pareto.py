"""The front of a sweep: throughput per GPU over P90 interactivity, from measured points alone. Pure.

A point is on the front where no other valid point is at least as good on both axes and better on one. Nothing is drawn
or answered between points: a load that was not measured has no number (trap T18: sweeps are not monotone).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.language import _, number
from app.protocol.english import counted, measured

if TYPE_CHECKING:
    from collections.abc import Sequence

Place = Literal["front", "dominated", "not_a_result"]


@dataclass(frozen=True)
class SweepPoint:
    """One measured load. `throughput` is in tok/s per GPU (of the whole machine where it has none), `interactivity`
    P90 interactivity, the slow tail, in tok/s/user (1000 / P90 TPOT in ms); None where its runs are no results."""

    label: str  # the load in words: "concurrency 16"
    throughput: float | None
    interactivity: float | None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Placed:
    """A point with its place. `beaten_by` is one of the points that are at least as good on both axes."""

    point: SweepPoint
    place: Place
    beaten_by: str | None = None


@dataclass(frozen=True)
class Best:
    """The answer to "what is the best throughput at more than N tok/s/user": a measured point, or why there is none."""

    above: float
    point: SweepPoint | None
    text: str


def front(points: Sequence[SweepPoint]) -> tuple[Placed, ...]:
    """Every point in the order given, with its place."""
    return tuple(_placed(point, points) for point in points)


def best_above(points: Sequence[SweepPoint], limit: float, unit: str = "tok/s/GPU") -> Best:
    """The measured point of the highest throughput whose interactivity is above `limit` tok/s/user."""
    asked = _("{limit} tok/s/user").format(limit=number(limit, ",.15g"))
    allowed = [point for point in points if _valid(point) and (point.interactivity or 0.0) > limit]
    if not allowed:
        fastest = max((point.interactivity or 0.0 for point in points if _valid(point)), default=None)
        reach = (
            _("no point is a result")
            if fastest is None
            else _("the fastest has {fastest}").format(fastest=measured(fastest))
        )
        return Best(limit, None, _("no measured point above {asked}: {reach}").format(asked=asked, reach=reach))
    best = max(allowed, key=lambda point: (point.throughput or 0.0, point.interactivity or 0.0))
    throughput, speed = measured(best.throughput or 0.0), measured(best.interactivity or 0.0)
    text = _("{throughput} {unit} at {speed} tok/s/user ({label}), the best of {allowed} above {asked}").format(
        throughput=throughput,
        unit=unit,
        speed=speed,
        label=best.label,
        allowed=counted(len(allowed), "measured point"),
        asked=asked,
    )
    return Best(limit, best, text)


def _placed(point: SweepPoint, points: Sequence[SweepPoint]) -> Placed:
    if not _valid(point):
        return Placed(point, "not_a_result")
    better = next((other for other in points if _valid(other) and _dominates(other, point)), None)
    return Placed(point, "dominated", better.label) if better else Placed(point, "front")


def _valid(point: SweepPoint) -> bool:
    known = (point.throughput, point.interactivity)
    return not point.reasons and all(number is not None and math.isfinite(number) for number in known)


def _dominates(one: SweepPoint, other: SweepPoint) -> bool:
    ours, theirs = _both(one), _both(other)
    return ours != theirs and all(a >= b for a, b in zip(ours, theirs, strict=True))


def _both(point: SweepPoint) -> tuple[float, float]:
    return point.throughput or 0.0, point.interactivity or 0.0
