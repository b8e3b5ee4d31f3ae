"""The words of the pages: what a row says in each column, in face.md's reading order. Pure: rows -> short texts.

Nothing is judged here; a word that is missing in the source becomes "not stated", never a guess.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from app.claims.wording import BOUNDS
from app.claims.words import NOT_STATED
from app.compare.words import capital

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow

NUMBERED = re.compile(r"R\d+")  # the ratio lint's rules; the names of all others only repeat the field
KINDS = {"absolute": "absolute number", "ratio": "ratio", "change": "change in %"}
SEVERITIES = {
    "blocking": "rules it out",
    "difference": "differs",
    "not_stated": NOT_STATED,
    "lint": "questionable ratio",
    "note": "to know",
}
REPEATED = {
    "never_tried": "not yet",
    "repeated_by_others": "by others",
    "failed": "attempt failed",
    "different_setup": "here, in a different setup",
    "inconclusive": "here, inconclusive",
    "below": "here, below",
    "within": "here, within",
    "above": "here, above",
}
_LEADS = (*BOUNDS.values(), "about ")


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
    lead = ""
    for words in _LEADS:
        if text.startswith(words):
            lead += words
            text = text[len(words) :]
    unit = row.unit if row.points_unit is None or row.value is not None else row.points_unit
    unit = unit if unit == "x" else f" {unit}"
    if text.endswith(unit):
        text = text[: -len(unit)]
    else:
        unit = ""
    whole, point, fraction = text.partition(".")
    if not fraction.isdigit() or not whole.lstrip("+\N{MINUS SIGN}").replace(",", "").isdigit():
        return NumberParts(lead, text, "", unit)
    return NumberParts(lead, whole, point + fraction, unit)


def or_not_stated(value: object) -> str:
    return NOT_STATED if value is None else str(value)


def rule_place(rule: str) -> str:
    """Where /verdicts explains a rule."""
    return rule if NUMBERED.fullmatch(rule) else f"rule-{rule}"


def plain(message: str) -> str:
    """A message of the core as a page says it: names between quotation marks, a capital at the beginning."""
    quoted = re.sub(r"`([^`]*)`", r"“\1”", message)
    return capital(quoted)


def yes_or_no(value: bool | None) -> str | None:
    return None if value is None else "yes" if value else "no"


def repeated(row: ClaimRow) -> str:
    again = row.reproduction
    if again.imported:
        return f"{REPEATED[again.status].replace('here', 'elsewhere', 1)} (imported, verified from trace)"
    if again.status != "repeated_by_others":
        return REPEATED[again.status]
    return row.reproduction.text.replace(f" {row.unit} by ", " by ")  # the row's own number carries the unit


def source_url(row: ClaimRow) -> str:
    """The page of what a claim stands in: a card is its own source."""
    return f"/cards/{row.card.id}" if row.card else f"/sources/{row.source.id}"


def source_line(row: ClaimRow) -> str:
    return f"{row.source.publisher}, {row.source.date or 'undated'}"
