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
