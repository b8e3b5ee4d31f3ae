"""The runners, letting one of them take no more, and taking it out of service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from app.cards.store import Writer
from app.errors import AppError
from app.jobs.retiring import retire
from app.jobs.store import drain
from app.web.forms import CARD_FORM
from app.web.reading import jobs, now
from app.web.render import respond
from app.web.runner_page import runners_page
from app.web.visitor import signed_in, visitor
from app.web.wording import plain
from app.web.writing import written

if TYPE_CHECKING:
    from fastapi import Response

    from app.settings import Settings

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/runners")
def list_of_runners(request: Request) -> HTMLResponse:
    """Every runner that was ever seen, by name."""
    return _page(request)


@router.post("/runners/{name}/drain", response_model=None)
def drain_runner(request: Request, name: str, form: Annotated[dict[str, str], CARD_FORM]) -> Response:
    """303 to the runners; the page with what is wrong where it cannot be done."""
    try:
        actor = signed_in(request, "maintain")
        written(request, actor, lambda session: drain(session, name, on=form.get("on") == "1"))
    except AppError as error:
        return _page(request, error)
    return RedirectResponse("/runners", 303)


@router.post("/runners/{name}/retire", response_model=None)
def retire_runner(request: Request, name: str, _: Annotated[dict[str, str], CARD_FORM]) -> Response:
    """The same; it is refused from then on."""
    moment, second = now(request), cast("Settings", request.app.state.settings).two_people
    try:
        actor = signed_in(request, "maintain")
        by = Writer.of(actor)
        written(request, actor, lambda session: retire(session, name, by, moment, second=second))
    except AppError as error:
        return _page(request, error)
    return RedirectResponse("/runners", 303)


def _page(request: Request, error: AppError | None = None) -> HTMLResponse:
    actor = visitor(request)
    context = runners_page(
        jobs(request).runners(),
        now(request),
        maintains=actor is not None and actor.may("maintain"),
        trouble=plain(error.message) if error else "",
    )
    status = error.status if error else 200
    return respond(request, context, part=context.list, status=status, headers={"Cache-Control": "no-store"})
