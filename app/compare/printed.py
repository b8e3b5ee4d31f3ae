"""A printed ratio or percentage against its own end points (lint R7). Pure."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from app.claims.wording import ARROW, number
from app.compare.schema import Reason
from app.compare.words import significant
from app.language import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.claims.schema import ClaimRow

TOLERANCE = Decimal("0.02")


def recomputed(claim: ClaimRow) -> Iterator[Reason]:
    """More than 2 % off is a broken ratio; less, where the last printed digit is wrong, is worth a note."""
    ends = end_points(claim)
    if ends is None or claim.unit not in ("x", "%") or (claim.value is None and claim.low is None):
        return
    before, after = ends
    printed = claim.value
    found = min(_readings(claim, before, after), key=lambda result: _off(claim, result))
    text = f"{number(before)} {ARROW} {number(after)}"
    result = f"{significant(found, 4)}{'x' if claim.unit == 'x' else ' %'}".replace("-", "\N{MINUS SIGN}")
    if _off(claim, found) > TOLERANCE:
        message = _("{headline} is printed, but {text} gives {result}.").format(
            headline=claim.headline, text=text, result=result
        )
        yield Reason(rule="R7", severity="lint", field="value", a=result, b=claim.headline, message=message)
    elif (
        printed is not None
        and not claim.approximate
        and not claim.bound
        and abs(found - printed) * 2 > last_digit(printed)
    ):
        message = _("{headline} is printed, where {text} gives {result}: the last digit does not follow.").format(
            headline=claim.headline, text=text, result=result
        )
        yield Reason(rule="R7", severity="note", field="value", a=result, b=claim.headline, message=message)


def last_digit(printed: Decimal) -> Decimal:
    """What one step in the last printed digit is worth: 0.01 for 3.82."""
    exponent = printed.as_tuple().exponent
    return Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(0)


def end_points(claim: ClaimRow) -> tuple[Decimal, Decimal] | None:
    if claim.before is None or claim.after is None or claim.before <= 0 or claim.after <= 0:
        return None
    return claim.before, claim.after


def _readings(claim: ClaimRow, before: Decimal, after: Decimal) -> list[Decimal]:
    """A ratio may be printed either way round ("46x lower"); a percentage has one way."""
    if claim.unit == "%":
        return [(after / before - 1) * 100]
    return [after / before, before / after]


def _off(claim: ClaimRow, result: Decimal) -> Decimal:
    """How far the printed number is from `result`, as a share of the factor that it stands for."""
    low, high = (claim.low, claim.high) if claim.value is None else (claim.value, claim.value)
    if low is None or high is None:
        return Decimal(0)
    nearest = min(max(result, low), high)
    if claim.unit == "%":
        nearest, result = nearest + 100, result + 100
    return abs(nearest / result - 1)
