"""What every route of the API shares: the catalogue it reads, and how it refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError

from app.api.errors import ErrorBody

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


async def _refuse_parameters(request: Request) -> None:
    """For routes without any: what FastAPI does for those that have a query model."""
    unknown = [{"type": "extra_forbidden", "loc": ("query", name)} for name in request.query_params]
    if unknown:
        raise RequestValidationError(unknown)


NO_PARAMETERS = [Depends(_refuse_parameters)]
