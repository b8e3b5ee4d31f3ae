"""The same deployments on another axis, where the source gives both: one metric alone would mislead. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.axes import AXES
from app.compare.conditions import COMPARED, settle
from app.compare.schema import OtherAxis
from app.compare.words import axis_name
from app.language import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.claims.schema import ClaimRow

# What may differ between two numbers of one deployment under one load: they are facts of the number, not of the run.
OF_THE_NUMBER = {"statistic", "limit"}


def companions(a: ClaimRow, b: ClaimRow, others: Sequence[ClaimRow]) -> tuple[OtherAxis, ...]:
    """Pairs of numbers on other axes for the two deployments of `a` and `b`; where `a` and `b` are two axes of one
    deployment, the same two axes with another deployment of their round."""
    if a.kind != "absolute" or b.kind != "absolute":
        return ()
    rows = [settle(row) for row in others if row.id not in (a.id, b.id) and row.kind == "absolute"]
    if a.axis == b.axis:
        found = [_entry(one, two, (a, b)) for one in _of(a, rows) for two in _of(b, rows) if _side_by_side(one, two)]
        return tuple(entry for entry in found if entry.axis != a.axis)
    if _one_deployment(a, b):
        return tuple(_with_another_deployment(a, b, rows))
    crossed = [_entry(one, b, None) for one in _of(a, rows) if _side_by_side(one, b)]
    return (*crossed, *(_entry(a, two, None) for two in _of(b, rows) if _side_by_side(a, two)))


def _with_another_deployment(a: ClaimRow, b: ClaimRow, rows: Sequence[ClaimRow]) -> Iterator[OtherAxis]:
    for one in rows:
        if not (_side_by_side(a, one) and _one_round(a, one)) or _one_deployment(a, one):
            continue
        for two in _of(one, rows):
            if _side_by_side(b, two):
                yield _entry(a, one, None)
                yield _entry(b, two, (a, one))


def _of(row: ClaimRow, rows: Sequence[ClaimRow]) -> list[ClaimRow]:
    """Further numbers of the deployment and load that `row` belongs to; of several that fit, those that fit exactly."""
    fitting = [other for other in rows if _one_deployment(row, other)]
    exact = [other for other in fitting if _facts(other) == _facts(row)]
    return exact or fitting


def _one_deployment(one: ClaimRow, two: ClaimRow) -> bool:
    if one.source.id != two.source.id:
        return False
    if not _one_round(one, two):
        return one.round_place is None and two.round_place is None and _facts(one) == _facts(two)
    compared = (fact for name, fact in COMPARED.items() if name not in OF_THE_NUMBER)
    return all(fact.state(one, two) != "differs" for fact in compared)


def _one_round(one: ClaimRow, two: ClaimRow) -> bool:
    return one.round_place is not None and two.round_place is not None and one.round_place.id == two.round_place.id


def _facts(row: ClaimRow) -> tuple[str | None, ...]:
    return tuple(fact.read(row) for name, fact in COMPARED.items() if name not in OF_THE_NUMBER)


def _side_by_side(one: ClaimRow, two: ClaimRow) -> bool:
    return (one.axis, one.unit, one.statistic) == (two.axis, two.unit, two.statistic)


def _entry(one: ClaimRow, two: ClaimRow, first: tuple[ClaimRow, ClaimRow] | None) -> OtherAxis:
    """`first` is the pair on the axis that was asked for, against whose order this one is held."""
    name = " ".join(part for part in (one.statistic, axis_name(one.axis)) if part)
    orders = (_order(one, two), _order(*first)) if first else (0, 0)
    opposite = orders[0] * orders[1] < 0
    text = _("{name}: {headline} against {headline_2}").format(
        name=name, headline=one.headline, headline_2=two.headline
    )
    if first and 0 not in orders:
        said = (
            _("; it puts these two deployments in the opposite order to {axis}")
            if opposite
            else _("; it puts these two deployments in the same order as {axis}")
        )
        text += said.format(axis=axis_name(first[0].axis))
    return OtherAxis(axis=one.axis, a=one.id, b=two.id, message=f"{text}.", opposite=opposite)


def _order(one: ClaimRow, two: ClaimRow) -> int:
    """1 or -1 for the two orders that the axis's direction gives, 0 where it gives none."""
    axis = AXES.get(one.axis)
    if axis is None or axis.direction == "none" or one.value is None or two.value is None or one.value == two.value:
        return 0
    return 1 if (one.value > two.value) == (axis.direction == "higher") else -1
