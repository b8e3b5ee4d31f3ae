"""How cards lie in the database. Tables only store: everything in them was validated before."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import CheckConstraint
from sqlmodel import Field, SQLModel

import app.db  # noqa: F401 (names constraints before the first table is declared)


class CardTable(SQLModel, table=True):
    """A card as it is now: the columns that lists filter by, and the number of its newest revision.

    A retracted card stays; its reason stands beside it.
    """

    __tablename__ = "card"
    __table_args__ = (
        CheckConstraint("revision >= 1", name="revision_counts_from_one"),
        CheckConstraint("(retracted_at IS NULL) = (retraction IS NULL)", name="retracted_with_a_reason"),
    )

    number: int | None = Field(default=None, primary_key=True)  # the order in which cards came
    id: str = Field(unique=True)
    revision: int
    title: str
    author: str
    owner: str
    created_at: dt.datetime
    changed_at: dt.datetime
    engine: str | None
    model: str | None
    hardware: str | None
    axis: str | None
    repeats: str | None = Field(index=True)
    state: str
    completeness: int
    retracted_at: dt.datetime | None
    retracted_by: str | None
    retraction: str | None


class CardRevisionTable(SQLModel, table=True):
    """Every state that a card ever had; rows are only added."""

    __tablename__ = "card_revision"

    card_id: str = Field(primary_key=True, foreign_key="card.id")
    revision: int = Field(primary_key=True)
    document: str
    findings: str
    axis_version: int
    author: str
    note: str | None
    created_at: dt.datetime


class CardRawTable(SQLModel, table=True):
    """A file that a card's newest revision names as its raw data."""

    __tablename__ = "card_raw"

    card_id: str = Field(primary_key=True, foreign_key="card.id")
    sha256: str = Field(primary_key=True, index=True)
