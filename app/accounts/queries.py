"""Who is asking: reading tokens and sessions. Nothing is cached, so a revoked token ends at once."""

from __future__ import annotations

from dataclasses import dataclass
from hmac import compare_digest
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import SQLModel, col, select

from app.accounts.tables import SignInLinkTable, TokenTable
from app.accounts.tokens import Actor, digest, is_well_formed

if TYPE_CHECKING:
    import datetime as dt

    from app.clock import Clock
    from app.db import Database

TOKEN, SESSION = SQLModel.metadata.tables["token"], SQLModel.metadata.tables["session"]
OF_TOKEN = sa.select(TOKEN).where(TOKEN.c.hash == sa.bindparam("hash"))
OF_SESSION = sa.select(SESSION).where(SESSION.c.hash == sa.bindparam("hash"))


@dataclass(frozen=True)
class TokenRow:
    """A token in a list; its secret is not known here."""

    id: str
    name: str
    scopes: str
    created_at: dt.datetime
    last_used_at: dt.datetime | None
    revoked_at: dt.datetime | None


class Accounts:
    """The read side of accounts."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def of_token(self, token: str) -> Actor | None:
        """Who holds this token; None for one that is unknown or revoked."""
        if not is_well_formed(token):
            return None
        wanted = digest(token)
        stored = self._database.first(OF_TOKEN, {"hash": wanted})
        if stored is None or stored.revoked_at is not None or not compare_digest(stored.hash, wanted):
            return None
        return Actor(stored.id, stored.name, frozenset(stored.scopes.split()), stored.id, stored.last_used_at)

    def of_session(self, secret: str) -> Actor | None:
        """Whose browser this is; None for a session that is unknown, ended or too old."""
        if not is_well_formed(secret):
            return None
        wanted = digest(secret)
        stored = self._database.first(OF_SESSION, {"hash": wanted})
        if stored is None or not compare_digest(stored.hash, wanted) or stored.expires_at <= self._clock.now():
            return None
        known_as = stored.token_id or f"link:{stored.name}"
        return Actor(known_as, stored.name, frozenset(stored.scopes.split()), stored.token_id)

    def tokens(self) -> list[TokenRow]:
        """All tokens, the newest first, revoked ones too."""
        names = list(TokenRow.__dataclass_fields__)
        with self._database.read() as session:
            stored = session.exec(select(TokenTable).order_by(col(TokenTable.created_at).desc(), TokenTable.id)).all()
        return [TokenRow(**{name: getattr(token, name) for name in names}) for token in stored]

    def nobody_yet(self) -> bool:
        """Whether nobody has ever signed in or been given a token: the first start. A runner is nobody."""
        used = select(SignInLinkTable.hash).where(col(SignInLinkTable.used_at).is_not(None))
        given = select(TokenTable.id).where(col(TokenTable.scopes) != "runner")
        with self._database.read() as session:
            return session.exec(given).first() is None and session.exec(used).first() is None
