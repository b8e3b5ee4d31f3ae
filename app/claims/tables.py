"""How claims and sources lie in the database. Tables only store: everything in them was validated before."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import CheckConstraint
from sqlmodel import Field, SQLModel

import app.db  # noqa: F401 (names constraints before the first table is declared)


class SourceTable(SQLModel, table=True):
    """A source as it is now. `rows_hash` is over its claims as stored: they change with our wording too."""

    __tablename__ = "source"
    __table_args__ = (CheckConstraint("revision >= 1", name="revision_counts_from_one"),)

    id: str = Field(primary_key=True)
    revision: int
    title: str
    url: str | None
    url_seen_cited: bool
    date: str | None
    publisher: str
    interest: str
    type: str
    summary: str
    retrieved: str
    last_checked: str
    content_hash: str
    rows_hash: str
    loaded_at: dt.datetime
    document: str


class SourceRevisionTable(SQLModel, table=True):
    """Every state that a source ever had; rows are only added. Without a document: the source was withdrawn."""

    __tablename__ = "source_revision"

    source_id: str = Field(primary_key=True)
    revision: int = Field(primary_key=True)
    content_hash: str | None
    loaded_at: dt.datetime
    document: str | None


class ClaimTable(SQLModel, table=True):
    """A claim of a source, or the row of a card: the columns that the table filters and sorts by, then all as JSON.

    The document stands behind them, so that a scan of the short columns does not read it.
    """

    __tablename__ = "claim"
    __table_args__ = (
        CheckConstraint("rank BETWEEN 0 AND 999", name="rank_in_range"),
        CheckConstraint("(source_id IS NULL) <> (card_id IS NULL)", name="of_a_source_or_a_card"),
    )

    number: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    source_id: str | None = Field(foreign_key="source.id", index=True)
    rank: int
    date: int  # the source's date as YYYYMMDD, 0 where not stated
    engine: str | None
    model: str | None
    axis: str
    kind: str
    scope: str
    hardware: str | None
    acceptance: str
    stated_in: str
    status: str
    caveats: str  # kinds, separated by blanks
    sort_group: int  # numbers of different groups are never set in one order (app/claims/store.py)
    sort_value: float | None
    search: str  # folded by app.claims.search
    document: str
    card_id: str | None = Field(foreign_key="card.id", unique=True)  # came later; only its index is ever read


class CatalogueStateTable(SQLModel, table=True):
    """One row. `version` goes up with every change, by which a reader knows that its index is stale."""

    __tablename__ = "catalogue_state"
    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)

    id: int = Field(primary_key=True)
    version: int
