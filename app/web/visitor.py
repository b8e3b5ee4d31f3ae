"""Who looks at a page: the browser's session."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from app.accounts.access import require, who

if TYPE_CHECKING:
    from fastapi import Request

    from app.accounts.queries import Accounts
    from app.accounts.tokens import Actor, Scope
    from app.cards.record import CardRecord


def accounts(request: Request) -> Accounts:
    return cast("Accounts", request.app.state.accounts)


def visitor(request: Request) -> Actor | None:
    """None for a stranger: pages may be read by everybody."""
    actor = who(accounts(request), None, request.cookies)
    request.state.actor = actor.id if actor else None  # for the log
    return actor


def signed_in(request: Request, scope: Scope) -> Actor:
    """Raises UnauthorizedError, ForbiddenError."""
    return require(visitor(request), scope)


def may_change(actor: Actor | None, record: CardRecord) -> bool:
    """Whether a card's page offers to change it; the store decides again when it is asked to."""
    if actor is None or record.retraction is not None or not actor.may("submit"):
        return False
    return actor.may("maintain") or actor.id == record.owner
