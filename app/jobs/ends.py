"""How attempts end, and what becomes of their jobs. Inside the caller's transaction.

A failure of the machine is another try's chance, elsewhere if it must be: three in a row bring the runner into
quarantine, and then the job gets back the attempts that it lost there. A failure of the recipe would come again. What
a runner's own policy refuses, or what it lacks, is another runner's to take.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import SQLModel

from app.jobs.measurements import renew_of_job
from app.jobs.states import ACTIVE, MOST_FAILURES, PLANNED, TERMINAL, after, over
from app.jobs.store import JOB, REFUSAL, RUNNER
from app.protocol.outcome import REFUSALS, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlmodel import Session

ATTEMPT = SQLModel.metadata.tables["attempt"]
# Fenced by the epoch, whatever was read before.
END_JOB = sa.update(JOB).where(
    JOB.c.id == sa.bindparam("job"), JOB.c.epoch == sa.bindparam("of_epoch"), JOB.c.state.in_(ACTIVE)
)
END_ATTEMPT = sa.update(ATTEMPT).where(
    ATTEMPT.c.job_id == sa.bindparam("job"), ATTEMPT.c.epoch == sa.bindparam("of_epoch")
)
REFUSED_BEFORE = (
    sa.select(sa.func.count())
    .select_from(ATTEMPT)
    .where(ATTEMPT.c.job_id == sa.bindparam("job"), ATTEMPT.c.failure.in_(REFUSALS))
)
OF_RUNNER = RUNNER.c.name == sa.bindparam("runner")
BLAME = sa.update(RUNNER).where(OF_RUNNER).values(failures=RUNNER.c.failures + 1)
JUDGED = sa.select(RUNNER.c.failures, RUNNER.c.quarantine).where(OF_RUNNER)
TRUST = sa.update(RUNNER).where(OF_RUNNER).values(failures=0)
SHUT = sa.update(RUNNER).where(OF_RUNNER)
NOBODY: dict[str, Any] = {
    "runner": None,
    "boot_id": None,
    "lease_until": None,
    "phase": None,
    "done": 0,
    "total": 0,
    "note": "",
    "beat_at": None,
    "started_at": None,
}
LOST = Outcome(state="failed", failure="runner_lost", message="the runner was not heard of in time")
EPOCHS_FROM = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
MOST_REFUSALS = 50  # of one job: a runner that starts again and again without an end would refuse it for ever
MOST_LEASES = 1000  # of one job in its life: three count, refusals, and three more for each runner in quarantine
UNDONE = "a backup from before its end was restored"

STOPPED = Outcome(
    state="failed", failure="runner_stopped", message="the runner gave the job back"
)  # and nobody had asked


def lost(session: Session, jobs: Sequence[sa.Row[Any]], now: dt.datetime) -> None:
    """End the attempts of leases that are over; their jobs are tried again or end too, and then their claims say so."""
    if not jobs:
        return
    attempts = [
        {"job": job.id, "of_epoch": job.epoch, "state": "lost", "failure": LOST.failure, "ended_at": now}
        for job in jobs
    ]
    changed = [{"job": job.id, "of_epoch": job.epoch, **_put_back(session, job, LOST, now)} for job in jobs]
    session.connection().execute(END_ATTEMPT, attempts)
    for values in changed:
        session.connection().execute(END_JOB, values)
        if values["state"] == "failed":
            renew_of_job(session, str(values["job"]))


def ended(session: Session, job: sa.Row[Any], outcome: Outcome, now: dt.datetime) -> str:
    """End the attempt that a job is in, as its runner says. Returns the job's state after it."""
    if outcome.state == "succeeded":
        session.connection().execute(TRUST, {"runner": job.runner})
        values = _end(after(job.state, "succeed"), outcome, now)
    elif outcome.refused:
        values = _refused(session, job, outcome, now)
    elif outcome.state == "failed" and not outcome.of_the_machine:
        values = _end(after(job.state, "fail"), outcome, now)
    elif outcome.state == "cancelled" and job.cancel_requested_at is not None:
        values = _end(after(job.state, "stop"), outcome, now)
    else:
        values = _put_back(session, job, outcome if outcome.failure else STOPPED, now)
    session.connection().execute(END_JOB, {"job": job.id, "of_epoch": job.epoch, **values})
    return str(values["state"])


def put_back_all(session: Session, now: dt.datetime) -> int:
    """Take every job back from its runner, in a database that was restored; returns how many were.

    What was leased after the backup was made is not known here, nor after an earlier restore of it. So every job that
    may be leased yet goes on with epochs that nobody can have, the seconds since 2026; else a new lease could have the
    number of an old one. Names no column that the oldest backup with jobs lacks.
    """
    connection, active = session.connection(), JOB.c.state.in_(ACTIVE)
    cancelled = {"state": "cancelled", "ended_at": now, "lease_until": None}
    open_attempts = sa.update(ATTEMPT).where(ATTEMPT.c.state.in_(ACTIVE))
    connection.execute(open_attempts.values(state="lost", failure=LOST.failure, message=UNDONE, ended_at=now))
    ended = connection.execute(sa.update(JOB).where(active, JOB.c.cancel_requested_at.is_not(None)).values(cancelled))
    queued = {**NOBODY, "state": "queued", "attempts": JOB.c.attempts - 1}  # it was no fault of theirs
    back = connection.execute(sa.update(JOB).where(active).values(queued))
    unseen = int((now - EPOCHS_FROM).total_seconds())
    epoch = sa.case((JOB.c.epoch < unseen, unseen), else_=JOB.c.epoch + MOST_LEASES)
    connection.execute(sa.update(JOB).where(JOB.c.state.not_in(TERMINAL)).values(epoch=epoch))
    return ended.rowcount + back.rowcount


def _refused(session: Session, job: sa.Row[Any], outcome: Outcome, now: dt.datetime) -> dict[str, Any]:
    """The columns of a job that its runner does not start, by its own policy or for lack of something: others may take
    it, and the attempt does not count. Refused often enough it fails."""
    if job.cancel_requested_at is not None:
        return _end(after(job.state, "stop"), outcome, now)
    before = session.connection().execute(REFUSED_BEFORE, {"job": job.id}).scalar_one()
    if before >= MOST_REFUSALS:
        return _end(after(job.state, "fail"), outcome, now)
    here = (REFUSAL.c.job_id == job.id, REFUSAL.c.runner == job.runner)
    session.connection().execute(sa.delete(REFUSAL).where(*here))
    told = {"job_id": job.id, "runner": job.runner, "boot_id": job.boot_id, "message": outcome.message}
    session.connection().execute(sa.insert(REFUSAL), told)
    return {**NOBODY, "state": after(job.state, "refuse"), "attempts": job.attempts - 1}


def _put_back(session: Session, job: sa.Row[Any], outcome: Outcome, now: dt.datetime) -> dict[str, Any]:
    """The columns of a job whose attempt is over by no fault of its own."""
    failures, attempts = json.loads(job.runner_failures), job.attempts
    if outcome.failure not in PLANNED and job.state == "running":
        failures[job.runner] = failures.get(job.runner, 0) + 1
        if _blamed(session, job.runner, now):
            attempts -= failures.pop(job.runner)
    counted = {"attempts": attempts, "runner_failures": json.dumps(failures)}
    state = after(job.state, over(attempts, cancel=job.cancel_requested_at is not None))
    if state in TERMINAL:
        return counted | _end(state, outcome, now)
    return {**counted, **NOBODY, "state": state}


def _end(state: str, outcome: Outcome, now: dt.datetime) -> dict[str, Any]:
    failed = {"failure": outcome.failure, "message": outcome.message} if state != "cancelled" else {}
    return {"state": state, "ended_at": now, "lease_until": None, **failed}


def _blamed(session: Session, runner: str, now: dt.datetime) -> bool:
    """Whether the runner is in quarantine, this failure counted."""
    session.connection().execute(BLAME, {"runner": runner})
    found = session.connection().execute(JUDGED, {"runner": runner}).one()
    if found.quarantine is None and found.failures >= MOST_FAILURES:
        reason = f"{found.failures} attempts in a row failed there by the machine's fault"
        session.connection().execute(SHUT, {"runner": runner, "quarantine": reason, "quarantined_at": now})
        return True
    return found.quarantine is not None
