"""Writing tokens, sessions and sign-in links. Every function works inside the caller's transaction."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, insert, or_, update
from sqlmodel import SQLModel, col, select

from app.accounts.tables import SessionTable, SignInLinkTable, TokenTable
from app.accounts.tokens import LINK_LIFE, SESSION_LIFE, digest, join, token_id
from app.errors import NotFoundError, UnauthorizedError
from app.language import _

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlmodel import Session

    from app.accounts.tokens import Actor

TOKEN = SQLModel.metadata.tables["token"]
USED = update(TOKEN).where(
    TOKEN.c.id == bindparam("token"),
    or_(TOKEN.c.last_used_at.is_(None), TOKEN.c.last_used_at < bindparam("stale", type_=TOKEN.c.last_used_at.type)),
)
USE_KEPT_FOR = dt.timedelta(minutes=1)  # "last used" is this exact: a busy script writes it once a minute


def add_token(session: Session, token: str, name: str, scopes: Iterable[str], now: dt.datetime) -> str:
    """Store a token's hash; returns its id. The token itself is to be shown once and forgotten."""
    values = {"id": token_id(token), "hash": digest(token), "name": name, "scopes": join(scopes), "created_at": now}
    session.execute(insert(TokenTable).values(**values))
    return token_id(token)


def revoke_token(session: Session, wanted: str, now: dt.datetime) -> None:
    """End a token and the sessions opened with it. Raises NotFoundError; twice is as once."""
    stored = session.get(TokenTable, wanted)
    if stored is None:
        raise NotFoundError(_("there is no token `{wanted}`").format(wanted=wanted[:80]))
    unrevoked = (col(TokenTable.id) == wanted, col(TokenTable.revoked_at).is_(None))
    session.execute(update(TokenTable).where(*unrevoked).values(revoked_at=now))
    session.execute(delete(SessionTable).where(col(SessionTable.token_id) == wanted))


def note_use(session: Session, actor: Actor, now: dt.datetime) -> None:
    """Remember that an actor's token was used, where what was read of it is not fresh enough already."""
    stale = now - USE_KEPT_FOR
    if actor.token is None or (actor.last_used is not None and actor.last_used >= stale):
        return
    session.connection().execute(USED, {"token": actor.token, "stale": stale, "last_used_at": now})


def add_link(session: Session, secret: str, name: str, scopes: Iterable[str], now: dt.datetime) -> None:
    """Store a sign-in link. Earlier links that nobody used end with it: one is valid at a time."""
    session.execute(delete(SignInLinkTable).where(col(SignInLinkTable.used_at).is_(None)))
    values = {"hash": digest(secret), "name": name, "scopes": join(scopes), "created_at": now}
    session.execute(insert(SignInLinkTable).values(**values, expires_at=now + LINK_LIFE))


def sign_in_by_link(session: Session, link: str, secret: str, now: dt.datetime) -> None:
    """Use up a link and open a session with the secret. Raises UnauthorizedError: unknown, used or too old."""
    table = SignInLinkTable
    unused = (col(table.hash) == digest(link), col(table.used_at).is_(None), col(table.expires_at) > now)
    used: Any = session.execute(update(table).where(*unused).values(used_at=now))
    if used.rowcount != 1:
        raise UnauthorizedError(_("this sign-in link was used or is too old; `benchcard sign-in` prints a new one"))
    stored = session.exec(select(table).where(table.hash == digest(link))).one()
    _open(session, secret, stored.name, stored.scopes, None, now)


def sign_in_by_token(session: Session, actor: Actor, secret: str, now: dt.datetime) -> None:
    """Open a session for the holder of a token."""
    note_use(session, actor, now)
    _open(session, secret, actor.name, join(actor.scopes), actor.token, now)


def sign_out(session: Session, secret: str) -> None:
    session.execute(delete(SessionTable).where(col(SessionTable.hash) == digest(secret)))


def _open(session: Session, secret: str, name: str, scopes: str, token: str | None, now: dt.datetime) -> None:
    """Add a session; those that have run out are removed on the way."""
    session.execute(delete(SessionTable).where(col(SessionTable.expires_at) <= now))
    values = {"hash": digest(secret), "name": name, "scopes": scopes, "token_id": token, "created_at": now}
    session.execute(insert(SessionTable).values(**values, expires_at=now + SESSION_LIFE))
