"""The runners as they stand: which of them are up, and why the others get nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import SQLModel

import app.jobs.tables  # noqa: F401 (declares them)
from app.jobs.rows import RunnerRow
from app.jobs.states import ACTIVE, LEASE
from app.protocol.lease import Capabilities

if TYPE_CHECKING:
    import datetime as dt

    from sqlmodel import Session

    from app.jobs.rows import Standing

JOB, RUNNER = SQLModel.metadata.tables["job"], SQLModel.metadata.tables["runner"]
UP_FOR = LEASE  # from when a runner was last seen: it asks for work every 5 s, or its job's heartbeat comes every 15 s
HAD = sa.select(JOB.c.runner, JOB.c.id, JOB.c.beat_at).where(JOB.c.state.in_(ACTIVE)).order_by(JOB.c.number)
ALL = sa.select(RUNNER).order_by(RUNNER.c.name)
MADE = ("capabilities", "jobs", "seen_at", "standing")
NAMED = [name for name in RunnerRow.__dataclass_fields__ if name not in MADE]


def runner_rows(session: Session, now: dt.datetime) -> tuple[RunnerRow, ...]:
    """All that were ever seen, by name."""
    jobs: dict[str, tuple[str, ...]] = {}
    seen: dict[str, dt.datetime] = {}
    for name, job_id, beat_at in session.connection().execute(HAD).all():
        jobs[name] = (*jobs.get(name, ()), job_id)
        if beat_at:
            seen[name] = max(beat_at, seen.get(name, beat_at))
    return tuple(
        _row(stored, jobs.get(stored.name, ()), max(stored.seen_at, seen.get(stored.name, stored.seen_at)), now)
        for stored in session.connection().execute(ALL).all()
    )


def _row(stored: sa.Row[Any], jobs: tuple[str, ...], seen_at: dt.datetime, now: dt.datetime) -> RunnerRow:
    return RunnerRow(
        **{name: stored._mapping[name] for name in NAMED},
        capabilities=_capabilities(stored.capabilities),
        jobs=jobs,
        seen_at=seen_at,
        standing="busy" if jobs and is_up(stored, seen_at, now) else standing(stored, seen_at, now),
    )


def standing(stored: sa.Row[Any], seen_at: dt.datetime, now: dt.datetime) -> Standing:
    """Of a runner without a job."""
    if stored.retired_at is not None:
        return "retired"
    if stored.quarantine is not None or stored.trouble is not None:
        return "quarantined"
    if now - seen_at > UP_FOR:
        return "away"
    return "draining" if stored.draining or stored.drain_asked else "free"


def is_up(stored: sa.Row[Any], seen_at: dt.datetime, now: dt.datetime) -> bool:
    """Whether it takes jobs now, one after the other."""
    return standing(stored, seen_at, now) == "free"


@lru_cache(maxsize=200)
def _capabilities(text: str) -> Capabilities:
    return Capabilities.model_validate_json(text)
