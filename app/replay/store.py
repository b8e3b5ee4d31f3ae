"""A request that changes something is done once, however often it is sent: its answer is kept under the client's key.

The answer is stored in the transaction of the change itself, so there is never one without the other. Refusals are not
kept: they changed nothing, and what was refused may be right later.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel

import app.replay.tables  # noqa: F401 (declares the table)
from app.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlmodel import Session

    from app.db import Database

REPLY = SQLModel.metadata.tables["reply"]
INSERT = sa.insert(REPLY)
GIVEN = sa.select(REPLY).where(REPLY.c.actor == sa.bindparam("of"), REPLY.c.key == sa.bindparam("under"))
TOO_OLD = sa.delete(REPLY).where(REPLY.c.created_at < sa.bindparam("before", type_=REPLY.c.created_at.type))
KEPT_FOR = dt.timedelta(days=7)
CLEARING = "0"  # the first digit of the requests that clear old answers away: one in sixteen


@dataclass(frozen=True)
class Reply:
    """An answer as it was sent first: status, JSON text, and the address of what was made."""

    status: int
    body: str
    location: str | None = None


@dataclass(frozen=True)
class ReplayKey:
    """Whose key it is, and the digest of the request that it stands for."""

    actor: str
    key: str
    request_hash: str

    @classmethod
    def of(cls, actor: str, key: str, *parts: str | bytes) -> ReplayKey:
        """`parts`: everything that makes the request what it is (method, address, media type, body)."""
        whole = sha256()
        for part in parts:
            data = part.encode() if isinstance(part, str) else part
            whole.update(len(data).to_bytes(8, "big") + data)
        return cls(actor, key, whole.hexdigest())


def earlier(session: Session, key: ReplayKey) -> Reply | None:
    """The answer that was given under this key. Raises InvalidInputError where it stood for another request."""
    stored = session.connection().execute(GIVEN, {"of": key.actor, "under": key.key}).first()
    if stored is None:
        return None
    if stored.request_hash != key.request_hash:
        message = "this Idempotency-Key was used for another request; take a new key for a new request"
        raise InvalidInputError(message, [{"field": "Idempotency-Key", "message": message}])
    return Reply(stored.status, stored.body, stored.location)


def once(
    database: Database, key: ReplayKey | None, now: dt.datetime, work: Callable[[Session], Reply]
) -> tuple[Reply, bool]:
    """Run `work` as one transaction unless its key was answered before. Returns the answer, and whether it is old.

    A collision with another server's write (PostgreSQL) is tried once more: then its answer is found.
    """

    def attempt(session: Session) -> tuple[Reply, bool]:
        old = earlier(session, key) if key else None
        if old is not None:
            return old, True
        reply = work(session)
        if key is not None:
            if key.request_hash.startswith(CLEARING):
                session.connection().execute(TOO_OLD, {"before": now - KEPT_FOR})
            session.connection().execute(INSERT, {**asdict(key), **asdict(reply), "created_at": now})
        return reply, False

    try:
        return database.write(attempt)
    except IntegrityError:
        return database.write(attempt)
