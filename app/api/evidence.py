"""Measurements as bundles: written for whoever asks, taken from elsewhere once every number follows from its traces."""

import tempfile
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, cast

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.background import BackgroundTask

from app.api.access import NOT_FOUND, Answers, database
from app.api.auth import SIGNED_IN, acting, may
from app.api.errors import ErrorBody
from app.api.job_schema import MeasurementDetail
from app.errors import InvalidInputError
from app.jobs.apart import MOST_BYTES, check_apart
from app.jobs.export import write_bundle
from app.jobs.measurements import found_elsewhere, known_by_traces, record_bundle
from app.marks import ZIP, marked_file
from app.results.files import file_digest
from app.uploads import incoming, unless_gone

if TYPE_CHECKING:
    from app.accounts.tokens import Actor
    from app.jobs.apart import Sent
    from app.jobs.logs import Logs
    from app.jobs.measured import Measurements
    from app.protocol.outcome import Report
    from app.results.files import Arriving, Files
    from app.results.intake import Intake

router = APIRouter(prefix="/api/v1/measurements", tags=["measurements"])

BUNDLE: Answers = {200: {"content": {ZIP: {}}, "description": "the bundle, whose ETag is its SHA-256"}}
BODY = {
    "requestBody": {
        "required": True,
        "description": "A bundle as `benchcard evidence` writes it. The same traces again are the same measurement.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
TAKEN: Answers = {
    200: {"model": MeasurementDetail, "description": "its traces are on record already: the measurement that has them"}
}
REFUSED: Answers = {
    408: {"model": ErrorBody, "description": "the file stopped coming"},
    409: {"model": ErrorBody, "description": "some of its traces are those of a measurement that is on record"},
    413: {"model": ErrorBody, "description": f"more than {MOST_BYTES // 1024**2} MB"},
    422: {"model": ErrorBody, "description": "every problem: a hash, a file, a number that its traces do not give"},
    503: {"model": ErrorBody, "description": "too many files are on their way; Retry-After says when to try again"},
    507: {"model": ErrorBody, "description": "the server's disk is full"},
}


@router.post(
    "/import",
    status_code=201,
    responses={**SIGNED_IN, **TAKEN, **REFUSED},
    openapi_extra=BODY,
    dependencies=[may("submit")],
    max_body_size=MOST_BYTES,
)
async def import_bundle(request: Request, response: Response) -> MeasurementDetail:
    """Take a measurement from elsewhere. Every hash is checked and every number computed from the traces again; it
    then stands as "verified from trace", which says nothing of the machine that nobody here saw.

    However often it is packed, the same traces are recorded once: 200 with the known measurement, 201 with a new one.
    """
    actor = acting(request)
    intake = cast("Intake", request.app.state.intake)
    async with intake.arriving(MOST_BYTES) as arriving:
        async for piece in incoming(request):
            await run_in_threadpool(arriving.write, piece)
        arriving.whole()
        async with intake.readings:
            sent = await unless_gone(request, check_apart(arriving.path))
        measurement, new = await run_in_threadpool(_recorded, request, arriving, sent, actor)
    response.status_code = HTTPStatus.CREATED if new else HTTPStatus.OK
    return measurement


@router.get("/{measurement_id}/evidence", response_class=Response, responses={**BUNDLE, **NOT_FOUND})
def measurement_bundle(request: Request, measurement_id: str) -> Response:
    """The measurement with all that it rests on, for `benchcard verify` on any machine."""
    state = request.app.state
    folder = tempfile.TemporaryDirectory(prefix="benchcard-bundle-")
    target = Path(folder.name) / "bundle.zip"
    try:
        files, logs = cast("Files", state.files), cast("Logs", state.logs)
        write_bundle(database(request), files, logs, measurement_id, target)
        digest = file_digest(target)
    except BaseException:
        folder.cleanup()
        raise
    return marked_file(request, target, digest, ZIP, f"{measurement_id}.zip", BackgroundTask(folder.cleanup))


def _recorded(request: Request, arriving: "Arriving", sent: "Sent", actor: "Actor") -> tuple[MeasurementDetail, bool]:
    """The measurement, and whether it is new. The file of a known one is not kept: no row would name it."""
    report = _held(sent)
    state, storage = request.app.state, database(request)
    with storage.read() as session:
        known = known_by_traces(session, sent.numbers, arriving.whole().sha256)
    if known is not None:
        return _detail(request, known), False
    found = found_elsewhere(storage, report, sent.numbers, (sent.claim_id, sent.card_id), sent.assumptions)
    kept, now = arriving.keep(), state.clock.now()
    made, new = storage.write(lambda session: record_bundle(session, found, kept, actor.name, now, state.randomness))
    return _detail(request, made), new


def _held(sent: "Sent") -> "Report":
    """Raises InvalidInputError with every problem of the bundle."""
    if not sent.problems and sent.report is not None:
        return sent.report
    details: list[dict[str, object]] = [{"field": item.path, "message": item.message} for item in sent.problems]
    first = sent.problems[0]
    where = f"{first.path}: " if first.path else ""
    more = f", and {len(details) - 1} more" if len(details) > 1 else ""
    raise InvalidInputError(f"this bundle is not taken: {where}{first.message}{more}", details)


def _detail(request: Request, measurement_id: str) -> MeasurementDetail:
    measured = cast("Measurements", request.app.state.measurements)
    return MeasurementDetail.model_validate(measured.one(measurement_id))
