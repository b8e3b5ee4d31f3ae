"""What every route of the API shares: the catalogue it reads, and how it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from fastapi import Depends, Request

from app.api.auth import judged_first
from app.api.errors import ErrorBody, query_error
from app.asked import declared, read_query, route_of

if TYPE_CHECKING:
    from app.catalogue.queries import Catalogue
    from app.db import Database

Answers = dict[int | str, dict[str, Any]]
INVALID: Answers = {422: {"model": ErrorBody, "description": "a parameter that cannot be taken, with every problem"}}
NOT_FOUND: Answers = INVALID | {
    404: {"model": ErrorBody, "description": "an id that names nothing, with ids that look like it"}
}


def catalogue(request: Request) -> Catalogue:
    return cast("Catalogue", request.app.state.catalogue)


def database(request: Request) -> Database:
    return cast("Database", request.app.state.database)


async def _refuse_misread(request: Request) -> None:
    """A filter that is silently ignored gives a wrong answer: what was not taken from the query is refused."""
    route = route_of(request)
    misread = read_query(request, declared(route))
    if misread:
        judged_first(request, route)
        raise query_error(misread, route, request.query_params)


STRICT_QUERY = Depends(_refuse_misread)
