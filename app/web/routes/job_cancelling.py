"""Cancelling a job: a page that says what is lost, and a button."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from app.cards.store import Writer
from app.errors import AppError
from app.jobs.store import cancel
from app.language import N_, _, number
from app.web.contexts import Shell
from app.web.job_contexts import CancelPage
from app.web.job_words import is_active, is_over, what
from app.web.reading import jobs, now
from app.web.render import respond
from app.web.routes.jobs import may_cancel
from app.web.visitor import signed_in, visitor
from app.web.wording import plain
from app.web.writing import written

if TYPE_CHECKING:
    from fastapi import Response

    from app.jobs.rows import JobRow

router = APIRouter(default_response_class=HTMLResponse)
ABOUT = N_("Cancel a job: what its attempts have sent so far stays.")
OVER = {
    "succeeded": N_("This job is over already: it succeeded."),
    "failed": N_("This job is over already: it failed."),
    "cancelled": N_("This job is over already: it cancelled."),
}


@router.get("/jobs/{job_id}/cancel")
def cancel_page(request: Request, job_id: str) -> HTMLResponse:
    """What cancelling loses. Raises NotFoundError."""
    return _page(request, jobs(request).job(job_id).row)


@router.post("/jobs/{job_id}/cancel", response_model=None)
def cancel_job(request: Request, job_id: str) -> Response:
    """303 to the job; the page with what is wrong where it cannot be cancelled."""
    row = jobs(request).job(job_id).row
    moment = now(request)
    try:
        actor = signed_in(request, "submit")
        written(request, actor, lambda session: cancel(session, job_id, Writer.of(actor), moment))
    except AppError as error:
        return _page(request, row, error)
    return RedirectResponse(f"/jobs/{quote(job_id)}", 303)


def _page(request: Request, row: JobRow, error: AppError | None = None) -> HTMLResponse:
    actor, url = visitor(request), f"/jobs/{row.id}"
    trouble = plain(error.message) if error else ""
    if not error and is_over(row.state):
        trouble = _(OVER[row.state])
    elif not error and actor and not may_cancel(actor, row):
        trouble = _("This job was asked for by {who}; only they or a maintainer may cancel it.").format(
            who=row.requested_by
        )
    context = CancelPage(
        shell=Shell(_("Cancel a job"), _(ABOUT), "/jobs"),
        heading=what(row.plan),
        job_url=url,
        loses=_loses(row),
        trouble=trouble,
        sign_in_url="" if actor else f"/sign-in?next={quote(url + '/cancel')}",
        may=may_cancel(actor, row) and not is_over(row.state),
    )
    return respond(request, context, status=error.status if error else 200, headers={"Cache-Control": "no-store"})


def _loses(row: JobRow) -> str:
    if not is_active(row.state):
        return _("No runner has begun it; nothing is lost but its place in the queue.")
    parts = [_("{runner} has it.").format(runner=row.runner)]
    if row.total:
        parts.append(_("{done} of {total} steps are done.").format(done=number(row.done), total=number(row.total)))
    parts.append(
        _(
            "It stops within about 30 seconds; its log and what it has sent so far are kept, and no number comes of "
            "them."
        )
    )
    return " ".join(parts)
