"""Approving what a job would start, or refusing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from app.cards.store import Writer
from app.compare.words import capital, sentence
from app.errors import AppError, InvalidInputError
from app.jobs.store import approve, cancel, why_own
from app.language import _
from app.web.approval_page import approval_page, digests
from app.web.forms import CARD_FORM
from app.web.reading import jobs, now
from app.web.render import respond
from app.web.visitor import signed_in, visitor
from app.web.wording import plain
from app.web.writing import written

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable

    from fastapi import Response
    from sqlmodel import Session

    from app.accounts.tokens import Actor
    from app.jobs.rows import JobDetail
    from app.settings import Settings

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/jobs/{job_id}/approval")
def approval(request: Request, job_id: str) -> HTMLResponse:
    """Exactly what would run. Raises NotFoundError."""
    return _page(request, jobs(request).job(job_id))


@router.post("/jobs/{job_id}/approval", response_model=None)
def decide_on_job(request: Request, job_id: str, form: Annotated[dict[str, str], CARD_FORM]) -> Response:
    """303 to the job; the page with what is wrong where it cannot be decided."""
    found, moment, second = jobs(request).job(job_id), now(request), _second(request)
    try:
        actor = signed_in(request, "maintain")
        _read_what_was_shown(found, form)
        work = _decision(form.get("to", ""), job_id, Writer.of(actor), moment, second=second)
        written(request, actor, work)
    except AppError as error:
        return _page(request, found, error)
    return RedirectResponse(f"/jobs/{quote(job_id)}", 303)


def _read_what_was_shown(found: JobDetail, form: dict[str, str]) -> None:
    """A form of another job's bytes approves nothing. Raises InvalidInputError."""
    if form.get("digests") != digests(found.plan):
        raise InvalidInputError(_("this form shows other bytes than the job has; read them again and decide then"))


def _decision(wanted: str, job_id: str, by: Writer, moment: dt.datetime, *, second: bool) -> Callable[[Session], None]:
    """What a form's button does. Raises InvalidInputError where it is none."""
    if wanted == "approve":
        return lambda session: approve(session, job_id, by, moment, second=second)
    if wanted == "refuse":
        return lambda session: cancel(session, job_id, by, moment)
    raise InvalidInputError(_("a job is approved or refused: choose one of the two"))


def _second(request: Request) -> bool:
    """Whether this installation wants another maintainer than the one who asked."""
    return cast("Settings", request.app.state.settings).two_people


def _page(request: Request, found: JobDetail, error: AppError | None = None) -> HTMLResponse:
    actor, second = visitor(request), _second(request)
    context = approval_page(
        found,
        jobs(request).approvals(),
        trouble=plain(error.message) if error else "",
        why_not=_why_not(actor, found, second=second),
        own=actor is not None and actor.id == found.row.owner,
        you=actor.name if actor else "",
        sign_in="" if actor else f"/sign-in?next={quote(f'/jobs/{found.row.id}/approval')}",
    )
    return respond(request, context, status=error.status if error else 200, headers={"Cache-Control": "no-store"})


def _why_not(actor: Actor | None, found: JobDetail, *, second: bool) -> str:
    if actor is None:
        return _("To decide, sign in as a maintainer.")
    if not actor.may("maintain"):
        return _("To approve what is executed needs the scope `maintain`; yours allows less.")
    own = why_own(found.row.owner, found.row.requested_by, actor.id, actor.name) if second else ""
    return capital(sentence(own)) if own else ""
