"""Other tools' result files: kept by their hash, read into cards, recorded once the missing is said."""

from typing import TYPE_CHECKING, Annotated, cast

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from app.api.access import INVALID, NOT_FOUND, Answers
from app.api.auth import SIGNED_IN, IdempotencyKey, acting, may
from app.api.bodies import BodyOf, invalid
from app.api.card_body import inlined
from app.api.errors import ErrorBody
from app.api.import_answers import detailed, recorded
from app.api.import_schema import CardsStored, ImportDetail, ImportQuery, RecordImport
from app.api.once import once_only
from app.cards.store import Draft, Writer
from app.marks import marked_file
from app.results.importers import MOST_BYTES
from app.results.recording import read_chosen
from app.results.store import record
from app.uploads import incoming, unless_gone

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlmodel import Session

    from app.cards.queries import Cards
    from app.replay.store import Reply
    from app.results.files import Files
    from app.results.intake import Intake
    from app.results.queries import Imports

router = APIRouter(prefix="/api/v1/imports", tags=["imports"])

FILE_BODY = {
    "requestBody": {
        "required": True,
        "description": "The file's bytes as they are. The same bytes sent again are the same import.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
RECORD_BODY = {"requestBody": {"required": True, "content": {"application/json": {"schema": inlined(RecordImport)}}}}
BODY: Answers = {
    408: {"model": ErrorBody, "description": "the file stopped coming"},
    413: {"model": ErrorBody, "description": f"more than {MOST_BYTES // 1024**2} MB"},
    422: {"model": ErrorBody, "description": "every problem, with its line and column where it has one"},
    503: {"model": ErrorBody, "description": "too many files are on their way; Retry-After says when to try again"},
    507: {"model": ErrorBody, "description": "the server's disk is full"},
}
RECORDED: Answers = {
    413: {"model": ErrorBody, "description": "more than 256 KB"},
    415: {"model": ErrorBody, "description": "a media type that is not taken"},
}
RAW: Answers = {200: {"content": {"application/octet-stream": {}}, "description": "the file as it was sent"}}


@router.post(
    "",
    status_code=201,
    responses={**SIGNED_IN, **BODY},
    openapi_extra=FILE_BODY,
    dependencies=[may("submit")],
    max_body_size=MOST_BYTES,
)
async def import_file(request: Request, query: Annotated[ImportQuery, Query()]) -> ImportDetail:
    """Keep a result file and read its measurements. No card is recorded yet; what the file lacks is asked for.

    Sending it again changes nothing, with or without an Idempotency-Key: a file is known by its bytes.
    """
    actor = acting(request)
    format = None if query.format == "auto" else query.format
    intake = cast("Intake", request.app.state.intake)
    async with intake.arriving() as arriving:
        async for part in incoming(request):
            arriving.write(part)
        read = await unless_gone(request, intake.read(arriving, query.name, format))
        now = request.app.state.clock.now()
        stored = await run_in_threadpool(intake.keep, arriving, read, actor.id, now)
    return await run_in_threadpool(detailed, stored)


@router.get("/{sha256}", responses=NOT_FOUND)
def one_import(request: Request, sha256: str) -> ImportDetail:
    """What was read in a file, and what it does not say."""
    return detailed(_imports(request).one(sha256))


@router.get("/{sha256}/file", response_class=Response, responses={**RAW, **INVALID, **NOT_FOUND})
def raw_file(request: Request, sha256: str) -> Response:
    """The file itself, byte for byte."""
    stored = _imports(request).one(sha256)
    path = _files(request).path(stored.sha256)
    return marked_file(request, path, stored.sha256, "application/octet-stream", stored.name)


@router.post(
    "/{sha256}/cards",
    status_code=201,
    response_model=CardsStored,
    responses={**SIGNED_IN, **NOT_FOUND, **RECORDED},
    openapi_extra=RECORD_BODY,
    dependencies=[may("submit")],
)
def record_import(request: Request, sha256: str, body: BodyOf, idempotency_key: IdempotencyKey = None) -> Response:
    """Record cards of a file, all that are asked for or none. An answer goes into each that lacks the field."""
    actor = acting(request)

    def work() -> "Callable[[Session], Reply]":
        asked = body.json(RecordImport)
        found = read_chosen(_imports(request).one(sha256).report, asked.parts, asked.answers, _cards(request).check)
        if found.errors:
            raise invalid(found.errors)
        drafts = {part: Draft(read.card, read.findings) for part, read in found.cards.items() if read.card}
        now, randomness = request.app.state.clock.now(), request.app.state.randomness
        return lambda session: recorded(record(session, sha256, drafts, Writer.of(actor), now, randomness))

    return once_only(request, actor, idempotency_key, body, work)


def _imports(request: Request) -> "Imports":
    return cast("Imports", request.app.state.imports)


def _files(request: Request) -> "Files":
    return cast("Files", request.app.state.files)


def _cards(request: Request) -> "Cards":
    return cast("Cards", request.app.state.cards)
