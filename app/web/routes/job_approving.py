"""Approving what a job would start, or refusing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from app.cards.store import Writer
from app.errors import AppError, InvalidInputError
from app.jobs.store import approve, cancel
from app.web.approval_page import Known, approval_page, digests
from app.web.forms import CARD_FORM
from app.web.reading import jobs, now, run_unasked
from app.web.render import respond
from app.web.visitor import signed_in, visitor
from app.web.wording import plain
from app.web.writing import written

if TYPE_CHECKING:
    import datetime as dt

    from fastapi import Response
    from sqlmodel import Session

    from app.accounts.tokens import Actor
    from app.jobs.rows import JobDetail

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/jobs/{job_id}/approval")
def approval(request: Request, job_id: str) -> HTMLResponse:
    """Exactly what would run. Raises NotFoundError."""
    return _page(request, jobs(request).job(job_id))


@router.post("/jobs/{job_id}/approval", response_model=None)
def decide_on_job(request: Request, job_id: str, form: Annotated[dict[str, str], CARD_FORM]) -> Response:
    """303 to the job; the page with what is wrong where it cannot be decided."""
    found, moment = jobs(request).job(job_id), now(request)
    try:
        actor = signed_in(request, "maintain")
        _read_what_was_shown(found, form)
        written(request, actor, lambda session: _decide(session, job_id, form.get("to", ""), actor, moment))
    except AppError as error:
        return _page(request, found, error)
    return RedirectResponse(f"/jobs/{quote(job_id)}", 303)


def _read_what_was_shown(found: JobDetail, form: dict[str, str]) -> None:
    """A form of another job's bytes approves nothing. Raises InvalidInputError."""
    if form.get("digests") != digests(found.plan):
        raise InvalidInputError("this form shows other bytes than the job has; read them again and decide then")


def _decide(session: Session, job_id: str, wanted: str, actor: Actor, moment: dt.datetime) -> None:
    if wanted == "approve":
        approve(session, job_id, Writer.of(actor), moment)
    elif wanted == "refuse":
        cancel(session, job_id, Writer.of(actor), moment)
    else:
        raise InvalidInputError("a job is approved or refused: choose one of the two")


def _page(request: Request, found: JobDetail, error: AppError | None = None) -> HTMLResponse:
    actor = visitor(request)
    context = approval_page(
        found,
        Known(jobs(request).approvals(), run_unasked(request)),
        trouble=plain(error.message) if error else "",
        why_not=_why_not(actor, found),
        sign_in="" if actor else f"/sign-in?next={quote(f'/jobs/{found.row.id}/approval')}",
    )
    return respond(request, context, status=error.status if error else 200, headers={"Cache-Control": "no-store"})


def _why_not(actor: Actor | None, found: JobDetail) -> str:
    if actor is None:
        return "To decide, sign in as a maintainer."
    if not actor.may("maintain"):
        return "To approve what is executed needs the scope `maintain`; yours allows less."
    if actor.id == found.row.owner:
        return "You asked for this job yourself, and nobody approves a job of their own: another maintainer has to."
    return ""
