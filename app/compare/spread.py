"""How far the repeats behind a number lie apart, where its record says so, and what that leaves of a ratio. Pure.

A ratio of two such numbers reaches from the lowest over the highest to the highest over the lowest repeat. Where that
holds 1, the repeats of one number reach over those of the other, and the two are not told apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from app.claims.wording import EN_DASH, number, with_unit

if TYPE_CHECKING:
    from app.claims.schema import Claim
    from app.compare.pair import Pair

LOWEST = re.compile(r"(lowest( of \d+)? runs?|lower end of the spread)")
HIGHEST = re.compile(r"(highest( of \d+)? runs?|upper end of the spread)")
ONE = Decimal(1)


@dataclass(frozen=True)
class Reach:
    """From where to where a ratio goes over the repeats; `both`: whether the repeats of both numbers are known."""

    low: Decimal
    high: Decimal
    both: bool

    @property
    def holds_one(self) -> bool:
        return self.low <= ONE <= self.high


def ends(claim: Claim) -> tuple[Decimal, Decimal] | None:
    """The lowest and the highest of the repeats, in the claim's unit; None where its record does not have both."""
    found = []
    for name in (LOWEST, HIGHEST):
        told = [item.value for item in claim.beside if item.unit == claim.unit and name.fullmatch(item.name)]
        if len(told) != 1:
            return None
        found.append(told[0])
    low, high = found
    return (low, high) if low <= high else None


def ends_text(claim: Claim) -> str | None:
    """ "6,005\N{EN DASH}6,581 tok/s"."""
    known = ends(claim)
    return with_unit(f"{number(known[0])}{EN_DASH}{number(known[1])}", claim.unit) if known else None


def reach(pair: Pair) -> Reach | None:
    """Of b / a; None where neither side's repeats are known, or a repeat is no positive number."""
    one, two = ends(pair.a), ends(pair.b)
    if pair.values is None or (one is None and two is None) or not pair.a.value or not pair.b.value:
        return None
    factors = (pair.values[0] / pair.a.value, pair.values[1] / pair.b.value)
    a, b = (
        (own, own) if given is None else (given[0] * factor, given[1] * factor)
        for own, given, factor in zip(pair.values, (one, two), factors, strict=True)
    )
    if min(*a, *b) <= 0:
        return None
    return Reach(b[0] / a[1], b[1] / a[0], both=one is not None and two is not None)
