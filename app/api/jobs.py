"""Jobs as JSON: asked for, looked at, cancelled, approved; and the runners that take them."""

from typing import TYPE_CHECKING, Annotated, cast

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from app.api.access import INVALID, NOT_FOUND, Answers
from app.api.auth import SIGNED_IN, IdempotencyKey, acting, may
from app.api.bodies import Body, BodyOf
from app.api.errors import ErrorBody
from app.api.job_answers import detailed, listed, stored
from app.api.job_schema import (
    Approval,
    ApprovalList,
    JobDetail,
    JobList,
    JobListQuery,
    LogQuery,
    RunnerItem,
    RunnerList,
    SubmitJob,
)
from app.api.once import once_only
from app.api.runner import body_of
from app.cards.store import Writer
from app.errors import ForbiddenError, InvalidInputError
from app.jobs.as_measured import again
from app.jobs.fleet import runner_rows
from app.jobs.plans import from_card
from app.jobs.queries import JobFilter, approval_rows, job_detail
from app.jobs.retiring import retire
from app.jobs.store import NewJob, approve, cancel, drain, revoke, submit
from app.replay.store import Reply

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable

    from sqlmodel import Session

    from app.accounts.tokens import Actor
    from app.cards.queries import Cards
    from app.catalogue.queries import Catalogue
    from app.clock import Clock
    from app.jobs.measured import Measurements
    from app.jobs.plans import Planned
    from app.jobs.queries import Jobs
    from app.randomness import Randomness
    from app.settings import Settings

router = APIRouter(prefix="/api/v1", tags=["jobs"])

BODY: Answers = {
    413: {"model": ErrorBody, "description": "more than 256 KB"},
    415: {"model": ErrorBody, "description": "a media type that is not taken"},
    422: {"model": ErrorBody, "description": "every problem, each with its field"},
}
CONFLICT: Answers = {409: {"model": ErrorBody, "description": "the job is in a state in which this cannot be"}}
LOG: Answers = {
    200: {
        "content": {"text/plain": {"schema": {"type": "string"}}},
        "description": "bytes as they were printed, at most 1 MB; Log-Size says how many there are, Log-Epoch of which "
        "attempt, Log-Ended whether more may come",
    }
}
WRITE = {**SIGNED_IN, **NOT_FOUND, **CONFLICT, 413: BODY[413]}
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("/jobs", responses=INVALID)
def list_jobs(request: Request, query: Annotated[JobListQuery, Query()]) -> JobList:
    """Jobs, the newest first."""
    wanted = JobFilter(**{name: tuple(getattr(query, name)) for name in JobFilter.__dataclass_fields__})
    return listed(_jobs(request).page(wanted, query.cursor, query.limit))


@router.post(
    "/jobs",
    status_code=201,
    response_model=JobDetail,
    responses={**SIGNED_IN, **NOT_FOUND, **BODY},
    openapi_extra=body_of(SubmitJob),
    dependencies=[may("submit")],
)
def submit_job(request: Request, body: BodyOf, idempotency_key: IdempotencyKey = None) -> Response:
    """Ask for a measurement. It waits for a maintainer's approval where one of its launches needs that."""
    actor = acting(request)

    def prepare() -> "Callable[[Session], Reply]":
        new = _new_job(request, body.message(SubmitJob), actor)
        now, randomness = _now(request), cast("Randomness", request.app.state.randomness)

        def work(session: "Session") -> Reply:
            job_id = submit(session, new, Writer.of(actor), now, randomness, second=_second(request))
            return stored(job_detail(session, job_id, now), 201)

        return work

    return once_only(request, actor, idempotency_key, body, prepare)


@router.get("/jobs/{job_id}", responses=NOT_FOUND)
def one_job(request: Request, job_id: str) -> JobDetail:
    """A job with its plan, every attempt, and why no runner takes it while it waits."""
    return detailed(_jobs(request).job(job_id))


@router.get("/jobs/{job_id}/log", response_class=Response, responses={**LOG, **NOT_FOUND})
def job_log(request: Request, job_id: str, query: Annotated[LogQuery, Query()]) -> Response:
    """The log of an attempt from a byte on."""
    piece = _jobs(request).log(job_id, query.offset, query.epoch)
    headers = {"Log-Size": str(piece.size), "Log-Epoch": str(piece.epoch), "Log-Ended": str(piece.ended).lower()}
    return Response(piece.data, headers=headers, media_type="text/plain; charset=utf-8")


@router.post("/jobs/{job_id}/cancel", response_model=JobDetail, responses=WRITE, dependencies=[may("submit")])
def cancel_job(request: Request, job_id: str, body: BodyOf, idempotency_key: IdempotencyKey = None) -> Response:
    """End a job. Where a runner has it, that one is told within 15 s and stops."""
    actor, now = acting(request), _now(request)

    def work(session: "Session") -> Reply:
        cancel(session, job_id, Writer.of(actor), now)
        return stored(job_detail(session, job_id, now))

    return once_only(request, actor, idempotency_key, body, lambda: work)


@router.post("/jobs/{job_id}/approve", response_model=JobDetail, responses=WRITE, dependencies=[may("maintain")])
def approve_job(request: Request, job_id: str, body: BodyOf, idempotency_key: IdempotencyKey = None) -> Response:
    """Allow every launch of a job for seven days, byte for byte. An installation may want another maintainer for that
    than the one who asked."""
    actor, now = acting(request), _now(request)

    def work(session: "Session") -> Reply:
        approve(session, job_id, Writer.of(actor), now, second=_second(request))
        return stored(job_detail(session, job_id, now))

    return once_only(request, actor, idempotency_key, body, lambda: work)


@router.get("/approvals", responses=INVALID)
def list_approvals(request: Request) -> ApprovalList:
    """Every approval that was given, the newest first, expired and revoked ones too."""
    return ApprovalList(items=[Approval.model_validate(row) for row in _jobs(request).approvals()])


@router.post(
    "/approvals/{approval_id}/revoke", response_model=Approval, responses=WRITE, dependencies=[may("maintain")]
)
def revoke_approval(
    request: Request, approval_id: Number, body: BodyOf, idempotency_key: IdempotencyKey = None
) -> Response:
    """Take an approval back. What is queued on its strength waits again; what runs goes on unless it is cancelled."""
    actor, now = acting(request), _now(request)

    def work(session: "Session") -> Reply:
        revoke(session, approval_id, Writer.of(actor), now, second=_second(request))
        row = next(row for row in approval_rows(session) if row.id == approval_id)
        return Reply(200, Approval.model_validate(row).model_dump_json())

    return once_only(request, actor, idempotency_key, body, lambda: work)


@router.get("/runners", responses=INVALID)
def list_runners(request: Request) -> RunnerList:
    """Every runner that was ever seen, by name, retired ones too."""
    return RunnerList(items=[RunnerItem.model_validate(row) for row in _jobs(request).runners()])


@router.post("/runners/{name}/drain", response_model=RunnerItem, responses=WRITE, dependencies=[may("maintain")])
def drain_runner(request: Request, name: str, body: BodyOf, idempotency_key: IdempotencyKey = None) -> Response:
    """Let a runner end what it has and take no more."""
    return _changed(request, name, body, idempotency_key, lambda session: drain(session, name, on=True))


@router.post("/runners/{name}/resume", response_model=RunnerItem, responses=WRITE, dependencies=[may("maintain")])
def resume_runner(request: Request, name: str, body: BodyOf, idempotency_key: IdempotencyKey = None) -> Response:
    """Let a runner take jobs again, after a drain or a quarantine, or when it was retired."""
    return _changed(request, name, body, idempotency_key, lambda session: drain(session, name, on=False))


@router.post("/runners/{name}/retire", response_model=RunnerItem, responses=WRITE, dependencies=[may("maintain")])
def retire_runner(request: Request, name: str, body: BodyOf, idempotency_key: IdempotencyKey = None) -> Response:
    """Take a runner out of service: what it has is queued again, and it is refused from then on, whatever name its
    token asks under. Its jobs and measurements keep its name."""
    actor, now, second = acting(request), _now(request), _second(request)
    by = Writer.of(actor)
    return _changed(request, name, body, idempotency_key, lambda session: retire(session, name, by, now, second=second))


def _changed(request: Request, name: str, body: Body, key: str | None, change: "Callable[[Session], None]") -> Response:
    actor, now = acting(request), _now(request)

    def work(session: "Session") -> Reply:
        change(session)
        row = next(row for row in runner_rows(session, now) if row.name == name)
        return Reply(200, RunnerItem.model_validate(row).model_dump_json())

    return once_only(request, actor, key, body, lambda: work)


def _new_job(request: Request, asked: SubmitJob, actor: "Actor") -> NewJob:
    if asked.priority > 0 and not actor.may("maintain"):
        raise ForbiddenError("a priority above 0 needs the scope `maintain`")
    if asked.plan is not None:
        return NewJob(asked.plan, asked.accelerator, priority=asked.priority)
    asked = _of_card(request, asked)
    planned = _planned(request, asked)
    if planned.plan is None:
        details: list[dict[str, object]] = [{"field": "choices", "message": text} for text in planned.missing]
        raise InvalidInputError(f"not attemptable as it stands: {'; '.join(planned.missing)}", details)
    accelerator = asked.accelerator or planned.accelerator
    of = (asked.claim_id, asked.card_id, asked.priority)
    return NewJob(planned.plan, accelerator, *of, planned.assumptions)


def _planned(request: Request, asked: SubmitJob) -> "Planned":
    """The plan of a claim or a card, with prompts that nobody has sent before; of a number of our own that of its
    measurement. Raises NotFoundError."""
    seed = int.from_bytes(cast("Randomness", request.app.state.randomness).take(6), "big")
    if asked.card_id is not None:
        card = cast("Cards", request.app.state.cards).card(asked.card_id).card
        return from_card(card, seed, asked.choices)
    claim = cast("Catalogue", request.app.state.catalogue).claim(asked.claim_id or "")
    measured = cast("Measurements", request.app.state.measurements)
    of = measured.plan_of(claim.evidence.measurement) if claim.evidence else None
    return again(claim, of, seed, asked.choices)


def _of_card(request: Request, asked: SubmitJob) -> SubmitJob:
    """A card's row among the claims is asked for as its card: one plan, whichever way it is named."""
    if asked.claim_id is None:
        return asked
    claim = cast("Catalogue", request.app.state.catalogue).claim(asked.claim_id)
    if claim.card is None:
        return asked
    return asked.model_copy(update={"claim_id": None, "card_id": asked.claim_id})


def _jobs(request: Request) -> "Jobs":
    return cast("Jobs", request.app.state.jobs)


def _second(request: Request) -> bool:
    return cast("Settings", request.app.state.settings).two_people


def _now(request: Request) -> "dt.datetime":
    return cast("Clock", request.app.state.clock).now()
