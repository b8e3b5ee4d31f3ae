"""Errors as JSON, always in one shape, and which errors the pages answer instead."""

from __future__ import annotations

import difflib
import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal, Protocol

from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from app.errors import AppError, InvalidInputError, TooManyError, UnauthorizedError

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response

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


class ErrorBody(BaseModel):
    """Every answer that is no success."""

    error: ErrorContent


class ErrorPage(Protocol):
    """How the pages show an error."""

    def __call__(self, request: Request, status: int, error: AppError) -> Response: ...


def register(app: FastAPI, pages: ErrorPage) -> None:
    """Answer below /api and at /healthz with JSON, elsewhere with a page."""

    def answer(request: Request, status: int, error: AppError) -> Response:
        if request.url.path.startswith("/api/") or request.url.path == "/healthz":
            return json_error(status, error)
        return pages(request, status, error)

    @app.exception_handler(AppError)
    async def _known(request: Request, error: AppError) -> Response:
        return answer(request, error.status, error)

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> Response:
        return answer(request, InvalidInputError.status, invalid(request, error))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> Response:
        shown = AppError(str(error.detail))
        shown.code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
        response = answer(request, error.status_code, shown)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def _unknown(request: Request, _: Exception) -> Response:
        return answer(request, 500, AppError("something went wrong here; it is in the server's log"))


def json_error(status: int, error: AppError) -> JSONResponse:
    details = [ErrorDetail.model_validate(detail) for detail in error.details]
    content = ErrorContent(code=error.code, message=error.message, details=details)
    headers = {"WWW-Authenticate": "Bearer"} if status == UnauthorizedError.status else {}
    if isinstance(error, TooManyError):
        headers["Retry-After"] = str(error.retry_after)
    return JSONResponse(ErrorBody(error=content).model_dump(exclude_none=True), status, headers)


def invalid(request: Request, error: RequestValidationError) -> InvalidInputError:
    """Every problem of a request, each with the names or values that were probably meant."""
    details = [_detail(item, parameters(request)) for item in error.errors()]
    return InvalidInputError("; ".join(detail["message"] for detail in details), details)


def parameters(request: Request) -> list[str]:
    """The query parameters that the request's route takes, as its OpenAPI description says."""
    paths = request.app.openapi()["paths"]
    operation = paths.get(request.scope["route"].path, {}).get(request.method.lower(), {})
    return [item["name"] for item in operation.get("parameters", []) if item["in"] == "query"]


def _detail(item: dict[str, Any], known: list[str]) -> dict[str, Any]:
    path = [str(part) for part in item["loc"][1:]]
    field = path[0][:SHOWN] if path else "request"
    if item["type"] == "extra_forbidden":
        return _with_near(field, f"`{field}` is no parameter here", field, known)
    if item["type"] == "missing":
        return _with_near(field, f"`{field}` is missing", "", [])
    given = str(item.get("input"))[:SHOWN]
    allowed = re.findall(r"'([^']*)'", str(item.get("ctx", {}).get("expected", "")))
    return _with_near(field, f"`{field}`: {item['msg'][0].lower()}{item['msg'][1:]}, got `{given}`", given, allowed)


def _with_near(field: str, message: str, given: str, known: list[str]) -> dict[str, Any]:
    near = difflib.get_close_matches(given, known, n=3)
    return {"field": field, "message": message + (f"; did you mean `{near[0]}`?" if near else ""), "near": near}
