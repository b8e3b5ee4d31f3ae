"""Errors as JSON, always in one shape, and which errors the pages answer instead."""

from __future__ import annotations

import difflib
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal, Protocol

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException

from app.api.addresses import methods, no_address
from app.asked import declared
from app.edge import is_api
from app.errors import AgainError, AppError, InvalidInputError, TooLargeError, UnauthorizedError
from app.language import _
from app.protocol.english import expected, refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import FastAPI, Request, Response
    from fastapi.routing import APIRoute
    from starlette.datastructures import QueryParams

    from app.asked import Misread

SHOWN = 80  # characters of a given value that are repeated in an answer


class ErrorDetail(BaseModel):
    field: str = Field(description="the parameter, or `id` for a thing that is not there")
    message: str
    near: list[str] = Field(default=[], description="known names or values that look like the one given")
    rule: str | None = Field(default=None, description="of a card's finding: the rule that is broken")
    severity: Literal["error", "warning"] | None = Field(default=None, description="of a card's finding")
    line: int | None = Field(default=None, description="of a body's problem: where it stands, 1-based")
    column: int | None = None


class ErrorContent(BaseModel):
    code: str
    message: str
    details: list[ErrorDetail]
    expected: int | None = Field(default=None, description="of a log that is not whole: how many bytes are there")


class ErrorBody(BaseModel):
    """Every answer that is no success."""

    error: ErrorContent


class ErrorPage(Protocol):
    """How the pages show an error."""

    def __call__(self, request: Request, status: int, error: AppError) -> Response: ...


def register(app: FastAPI, pages: ErrorPage) -> ErrorPage:
    """Answer below /api and at /healthz with JSON, elsewhere with a page. Returns what answers so."""

    def answer(request: Request, status: int, error: AppError) -> Response:
        if is_api(request.url.path):
            return json_error(status, error)
        return pages(request, status, error)

    @app.exception_handler(AppError)
    async def _known(request: Request, error: AppError) -> Response:
        return answer(request, error.status, error)

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> Response:
        return answer(request, InvalidInputError.status, invalid(error))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        if error.status_code == HTTPStatus.NOT_FOUND:
            return answer(request, error.status_code, no_address(request))
        if error.status_code == TooLargeError.status:
            return answer(request, error.status_code, TooLargeError())
        shown = AppError(str(error.detail))
        shown.code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
        headers = dict(error.headers or {})
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = ", ".join(methods(request))
            shown.message = _("{method} does nothing here; this address takes {allow}").format(
                method=request.method, allow=headers["Allow"]
            )
        response = answer(request, error.status_code, shown)
        response.headers.update(headers)
        return response

    return answer


def json_error(status: int, error: AppError) -> JSONResponse:
    details = [ErrorDetail.model_validate(detail) for detail in error.details]
    expected = getattr(error, "expected", None)
    content = ErrorContent(code=error.code, message=error.message, details=details, expected=expected)
    headers = {"WWW-Authenticate": "Bearer"} if status == UnauthorizedError.status else {}
    if isinstance(error, AgainError):
        headers["Retry-After"] = str(error.retry_after)
    return JSONResponse(ErrorBody(error=content).model_dump(exclude_none=True), status, headers)


def invalid(error: RequestValidationError) -> InvalidInputError:
    """Every problem of a request, each with the values that were probably meant."""
    return _together([_detail(item["loc"][1:], item) for item in error.errors()])


def query_error(misread: Sequence[Misread], route: APIRoute, query: QueryParams) -> InvalidInputError:
    """What was not taken from a query, and what is wrong with the rest of it."""
    details: list[dict[str, Any]] = [
        {"field": item.field, "message": item.message, "near": list(item.near)} for item in misread
    ]
    told, many = {item.field for item in misread}, declared(route).many
    values = {name: query.getlist(name) if name in many else query[name] for name in query}
    for field in route.dependant.query_params:
        try:
            field.field_info.annotation.model_validate(values)  # type: ignore[union-attr]
        except ValidationError as error:
            found = [_detail(item["loc"], item) for item in error.errors()]
            details += [detail for detail in found if detail["field"] not in told]
    return _together(details)


def _together(details: list[dict[str, Any]]) -> InvalidInputError:
    return InvalidInputError("; ".join(detail["message"] for detail in details), details)


def _detail(place: Sequence[int | str], item: Mapping[str, Any]) -> dict[str, Any]:
    field = str(place[0])[:SHOWN] if place else "request"
    if item["type"] == "missing":
        return {"field": field, "message": f"`{field}` is missing", "near": []}
    given = str(item.get("input"))[:SHOWN]
    near = difflib.get_close_matches(given, expected(item), n=3)
    asks = f"; did you mean `{near[0]}`?" if near else ""
    return {
        "field": field,
        "message": f"`{field}`: {refusal(item)}, got `{given}`{asks}",
        "near": near,
    }
