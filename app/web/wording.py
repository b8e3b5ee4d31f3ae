"""The words of the pages: what a row says in each column, in face.md's reading order. Pure: rows -> short texts.

Nothing is judged here; a word that is missing in the source becomes "not stated", never a guess.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from app.axes import AXES
from app.cards.fields import ENVIRONMENT, joint, label
from app.claims.wording import ABOUT, BOUNDS
from app.claims.words import NOT_STATED, axis_name
from app.compare.words import capital
from app.language import N_, _, day, spoken
from app.retold import retold

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow

NUMBERED = re.compile(r"R\d+")  # the ratio lint's rules; the names of all others only repeat the field
KINDS = {"absolute": N_("absolute number"), "ratio": N_("ratio"), "change": N_("change in %")}
SEVERITIES = {
    "blocking": N_("rules it out"),
    "difference": N_("differs"),
    "not_stated": NOT_STATED,
    "lint": N_("questionable ratio"),
    "note": N_("to know"),
}
REPEATED = {
    "never_tried": N_("never tried"),
    "repeated_by_others": N_("by others"),
    "failed": N_("attempt failed"),
    "different_setup": N_("here, in a different setup"),
    "inconclusive": N_("here, inconclusive"),
    "below": N_("here, below"),
    "within": N_("here, within"),
    "above": N_("here, above"),
}
IMPORTED = REPEATED | {
    "different_setup": N_("elsewhere, in a different setup"),
    "inconclusive": N_("elsewhere, inconclusive"),
    "below": N_("elsewhere, below"),
    "within": N_("elsewhere, within"),
    "above": N_("elsewhere, above"),
}


class NumberParts(NamedTuple):
    """A headline cut where a table aligns it: words before, digits to the point, digits after it, unit with the blank
    before it (none before "x")."""

    lead: str
    whole: str
    fraction: str
    unit: str


def number_parts(row: ClaimRow) -> NumberParts:
    """Cut a row's headline by the pieces that it was built from. Ranges and pairs have no single decimal point."""
    text = row.headline
    lead, language = "", spoken()
    for words in (*BOUNDS.values(), ABOUT):
        said = f"{_(words)} "
        if text.startswith(said):
            lead += said
            text = text[len(said) :]
    unit = row.unit if row.points_unit is None or row.value is not None else row.points_unit
    unit = unit if unit == "x" else f" {unit}"
    if text.endswith(unit):
        text = text[: -len(unit)]
    else:
        unit = ""
    whole, point, fraction = text.partition(language.point)
    if not fraction.isdigit() or not whole.lstrip("+\N{MINUS SIGN}").replace(language.group, "").isdigit():
        return NumberParts(lead, text, "", unit)
    return NumberParts(lead, whole, point + fraction, unit)


def or_not_stated(value: object) -> str:
    return _(NOT_STATED) if value is None else str(value)


def rule_place(rule: str) -> str:
    """Where /verdicts explains a rule."""
    return rule if NUMBERED.fullmatch(rule) else f"rule-{rule}"


def plain(message: str) -> str:
    """A message of the core as a page says it: names between quotation marks, a capital at the beginning."""
    quoted = re.sub(r"`([^`]*)`", r"“\1”", message)
    return capital(quoted)


def again(text: str) -> str:
    """A text that is kept in English, in the language spoken; marked as English where nobody knows how to say it."""
    said = retold(text) if text else ""
    return Markup('<span lang="en">{}</span>').format(text) if said is None else said


def told(message: str) -> str:
    """A kept message as a page says it."""
    said = retold(message)
    return again(plain(message)) if said is None else plain(said)


def field_name(path: str) -> str:
    """What people call a field of a card."""
    return again(label(path)) if path.startswith(ENVIRONMENT) else _(label(path))


def finding(field: str, message: str) -> str:
    """A finding as one sentence, with its field's name where the message does not name it."""
    between = joint(field, message)
    if between is None:
        return told(message)
    said = retold(message)
    words = field_name(field), between
    return plain("".join((*words, said))) if said is not None else Markup("").join((*words, again(plain(message))))


def card_title(title: str, axis: str | None) -> str:
    """A card's title: its author's, or the one that was made of its fields, which begins with its axis."""
    name = AXES[axis].name.partition(" (")[0] if axis in AXES else "bench card"
    if not title.startswith(name):
        return title
    rest = title.removeprefix(name)
    said = retold(rest) if rest else ""
    return title if said is None else f"{axis_name(axis) if axis in AXES else _(name)}{said}"


def yes_or_no(value: bool | None) -> str | None:
    return None if value is None else _("yes") if value else _("no")


def repeated(row: ClaimRow) -> str:
    if row.reproduction.imported:
        return _("{found} (imported, verified from trace)").format(found=_(IMPORTED[row.reproduction.status]))
    if row.reproduction.status != "repeated_by_others":
        return _(REPEATED[row.reproduction.status])
    texts = row.reproduction.text.replace(f" {row.unit} by ", " by ").split("; ")  # the row's own number has the unit
    return "; ".join(retold(text) or text for text in texts)


def source_url(row: ClaimRow) -> str:
    """The page of what a claim stands in: a card is its own source."""
    return f"/cards/{row.card.id}" if row.card else f"/sources/{row.source.id}"


def stated_day(text: str) -> str:
    """A source's date; of a month or a year no more than that is stated."""
    try:
        return day(dt.date.fromisoformat(text))
    except ValueError:
        return text


def source_line(row: ClaimRow) -> str:
    return f"{row.source.publisher}, {stated_day(row.source.date) if row.source.date else _('undated')}"
