"""When the ratio of two numbers may be shown, and with which words in the same line. Pure.

A ratio is shown where all that differs is one change and nothing that matters is left unstated (a repetition may
leave one thing unstated, which stands in the same line); with a second, unintended difference it would be taken for
the effect of the first. It is always b / a, and its words keep that order: the number, then "over" what it divides by.
Where the repeats of the numbers are known, its reach over them stands beside it; of numbers that Benchcard measured, a
ratio within the spread of the repeats is withheld.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from app.claims.wording import MINUS, number
from app.compare.conditions import COMPARED, OFF, acceptance_text
from app.compare.schema import Ratio
from app.compare.spread import ends_text, reach
from app.compare.words import listed, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.claims.schema import Claim, ClaimRow
    from app.compare.pair import Pair
    from app.compare.schema import Reason

# field -> the change that it is a part of. Fields that are not listed make a change of their own, under their label.
CHANGES: dict[str, str] = {
    "kind": "the printed form",
    "baseline": "what they are set against",
    "speculation.method": "speculation",
    "speculation.draft_tokens": "speculation",
    "acceptance": "speculation",
}
# Differences that no ratio survives: other prompts are other work, a median is no mean, another round another state.
NEVER_ONE_CHANGE = {
    "workload.name": "the prompts",
    "statistic": "the statistic",
    "round": "the round of measurements",
}


@dataclass(frozen=True)
class Withheld:
    """Why no ratio is shown, as the rest of a sentence that begins with "the ratio is withheld"."""

    text: str


def ratio(pair: Pair, reasons: Sequence[Reason]) -> Ratio | Withheld | None:
    """The ratio b / a of two numbers that are not blocked; None where there are no two absolute numbers to divide."""
    if not pair.absolute or pair.values is None or min(pair.values) <= 0:
        return None
    withheld = _withheld(pair, reasons)
    if withheld:
        return Withheld(withheld)
    quotient = pair.values[1] / pair.values[0]
    text = f"{number(pair.values[1])} / {number(pair.values[0])} = {_text(quotient)}"
    over = reach(pair)
    return Ratio(
        value=_value(quotient),
        text=text,
        conditions=_conditions(pair, reasons),
        low=_value(over.low) if over else None,
        high=_value(over.high) if over else None,
    )


def change_of(field: str) -> str:
    return NEVER_ONE_CHANGE.get(field) or CHANGES.get(field) or COMPARED[field].label


def changes(reasons: Sequence[Reason]) -> list[str]:
    """The changes that the differing fields are parts of, in the reader's order."""
    differing = [item.field for item in reasons if item.severity == "difference"]
    return list(dict.fromkeys(change_of(field) for field in differing))


def _withheld(pair: Pair, reasons: Sequence[Reason]) -> str | None:
    differing = {item.field for item in reasons if item.severity == "difference"}
    found = changes(reasons)
    if len(found) > 1 or differing & set(NEVER_ONE_CHANGE):
        verb = "differ" if len(found) > 1 else "differs"
        return f"as confounded: {listed(found)} {verb}"
    unstated = [COMPARED[item.field].label for item in reasons if item.severity == "not_stated"]
    if unstated and not _one_unknown(pair, found, unstated):
        verb = "are" if len(unstated) > 1 else "is"
        return f"because {listed(unstated)} {verb} not stated"
    if any(side.approximate or side.bound for side in (pair.a, pair.b)):
        return "because a number is approximate or a bound"
    if any(caveat.kind == "unsound" for side in (pair.a, pair.b) for caveat in side.caveats):
        return "because a number does not follow from its source's own counts"
    return _not_told_apart(pair)


def _not_told_apart(pair: Pair) -> str | None:
    """Of two published numbers the ratio stands all the same, as their source has it, with its reach beside it."""
    over = reach(pair)
    if over is None or not over.holds_one or not (pair.a.evidence and pair.b.evidence):
        return None
    said = " against ".join(ends_text(side) or side.headline for side in (pair.b, pair.a))
    return f"because the two lie within the spread of their repeats ({said})"


def _one_unknown(pair: Pair, found: Sequence[str], unstated: Sequence[str]) -> bool:
    """A repetition with one thing not stated: be it equal or different, no more than that one thing can differ."""
    return pair.repetition is not None and len({*found, *unstated}) == 1


def _value(quotient: Decimal) -> str:
    """Three significant digits; three decimals next to 1, where the change is what is looked at."""
    return f"{quotient:.3f}" if _near_one(quotient) else significant(quotient)


def _text(quotient: Decimal) -> str:
    if not _near_one(quotient):
        return f"{_value(quotient)}x"
    change = (quotient - 1) * 100
    if change == 0:
        return f"no difference ({_value(quotient)}x)"
    sign = "+" if change > 0 else MINUS
    return f"{sign}{significant(abs(change))} % ({_value(quotient)}x)"


def _near_one(quotient: Decimal) -> bool:
    return abs(quotient - 1) < Decimal("0.1")


def _conditions(pair: Pair, reasons: Sequence[Reason]) -> str:
    parts = [_spread(pair), _change(pair, reasons), _forced(pair)]
    if pair.repetition:
        parts.append("one repeats the other")
    else:
        parts.append("one round of measurements")
    return "; ".join(part for part in parts if part)


def _spread(pair: Pair) -> str:
    over = reach(pair)
    if over is None:
        return ""
    of = "the repeats" if over.both else "the repeats of one of them, those of the other are not stated"
    within = "within the spread of the repeats: " if over.holds_one else ""
    return f"{within}{_value(over.low)}x to {_value(over.high)}x over {of}"


def _change(pair: Pair, reasons: Sequence[Reason]) -> str:
    differing = [item for item in reasons if item.severity == "difference"]
    unstated = [item for item in reasons if item.severity == "not_stated"]
    if unstated and not differing:
        item = unstated[0]
        return f"{COMPARED[item.field].label}: {item.b or 'not stated'} over {item.a or 'not stated'}"
    if not differing:
        return "same stated conditions"
    if changes(reasons) == ["speculation"]:
        return f"speculation {_speculation(pair.b)} over {_speculation(pair.a)}"
    item = differing[0]
    return f"{change_of(item.field)}: {item.b} over {item.a}"


def _speculation(side: ClaimRow) -> str:
    given = side.conditions.speculation
    if given.method == OFF:
        return OFF
    drafts = f", {given.draft_tokens} draft{'s' * (given.draft_tokens > 1)}" if given.draft_tokens else ""
    return f"on at {_acceptance(side)} ({given.method}{drafts})"


def _acceptance(side: Claim) -> str:
    kind, _, length = (acceptance_text(side) or "acceptance not stated").partition(" ")
    return f"{kind} acceptance {length}".rstrip()


def _forced(pair: Pair) -> str:
    """With equal forced acceptance the ratio is one of step times; that belongs into its line."""
    sides = [side for side in (pair.a, pair.b) if side.acceptance.kind in ("simulated", "synthetic")]
    if not sides or "acceptance" in changed_fields(pair):
        return ""
    return f"at {_acceptance(sides[0])} on both sides"


def changed_fields(pair: Pair) -> set[str]:
    return {item.field for item in pair.diffs.values() if item.state == "differs"}
