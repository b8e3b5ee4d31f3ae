"""Percentiles and intervals, in which infinity is a number. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from app.language import F_

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats = npt.NDArray[np.float64]
RESAMPLES = 10_000
NOT_ENOUGH = F_("not enough {said} for P{percent} ({number})")
ENOUGH = 6  # repeats: of fewer the interval below is their whole range, and nobody should call it 95 %


@dataclass(frozen=True, slots=True)
class Distribution:
    """Of `count` values. Percentiles are linear between the two nearest ranks."""

    count: int
    median: float
    mean: float
    p10: float
    p90: float
    p99: float
    lowest: float
    highest: float


def percentile(ordered: Floats, percent: float) -> float:
    """Of ascending values, linear between the two nearest ranks; between a number and infinity lies infinity."""
    place = (len(ordered) - 1) * percent / 100
    low = math.floor(place)
    share = place - low
    if share == 0 or ordered[low] == ordered[low + 1]:
        return float(ordered[low])
    return float(ordered[low] * (1 - share) + ordered[low + 1] * share)


def few(percent: float, count: int, noun: str = "requests") -> str:
    """Why there is no such percentile of so few values: unless one of them can be expected beyond it, it is their end.
    "" where there are enough: 10 for P90, 100 for P99."""
    if count * (100 - percent) >= 100:
        return ""
    return NOT_ENOUGH.format(said=noun, percent=f"{percent:g}", number=f"{count:,}")


def distribution(values: Floats) -> Distribution | None:
    """None where there are no values."""
    if not len(values):
        return None
    ordered = np.sort(values)
    return Distribution(
        count=len(ordered),
        median=percentile(ordered, 50),
        mean=float(ordered.mean()),
        p10=percentile(ordered, 10),
        p90=percentile(ordered, 90),
        p99=percentile(ordered, 99),
        lowest=float(ordered[0]),
        highest=float(ordered[-1]),
    )


def bootstrap_median(values: Sequence[float], seed: int = 0) -> tuple[float, float] | None:
    """The 95 % percentile bootstrap interval of the median of repeats; None below three of them, or with infinity.

    With few repeats it is little more than their spread, which is why the spread is shown beside it.
    """
    if len(values) < 3 or not all(map(math.isfinite, values)):
        return None
    drawn = np.random.default_rng(seed).choice(np.array(values), (RESAMPLES, len(values)))
    ordered = np.sort(np.median(drawn, axis=1))
    return percentile(ordered, 2.5), percentile(ordered, 97.5)
