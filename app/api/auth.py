"""Who is asking, for the API's writing routes, and the retry key that they take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

from fastapi import Depends, Header, Request
from fastapi.security import HTTPBearer

from app.accounts.access import require, who
from app.api.errors import ErrorBody

if TYPE_CHECKING:
    from fastapi.routing import APIRoute

    from app.accounts.queries import Accounts
    from app.accounts.tokens import Actor, Scope
    from app.api.access import Answers

# Only documents the scheme; `may` reads the header itself, because a browser session will do as well.
TOKEN = HTTPBearer(auto_error=False, scheme_name="token", description="`benchcard token create --scope submit`")

IdempotencyKey = Annotated[
    str | None,
    Header(
        max_length=200,
        pattern=r"^[\x21-\x7e]+$",
        description="A text of your choice. The same request under the same key is done once and answered the same.",
    ),
]

CROSS_SITE: Answers = {403: {"model": ErrorBody, "description": "another site's page asks"}}
SIGNED_IN: Answers = {
    401: {"model": ErrorBody, "description": "no token, an unknown or a revoked one"},
    403: {"model": ErrorBody, "description": "the scope or the card is not yours, or another site's page asks"},
}


class May:
    """As a dependency: who asks, and whether they have the scope, is judged before what they sent is read. Raises
    UnauthorizedError, ForbiddenError."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def __call__(self, request: Request, _: Annotated[object, Depends(TOKEN)]) -> None:
        request.state.acting = _signed_in(request, self.scope)


def may(scope: Scope) -> Any:
    """Of a route that only who has the scope may ask."""
    return Depends(May(scope))


def judged_first(request: Request, route: APIRoute) -> None:
    """The same before FastAPI comes to it. Raises UnauthorizedError, ForbiddenError where the route asks for a
    scope."""
    for dependency in route.dependant.dependencies:
        if isinstance(dependency.call, May):
            dependency.call(request, None)


def acting(request: Request) -> Actor:
    """Who asks, of a route with `may`."""
    return cast("Actor", request.state.acting)


def _signed_in(request: Request, scope: Scope) -> Actor:
    accounts = cast("Accounts", request.app.state.accounts)
    actor = who(accounts, request.headers.get("authorization"), request.cookies)
    request.state.actor = actor.id if actor else None  # for the log
    return require(actor, scope)
