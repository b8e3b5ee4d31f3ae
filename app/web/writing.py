"""How a page's form writes: one transaction, which also notes that its author's token was used."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from app.accounts.store import note_use

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import Request
    from sqlmodel import Session

    from app.accounts.tokens import Actor
    from app.db import Database

T = TypeVar("T")


def written(request: Request, actor: Actor, work: Callable[[Session], T]) -> T:
    """What `work` returns, once it is committed. Raises what it raises."""
    moment = request.app.state.clock.now()

    def transaction(session: Session) -> T:
        note_use(session, actor, moment)
        return work(session)

    return cast("Database", request.app.state.database).write(transaction)
