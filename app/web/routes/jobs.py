"""Jobs, read: the list, one job with what of it moves, and its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from app.errors import InvalidInputError
from app.jobs.measurements import traces_of
from app.jobs.queries import JobFilter
from app.language import _
from app.marks import marked_file
from app.web.contexts import Trouble
from app.web.job_list_page import filter_pairs, job_list_page, job_results
from app.web.job_log import A_PAGE, MOST_GROWN, TAIL, log_page, log_part, tail
from app.web.job_page import job_live, job_page, job_progress, seen
from app.web.job_words import KIND_WORDS, STATE_WORDS, is_active, what
from app.web.reading import cards, jobs, measurements, now
from app.web.render import respond, wants_part
from app.web.speaking import IN_ENGLISH
from app.web.state import address
from app.web.visitor import visitor
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.accounts.tokens import Actor
    from app.cards.queries import CardRow
    from app.jobs.rows import JobDetail, JobPage, JobRow
    from app.results.files import Files
    from app.web.job_contexts import JobLive

router = APIRouter(default_response_class=HTMLResponse)
KNOWN = {"state": tuple(STATE_WORDS), "kind": tuple(KIND_WORDS)}
WHOLE = {"HX-Retarget": "#live", "HX-Reswap": "outerHTML"}  # more than the numbers has changed
FRESH = {"Cache-Control": "no-store"}


@router.get("/jobs")
def list_of_jobs(request: Request) -> HTMLResponse:
    """Jobs, the newest first; a filter that cannot be taken is named and left out."""
    wanted, troubles = _wanted(request.query_params.getlist)
    cursor = request.query_params.get("cursor") or None
    page, cursor, refused = _page(request, wanted, cursor)
    part = job_results(wanted, page, cursor, [*troubles, *refused], now(request))
    context = job_list_page(wanted, jobs(request).counts(), jobs(request).runners(), part)
    headers = {"HX-Push-Url": address("/jobs", filter_pairs(wanted))}
    return respond(request, context, part=part, status=422 if troubles or refused else 200, headers=headers)


def _wanted(getlist: Callable[[str], list[str]]) -> tuple[JobFilter, list[Trouble]]:
    given = {name: [value for value in getlist(name) if value] for name in JobFilter.__dataclass_fields__}
    troubles = [
        Trouble(
            name,
            _("“{value}” is no {field} of a job; it takes {known}").format(
                value=value[:80], field=name, known=", ".join(known)
            ),
        )
        for name, known in KNOWN.items()
        for value in given[name]
        if value not in known
    ]
    taken = {
        name: tuple(value for value in values if value in KNOWN.get(name, values)) for name, values in given.items()
    }
    return JobFilter(**taken), troubles


def _page(request: Request, wanted: JobFilter, cursor: str | None) -> tuple[JobPage, str | None, list[Trouble]]:
    try:
        return jobs(request).page(wanted, cursor), cursor, []
    except InvalidInputError as error:
        return jobs(request).page(wanted), None, [Trouble("cursor", plain(error.message))]


@router.get("/jobs/{job_id}")
def one_job(request: Request, job_id: str) -> HTMLResponse:
    """A job. htmx, which says what it has seen, gets the numbers alone as long as nothing else has changed, and the
    whole moving part when something has. Raises NotFoundError."""
    found = jobs(request).job(job_id)
    moment = now(request)
    if wants_part(request) and request.query_params.get("seen") == seen(found.row):
        part = job_progress(found.row, moment, _whole("asked", request.query_params.get("asked", "")) or 0)
        return respond(request, part, part=part, headers=FRESH)
    live = _live(request, found)
    headers = FRESH | (WHOLE if "seen" in request.query_params else {})
    return respond(request, job_page(found, live, _recorded(request, found)), part=live, headers=headers)


def _recorded(request: Request, found: JobDetail) -> Sequence[CardRow]:
    """The cards that name the traces of its result."""
    if found.measurement_id is None:
        return ()
    return cards(request).naming(traces_of(measurements(request).one(found.measurement_id).numbers))


def _live(request: Request, found: JobDetail) -> JobLive:
    row = found.row
    growing = is_active(row.state)
    log = log_part(row.id, jobs(request).log(row.id, -TAIL), growing=growing) if row.epoch else None
    return job_live(found, log, now(request), may_cancel=may_cancel(visitor(request), row))


def may_cancel(actor: Actor | None, row: JobRow) -> bool:
    """Whether the page offers it; the store decides again."""
    return actor is not None and actor.may("submit") and (actor.id == row.owner or actor.may("maintain"))


@router.get("/jobs/{job_id}/log")
def log_of_job(request: Request, job_id: str, epoch: str = "", offset: str = "", began: str = "") -> HTMLResponse:
    """A piece of a log: what came since for htmx, a page of it for everybody else. Raises NotFoundError,
    InvalidInputError."""
    found = jobs(request).job(job_id)
    of, start, first = (_whole(name, text) for name, text in (("epoch", epoch), ("offset", offset), ("began", began)))
    if not wants_part(request):
        piece = jobs(request).log(job_id, start or 0, of, A_PAGE)
        number = next((item.number for item in found.attempts if item.epoch == piece.epoch), 0)
        context = log_page(job_id, what(found.plan), number, piece)
        return respond(request, context)
    growing = is_active(found.row.state) and of == found.row.epoch
    place = start or 0
    headers = dict(FRESH)
    if place - (first or 0) > MOST_GROWN:
        place, headers = -TAIL, headers | {"HX-Retarget": "#log", "HX-Reswap": "innerHTML"}
    piece = jobs(request).log(job_id, place, of)
    part = tail(job_id, piece, (first or 0) if place >= 0 else piece.offset, growing=growing)
    return respond(request, part, part=part, headers=headers)


@router.get("/jobs/{job_id}/attempts/{epoch}/{name}", response_class=Response, dependencies=[IN_ENGLISH])
def part_of_attempt(request: Request, job_id: str, epoch: str, name: str) -> Response:
    """A file of an attempt, byte for byte, also of one that is evidence only. Raises NotFoundError."""
    part = jobs(request).part(job_id, _whole("epoch", epoch) or 0, name)
    path = cast("Files", request.app.state.files).path(part.sha256)
    return marked_file(request, path, part.sha256, "application/octet-stream", part.name)


def _whole(name: str, given: str) -> int | None:
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= 12):
        message = _("{field} is a whole number, not `{value}`").format(field=name, value=given[:40])
        raise InvalidInputError(message, [{"field": name, "message": message}])
    return int(given)
