"""From a request's headers to who is asking, for pages and API alike. Knows no web framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import ForbiddenError, UnauthorizedError
from app.language import N_, _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.accounts.queries import Accounts
    from app.accounts.tokens import Actor, Scope

# The prefix binds the cookie to this host and to https; a server on plain http cannot set it.
SECURE_COOKIE, PLAIN_COOKIE = "__Host-benchcard", "benchcard"
WHAT_MAY = {
    "submit": N_("record and change one's own cards"),
    "maintain": N_("change everybody's"),
    "runner": N_("take jobs"),
}


def session_secret(cookies: Mapping[str, str]) -> str | None:
    return cookies.get(SECURE_COOKIE) or cookies.get(PLAIN_COOKIE)


def bearer(authorization: str) -> str:
    """The token of an Authorization header. Raises UnauthorizedError for another kind of header."""
    kind, _blank, token = authorization.strip().partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise UnauthorizedError(_("an Authorization header reads `Bearer TOKEN`"))
    return token.strip()


def who(accounts: Accounts, authorization: str | None, cookies: Mapping[str, str]) -> Actor | None:
    """The actor by token, else by browser session; None for a stranger. Raises UnauthorizedError for a bad token."""
    if authorization is not None:
        actor = accounts.of_token(bearer(authorization))
        if actor is None:
            raise UnauthorizedError(_("this token is unknown or was revoked"))
        return actor
    secret = session_secret(cookies)
    return accounts.of_session(secret) if secret else None


def require(actor: Actor | None, scope: Scope) -> Actor:
    """Raises UnauthorizedError for a stranger, ForbiddenError where the scope is not theirs."""
    if actor is None:
        raise UnauthorizedError(_("this needs a token (`Authorization: Bearer TOKEN`) or a signed-in browser"))
    if not actor.may(scope):
        raise ForbiddenError(
            _("this needs the scope `{scope}` ({may}); yours: {scopes}").format(
                scope=scope, may=_(WHAT_MAY[scope]), scopes=", ".join(actor.scopes)
            )
        )
    return actor
