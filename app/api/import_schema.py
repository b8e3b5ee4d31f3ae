"""The shapes of the API's imports. The typed client reads them too."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from app.api.card_schema import CardQuestion, CardStored
from app.cards.text import LONGEST
from app.claims.schema import Fact
from app.results.importers import Format

MOST_ANSWERS = 60
FieldPath = Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,30}(\.[a-z_]{1,30})?$")]


class ImportQuery(BaseModel):
    format: Format | Literal["auto"] = Field(default="auto", description="the tool that wrote the file")
    name: str = Field(
        default="result",
        min_length=1,
        max_length=200,
        pattern=r"^[^\x00-\x1f\x7f-\x9f]+$",
        description="the file's name",
    )


class ImportWarning(BaseModel):
    """A reason not to read a figure at face value."""

    trap: str = Field(description="T1 to T20, or a word for a rule of the importer's own")
    field: str = Field(description="the file's field")
    message: str


class ImportProblem(BaseModel):
    """Something in the file that could not be read."""

    message: str
    line: int | None
    column: int | None
    path: str | None


class ImportedCard(BaseModel):
    """A measurement of the file as a card, not recorded yet."""

    part: int = Field(description="its number, from 1, for `parts`")
    where: str = Field(description="its place in the file, where the file holds several")
    headline: str = Field(description="its result")
    axis: str
    yaml: str = Field(description="the card, holding only what the file states")
    warnings: list[ImportWarning]
    questions: list[CardQuestion] = Field(description="what the file does not hold and a reproduction needs")
    completeness: int
    recorded: list[str] = Field(default=[], description="ids of the cards that were recorded of it")


class ImportRead(BaseModel):
    """What an importer read in a file."""

    format: Format
    tool: str
    tool_version: str | None
    cards: list[ImportedCard]
    problems: list[ImportProblem]


class ImportDetail(ImportRead):
    """A result file that is kept here with what was read in it."""

    sha256: str
    name: str
    size: int = Field(description="bytes")
    url: str = Field(description="its page")
    created_at: dt.datetime


class RecordImport(Fact):
    """Which cards of a file to record, and what the file does not say."""

    parts: tuple[int, ...] = Field(default=(), max_length=2000, description="numbers of cards; without any, all")
    answers: dict[FieldPath, Annotated[str, StringConstraints(max_length=LONGEST)]] = Field(
        default={},
        max_length=MOST_ANSWERS,
        description="by the card's field, such as `engine.version`; goes into each card that does not state the field",
    )


class CardsStored(BaseModel):
    items: list[CardStored]
    total: int
