"""The shapes of the API's cards. The typed client reads them too."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from app.api.schema import Cursor, Limit, Name, digits
from app.cards.schema import Card, Text
from app.claims.schema import Fact

CardState = Literal["measured", "plan", "retracted"]
Revision = Annotated[int, Field(ge=1, le=10**6), BeforeValidator(digits)]
Note = Annotated[str | None, Field(max_length=500, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$")]


class CardFinding(BaseModel):
    """What validation says of a card: an error keeps it out, a warning stays with it."""

    rule: str
    severity: Literal["error", "warning"]
    field: str = Field(description="the card's field, dotted; empty for the whole text")
    line: int | None = Field(description="1-based; null where the card did not come as text")
    column: int | None
    message: str


class CardQuestion(BaseModel):
    """What a reproduction needs and the card does not state."""

    field: str
    question: str


class CardChecked(BaseModel):
    """A card without errors, not stored."""

    findings: list[CardFinding]
    completeness: int = Field(description="percent of the fields that a reproduction needs")
    questions: list[CardQuestion]
    yaml: str = Field(description="the card in its one normal spelling")


class CardStored(BaseModel):
    """A card as it was stored."""

    id: str
    revision: int
    url: str = Field(description="its page")
    findings: list[CardFinding]
    completeness: int
    questions: list[CardQuestion]


class CardRetraction(BaseModel):
    at: dt.datetime
    by: str
    reason: str


class CardDetail(CardStored):
    """A card in one of its revisions."""

    title: str
    state: CardState
    newest: int = Field(description="the number of its newest revision")
    author: str = Field(description="who recorded it first")
    created_at: dt.datetime
    revised_by: str
    revised_at: dt.datetime
    note: str | None = Field(description="what the author said of this revision")
    retraction: CardRetraction | None
    claim: str | None = Field(description="its row among the claims; null for a plan, which has no number")
    card: Card = Field(description="what the card states; a key that is left out is not stated")


class CardItem(BaseModel):
    """A card in a list."""

    id: str
    revision: int
    url: str
    title: str
    state: CardState
    author: str
    created_at: dt.datetime
    changed_at: dt.datetime
    engine: str | None
    model: str | None
    hardware: str | None
    axis: str | None
    repeats: str | None
    completeness: int
    retraction: str | None = Field(description="why it was taken back")


class CardList(BaseModel):
    items: list[CardItem]
    total: int
    next: str | None


class CardChange(BaseModel):
    """A field whose statement changed; null is "not stated"."""

    field: str
    before: str | None
    after: str | None


class CardRevision(BaseModel):
    revision: int
    author: str
    at: dt.datetime
    note: str | None
    changes: list[CardChange] = Field(description="against the revision before; empty for the first")


class CardRevisions(BaseModel):
    items: list[CardRevision]
    total: int
    next: None = None


class CardListQuery(BaseModel):
    """Filters of the list; a filter may be given several times (any of its values)."""

    engine: list[Name] = Field(default=[], description="as the claims table spells it")
    model: list[Name] = Field(default=[], description="as the claims table spells it")
    hardware: list[Name] = Field(default=[], description="as the claims table spells it")
    axis: list[Name] = Field(default=[], description="key of an axis")
    state: list[CardState] = Field(default=[], description="a plan has no result yet")
    repeats: list[Name] = Field(default=[], description="id of the claim that was measured again")
    cursor: Cursor = None
    limit: Limit = 50


class CardQuery(BaseModel):
    revision: Revision | None = Field(default=None, description="an earlier revision; the newest without it")


class ReviseQuery(BaseModel):
    revision: Revision = Field(description="the newest revision that you have seen; another one is a conflict")
    note: Note = Field(default=None, description="why, for the readers of the revisions")


class Retract(Fact):
    """Why a card is taken back."""

    reason: Text
