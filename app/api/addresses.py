"""Which addresses there are: for answers to what asks for another one, or asks in another way."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from fastapi.routing import iter_route_contexts
from starlette.routing import Match, Mount

from app.edge import is_api
from app.errors import NotFoundError
from app.language import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapi import Request
    from fastapi.routing import RouteContext


def no_address(request: Request) -> NotFoundError:
    """That there is nothing here, what is likely meant, and what there is."""
    path = request.url.path
    known = sorted(set(_read(request, api=is_api(path))))
    near = [path.lower()] if _is_address(request, path.lower()) else _nearest(path, known)
    shown = path if len(path) <= 80 else f"{path[:80]}..."
    asks = _("; did you mean `{first}`?").format(first=near[0]) if near else ""
    message = _("there is nothing at `{shown}`{asks}").format(shown=shown, asks=asks)
    listed = (
        _("/api/docs lists every address")
        if is_api(path)
        else _("the pages are {known}").format(known=", ".join(known))
    )
    details: list[dict[str, object]] = [{"field": "address", "message": message, "near": near}]
    return NotFoundError(f"{message}; {listed}", [*details, {"field": "address", "message": listed}])


def methods(request: Request) -> list[str]:
    """What the request's address takes, by all of its routes. HEAD goes wherever GET does (app.edge)."""
    found: set[str] = set()
    for context in _contexts(request):
        if context.methods and context.matches(request.scope)[0] is not Match.NONE:
            found |= context.methods
    path = request.scope["path"]
    if any(isinstance(route, Mount) and path.startswith(f"{route.path}/") for route in request.app.routes):
        found.add("GET")  # static files
    return sorted(found | {"HEAD"} if "GET" in found else found)


def _nearest(path: str, known: Sequence[str]) -> list[str]:
    if path.rstrip("/") == "/claims":
        return ["/"]  # a claim is at /claims/ID, and their table is the first page
    return difflib.get_close_matches(path[:80], [address for address in known if "{" not in address], n=3)


def _is_address(request: Request, path: str) -> bool:
    scope = {**request.scope, "path": path}
    return len(path) <= 80 and any(
        context.matches(scope)[0] is Match.FULL for context in _contexts(request) if context.methods
    )


def _read(request: Request, *, api: bool) -> Iterator[str]:
    for context in _contexts(request):
        path = context.path_format or ""
        if "GET" in (context.methods or ()) and is_api(path) is api:
            yield path


def _contexts(request: Request) -> Iterator[RouteContext]:
    return iter_route_contexts(request.app.routes)
