"""Computed numbers and their arithmetic as text. Pure."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

from app.compare.words import significant
from app.language import as_number, spoken
from app.tools.schema import Figure

DIGITS = 12  # of a quotient; what was typed has fewer, so nothing that means anything is lost
GIB = Decimal(2**30)


def rounded(value: Decimal) -> Decimal:
    """A quotient with twelve significant digits and without trailing zeros; whole numbers stay as they are."""
    if value == value.to_integral_value():
        return value.quantize(Decimal(1))
    step = Decimal(1).scaleb(value.adjusted() - DIGITS + 1)
    short = value.quantize(step, rounding=ROUND_HALF_EVEN).normalize()
    return short.quantize(Decimal(1)) if short == short.to_integral_value() else short


def figure(key: str, name: str, value: Decimal, unit: str, formula: str) -> Figure:
    return Figure(key=key, name=name, value=Decimal(f"{rounded(value):f}"), unit=unit, formula=formula)


def plain(value: Decimal) -> str:
    """A typed number as people read it: all its digits, thousands separated."""
    return as_number(f"{value:,f}")


def about(value: Decimal, digits: int = 3) -> str:
    """A computed number in a sentence: a whole number in full, another with `digits` significant digits."""
    whole = value == value.to_integral_value()
    return plain(value.quantize(Decimal(1))) if whole else significant(value, digits)


def gib(value: Decimal) -> str:
    shown = about(value / GIB, 4)
    point = spoken().point
    return f"{shown.rstrip('0').rstrip(point) if point in shown else shown} GiB"
