"""A card as it is kept: the document with who wrote it, when, and what became of it. Frozen data, no database."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from app.cards.completeness import percent_without, questions

if TYPE_CHECKING:
    import datetime as dt

    from app.cards.completeness import Needed
    from app.cards.rules import Finding
    from app.cards.schema import Card

State = Literal["measured", "plan", "retracted"]


@dataclass(frozen=True)
class Retraction:
    at: dt.datetime
    by: str
    reason: str


@dataclass(frozen=True)
class Revision:
    """One state of a card. `axis_version` is that of its axis's definition when the number was recorded."""

    number: int
    card: Card
    findings: tuple[Finding, ...]
    axis_version: int
    author: str
    note: str | None
    at: dt.datetime


@dataclass(frozen=True)
class CardRecord:
    """A card in one of its revisions. `owner` is the token that may change it."""

    id: str
    revision: Revision
    newest: int
    author: str
    owner: str
    created: dt.datetime
    retraction: Retraction | None

    @property
    def card(self) -> Card:
        return self.revision.card

    @cached_property
    def missing(self) -> tuple[Needed, ...]:
        """What to ask the author. Kept, because one writing asks for it four times, and nothing here changes."""
        return questions(self.card)

    @property
    def completeness(self) -> int:
        """Percent of the fields that a reproduction needs and that the card states."""
        return percent_without(self.missing)

    @property
    def has_number(self) -> bool:
        """Whether there is something to show among the claims; a plan has no result yet."""
        return self.card.result is not None and self.card.metric is not None

    @property
    def state(self) -> State:
        if self.retraction:
            return "retracted"
        return "measured" if self.has_number else "plan"
