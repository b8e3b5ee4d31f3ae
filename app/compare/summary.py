"""The first line of a comparison: one sentence that a tired person understands. Pure; it never names a winner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.compare.ratio import changes
from app.compare.schema import Ratio
from app.compare.words import axis_name, capital
from app.language import _, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.compare.pair import Pair
    from app.compare.ratio import Withheld
    from app.compare.schema import OtherAxis, Reason

# Of two blocking findings the one that is known says more than the one that is only not ruled out.
ONLY_NOT_STATED = {"acceptance-not-stated"}


def blocked_summary(blocked: Sequence[tuple[Reason, str]]) -> str:
    """From the findings of the blocking rules with their clauses, in the reader's order; there is at least one."""
    known = [clause for reason, clause in blocked if reason.rule not in ONLY_NOT_STATED]
    return _("These two cannot be ranked: {first}.").format(first=(known or [blocked[0][1]])[0])


def summary(
    pair: Pair, reasons: Sequence[Reason], shown: Ratio | Withheld | None, other_axes: Sequence[OtherAxis]
) -> str:
    """Of a pair that nothing blocks: the ratio with its conditions in the same line, or why there is none."""
    if isinstance(shown, Ratio):
        text = f"{capital(shown.text)}, {shown.conditions}"
    elif shown:
        text = _("{pair}; the ratio is withheld {text}").format(pair=_lead(pair, reasons), text=shown.text)
    else:
        differing = changes(reasons)
        text = _lead(pair, reasons) + (f": {listed(differing)}" if differing else "")
    opposite = list(dict.fromkeys(axis_name(item.axis) for item in other_axes if item.opposite))
    return text + (
        _("; by {opposite} their order is the opposite one.").format(opposite=listed(opposite)) if opposite else "."
    )


def _lead(pair: Pair, reasons: Sequence[Reason]) -> str:
    severities = {reason.severity for reason in reasons}
    if pair.repetition:
        return _("One of these two repeats the other with the author's code and script")
    if "difference" in severities:
        return _("These two measure the same thing under other conditions")
    if "not_stated" in severities:
        return _("These two measure the same thing, but not all that matters is stated")
    return _("These two measure the same thing under the same stated conditions")
