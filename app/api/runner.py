"""The runners' side of the API: how a job is taken, kept and given back (app.protocol.lease)."""

import base64
import re
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from fastapi import APIRouter, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, BeforeValidator, Field

from app.accounts.store import note_use
from app.api.access import NOT_FOUND, Answers, database
from app.api.auth import SIGNED_IN, acting, may
from app.api.bodies import MessageOf
from app.api.card_body import inlined
from app.api.errors import ErrorBody
from app.api.schema import digits
from app.errors import IncompleteError, InvalidInputError, OtherBytesError
from app.jobs import leases, uploads
from app.jobs.apart import compute_apart
from app.jobs.measurements import found, record, renew_of_job, reported
from app.protocol.lease import MOST_PART, Finish, Finished, Heartbeat, LeaseReply, LeaseRequest, Renewal, Start, Stored
from app.protocol.wire import Name
from app.uploads import incoming

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable

    from sqlmodel import Session

    from app.accounts.tokens import Actor
    from app.clock import Clock
    from app.jobs.logs import Logs
    from app.jobs.measurements import Found, Reported
    from app.randomness import Randomness
    from app.results.files import Files, Kept
    from app.results.intake import Intake
    from app.settings import Settings

T = TypeVar("T")
router = APIRouter(prefix="/api/v1/runner", tags=["runner"], dependencies=[may("runner")])

DIGEST = re.compile(r"sha-256=:([A-Za-z0-9+/]{43}=):")
MESSAGE: Answers = {
    **SIGNED_IN,
    **NOT_FOUND,
    413: {"model": ErrorBody, "description": "larger than this address takes"},
    415: {"model": ErrorBody, "description": "a media type that is not taken"},
}
HELD: Answers = MESSAGE | {
    409: {
        "model": ErrorBody,
        "description": "`lease_lost`: the job is no longer this attempt's; `conflict`: it cannot "
        "be now, or this process is at work on a job",
    }
}
BYTES: Answers = {
    **SIGNED_IN,
    **NOT_FOUND,
    409: {"model": ErrorBody, "description": "`log_gap` with the offset expected, or the attempt has ended"},
    413: {"model": ErrorBody, "description": "larger than this address takes"},
    507: {"model": ErrorBody, "description": "the server's disk is full"},
}
RAW = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
Epoch = Annotated[int, Field(ge=1, le=10**9), BeforeValidator(digits)]


class LogPlace(BaseModel):
    epoch: Epoch
    offset: Annotated[int, Field(ge=0, le=2**31), BeforeValidator(digits)]


class PartPlace(BaseModel):
    epoch: Epoch


def body_of(model: type[BaseModel]) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": inlined(model)}}}}


@router.post("/lease", responses=HELD, openapi_extra=body_of(LeaseRequest))
def take_job(request: Request, body: MessageOf) -> LeaseReply:
    """Say that the runner is there; take a job where there is one for it. The same request again is answered alike."""
    message, second = body.message(LeaseRequest), cast("Settings", request.app.state.settings).two_people
    return _done(request, lambda session, actor: leases.lease(session, message, actor.id, _now(request), second=second))


@router.post("/jobs/{job_id}/start", responses=HELD, openapi_extra=body_of(Start))
def start_job(request: Request, job_id: str, body: MessageOf) -> Renewal:
    """Say that the job has come; nothing may be started before this is answered."""
    message = body.message(Start)
    return _done(request, lambda session, actor: leases.start(session, job_id, message, actor.id, _now(request)))


@router.post("/jobs/{job_id}/heartbeat", responses=HELD, openapi_extra=body_of(Heartbeat))
def beat(request: Request, job_id: str, body: MessageOf) -> Renewal:
    """Renew the lease. The answer says whether to cancel, and whether to take no more afterwards."""
    message = body.message(Heartbeat)
    return _done(request, lambda session, actor: leases.heartbeat(session, job_id, message, actor.id, _now(request)))


@router.put("/jobs/{job_id}/log", responses=BYTES, openapi_extra={"requestBody": {"required": True, "content": RAW}})
def add_log(request: Request, job_id: str, body: MessageOf, query: Annotated[LogPlace, Query()]) -> Stored:
    """Add a piece of the log, at most 1 MB. Sent again it changes nothing."""
    attempt, logs = (job_id, query.epoch), cast("Logs", request.app.state.logs)
    size = _done(
        request,
        lambda session, actor: uploads.append_log(session, logs, attempt, query.offset, body.data, actor.id),
    )
    return Stored(size=size)


@router.put(
    "/jobs/{job_id}/parts/{name}",
    responses=BYTES | {408: {"model": ErrorBody, "description": "the file stopped coming"}},
    openapi_extra={
        "requestBody": {"required": True, "content": RAW},
        "parameters": [
            {
                "in": "header",
                "name": "Content-Digest",
                "required": True,
                "description": "`sha-256=:BASE64:` of the bytes",
                "schema": {"type": "string", "pattern": f"^{DIGEST.pattern}$"},
            }
        ],
    },
    max_body_size=MOST_PART,
)
async def add_part(
    request: Request, job_id: str, name: Annotated[Name, Path()], query: Annotated[PartPlace, Query()]
) -> Stored:
    """Add a file of the attempt. Sent again it changes nothing."""
    actor = acting(request)
    announced = _announced(request)
    place = (job_id, query.epoch), name, announced, actor.id
    await run_in_threadpool(_not_refused, request, *place)
    files = cast("Files", request.app.state.files)
    with files.arriving(MOST_PART) as arriving:
        async for piece in incoming(request):
            await run_in_threadpool(arriving.write, piece)
        if arriving.whole().sha256 != announced:
            raise OtherBytesError("the bytes that came are not those of Content-Digest; send the part again")
        await run_in_threadpool(_not_refused, request, *place)  # it may have ended meanwhile
        kept = await run_in_threadpool(arriving.keep)
    return await run_in_threadpool(_listed, request, (job_id, query.epoch), name, kept)


@router.post("/jobs/{job_id}/finish", responses=HELD, openapi_extra=body_of(Finish))
async def finish_job(request: Request, job_id: str, body: MessageOf) -> Finished:
    """Put the end on record, once all that it names is here (else 409 `incomplete`). Afterwards the runner needs to
    keep nothing of the attempt."""
    message, logs = body.message(Finish), cast("Logs", request.app.state.logs)
    measured = await _measured(request, job_id, message)  # takes seconds, so before the transaction

    def work(session: "Session", actor: "Actor") -> str | None:
        now = _now(request)
        _, attempt, _ = leases.attempt_of(session, job_id, message.epoch, actor.id)
        state = uploads.finish(session, logs, job_id, message, actor.id, now)
        if measured is None and state == "succeeded" and attempt.finish is None:
            gap: dict[str, object] = {
                "field": "parts",
                "message": "the last part came after the end; send the end again",
            }
            raise IncompleteError([gap], attempt.log_size)
        if measured is not None and state == "succeeded":
            randomness = cast("Randomness", request.app.state.randomness)
            record(session, measured, job_id, message.epoch, actor.name, now, randomness)
        elif state == "failed":
            renew_of_job(session, job_id)
        return state

    state = await run_in_threadpool(_done, request, work)
    if state is None:
        raise leases.lease_lost(message.epoch)
    return Finished.model_validate({"state": state})


def _done(request: Request, work: "Callable[[Session, Actor], T]") -> T:
    """The work as one transaction, for a runner. Raises UnauthorizedError, ForbiddenError."""
    actor, now = acting(request), _now(request)

    def noted(session: "Session") -> T:
        note_use(session, actor, now)
        return work(session, actor)

    return database(request).write(noted)


async def _measured(request: Request, job_id: str, message: Finish) -> "Found | None":
    """The numbers of an attempt that succeeded and whose job is still its own. Raises InvalidInputError where it has
    no report. What it names and did not send is told by the end itself."""
    sent = await run_in_threadpool(_reported, request, job_id, message)
    if sent is None:
        return None
    async with cast("Intake", request.app.state.intake).computings:
        numbers = await compute_apart(sent.report, sent.traces, sent.plan)
    return await run_in_threadpool(found, database(request), sent.report, numbers, sent.of, sent.assumptions)


def _reported(request: Request, job_id: str, message: Finish) -> "Reported | None":
    if message.outcome.state != "succeeded":
        return None
    actor, storage = acting(request), database(request)
    with storage.read() as session:
        job, attempt, _ = leases.attempt_of(session, job_id, message.epoch, actor.id)
        here = {name: row.sha256 for name, row in uploads.parts_of(session, job_id, message.epoch).items()}
    there = message.parts.items() <= here.items()
    if attempt.finish is not None or not leases.is_current(job, message.epoch) or not there:
        return None
    return reported(storage, cast("Files", request.app.state.files), job_id, message.parts)


def _not_refused(request: Request, attempt: tuple[str, int], name: str, sha256: str, token: str) -> None:
    """Refuse a file that has no place before it is sent, and before it is kept."""
    with database(request).read() as session:
        uploads.refuse_part(session, attempt, name, sha256, token)


def _listed(request: Request, attempt: tuple[str, int], name: str, kept: "Kept") -> Stored:
    size = _done(request, lambda session, actor: uploads.add_part(session, *attempt, name, kept, actor.id))
    return Stored(size=size)


def _announced(request: Request) -> str:
    found = DIGEST.fullmatch(request.headers.get("content-digest", "").strip())
    if found is None:
        message = "a part comes with the header `Content-Digest: sha-256=:BASE64:` of its bytes"
        raise InvalidInputError(message, [{"field": "Content-Digest", "message": message}])
    return base64.b64decode(found[1]).hex()


def _now(request: Request) -> "dt.datetime":
    return cast("Clock", request.app.state.clock).now()
