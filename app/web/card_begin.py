"""What a form of a card begins with: nothing, a copy, a repeat of a claim, or the card that is edited. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.cards.export import to_yaml
from app.cards.form import INPUTS, from_fields
from app.cards.from_claim import repeat_of
from app.cards.row import title
from app.language import N_, _
from app.web.claim_row import label
from app.web.contexts import Link
from app.web.state import address
from app.web.wording import card_title, told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.cards.record import CardRecord
    from app.claims.schema import ClaimRow

NEW = "/cards/new"
ABOUT = N_("One card is one measurement, yours or one that you read. What you do not know stays empty.")


@dataclass(frozen=True)
class Begun:
    """`revision` is the one that an edit began from, "" for a new card; `draft` names what the browser keeps."""

    text: str
    heading: str
    about: str
    action: str
    draft: str
    leave_url: str = "/cards"
    link: Link | None = None
    note: str = ""
    left_out: tuple[str, ...] = ()
    revision: str = ""


def titled(record: CardRecord) -> str:
    """A card's title in the language spoken."""
    return card_title(title(record), record.card.metric.axis if record.card.metric else None)


def empty() -> Begun:
    return Begun("", _("Record a card"), _(ABOUT), NEW, "new")


def filled(given: Mapping[str, str]) -> Begun:
    """A new card whose fields an address names: `?workload.input_tokens=4096`. What fits into no card's text stays
    out and is told."""
    values = {path: given[path] for path in INPUTS if given.get(path)}
    found = from_fields("", values)
    assert found is not None  # the empty text is a tree
    url = address(NEW, list(values.items()))
    left_out = tuple(f"{path}: {values[path]} ({told(why)})" for path, why in found.problems.items())
    return Begun(found.text, _("Record a card"), _(ABOUT), url, url, left_out=left_out)


def copy_of(record: CardRecord) -> Begun:
    note = _("everything is copied, its result and its files too. Put your own in.")
    url = address(NEW, [("from", record.id)])
    link = Link(titled(record), f"/cards/{record.id}")
    return Begun(to_yaml(record.card), _("Record a copy of a card"), _(ABOUT), url, url, link=link, note=note)


def repeat(row: ClaimRow) -> Begun:
    text, left_out = repeat_of(row)
    url = address(NEW, [("claim", row.id)])
    note = _("its conditions are filled in; change what was different in your run and put in your result.")
    link = Link(label(row), f"/claims/{row.id}")
    heading = _("Record a repeat of a claim")
    return Begun(text, heading, _(ABOUT), url, url, link=link, note=note, left_out=left_out)


def edit(record: CardRecord, revision: str) -> Begun:
    url = f"/cards/{record.id}"
    about = _("The whole card as it now is. Earlier revisions stay readable.")
    heading = _("Edit: {title}").format(title=titled(record))
    return Begun(to_yaml(record.card), heading, about, f"{url}/edit", f"{url}/edit", leave_url=url, revision=revision)
