"""Reading jobs, their logs and their runners. Every function answers from one state of the database."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import func
from sqlmodel import SQLModel

from app.errors import InvalidInputError, NotFoundError
from app.ids import could_be_id
from app.jobs.changed import launch_row
from app.jobs.fleet import runner_rows
from app.jobs.here import box
from app.jobs.matching import Needs, lacks
from app.jobs.permission import launches, needing
from app.jobs.rows import (
    ApprovalRow,
    AttemptRow,
    JobDetail,
    JobPage,
    JobRow,
    LaunchRow,
    LogPiece,
    PartRow,
    RunnerRow,
)
from app.jobs.states import TERMINAL
from app.jobs.store import APPROVAL, JOB, REFUSAL, assumptions_of, no_job
from app.language import _, moment
from app.protocol.plan import Plan

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Sequence

    from sqlmodel import Session

    from app.clock import Clock
    from app.db import Database
    from app.jobs.here import Fleet
    from app.jobs.logs import Logs

ATTEMPT, PART, MEASUREMENT = (SQLModel.metadata.tables[name] for name in ("attempt", "attempt_part", "measurement"))
LONGEST_PAGE = 500
LONGEST_PIECE = 1 << 20  # bytes of a log in one answer


@dataclass(frozen=True)
class JobFilter:
    """Values by column; an empty one does not filter."""

    state: Sequence[str] = ()
    kind: Sequence[str] = ()
    runner: Sequence[str] = ()
    claim_id: Sequence[str] = ()
    card_id: Sequence[str] = ()


class Jobs:
    """The read side of jobs."""

    def __init__(self, database: Database, logs: Logs, clock: Clock) -> None:
        self._database = database
        self._logs = logs
        self._clock = clock

    def page(self, wanted: JobFilter, cursor: str | None = None, limit: int = 50) -> JobPage:
        """Jobs, the newest first. Raises InvalidInputError for a cursor or limit that cannot be."""
        later = before(JOB, cursor, limit)
        chosen = [
            JOB.c[name].in_(values) for name in JobFilter.__dataclass_fields__ if (values := getattr(wanted, name))
        ]
        page = sa.select(JOB).where(*chosen, *later).order_by(JOB.c.number.desc()).limit(limit + 1)
        with self._database.read() as session:
            total = session.connection().execute(sa.select(func.count()).select_from(JOB).where(*chosen)).scalar_one()
            rows = session.connection().execute(page).all()
            counted = _counted(session, [row.id for row in rows])
        items = tuple(_row(row, counted) for row in rows[:limit])
        return JobPage(items, total, str(items[-1].number) if len(rows) > limit else None)

    def counts(self) -> dict[str, int]:
        """By state, how many jobs there are."""
        with self._database.read() as session:
            rows = session.connection().execute(sa.select(JOB.c.state, func.count()).group_by(JOB.c.state)).all()
        return {str(state): int(count) for state, count in rows}

    def job(self, job_id: str) -> JobDetail:
        """Raises NotFoundError."""
        with self._database.read() as session:
            return job_detail(session, job_id, self._clock.now())

    def lacking(self, needs: Needs) -> dict[str, list[str]]:
        """By runner, why it would not take a job that needs this, once it is approved; no sentence where it would."""
        with self._database.read() as session:
            return {item.name: _reasons(item, needs, approved=True) for item in _in_service(session, self._clock.now())}

    def log(self, job_id: str, offset: int = 0, epoch: int | None = None, limit: int = LONGEST_PIECE) -> LogPiece:
        """A piece of an attempt's log, of the newest attempt unless told otherwise; a negative offset counts from the
        end. Raises NotFoundError."""
        with self._database.read() as session:
            job = _stored(session, job_id)
            attempt = _newest(session, job_id) if epoch is None else _attempt(session, job_id, epoch)
        if attempt is None:
            return LogPiece(0, 0, b"", 0, job.state in TERMINAL)
        size: int = attempt.log_size
        start = max(0, size + offset) if offset < 0 else min(offset, size)
        data = self._logs.read(job_id, attempt.epoch, start, min(limit, LONGEST_PIECE, size - start))
        return LogPiece(attempt.epoch, start, data, size, attempt.finish is not None)

    def part(self, job_id: str, epoch: int, name: str) -> PartRow:
        """A file of an attempt. Raises NotFoundError."""
        with self._database.read() as session:
            _stored(session, job_id)
            _attempt(session, job_id, epoch)
            found = _parts(session, job_id).get(epoch, ())
        return of_name(found, name)

    def runners(self) -> tuple[RunnerRow, ...]:
        """All that were ever seen, by name."""
        with self._database.read() as session:
            return runner_rows(session, self._clock.now())

    def fleet(self) -> Fleet:
        """All that are in service, as `app.jobs.here` compares them."""
        with self._database.read() as session:
            return tuple(box(item) for item in _in_service(session, self._clock.now()))

    def approvals(self) -> tuple[ApprovalRow, ...]:
        """All that were ever given, the newest first."""
        with self._database.read() as session:
            return approval_rows(session)


def job_detail(session: Session, job_id: str, now: dt.datetime) -> JobDetail:
    """Raises NotFoundError."""
    stored = _stored(session, job_id)
    plan, needs = Plan.model_validate_json(stored.plan), Needs.model_validate_json(stored.needs)
    of_job = sa.select(MEASUREMENT.c.id).where(MEASUREMENT.c.job_id == job_id).order_by(MEASUREMENT.c.number)
    waits = stored.state in ("awaiting_approval", "queued")
    return JobDetail(
        row=_row(stored, _counted(session, [job_id])),
        plan=plan,
        assumptions=assumptions_of(stored.assumptions),
        needs=needs,
        launches=_launches(session, stored, plan, now),
        attempts=_attempts(session, job_id),
        measurement_id=session.connection().execute(of_job).scalars().first(),
        lacking=_lacking(session, stored, needs, now) if waits else {},
    )


def approval_rows(session: Session) -> tuple[ApprovalRow, ...]:
    rows = session.connection().execute(sa.select(APPROVAL).order_by(APPROVAL.c.id.desc())).all()
    return tuple(_approval(row) for row in rows)


def _launches(session: Session, job: sa.Row[Any], plan: Plan, now: dt.datetime) -> tuple[LaunchRow, ...]:
    digests = needing(job.plan)
    if not digests:
        return ()
    rows, asked = approval_rows(session), launches(plan)
    given = {row.digest: row for row in reversed(rows) if row.revoked_at is None and row.expires_at > now}
    return tuple(launch_row(key, asked[key], given.get(key), rows) for key in digests)


def before(table: sa.Table, cursor: str | None, limit: int) -> list[sa.ColumnElement[bool]]:
    """What a page of the newest first leaves out. Raises InvalidInputError for a cursor or limit that cannot be."""
    if not 1 <= limit <= LONGEST_PAGE:
        message = f"a page has 1 to {LONGEST_PAGE} items"
        raise InvalidInputError(message, [{"field": "limit", "message": message}])
    if cursor is None:
        return []
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 9):
        message = "this cursor belongs to another list; leave it out to begin at the first page"
        raise InvalidInputError(message, [{"field": "cursor", "message": message}])
    return [table.c.number < int(cursor)]


def of_name(parts: Iterable[PartRow], name: str) -> PartRow:
    """Raises NotFoundError."""
    found = next((part for part in parts if part.name == name), None)
    if found is None:
        message = f"there is no part `{name[:80]}`"
        raise NotFoundError(message, [{"field": "name", "message": message}])
    return found


def parts_of_attempt(session: Session, job_id: str, epoch: int) -> tuple[PartRow, ...]:
    return _parts(session, job_id).get(epoch, ())


def _stored(session: Session, job_id: str) -> sa.Row[Any]:
    if could_be_id(job_id):
        found = session.connection().execute(sa.select(JOB).where(JOB.c.id == job_id)).first()
        if found is not None:
            return found
    raise no_job(job_id)


def _attempt(session: Session, job_id: str, epoch: int) -> sa.Row[Any]:
    found = None
    if 1 <= epoch < 2**31:
        asked = sa.select(ATTEMPT).where(ATTEMPT.c.job_id == job_id, ATTEMPT.c.epoch == epoch)
        found = session.connection().execute(asked).first()
    if found is None:
        message = f"the job has no attempt {epoch}"
        raise NotFoundError(message, [{"field": "epoch", "message": message}])
    return found


def _newest(session: Session, job_id: str) -> sa.Row[Any] | None:
    asked = sa.select(ATTEMPT).where(ATTEMPT.c.job_id == job_id).order_by(ATTEMPT.c.epoch.desc()).limit(1)
    return session.connection().execute(asked).first()


def _counted(session: Session, jobs: Sequence[str]) -> dict[str, tuple[int, int]]:
    """By job, how many runs its measurement has, and how many of them are results."""
    columns = (MEASUREMENT.c.job_id, MEASUREMENT.c.runs, MEASUREMENT.c.usable)
    asked = sa.select(*columns).where(MEASUREMENT.c.job_id.in_(jobs)).order_by(MEASUREMENT.c.number.desc())
    return {row.job_id: (row.runs, row.usable) for row in session.connection().execute(asked).all()}


def _row(stored: sa.Row[Any], counted: dict[str, tuple[int, int]]) -> JobRow:
    given = stored._mapping
    made = ("priority", "plan", "runs", "usable")
    named = {name: given[name] for name in JobRow.__dataclass_fields__ if name not in made}
    named["runs"], named["usable"] = counted.get(stored.id, (None, None))
    if stored.state in TERMINAL:  # its last heartbeat was sent before it was done
        named |= {"phase": None, "note": "", "done": stored.total if stored.state == "succeeded" else stored.done}
    return JobRow(**named, priority=-stored.rank, plan=Plan.model_validate_json(stored.plan))


def _attempts(session: Session, job_id: str) -> tuple[AttemptRow, ...]:
    asked = sa.select(ATTEMPT).where(ATTEMPT.c.job_id == job_id).order_by(ATTEMPT.c.epoch)
    parts = _parts(session, job_id)
    rows = []
    for number, row in enumerate(session.connection().execute(asked).all(), 1):
        given = row._mapping
        made = ("number", "finish", "parts")
        named = {name: given[name] for name in AttemptRow.__dataclass_fields__ if name not in made}
        finish = json.loads(row.finish) if row.finish else None
        rows.append(AttemptRow(**named, number=number, finish=finish, parts=parts.get(row.epoch, ())))
    return tuple(rows)


def _parts(session: Session, job_id: str) -> dict[int, tuple[PartRow, ...]]:
    asked = sa.select(PART).where(PART.c.job_id == job_id).order_by(PART.c.epoch, PART.c.name)
    found: dict[int, tuple[PartRow, ...]] = {}
    for row in session.connection().execute(asked).all():
        found[row.epoch] = (*found.get(row.epoch, ()), PartRow(row.name, row.sha256, row.size))
    return found


def _lacking(session: Session, job: sa.Row[Any], needs: Needs, now: dt.datetime) -> dict[str, list[str]]:
    """By runner, why it does not take a job that waits; of one that waits for approval, why it would not after it."""
    asked = sa.select(REFUSAL).where(REFUSAL.c.job_id == job.id)
    refusals = {row.runner: row for row in session.connection().execute(asked).all()}
    approved = job.approved or job.state == "awaiting_approval"
    found = {}
    for runner in _in_service(session, now):
        found[runner.name] = _reasons(runner, needs, approved=approved)
        refusal = refusals.get(runner.name)
        if refusal is not None and refusal.boot_id == runner.boot_id:
            said = refusal.message or _("without a reason")
            refused = _("it was given this job and gave it back: {said}")
            found[runner.name].append(refused.format(said=said))
    return found


def _in_service(session: Session, now: dt.datetime) -> list[RunnerRow]:
    return [item for item in runner_rows(session, now) if item.standing != "retired"]


def _reasons(runner: RunnerRow, needs: Needs, *, approved: bool) -> list[str]:
    return [*lacks(needs, runner.capabilities, approved=approved), *_closed(runner)]


def _closed(runner: RunnerRow) -> list[str]:
    found = []
    if runner.quarantine:
        found.append(_("it is in quarantine: {why}").format(why=runner.quarantine))
    if runner.trouble:
        found.append(_("it says that it may measure nothing: {why}").format(why=runner.trouble))
    if runner.draining or runner.drain_asked:
        found.append(_("it ends what it has and takes no more"))
    if runner.standing == "away":
        found.append(_("it was last seen {at}").format(at=moment(runner.seen_at)))
    return found


def _approval(row: sa.Row[Any]) -> ApprovalRow:
    return ApprovalRow(**{name: row._mapping[name] for name in ApprovalRow.__dataclass_fields__})
