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
from app.compare.conditions import COMPARED, NOT_STATED, OFF, acceptance_text
from app.compare.schema import Ratio
from app.compare.spread import ends_text, reach
from app.compare.words import significant
from app.language import N_, _, as_number, listed, ngettext
from app.protocol.english import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.claims.schema import Claim, ClaimRow
    from app.compare.pair import Pair
    from app.compare.schema import Reason

# field -> the change that it is a part of. Fields that are not listed make a change of their own, under their label.
CHANGES: dict[str, str] = {
    "kind": N_("the printed form"),
    "baseline": N_("what they are set against"),
    "speculation.method": N_("speculation"),
    "speculation.draft_tokens": N_("speculation"),
    "acceptance": N_("speculation"),
}
# Differences that no ratio survives: other prompts are other work, a median is no mean, another round another state.
NEVER_ONE_CHANGE = {
    "workload.name": N_("the prompts"),
    "statistic": N_("the statistic"),
    "round": N_("the round of measurements"),
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
    return _(NEVER_ONE_CHANGE.get(field) or CHANGES.get(field) or COMPARED[field].label)


def changes(reasons: Sequence[Reason]) -> list[str]:
    """The changes that the differing fields are parts of, in the reader's order."""
    differing = [item.field for item in reasons if item.severity == "difference"]
    return list(dict.fromkeys(change_of(field) for field in differing))


def _withheld(pair: Pair, reasons: Sequence[Reason]) -> str | None:
    differing = {item.field for item in reasons if item.severity == "difference"}
    found = changes(reasons)
    if len(found) > 1 or differing & set(NEVER_ONE_CHANGE):
        said = ngettext("as confounded: {found} differs", "as confounded: {found} differ", len(found))
        return said.format(found=listed(found))
    unstated = [_(COMPARED[item.field].label) for item in reasons if item.severity == "not_stated"]
    if unstated and not _one_unknown(pair, found, unstated):
        said = ngettext("because {unstated} is not stated", "because {unstated} are not stated", len(unstated))
        return said.format(unstated=listed(unstated))
    if any(side.approximate or side.bound for side in (pair.a, pair.b)):
        return _("because a number is approximate or a bound")
    if any(caveat.kind == "unsound" for side in (pair.a, pair.b) for caveat in side.caveats):
        return _("because a number does not follow from its source's own counts")
    return _not_told_apart(pair)


def _not_told_apart(pair: Pair) -> str | None:
    """Of two published numbers the ratio stands all the same, as their source has it, with its reach beside it."""
    over = reach(pair)
    if over is None or not over.holds_one or not (pair.a.evidence and pair.b.evidence):
        return None
    said = f" {_('against')} ".join(ends_text(side) or side.headline for side in (pair.b, pair.a))
    return _("because the two lie within the spread of their repeats ({said})").format(said=said)


def _one_unknown(pair: Pair, found: Sequence[str], unstated: Sequence[str]) -> bool:
    """A repetition with one thing not stated: be it equal or different, no more than that one thing can differ."""
    return pair.repetition is not None and len({*found, *unstated}) == 1


def _value(quotient: Decimal) -> str:
    """Three significant digits; three decimals next to 1, where the change is what is looked at."""
    return as_number(f"{quotient:.3f}") if _near_one(quotient) else significant(quotient)


def _text(quotient: Decimal) -> str:
    if not _near_one(quotient):
        return f"{_value(quotient)}x"
    change = (quotient - 1) * 100
    if change == 0:
        return _("no difference ({quotient}x)").format(quotient=_value(quotient))
    sign = "+" if change > 0 else MINUS
    return f"{sign}{significant(abs(change))} % ({_value(quotient)}x)"


def _near_one(quotient: Decimal) -> bool:
    return abs(quotient - 1) < Decimal("0.1")


def _conditions(pair: Pair, reasons: Sequence[Reason]) -> str:
    parts = [_spread(pair), _change(pair, reasons), _forced(pair)]
    if pair.repetition:
        parts.append(_("one repeats the other"))
    else:
        parts.append(_("one round of measurements"))
    return "; ".join(part for part in parts if part)


def _spread(pair: Pair) -> str:
    over = reach(pair)
    if over is None:
        return ""
    of = _("the repeats") if over.both else _("the repeats of one of them, those of the other are not stated")
    within = _("within the spread of the repeats: ") if over.holds_one else ""
    return _("{within}{low}x to {high}x over {of}").format(
        within=within, low=_value(over.low), high=_value(over.high), of=of
    )


def _change(pair: Pair, reasons: Sequence[Reason]) -> str:
    differing = [item for item in reasons if item.severity == "difference"]
    unstated = [item for item in reasons if item.severity == "not_stated"]
    if unstated and not differing:
        item = unstated[0]
        return _("{label}: {b} over {a}").format(
            label=_(COMPARED[item.field].label), b=item.b or _(NOT_STATED), a=item.a or _(NOT_STATED)
        )
    if not differing:
        return _("same stated conditions")
    if changes(reasons) == [_("speculation")]:
        return _("speculation {b} over {a}").format(b=_speculation(pair.b), a=_speculation(pair.a))
    item = differing[0]
    return _("{field}: {b} over {a}").format(field=change_of(item.field), b=item.b, a=item.a)


def _speculation(side: ClaimRow) -> str:
    given = side.conditions.speculation
    if given.method == OFF:
        return _(OFF)
    drafts = f", {counted(given.draft_tokens, 'draft')}" if given.draft_tokens else ""
    return _("on at {acceptance} ({method}{drafts})").format(
        acceptance=_acceptance(side), method=given.method, drafts=drafts
    )


def _acceptance(side: Claim) -> str:
    said = acceptance_text(side)
    if said is None:
        return _("acceptance not stated")
    kind, *length = said.split(" ", 1)
    return _("{kind} acceptance {length}").format(kind=kind, length="".join(length)).rstrip()


def _forced(pair: Pair) -> str:
    """With equal forced acceptance the ratio is one of step times; that belongs into its line."""
    sides = [side for side in (pair.a, pair.b) if side.acceptance.kind in ("simulated", "synthetic")]
    if not sides or "acceptance" in changed_fields(pair):
        return ""
    return _("at {acceptance} on both sides").format(acceptance=_acceptance(sides[0]))


def changed_fields(pair: Pair) -> set[str]:
    return {item.field for item in pair.diffs.values() if item.state == "differs"}
