"""Context -> response: one URL serves the whole page, or the part that htmx swaps in.

Owns the Jinja environment. Knows nothing of claims: what a page shows is decided in its context.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar, Protocol

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from app.language import _, ngettext, number, pgettext, spoken
from app.locale import languages
from app.protocol.english import counted
from app.settings import ROOT
from app.web.asked import is_wrong, notes
from app.web.speaking import VARY
from app.web.terms import marked
from app.web.visitor import visitor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import Request

    from app.web.contexts import Trouble


TICKS = re.compile(r"`([^`]+)`")


class Context(Protocol):
    """A frozen dataclass with the name of its template; the template sees it as `page` or `part`."""

    template: ClassVar[str]


@cache
def static_mark(path: str) -> str:
    """What marks the content of a static file."""
    return hashlib.sha256((ROOT / "static" / path).read_bytes()).hexdigest()[:12]


def static_url(path: str) -> str:
    """The address of a static file, with the mark of its content so that a browser may keep it for ever."""
    return f"/static/{path}?v={static_mark(path)}"


def code(text: str) -> Markup:
    """What stands between backticks, as code."""
    return Markup(TICKS.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704 (escaped)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        extensions=["jinja2.ext.i18n"],
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.install_gettext_callables(_, ngettext, newstyle=True, pgettext=pgettext)  # type: ignore[attr-defined]
    environment.globals["static_url"] = static_url
    environment.globals["spoken"] = spoken
    environment.globals["number"] = number
    environment.globals["counted"] = counted
    environment.filters["terms"] = marked
    environment.filters["code"] = code
    return environment


ENVIRONMENT = _environment()


def render(
    context: Context, name: str = "page", unread: Sequence[Trouble] = (), signed_in: str = "", at: str = "/"
) -> str:
    """`unread`: what of its own address a page could not take, told above everything else. `signed_in`: who looks at
    the page, "" for a stranger. `at`: its address, to come back to from a choice of the language."""
    frame = {"unread": unread, "signed_in": signed_in, "at": at, "languages": languages().values()}
    return ENVIRONMENT.get_template(context.template).render({name: context, **frame})


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
    noted: bool = False,
) -> HTMLResponse:
    """The page, or its `part` where htmx asks and there is one. A cache must keep the two apart, and what
    each visitor sees.

    `noted`: the context itself tells what of the address was not taken.
    """
    if status == HTTPStatus.OK and is_wrong(request):
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    partly = part is not None and wants_part(request)
    if part is not None and partly:
        html = render(part, "part")
    else:
        unread = () if noted else notes(request)
        html = render(page, unread=unread, signed_in=_name(request, status), at=_address(request))
    return HTMLResponse(html, status, {"Vary": VARY, **(headers or {})})


def _address(request: Request) -> str:
    url = request.url
    return f"{url.path}?{url.query}" if url.query else url.path


def _name(request: Request, status: int) -> str:
    """Not asked for on the page of a failure: what failed may be the database that knows it."""
    actor = None if status >= HTTPStatus.INTERNAL_SERVER_ERROR else visitor(request)
    return actor.name if actor else ""
