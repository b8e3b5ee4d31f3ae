"""Errors as pages: what went wrong, where, how to mend it, with the true status. htmx gets the same as an alert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.language import N_, _, speaking
from app.web.contexts import Link, Shell
from app.web.error_contexts import ErrorPage
from app.web.render import respond
from app.web.speaking import language_of
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapi import Request
    from fastapi.responses import HTMLResponse

    from app.errors import AppError

HEADINGS = {
    404: N_("There is nothing at this address"),
    413: N_("This is too much to take"),
    414: N_("This address is too long"),
    405: N_("This address cannot be used that way"),
    422: N_("This cannot be taken as it is"),
    500: N_("Benchcard failed at this"),
}
OTHER = N_("This did not work")
RETARGET = {"HX-Retarget": "#alerts", "HX-Reswap": "innerHTML", "HX-Push-Url": "false"}


def error_page(request: Request, status: int, error: AppError) -> HTMLResponse:
    """The page for `error`, in the reader's language also where a file was asked for."""
    with speaking(language_of(request)):
        return _page(request, status, error)


def _page(request: Request, status: int, error: AppError) -> HTMLResponse:
    """Where the details of an error name near ids, each is a link to what was likely meant."""
    first = request.url.path.split("/")[1]
    folder = first if first in ("sources", "cards") else "claims"
    near = [str(name) for detail in error.details for name in _listed(detail.get("near"))]
    told = [plain(str(detail["message"])) for detail in error.details if "message" in detail]
    heading = _(HEADINGS.get(status, OTHER))
    context = ErrorPage(
        shell=Shell(heading, plain(error.message), ""),
        status=status,
        heading=heading,
        messages=tuple(dict.fromkeys(told or [plain(error.message)])),
        near=tuple(Link(name, name if name.startswith("/") else f"/{folder}/{name}") for name in dict.fromkeys(near)),
        q=_words(request.url.path) if status == 404 else "",
    )
    return respond(request, context, part=context.alert(), status=status, headers=RETARGET)


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()


def _words(path: str) -> str:
    """The last part of an address as words to search for."""
    return " ".join(path.rstrip("/").rpartition("/")[2].replace("-", " ").split())[:80]
