"""A claim's number as people read it: sign, range, bound and unit in one short text. Pure; never parsed back.

Digits stay as the source writes them ("223.50"); only thousands are separated, and only here.
"""

from __future__ import annotations

from decimal import Context, Decimal
from typing import TYPE_CHECKING

from app.language import N_, _, as_number

if TYPE_CHECKING:
    from app.claims.schema import Claim, ClaimRow, Kind

MINUS = "\N{MINUS SIGN}"
EN_DASH = "\N{EN DASH}"
ARROW = "\N{RIGHTWARDS ARROW}"
BOUNDS = {
    "up_to": N_("up to"),
    "at_least": N_("at least"),
    "more_than": N_("more than"),
    "within": N_("within"),  # "under 10 % lost" is within -10 %
    "nearly": N_("nearly"),
}
ABOUT = N_("about")
NO_NUMBER = N_("number not given")


MOST_DIGITS, SHOWN_DIGITS = 10, 6


def number(value: Decimal, *, signed: bool = False) -> str:
    """`value` with every digit kept, thousands separated and a real minus sign; `signed` writes the plus too.

    Only what a program printed in full (465.405247473878) is shown to six digits: no measurement has more. The record
    keeps them all.
    """
    value = _readable(value)
    text = f"{value:+,f}" if signed and value else f"{value:,f}"
    return as_number(text).replace("-", MINUS)


def _readable(value: Decimal) -> Decimal:
    digits, exponent = len(value.as_tuple().digits), value.as_tuple().exponent
    if digits <= MOST_DIGITS or not isinstance(exponent, int) or exponent >= 0:
        return value
    places = max(0, SHOWN_DIGITS - max(1, value.adjusted() + 1))
    return round(value, places) if value.adjusted() >= 0 else value.normalize(Context(prec=SHOWN_DIGITS))


def with_unit(text: str, unit: str) -> str:
    """ "5x", but "-30 %" and "873.63 tok/s"."""
    return f"{text}x" if unit == "x" else f"{text} {unit}"


def headline(claim: Claim) -> str:
    """The number that a row begins with: value, else range, else end points, else the source's own words."""
    about = f"{_(ABOUT)} " if claim.approximate else ""
    lead = about if claim.bound is None else f"{_(BOUNDS[claim.bound])} " + (about if claim.bound != "nearly" else "")
    if claim.value is not None:
        return lead + with_unit(number(claim.value, signed=_signed(claim.kind, claim.unit)), claim.unit)
    if claim.low is not None and claim.high is not None:
        return lead + with_unit(span(claim.low, claim.high, claim.kind, claim.unit), claim.unit)
    if claim.before is not None and claim.after is not None:
        points = f"{about}{number(claim.before)} {ARROW} {about}{number(claim.after)}"
        return with_unit(points, claim.points_unit or claim.unit)
    return claim.written or _(NO_NUMBER)


def said_again(text: str) -> str:
    """A headline that is kept in English, in the language spoken."""
    for words in (*BOUNDS.values(), ABOUT):
        if text.startswith(f"{words} "):
            return f"{_(words)} {said_again(text.removeprefix(f'{words} '))}"
    return as_number(text)


def reworded(row: ClaimRow) -> ClaimRow:
    """The row with its headline in the language spoken."""
    return row.model_copy(update={"headline": headline(row)})


def span(low: Decimal, high: Decimal, kind: Kind, unit: str) -> str:
    """ "14-23" with an en dash; a signed range is written in words and from zero outwards: "-30 to -40"."""
    if not _signed(kind, unit):
        return f"{number(low)}{EN_DASH}{number(high)}"
    near, far = (high, low) if high < 0 else (low, high)
    return _("{near} to {far}").format(near=number(near, signed=True), far=number(far, signed=True))


def _signed(kind: Kind, unit: str) -> bool:
    return kind == "change" and unit == "%"
