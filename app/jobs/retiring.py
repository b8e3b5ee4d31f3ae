"""A runner is taken out of service for good: what it has goes back, and it is given nothing more. Its row stays, for
its jobs and measurements name it. Inside the caller's transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.errors import ForbiddenError, NotFoundError
from app.jobs.ends import lost
from app.jobs.states import ACTIVE
from app.jobs.store import JOB, RUNNER, alone, settle

if TYPE_CHECKING:
    import datetime as dt

    from sqlmodel import Session

    from app.cards.store import Writer

OF_TOKEN = sa.select(RUNNER).where(RUNNER.c.token_id == sa.bindparam("token")).order_by(RUNNER.c.name)


def retire(session: Session, name: str, by: Writer, now: dt.datetime, *, second: bool) -> None:
    """Twice is as once. Raises NotFoundError, ForbiddenError."""
    if not by.maintains:
        raise ForbiddenError("to retire a runner needs the scope `maintain`")
    alone(session)
    here = RUNNER.c.name == name
    stored = session.connection().execute(sa.select(RUNNER).where(here)).first()
    if stored is None:
        raise NotFoundError(f"there is no runner `{name[:80]}`")
    if stored.retired_at is not None:
        return
    session.connection().execute(sa.update(RUNNER).where(here).values(retired_at=now, retired_by=by.name))
    had = sa.select(JOB).where(JOB.c.runner == name, JOB.c.state.in_(ACTIVE)).order_by(JOB.c.number)
    lost(session, session.connection().execute(had).all(), now)
    settle(session, now, second=second)


def refuse_retired(runner: sa.Row[Any]) -> None:
    """Raises ForbiddenError where that runner was retired."""
    if runner.retired_at is not None:
        raise ForbiddenError(
            f"the runner `{runner.name}` was retired by {runner.retired_by} on {runner.retired_at:%Y-%m-%d}: it is "
            "given nothing more, nor is its token under another name. Stop it; a maintainer can let it take jobs "
            "again, and a new runner takes a new token (`benchcard token create --scope runner`)"
        )


def refuse_token_of_retired(session: Session, token: str) -> None:
    """Of a name that nobody has yet. Raises ForbiddenError where every runner of that token was retired."""
    known = session.connection().execute(OF_TOKEN, {"token": token}).all()
    if all(runner.retired_at is not None for runner in known):
        for runner in known:
            refuse_retired(runner)
