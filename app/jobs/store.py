"""Jobs as people write them: asked for, approved, cancelled. Inside the caller's transaction.

What runners write stands in app.jobs.leases.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import SQLModel

import app.jobs.tables  # noqa: F401 (declares the tables)
from app.errors import ForbiddenError, InvalidInputError, NotFoundError
from app.ids import could_be_id, letters
from app.jobs.amounts import too_much
from app.jobs.fleet import runner_rows
from app.jobs.matching import Needs, lacks, needs_of
from app.jobs.permission import asks, launches, needing
from app.jobs.states import ACTIVE, APPROVED_FOR, after
from app.protocol.exact import canonical
from app.protocol.plan import Plan
from app.statements import Prepared

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

    from sqlmodel import Session

    from app.cards.store import Writer
    from app.randomness import Randomness

JOB, APPROVAL, RUNNER, REFUSAL = (SQLModel.metadata.tables[name] for name in ("job", "approval", "runner", "refusal"))
OF_JOB = JOB.c.id == sa.bindparam("job")
STORED = Prepared(sa.select(JOB).where(OF_JOB))
UPDATE = Prepared(sa.update(JOB).where(OF_JOB))
TAKEN = sa.select(JOB.c.number).where(OF_JOB)
INSERT = sa.insert(JOB)
LIVE = sa.select(APPROVAL.c.digest).where(
    APPROVAL.c.digest.in_(sa.bindparam("digests", expanding=True)),
    APPROVAL.c.revoked_at.is_(None),
    APPROVAL.c.expires_at > sa.bindparam("now", type_=APPROVAL.c.expires_at.type),
)
BY_ANOTHER = LIVE.where(
    APPROVAL.c.approver != sa.bindparam("owner"),
    sa.func.lower(APPROVAL.c.approved_by) != sa.func.lower(sa.bindparam("asker", type_=APPROVAL.c.approved_by.type)),
)
TWO = "(two people approve where BENCHCARD_SECOND_APPROVER is true, or unset on a server that others can reach)"
LOCK = sa.text("SELECT pg_advisory_xact_lock(7301423)")


@dataclass(frozen=True)
class NewJob:
    """What is asked for. `accelerator`: the GPU that it must run on, None for any; a higher priority goes first.
    `assumptions`: what the plan takes for granted (app.jobs.plans)."""

    plan: Plan
    accelerator: str | None = None
    claim_id: str | None = None
    card_id: str | None = None
    priority: int = 0
    assumptions: tuple[str, ...] = ()


def submit(session: Session, new: NewJob, by: Writer, now: dt.datetime, randomness: Randomness, *, second: bool) -> str:
    """Queue a job, or let it wait for approval where a launch needs one and no runner starts it unasked. Returns its
    id. `second`: nobody's own approval counts for a job that they asked for.

    Raises InvalidInputError where a launch may never run, and for more than one job may be.
    """
    large = list(too_much(new.plan))
    if large:
        raise InvalidInputError("; ".join(large), [{"field": "plan", "message": text} for text in large])
    alone(session)
    digests, needs = asks(new.plan), needs_of(new.plan, new.accelerator)
    allowed = approved(session, digests, now, (by.owner, by.name) if second else None) == set(digests)
    row = {
        "id": _free_id(session, randomness),
        "kind": new.plan.kind,
        "state": "queued" if allowed or runs_unasked(session, needs, now) else "awaiting_approval",
        "plan": new.plan.model_dump_json(),
        "needs": needs.text(),
        "assumptions": json.dumps(new.assumptions),
        "asks": json.dumps(digests),
        "approved": allowed,
        "claim_id": new.claim_id,
        "card_id": new.card_id,
        "requested_by": by.name,
        "owner": by.owner,
        "rank": -new.priority,
        "created_at": now,
    }
    counts = dict.fromkeys(("epoch", "attempts", "done", "total"), 0)
    session.connection().execute(INSERT, {**row, **counts, "note": "", "message": "", "runner_failures": "{}"})
    return str(row["id"])


def cancel(session: Session, job_id: str, by: Writer, now: dt.datetime) -> None:
    """End a job that nobody has begun; one that a runner has ends there. A cancelled one stays so.

    Raises NotFoundError, ForbiddenError for another's job, ConflictError for one that has ended otherwise.
    """
    job = locked(session, job_id)
    if job.owner != by.owner and not by.maintains:
        raise ForbiddenError(f"this job belongs to {job.requested_by}; others need the scope `maintain`")
    if job.state == "cancelled" or (job.state in ACTIVE and job.cancel_requested_at is not None):
        return
    state = after(job.state, "cancel")
    asked = {"cancel_requested_at": now, "cancelled_by": by.name, "state": state}
    ended = {} if state in ACTIVE else {"ended_at": now}
    UPDATE.run(session, {"job": job_id, **asked, **ended})


def approve(session: Session, job_id: str, by: Writer, now: dt.datetime, *, second: bool) -> None:
    """Approve every launch of a job that needs it, for it and for all other jobs that wait for the same; one that waits
    for the few runners that start it unasked is open to the others then.

    `second`: this installation wants another maintainer than the one who asked, and that holds for each job that the
    approval would release. Raises NotFoundError, ForbiddenError, ConflictError where nothing waits for approval,
    InvalidInputError where by now one of them may never run.
    """
    job = locked(session, job_id)
    if not by.maintains:
        raise ForbiddenError("to approve what is executed needs the scope `maintain`")
    own = why_own(job.owner, job.requested_by, by.owner, by.name) if second else ""
    if own:
        raise ForbiddenError(own)
    if job.state != "queued" or job.approved:
        after(job.state, "approve")
    plan = Plan.model_validate_json(job.plan)
    digests = asks(plan)  # the policy may have learnt since the job was asked for
    wanted, known = launches(plan), approved(session, digests, now, asker(job, second=second))
    missing = [key for key in digests if key not in known]
    given = {
        "asked_by": job.requested_by,
        "approved_by": by.name,
        "approver": by.owner,
        "approved_at": now,
        "expires_at": now + APPROVED_FOR,
    }
    new = [{"digest": key, "launch": canonical(wanted[key]), **given} for key in missing]
    if new:
        session.connection().execute(sa.insert(APPROVAL), new)
    settle(session, now, second=second)


def revoke(session: Session, approval_id: int, by: Writer, now: dt.datetime, *, second: bool) -> None:
    """Take an approval back: what is queued on its strength waits again. Twice is as once. Raises NotFoundError,
    ForbiddenError."""
    if not by.maintains:
        raise ForbiddenError("to take an approval back needs the scope `maintain`")
    alone(session)
    here = APPROVAL.c.id == approval_id
    found = session.connection().execute(sa.select(APPROVAL).where(here)).first()
    if found is None:
        raise NotFoundError(f"there is no approval {approval_id}")
    if found.revoked_at is None:
        session.connection().execute(sa.update(APPROVAL).where(here).values(revoked_at=now, revoked_by=by.name))
    settle(session, now, second=second)


def settle(session: Session, now: dt.datetime, *, second: bool) -> None:
    """Look at every job again that waits, and that needs approval: what is approved now, and what some runner starts
    unasked. For when an approval was given or taken back, when a runner's policy is another, comes or goes, and when
    Benchcard is another."""
    alone(session)
    waiting = sa.select(JOB).where(JOB.c.state.in_(("awaiting_approval", "queued")), JOB.c.asks != "[]")
    for job in session.connection().execute(waiting.order_by(JOB.c.number)).all():
        settled(session, job, now, second=second)


def left_alone(session: Session, now: dt.datetime) -> bool:
    """Whether a job is queued that nobody has approved and that no runner which is up starts unasked."""
    unasked = sa.select(JOB.c.needs).where(JOB.c.state == "queued", ~JOB.c.approved, JOB.c.asks != "[]").distinct()
    needed = session.connection().execute(unasked).scalars().all()
    return any(not runs_unasked(session, Needs.model_validate_json(text), now) for text in needed)


def settled(session: Session, job: sa.Row[Any], now: dt.datetime, *, second: bool) -> bool:
    """Whether every launch of a waiting job is approved now; what follows for it is written."""
    digests = needing(job.plan)
    allowed = approved(session, digests, now, asker(job, second=second)) == set(digests)
    state = job.state
    if allowed or runs_unasked(session, Needs.model_validate_json(job.needs), now):
        state = "queued" if state == "queued" else after(state, "approve")
    elif state == "queued":
        state = after(state, "withdraw")
    written = {"state": state, "approved": allowed, "asks": json.dumps(digests)}
    if any(getattr(job, name) != value for name, value in written.items()):
        UPDATE.run(session, {"job": job.id, **written})
    return allowed


def drain(session: Session, name: str, *, on: bool) -> None:
    """Let a runner end what it has and take no more, or take again: then its quarantine is over too, and it is in
    service again where it was retired.

    Raises NotFoundError.
    """
    alone(session)
    values: dict[str, Any] = {"drain_asked": on}
    if not on:
        values |= {"quarantine": None, "quarantined_at": None, "failures": 0, "retired_at": None, "retired_by": None}
    here = RUNNER.c.name == name
    if session.connection().execute(sa.select(RUNNER.c.name).where(here)).first() is None:
        raise NotFoundError(f"there is no runner `{name[:80]}`")
    session.connection().execute(sa.update(RUNNER).where(here).values(**values))


def runs_unasked(session: Session, needs: Needs, now: dt.datetime) -> bool:
    """Whether a runner that is up takes such a job without anybody's approval, by its own policy."""
    up = (item for item in runner_rows(session, now) if item.is_up)
    return any(not lacks(needs, item.capabilities, approved=False) for item in up)


def approved(
    session: Session, digests: Iterable[str], now: dt.datetime, but_of: tuple[str, str] | None = None
) -> set[str]:
    """Which of the launches are approved now. `but_of`: token and name of whose approval does not count."""
    wanted = list(digests)
    if not wanted:
        return set()
    asked = {"digests": wanted, "now": now}
    if but_of is None:
        return set(session.connection().execute(LIVE, asked).scalars())
    owner, name = but_of
    return set(session.connection().execute(BY_ANOTHER, {**asked, "owner": owner, "asker": name}).scalars())


def asker(job: sa.Row[Any], *, second: bool) -> tuple[str, str] | None:
    """Token and name of whoever asked for a job, where their own approval does not count for it."""
    return (job.owner, job.requested_by) if second else None


def why_own(owner: str, asked_by: str, token: str, name: str) -> str:
    """Why they count as one person, who approves nothing of their own: the same token, or another one of the same name;
    "" where they are two."""
    if owner == token:
        return f"nobody approves a job of their own here, and you asked for this one: another maintainer has to {TWO}"
    if asked_by.casefold() == name.casefold():
        return (
            f"whoever asked for this job and you are both named `{name}`, which counts as one person, and nobody "
            "approves a job of their own here: sign in under a name of your own, with `benchcard sign-in --name NAME` "
            f"or a token made with `--name NAME` {TWO}"
        )
    return ""


def alone(session: Session) -> None:
    """One writer of jobs at a time, as SQLite has it anyway: what a transaction has read stays true until it ends."""
    if session.connection().dialect.name == "postgresql":
        session.connection().execute(LOCK)


def locked(session: Session, job_id: str) -> sa.Row[Any]:
    """The job as it stays until this transaction ends. Raises NotFoundError."""
    alone(session)
    if could_be_id(job_id):
        job: sa.Row[Any] | None = STORED.first(session, {"job": job_id})
        if job is not None:
            return job
    raise no_job(job_id)


def no_job(job_id: str) -> NotFoundError:
    message = f"there is no job `{job_id[:80]}`"
    return NotFoundError(message, [{"field": "id", "message": message}])


def assumptions_of(stored: str | None) -> tuple[str, ...] | None:
    """What a job's plan takes for granted; None where that was not kept."""
    return None if stored is None else tuple(json.loads(stored))


def _free_id(session: Session, randomness: Randomness) -> str:
    """`jk7m2qd4x`."""
    while True:
        job_id = f"j{letters(randomness)}"
        if session.connection().execute(TAKEN, {"job": job_id}).first() is None:
            return job_id
