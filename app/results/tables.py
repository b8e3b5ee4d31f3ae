"""How imported files lie in the database; their bytes lie in app.results.files."""

from __future__ import annotations

import datetime as dt

from sqlmodel import Field, SQLModel

import app.db  # noqa: F401 (names constraints before the first table is declared)


class ImportTable(SQLModel, table=True):
    """A result file that somebody sent, with what its importer read in it."""

    __tablename__ = "result_import"

    sha256: str = Field(primary_key=True)
    name: str
    size: int
    format: str
    report: str  # an ImportReport as JSON
    owner: str  # the token of whoever sent it first
    created_at: dt.datetime


class ImportedCardTable(SQLModel, table=True):
    """Which part of a file became which card; a part may be recorded again, by somebody else or with other answers."""

    __tablename__ = "result_import_card"

    card_id: str = Field(primary_key=True, foreign_key="card.id")
    sha256: str = Field(foreign_key="result_import.sha256", index=True)
    part: int
