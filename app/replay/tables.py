"""Answers that were given to requests with an Idempotency-Key."""

from __future__ import annotations

import datetime as dt

from sqlmodel import Field, SQLModel

import app.db  # noqa: F401 (names constraints before the first table is declared)


class ReplyTable(SQLModel, table=True):
    """One answer by who asked and under which key."""

    __tablename__ = "reply"

    actor: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    request_hash: str
    status: int
    body: str
    location: str | None
    created_at: dt.datetime = Field(index=True)
