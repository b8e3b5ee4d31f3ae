"""Jobs as runners take them and keep them: the server's side of app.protocol.lease, inside the caller's transaction.

Every write of an attempt is fenced by its epoch: a job belongs to the newest lease alone. Looking for expired leases,
putting their jobs back and taking one are one transaction. What ends an attempt stands in app.jobs.ends.
"""

from __future__ import annotations

import datetime as dt
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import SQLModel

import app.accounts.tables  # noqa: F401 (declares the tokens)
from app.errors import ConflictError, ForbiddenError, LeaseLostError, NotFoundError
from app.jobs.ends import lost
from app.jobs.fleet import is_up
from app.jobs.matching import Needs, lacks
from app.jobs.permission import needing
from app.jobs.retiring import refuse_retired, refuse_token_of_retired
from app.jobs.states import ACKNOWLEDGED, ACTIVE, BEAT, LEASE, POLL, after
from app.jobs.store import JOB, REFUSAL, RUNNER, UPDATE, alone, approved, asker, locked, settle, settled
from app.protocol.lease import Assignment, LeaseReply, Placement, Renewal
from app.protocol.plan import Plan
from app.statements import Prepared

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.protocol.lease import Heartbeat, LeaseRequest, Start

ATTEMPT, TOKEN = SQLModel.metadata.tables["attempt"], SQLModel.metadata.tables["token"]
MOST_BOOTS = 200  # earlier processes of a runner that are remembered
MOST_SWEPT = 1000  # expired leases that one request for work puts back
SEEN_EXACT = dt.timedelta(seconds=1)  # how exactly is kept when a runner was seen
TIME = JOB.c.lease_until.type

OF_RUNNER = RUNNER.c.name == sa.bindparam("runner")
STORED_RUNNER = Prepared(sa.select(RUNNER).where(OF_RUNNER))
INSERT_RUNNER, UPDATE_RUNNER = sa.insert(RUNNER), Prepared(sa.update(RUNNER).where(OF_RUNNER))
REVOKED = sa.select(TOKEN.c.id).where(TOKEN.c.id == sa.bindparam("token"), TOKEN.c.revoked_at.is_not(None))
OF_ATTEMPT = (ATTEMPT.c.job_id == sa.bindparam("job"), ATTEMPT.c.epoch == sa.bindparam("of_epoch"))
STORED_ATTEMPT = Prepared(sa.select(ATTEMPT).where(*OF_ATTEMPT))
UPDATE_ATTEMPT, INSERT_ATTEMPT = Prepared(sa.update(ATTEMPT).where(*OF_ATTEMPT)), Prepared(sa.insert(ATTEMPT))
WITH_RUNNER = sa.or_(*(JOB.c.state == state for state in ACTIVE))
NUMBER_EXPIRED = sa.select(JOB.c.number).where(WITH_RUNNER, JOB.c.lease_until <= sa.bindparam("now", type_=TIME))
EXPIRED = NUMBER_EXPIRED.with_only_columns(*JOB.c).order_by(JOB.c.number).limit(MOST_SWEPT)
NUMBER_OF_BOOT = sa.select(JOB.c.number).where(
    JOB.c.runner == sa.bindparam("runner"), WITH_RUNNER, JOB.c.boot_id == sa.bindparam("boot")
)
OF_BOOT = NUMBER_OF_BOOT.with_only_columns(*JOB.c).order_by(JOB.c.number).limit(1)
# All that a request for work asks at first, as one statement: each costs more in Python than in the database.
ASKING = Prepared(
    sa.select(
        RUNNER,
        ATTEMPT.c.job_id.label("given"),
        ATTEMPT.c.epoch.label("given_epoch"),
        sa.exists(NUMBER_EXPIRED).label("expired"),
        sa.exists(NUMBER_OF_BOOT).label("at_work"),
    )
    .select_from(
        RUNNER.outerjoin(
            ATTEMPT, sa.and_(ATTEMPT.c.runner == RUNNER.c.name, ATTEMPT.c.request_id == sa.bindparam("request"))
        )
    )
    .where(OF_RUNNER)
)
OF_OLDER_BOOTS = (
    sa.select(JOB)
    .where(JOB.c.runner == sa.bindparam("runner"), JOB.c.state.in_(ACTIVE), JOB.c.boot_id != sa.bindparam("boot"))
    .order_by(JOB.c.number)
)
REFUSED = sa.exists().where(
    REFUSAL.c.job_id == JOB.c.id,
    REFUSAL.c.runner == sa.bindparam("runner"),
    REFUSAL.c.boot_id == sa.bindparam("boot"),
)
# As literals: SQLite plans a statement anew, at four times its cost, each time that its limit is a value.
ONE, NONE = sa.literal_column("1", sa.Integer()), sa.literal_column("0", sa.Integer())
QUEUED = (
    sa.select(JOB).where(JOB.c.state == "queued", ~REFUSED).order_by(JOB.c.rank, JOB.c.number).limit(ONE).offset(NONE)
)
FREE = Prepared(QUEUED)
NEEDED = sa.select(JOB.c.needs).where(JOB.c.state == "queued").distinct()
FREE_FITTING = QUEUED.where(
    sa.or_(
        JOB.c.needs.in_(sa.bindparam("unasked", expanding=True)),
        sa.and_(JOB.c.approved, JOB.c.needs.in_(sa.bindparam("approved", expanding=True))),
    )
)


def lease(session: Session, request: LeaseRequest, token: str, now: dt.datetime, *, second: bool) -> LeaseReply:
    """Note that a runner is there, and give it a job where there is one that it takes, by what it has and by its own
    policy. `second`: nobody's own approval counts for a job that they asked for.

    Raises ForbiddenError for another's name and for a runner that was retired, LeaseLostError where a newer process
    took this one's place, ConflictError where this process is at work on a job.
    """
    alone(session)
    asked = {"runner": request.runner, "boot": request.boot_id, "request": request.request_id, "now": now}
    known = ASKING.first(session, asked)
    if known is None or known.expired:
        sweep(session, now)  # which may put the runner itself into quarantine
        known = ASKING.first(session, asked)
    runner = _seen(session, known, request, token, now)
    kept_out = request.draining or request.quarantine or runner.drain_asked or runner.quarantine
    was_up = known is not None and is_up(known, known.seen_at, now)
    if known is None or known.capabilities != runner.capabilities or was_up == bool(kept_out):
        settle(session, now, second=second)
    assignment = _again(session, known, now, second=second)
    if assignment is None and not kept_out:
        take = _given if known is not None and known.at_work else _take
        assignment = take(session, request, now, second=second)
    return LeaseReply(assignment=assignment, wait_s=POLL.total_seconds(), drain=runner.drain_asked)


def sweep(session: Session, now: dt.datetime) -> int:
    """Put back the jobs whose leases have expired; returns how many."""
    alone(session)
    expired = session.connection().execute(EXPIRED, {"now": now}).all()
    lost(session, expired, now)
    return len(expired)


def start(session: Session, job_id: str, message: Start, token: str, now: dt.datetime) -> Renewal:
    """The runner has the job; said twice it is as once. Raises LeaseLostError and what `attempt_of` does."""
    job, attempt, runner = _held(session, job_id, message.epoch, token, now)
    state = after(job.state, "start")
    begun = {"state": state, "started_at": attempt.started_at or now}
    values = {**begun, "lease_until": now + LEASE, "beat_at": now}
    UPDATE.run(session, {"job": job_id, **values})
    UPDATE_ATTEMPT.run(session, {"job": job_id, "of_epoch": message.epoch, **begun})
    return _renewal(job, runner)


def heartbeat(session: Session, job_id: str, message: Heartbeat, token: str, now: dt.datetime) -> Renewal:
    """Renew the lease and note how far the attempt is. Raises as `start` does."""
    job, _, runner = _held(session, job_id, message.epoch, token, now)
    told = message.model_dump(exclude={"epoch"})
    state = after(job.state, "beat")
    values = {"state": state, "lease_until": now + LEASE, "beat_at": now, **told}
    UPDATE.run(session, {"job": job_id, **values})
    return _renewal(job, runner)


def attempt_of(session: Session, job_id: str, epoch: int, token: str) -> tuple[sa.Row[Any], sa.Row[Any], sa.Row[Any]]:
    """A job, its attempt and that one's runner, as they stay until this transaction ends.

    Raises NotFoundError, ForbiddenError where the attempt is another runner's or that one was retired, LeaseLostError
    for an attempt of which a restored backup knows nothing.
    """
    job = locked(session, job_id)
    if epoch > job.epoch:
        raise NotFoundError(f"the job has no attempt {epoch}")
    attempt = STORED_ATTEMPT.first(session, {"job": job_id, "of_epoch": epoch})
    if attempt is None:
        raise lease_lost(epoch)
    runner = _runner(session, attempt.runner)
    if not _owns(session, runner, token):
        raise ForbiddenError(f"this attempt is the runner's `{runner.name}`, which has another token")
    refuse_retired(runner)
    return job, attempt, runner


def is_current(job: sa.Row[Any], epoch: int) -> bool:
    """Whether the job is still this attempt's."""
    return bool(job.epoch == epoch and job.state in ACTIVE)


def is_over(job: sa.Row[Any], now: dt.datetime) -> bool:
    """Whether the time of its lease has passed."""
    return bool(job.lease_until is None or job.lease_until <= now)


def _held(
    session: Session, job_id: str, epoch: int, token: str, now: dt.datetime
) -> tuple[sa.Row[Any], sa.Row[Any], sa.Row[Any]]:
    """The same of a lease that holds. Raises LeaseLostError besides."""
    job, attempt, runner = attempt_of(session, job_id, epoch, token)
    if not is_current(job, epoch) or is_over(job, now):
        raise lease_lost(epoch)
    return job, attempt, runner


def lease_lost(epoch: int) -> LeaseLostError:
    return LeaseLostError(f"the job is no longer attempt {epoch}'s: its lease expired or it was ended; stop and let go")


def _renewal(job: sa.Row[Any], runner: sa.Row[Any]) -> Renewal:
    cancel = job.cancel_requested_at is not None
    return Renewal(lease_s=LEASE.total_seconds(), cancel=cancel, drain=runner.drain_asked)


def _seen(
    session: Session, known: sa.Row[Any] | None, request: LeaseRequest, token: str, now: dt.datetime
) -> sa.Row[Any]:
    """The runner as it says that it is; what an earlier process of it had is put back."""
    said: dict[str, Any] = {
        "token_id": token,
        "boot_id": request.boot_id,
        "version": request.version,
        "capabilities": request.capabilities.model_dump_json(),
        "seen_at": now,
        "draining": request.draining,
        "trouble": request.quarantine,
    }
    replaced = known is not None and known.boot_id != request.boot_id
    if known is None:
        refuse_token_of_retired(session, token)
        row = {"name": request.runner, "drain_asked": False, "failures": 0, "earlier_boots": "[]", **said}
        session.connection().execute(INSERT_RUNNER, row)
        return _runner(session, request.runner)
    if not _owns(session, known, token):
        raise ForbiddenError(f"the name `{request.runner}` belongs to another token; choose another name")
    refuse_retired(known)
    if replaced:
        said["earlier_boots"] = _follow(session, known, request, now)
    same = all(getattr(known, name) == value for name, value in said.items() if name != "seen_at")
    if not (same and known.seen_at <= now < known.seen_at + SEEN_EXACT):
        UPDATE_RUNNER.run(session, {"runner": request.runner, **said})
    return _runner(session, request.runner) if replaced or not same else known


def _follow(session: Session, known: sa.Row[Any], request: LeaseRequest, now: dt.datetime) -> str:
    """A new process takes the place of the one before; returns those that came before it. One that was replaced already
    may not come back: two processes of one name would take each other's jobs for ever."""
    of_boot = {"runner": request.runner, "boot": request.boot_id}
    earlier = json.loads(known.earlier_boots)
    if request.boot_id in earlier:
        raise LeaseLostError(f"a newer process of the runner `{request.runner}` has taken this one's place")
    lost(session, session.connection().execute(OF_OLDER_BOOTS, of_boot).all(), now)
    return json.dumps([*earlier, known.boot_id][-MOST_BOOTS:])


def _owns(session: Session, runner: sa.Row[Any], token: str) -> bool:
    """A name is its token's for as long as that one is valid."""
    if runner.token_id == token:
        return True
    return session.connection().execute(REVOKED, {"token": runner.token_id}).first() is not None


def _runner(session: Session, name: str) -> sa.Row[Any]:
    found: sa.Row[Any] = STORED_RUNNER.first(session, {"runner": name})
    return found


def _again(session: Session, known: sa.Row[Any] | None, now: dt.datetime, *, second: bool) -> Assignment | None:
    """What was given under this request id before."""
    if known is None or known.given is None:
        return None
    return _assignment(session, locked(session, known.given), known.given_epoch, now, second=second)


def _given(session: Session, request: LeaseRequest, now: dt.datetime, *, second: bool) -> Assignment:
    """What this process has already and has not begun. Raises ConflictError where it has begun it."""
    held = session.connection().execute(OF_BOOT, {"runner": request.runner, "boot": request.boot_id}).one()
    if held.state != "leased":
        raise ConflictError(f"this process has the job {held.id}: a runner does one job at a time, so end that first")
    return _assignment(session, held, held.epoch, now, second=second)


def _take(session: Session, request: LeaseRequest, now: dt.datetime, *, second: bool) -> Assignment | None:
    """The job that comes first of those that the runner can do, and that its policy takes."""
    has = request.capabilities
    job = _first(session, request)
    while job is not None and lacks(_needs(job.needs), has, approved=False):
        if settled(session, job, now, second=second):  # it is approved yet
            break
        job = _first(session, request)
    return None if job is None else _give(session, job, request, now, second=second)


def _first(session: Session, request: LeaseRequest) -> sa.Row[Any] | None:
    """Mostly the first of all will do; else the needs that are queued are looked through, which are few."""
    has, asking = request.capabilities, {"runner": request.runner, "boot": request.boot_id}
    job: sa.Row[Any] | None = FREE.first(session, asking)
    if job is None or not lacks(_needs(job.needs), has, approved=job.approved):
        return job
    needed = session.connection().execute(NEEDED).scalars().all()
    fitting = {
        name: [text for text in needed if not lacks(_needs(text), has, approved=name == "approved")]
        for name in ("unasked", "approved")
    }
    if not fitting["approved"]:
        return None
    return session.connection().execute(FREE_FITTING, {**asking, **fitting}).first()


@lru_cache(maxsize=1000)
def _needs(text: str) -> Needs:
    return Needs.model_validate_json(text)


@lru_cache(maxsize=200)
def _plan(text: str) -> Plan:
    return Plan.model_validate_json(text)


def _give(session: Session, job: sa.Row[Any], request: LeaseRequest, now: dt.datetime, *, second: bool) -> Assignment:
    epoch, by = job.epoch + 1, {"runner": request.runner, "boot_id": request.boot_id}
    taken = {
        "state": after(job.state, "lease"),
        "epoch": epoch,
        "attempts": job.attempts + 1,
        "lease_until": now + ACKNOWLEDGED,
    }
    UPDATE.run(session, {"job": job.id, **by, **taken})
    attempt = {"job_id": job.id, "epoch": epoch, **by, "request_id": request.request_id, "leased_at": now}
    nothing = {"state": "leased", "message": "", "is_result": False, "log_size": 0, "log_dropped": 0}
    INSERT_ATTEMPT.run(session, {**attempt, **nothing})
    return _assignment(session, job, epoch, now, second=second)


def _assignment(session: Session, job: sa.Row[Any], epoch: int, now: dt.datetime, *, second: bool) -> Assignment:
    return Assignment(
        job_id=job.id,
        epoch=epoch,
        plan=_plan(job.plan),
        approved=tuple(sorted(approved(session, needing(job.plan), now, asker(job, second=second)))),
        placements=(Placement(gpus=_needs(job.needs).gpus),),
        lease_s=LEASE.total_seconds(),
        ack_s=ACKNOWLEDGED.total_seconds(),
        beat_s=BEAT.total_seconds(),
    )
