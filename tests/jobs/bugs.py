"""Bugs to plant in the queue's code, and the promise that each is against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from app.jobs import ends, leases, states, uploads
from app.jobs.store import JOB
from app.replay import store as replay
from app.statements import Prepared

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from tests.jobs.model import Promise


@dataclass(frozen=True)
class Bug:
    """How to plant it, and the promises that it is against: one of them must be the first to break."""

    plant: Callable[[pytest.MonkeyPatch], None]
    against: set[Promise]


def replaced(module: object, name: str, by: object) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(module, name, by)


def never_ends(patch: pytest.MonkeyPatch) -> None:
    for state in states.TERMINAL:
        patch.setitem(states.NEXT, (state, "cancel"), "cancelled")


def no_replay_of_a_submission(patch: pytest.MonkeyPatch) -> None:
    """Nor does the database stand in for it."""
    patch.setattr(replay, "earlier", lambda *_: None)
    patch.setattr(replay, "INSERT", replay.INSERT.prefix_with("OR REPLACE"))


def ends_itself(patch: pytest.MonkeyPatch) -> None:
    """A job that ended is given out again, as if it were queued."""
    state = sa.or_(JOB.c.state == "queued", JOB.c.state == "succeeded")
    free = sa.select(JOB).where(state).order_by(JOB.c.rank, JOB.c.number)
    patch.setattr(leases, "FREE", Prepared(free))
    patch.setitem(states.NEXT, ("succeeded", "lease"), "leased")


def late_result(patch: pytest.MonkeyPatch) -> None:
    of_log = uploads._of_log
    patch.setattr(uploads, "_of_log", lambda message: {**of_log(message), "is_result": True})


def off_by_one(attempts: int, *, cancel: bool) -> states.Event:
    return states.over(attempts - 1, cancel=cancel)


def ignores_cancel(attempts: int, *, cancel: bool) -> states.Event:
    return states.over(attempts, cancel=False)


ANY_FREE = sa.select(JOB).where(JOB.c.state == "queued").order_by(JOB.c.rank, JOB.c.number)
OWN_END: set[Promise] = {"an end is the current attempt's alone"}
LEASES: set[Promise] = {"a lease is given as the queue stands"}
LOST: set[Promise] = {"a lease that is over is lost"}
WHERE: set[Promise] = {"jobs are where the calls brought them"}
BUGS = {
    "no epoch on finish": Bug(replaced(uploads, "is_current", lambda job, _: job.state in states.ACTIVE), OWN_END),
    "no epoch on heartbeat": Bug(replaced(leases, "is_current", lambda job, _: job.state in states.ACTIVE), LOST),
    "a heartbeat revives an expired lease": Bug(replaced(leases, "is_over", lambda *_: False), LOST),
    "no replay of a lease": Bug(
        replaced(leases, "_again", lambda *_, **__: None), {"a lease asked for again is the same"}
    ),
    "a requeue ignores the cancel": Bug(replaced(ends, "over", ignores_cancel), OWN_END | WHERE),
    "attempts off by one": Bug(replaced(ends, "over", off_by_one), OWN_END | WHERE | {"attempts are limited"}),
    "a terminal state is overwritten": Bug(never_ends, {"a cancel is answered by the state", "a terminal state stays"}),
    "a job that succeeded is given out again": Bug(ends_itself, LEASES | {"a terminal state stays"}),
    "another end is accepted as the same": Bug(replaced(uploads, "is_same", lambda *_: True), OWN_END),
    "a late end is a result too": Bug(late_result, {"a job has one result"}),
    "no sweep": Bug(replaced(leases, "sweep", lambda *_: 0), LEASES | WHERE),
    "a submission sent twice is two jobs": Bug(no_replay_of_a_submission, {"a submission is one job"}),
    "no quarantine": Bug(
        replaced(ends, "MOST_FAILURES", 10**6), LEASES | OWN_END | WHERE | {"runners that fail are shut out"}
    ),
    "a process takes a second job": Bug(replaced(leases, "_given", leases._take), LEASES),
    "who refused a job is given it again": Bug(replaced(leases, "FREE", Prepared(ANY_FREE)), LEASES),
    "an old process comes back": Bug(replaced(leases, "_follow", lambda *_: "[]"), LEASES),
}
