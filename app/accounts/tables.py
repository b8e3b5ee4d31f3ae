"""How tokens, browser sessions and sign-in links lie in the database: as hashes, so that a copy of it opens nothing."""

from __future__ import annotations

import datetime as dt

from sqlmodel import Field, SQLModel

import app.db  # noqa: F401 (names constraints before the first table is declared)


class TokenTable(SQLModel, table=True):
    """`id` is the beginning of the secret, by which its holder knows it again."""

    __tablename__ = "token"

    id: str = Field(primary_key=True)
    hash: str = Field(unique=True)
    name: str
    scopes: str  # separated by blanks
    created_at: dt.datetime
    last_used_at: dt.datetime | None
    revoked_at: dt.datetime | None


class SessionTable(SQLModel, table=True):
    """A signed-in browser. Revoking the token that it was opened with ends it."""

    __tablename__ = "session"

    hash: str = Field(primary_key=True)
    name: str
    scopes: str
    token_id: str | None = Field(foreign_key="token.id")
    created_at: dt.datetime
    expires_at: dt.datetime


class SignInLinkTable(SQLModel, table=True):
    """A link that signs one browser in, once."""

    __tablename__ = "sign_in_link"

    hash: str = Field(primary_key=True)
    name: str
    scopes: str
    created_at: dt.datetime
    expires_at: dt.datetime
    used_at: dt.datetime | None
