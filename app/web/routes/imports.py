"""Importing another tool's result file: sent once, completed by answers, recorded as cards."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, cast
from urllib.parse import quote

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse
from markupsafe import Markup

from app.accounts.store import note_use
from app.cards.rules import Finding
from app.cards.store import Draft, Writer
from app.errors import AgainError, AppError, InvalidInputError, UnauthorizedError, UnreadError
from app.language import _
from app.results.importers import MOST_BYTES, TOOL_NAMES
from app.results.recording import read_chosen
from app.results.store import record
from app.uploads import unless_gone
from app.web.forms import PAIRS
from app.web.import_page import import_page, imported_page, recorded_now
from app.web.reading import cards
from app.web.render import respond
from app.web.sent_file import SentForm, read_sent
from app.web.state import address, read_ids
from app.web.visitor import signed_in, visitor
from app.web.wording import plain, told
from app.yaml_tree import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapi import Response
    from sqlmodel import Session

    from app.accounts.tokens import Actor
    from app.cards.record import CardRecord
    from app.db import Database
    from app.results.importers import Format
    from app.results.intake import Intake
    from app.results.queries import Imports, Stored

router = APIRouter(default_response_class=HTMLResponse)
AROUND = 65_536  # bytes of a form around its file
PART = re.compile(r"[1-9][0-9]{0,8}")
MOST_NAMED = 100  # cards that an address names; the table has all
PRIVATE = {"Cache-Control": "no-store"}


@router.get("/import")
def import_form(request: Request) -> HTMLResponse:
    return respond(request, import_page("auto", MOST_BYTES, _sign_in_url(request, "/import")), headers=PRIVATE)


@router.post("/import", response_model=None, max_body_size=MOST_BYTES + AROUND)
async def send_file(request: Request) -> Response:
    """303 to what was read; the page with every problem where no result could be read."""
    form = SentForm()
    try:
        actor = await run_in_threadpool(signed_in, request, "submit")  # before anything of a stranger is taken
        stored = await _taken(request, form, actor)
    except AppError as error:
        problems = [_line(detail) for detail in error.details]
        sign_in = "/sign-in?next=/import" if isinstance(error, UnauthorizedError) else ""
        unread = isinstance(error, UnreadError)  # then the list below says why, each problem once
        trouble = _("No result could be read in the file") if unread else plain(error.message)
        context = import_page(form.fields.get("format", "auto"), MOST_BYTES, sign_in, trouble, problems)
        again = {"Retry-After": str(error.retry_after)} if isinstance(error, AgainError) else {}
        return respond(request, context, status=error.status, headers={**PRIVATE, **again})
    return RedirectResponse(f"/import/{stored.sha256}", 303)


async def _taken(request: Request, form: SentForm, actor: Actor) -> Stored:
    """Fills `form` on the way. Raises AppError."""
    intake = cast("Intake", request.app.state.intake)
    async with intake.arriving() as arriving:
        await read_sent(request, form, arriving)
        if not form.name:
            raise InvalidInputError(_("choose a file"))
        chosen = form.fields.get("format", "auto")
        if chosen != "auto" and chosen not in TOOL_NAMES:
            raise InvalidInputError(_("choose a tool from the list"))
        format = None if chosen == "auto" else cast("Format", chosen)
        read = await unless_gone(request, intake.read(arriving, form.name, format))
        return await run_in_threadpool(intake.keep, arriving, read, actor.id, request.app.state.clock.now())


@router.get("/import/{sha256}")
def imported(
    request: Request, sha256: str, start: Annotated[int, Query(alias="from", ge=1)] = 1, recorded: str = ""
) -> HTMLResponse:
    """What was read in a file, a page of measurements from `start` on; `recorded` names the cards that were made of it
    just now. Raises NotFoundError, InvalidInputError."""
    stored = _imports(request).one(sha256)
    if start > len(stored.report.imported):
        message = _("the file has the measurements 1 to {last}").format(last=len(stored.report.imported))
        raise InvalidInputError(message, [{"field": "from", "message": message}])
    fresh = [part for part in range(1, len(stored.report.imported) + 1) if part not in stored.recorded]
    page = imported_page(
        stored, _sign_in_url(request, f"/import/{sha256}"), cards(request).check, {}, fresh, start=start
    )
    return respond(request, replace(page, new=recorded_now(stored, read_ids([recorded]))), headers=PRIVATE)


@router.post("/import/{sha256}", response_model=None)
def record_cards(request: Request, sha256: str, pairs: Annotated[list[tuple[str, str]], PAIRS]) -> Response:
    """303 to the file that names its new cards; where none was made, the page with what is wrong and what was typed."""
    stored = _imports(request).one(sha256)
    typed = {name: value for name, value in pairs if name != "parts"}
    given = [value for name, value in pairs if name == "parts" and value != "all"]
    chosen = [int(value) for value in given if PART.fullmatch(value)]
    if ("parts", "all") in pairs:
        chosen = [*range(1, len(stored.report.imported) + 1)]
    try:
        actor = signed_in(request, "submit")
        if strange := [value for value in given if not PART.fullmatch(value)]:
            raise InvalidInputError(
                _("`{given}` is no measurement of this file").format(given=shown(strange[0])), [{"field": "parts"}]
            )
        if not chosen:
            raise InvalidInputError(_("choose at least one measurement to record"), [{"field": "parts"}])
        found = read_chosen(stored.report, chosen, typed, cards(request).check)
        if found.errors:
            return _page(request, stored, typed, chosen, found.errors, status=422)
        drafts = {part: Draft(read.card, read.findings) for part, read in found.cards.items() if read.card}
        made = _record(request, sha256, drafts, actor)
    except AppError as error:
        return _page(request, stored, typed, chosen, [_finding(error)], status=error.status)
    asked = [("recorded", ",".join(card.id for card in made[:MOST_NAMED]))]
    return RedirectResponse(f"{address(f'/import/{quote(sha256)}', asked)}#recorded", 303)


def _record(request: Request, sha256: str, drafts: Mapping[int, Draft], actor: Actor) -> list[CardRecord]:
    now, randomness = request.app.state.clock.now(), request.app.state.randomness

    def work(session: Session) -> list[CardRecord]:
        note_use(session, actor, now)
        return record(session, sha256, drafts, Writer.of(actor), now, randomness)

    return cast("Database", request.app.state.database).write(work)


def _page(
    request: Request,
    stored: Stored,
    typed: Mapping[str, str],
    parts: Sequence[int],
    errors: Sequence[Finding] = (),
    status: int = 200,
    start: int | None = None,
) -> HTMLResponse:
    sign_in_url = _sign_in_url(request, f"/import/{stored.sha256}")
    context = imported_page(stored, sign_in_url, cards(request).check, typed, parts, errors, start)
    return respond(request, context, status=status, headers=PRIVATE)


def _finding(error: AppError) -> Finding:
    field = str(error.details[0].get("field", "")) if error.details else ""
    return Finding(error.code, "error", field, error.message)


def _line(detail: Mapping[str, object]) -> str:
    """A problem of the file with its place."""
    places = {"line": _("line {line}"), "column": _("column {column}")}
    place = ", ".join(form.format_map(detail) for name, form in places.items() if detail.get(name))
    said = told(str(detail.get("message", "")))
    return Markup(": ").join(part for part in (place, str(detail.get("field") or ""), said) if part)


def _sign_in_url(request: Request, following: str) -> str:
    actor = visitor(request)
    return "" if actor and actor.may("submit") else f"/sign-in?next={quote(following)}"


def _imports(request: Request) -> Imports:
    return cast("Imports", request.app.state.imports)
