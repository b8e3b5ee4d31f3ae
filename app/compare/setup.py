"""A claim's setup against the one that was really run: what differs, and what one side leaves open. Pure.

A claim is told in words and a run in facts, so two things are settled here that two claims never ask for: random
weights differ from a claim that does not speak of its weights, for a published speed is taken to be of the real model;
and a release is not the commit that a claim names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.axes import AXES
from app.claims.schema import Conditions, Fact, Text
from app.compare.conditions import diff, laid_over

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.claims.schema import Claim, ClaimRow

OWN = {"client"}  # Benchcard measures with its own client whatever the claim's was, and its page says so
BASELINE = "baseline."  # before the field of a ratio's other side


class SetupDifference(Fact):
    """One fact of the setup. `claimed` or `measured` is None where that side does not say it."""

    field: Text
    label: Text
    claimed: str | None
    measured: str | None


class Setup(Fact):
    """`differences` are stated on both sides and unlike; `left_open` on one side only."""

    differences: tuple[SetupDifference, ...] = ()
    left_open: tuple[SetupDifference, ...] = ()


def setup(claim: ClaimRow, measured: Claim, baseline: Claim | None = None) -> Setup:
    """What lies between a claim and the run that measured it again; of a ratio, both of its sides."""
    found = [_between(claim, measured, "")]
    if baseline is not None:
        found.append(_between(baseline_claim(claim), baseline, BASELINE))
    known = {item.field for item in (*found[0].differences, *found[0].left_open)}
    # What differs alike on both sides of a ratio stands once.
    rest = [
        tuple(item for item in part if item.field.removeprefix(BASELINE) not in known)
        for part in ((found[1].differences, found[1].left_open) if baseline is not None else ())
    ]
    return Setup(
        differences=found[0].differences + (rest[0] if rest else ()),
        left_open=found[0].left_open + (rest[1] if rest else ()),
    )


def baseline_conditions(claim: Claim) -> Conditions | None:
    """What a ratio divides by: the claim's own conditions with those that its source says differ. None where the
    source states none."""
    given = claim.baseline.conditions
    return None if given is None else laid_over(claim.conditions, given)


def baseline_claim(claim: ClaimRow) -> ClaimRow:
    """The other side of a ratio as a claim of its own, with the acceptance that its source gives it."""
    conditions = baseline_conditions(claim) or claim.conditions
    acceptance = claim.baseline.acceptance or claim.acceptance
    if conditions.speculation.method == "off":
        acceptance = acceptance.model_copy(update={"kind": "none", "length": None, "target": None, "ceiling": None})
    return claim.model_copy(update={"conditions": conditions, "acceptance": acceptance})


def _between(claim: ClaimRow, measured: Claim, lead: str) -> Setup:
    axis = AXES.get(claim.axis)
    groups = axis.matters - OWN if axis else frozenset()
    states = {item.field: item for item in diff(claim, measured, groups, frozenset())}
    differences, left_open = [], []
    told = dict(_told_otherwise(claim, measured))
    for name, item in states.items():
        state = told.get(name, item.state)
        fact = SetupDifference(
            field=lead + name,
            label=("baseline, " if lead else "") + item.label,
            claimed=item.a,
            measured=item.b,
        )
        if state == "differs":
            differences.append(fact)
        elif state == "not_stated" and (item.a is not None or item.b is not None):
            left_open.append(fact)
    return Setup(differences=tuple(differences), left_open=tuple(left_open))


def _told_otherwise(claim: ClaimRow, measured: Claim) -> Iterator[tuple[str, str]]:
    weights = measured.conditions.model.weights
    if weights is not None and claim.conditions.model.weights is None:
        yield "model.weights", "differs" if weights == "dummy" else "equal"
    engine, own = claim.conditions.engine, measured.conditions.engine
    if engine.commit and engine.version is None and own.commit is None and own.version is not None:
        yield "engine.version", "differs"
