"""Context -> response: one URL serves the whole page, or the part that htmx swaps in.

Owns the Jinja environment. Knows nothing of claims: what a page shows is decided in its context.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Protocol

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.settings import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import Request


class Context(Protocol):
    """A frozen dataclass with the name of its template; the template sees it as `page` or `part`."""

    template: ClassVar[str]


@cache
def static_url(path: str) -> str:
    """The address of a static file, with a mark of its content so that a browser may keep it for ever."""
    mark = hashlib.sha256((ROOT / "static" / path).read_bytes()).hexdigest()[:12]
    return f"/static/{path}?v={mark}"


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals["static_url"] = static_url
    return environment


ENVIRONMENT = _environment()


def render(context: Context, name: str = "page") -> str:
    return ENVIRONMENT.get_template(context.template).render({name: context})


def wants_part(request: Request) -> bool:
    """htmx asks for a part, except when it restores a page from history."""
    headers = request.headers
    return headers.get("HX-Request") == "true" and headers.get("HX-History-Restore-Request") != "true"


def respond(
    request: Request,
    page: Context,
    *,
    part: Context | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """The page, or its `part` where htmx asks and there is one. A cache must keep the two apart."""
    html = render(part, "part") if part is not None and wants_part(request) else render(page)
    return HTMLResponse(html, status, {"Vary": "HX-Request", **(headers or {})})
