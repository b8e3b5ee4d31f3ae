"""What comparing gives: a verdict that always comes with its reasons. Pure data, the API's shape."""

from __future__ import annotations

from typing import Literal

from app.claims.schema import AxisKey, Fact, Slug, Text

Verdict = Literal["comparable", "comparable_with_differences", "not_comparable"]
Severity = Literal[
    "blocking",  # the two numbers do not answer one question
    "difference",  # a stated condition differs
    "not_stated",  # a condition that matters is not stated on at least one side
    "lint",  # a rule of the ratio lint (R1-R10) is broken
    "note",  # changes nothing, but a reader must know it
]


class Reason(Fact):
    """One reason, strongest first in a comparison: the rule, the field with both values, and one plain sentence."""

    rule: Text
    severity: Severity
    field: Text
    a: str | None
    b: str | None
    message: Text


class Ratio(Fact):
    """`value` is b / a with three significant digits. `conditions` belong into the same line wherever it is shown.
    `low` and `high`: from where to where it goes over the repeats of both; null where no repeats are known."""

    value: Text
    text: Text
    conditions: Text
    low: Text | None = None
    high: Text | None = None


class Derivation(Fact):
    """Arithmetic of ours on printed numbers, with its assumption; never a measurement."""

    title: Text
    text: Text
    assumption: Text


class OtherAxis(Fact):
    """The same two deployments on another axis, where the source gives both numbers."""

    axis: AxisKey
    a: Slug
    b: Slug
    message: Text
    opposite: bool  # whether it puts the two in the opposite order


class Comparison(Fact):
    a: Slug
    b: Slug
    verdict: Verdict
    summary: Text  # one sentence for a tired reader
    reasons: tuple[Reason, ...]
    differences: tuple[Reason, ...]
    ratio: Ratio | None
    derivations: tuple[Derivation, ...] = ()
    other_axes: tuple[OtherAxis, ...] = ()
