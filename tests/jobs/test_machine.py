"""The real store beside the model of what it promises, in every order of calls that Hypothesis thinks of; and planted
bugs, each of which must break the very promise that it is against: what merely crashes is not found."""

from __future__ import annotations

import datetime as dt
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from app.db import Database
from app.errors import ConflictError, LeaseLostError, OtherBytesError
from app.jobs import leases, states
from app.jobs.leases import ATTEMPT
from app.jobs.store import JOB, RUNNER, NewJob, submit
from app.jobs.sweeping import put_back
from app.replay.store import ReplayKey, Reply, once
from tests.conftest import StillClock
from tests.jobs.bugs import BUGS
from tests.jobs.factories import ANA, RANDOM, Queue, attach_plan, queue_in
from tests.jobs.model import Job, Model, Promise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlmodel import Session

    from tests.jobs.model import Outcome

FULL = bool(os.environ.get("BENCHCARD_TEST_LONG"))
EXAMPLES, STEPS = (300, 30) if FULL else (25, 30)
NAMES = st.sampled_from(["one", "two", "three"])
OUTCOMES: st.SearchStrategy[Outcome] = st.sampled_from(
    ["succeeded", "bad_flag", "not_allowed", "not_here", "port_in_use", "port_in_use", "runner_stopped", "cancelled"]
)
PLACE = st.integers(0, 10**6)


class BrokenError(AssertionError):
    """What the store did is not what it promises."""

    def __init__(self, promise: Promise, found: object, promised: object) -> None:
        super().__init__(f"{promise}: {found!r} in place of {promised!r}")
        self.promise = promise


def keeps(promise: Promise, found: object, promised: object) -> None:
    if found != promised:
        raise BrokenError(promise, found, promised)


class Machine(RuleBasedStateMachine):
    """Every rule does one thing to both and compares the answers."""

    queue: Queue

    @initialize()
    def empty(self) -> None:
        self.model = Model()
        self.requests: dict[str, dict[str, Any]] = {}
        self.answers: dict[str, tuple[str, int] | None] = {}
        self.submitted: dict[str, str] = {}
        self.ended: dict[str, str] = {}
        self.queue.clock.moment = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
        self.queue.database.write(clear)

    def attempt(self, place: int) -> tuple[Job, int]:
        known = [(job, epoch) for job in self.model.jobs.values() for epoch in range(1, job.epoch + 1)]
        return known[place % len(known)]

    def has_attempts(self) -> bool:
        return any(job.epoch for job in self.model.jobs.values())

    @rule(rank=st.integers(-1, 1))
    def submit(self, rank: int) -> None:
        key = self.queue.key()
        job = self.submit_under(key, rank)
        keeps("a submission is one job", job in self.model.jobs, False)
        self.submitted[key] = job
        self.model.jobs[job] = Job(job, rank)

    @precondition(lambda self: self.submitted)
    @rule(place=PLACE)
    def submit_again(self, place: int) -> None:
        key = list(self.submitted)[place % len(self.submitted)]
        keeps("a submission is one job", self.submit_under(key, 0), self.submitted[key])

    def submit_under(self, key: str, rank: int) -> str:
        now = self.queue.clock.now()

        def work(session: Session) -> Reply:
            return Reply(201, submit(session, NewJob(attach_plan(), priority=-rank), ANA, now, RANDOM, second=False))

        return once(self.queue.database, ReplayKey.of("ana", key, "submit"), now, work)[0].body

    @rule(name=NAMES, boot=st.sampled_from(["", "", "", "new", "old"]))
    def lease(self, name: str, boot: str) -> None:
        known = self.model.runners[name].boots if name in self.model.runners else [f"boot-{name}"]
        boots = {"new": self.queue.key(), "old": known[0], "": known[-1]}
        request = {"runner": name, "boot_id": boots[boot], "request_id": self.queue.key()}
        held = self.model.held(name, boots[boot])
        expected = self.model.lease(name, boots[boot])
        keeps("a lease is given as the queue stands", self.leased(request), expected)
        if not isinstance(expected, str) and not (held and expected):  # what is given anew
            self.requests[request["request_id"]] = request
            self.answers[request["request_id"]] = expected

    @rule(name=NAMES, outcome=OUTCOMES)
    def work(self, name: str, outcome: Outcome) -> None:
        """A runner takes a job, begins and ends."""
        self.submit(0)
        for job in self.begun(name):
            self.end(job, job.epoch, outcome)

    @rule(name=NAMES)
    def lose(self, name: str) -> None:
        """A runner takes a job, begins, and is heard of again when its lease is over."""
        taken = self.begun(name)
        self.wait(91)
        for job in taken:
            self.beats(job, job.epoch)

    def begun(self, name: str) -> list[Job]:
        """What a runner took and began just now."""
        before = {job.id: job.epoch for job in self.model.jobs.values()}
        self.lease(name, "")
        taken = [job for job in self.model.jobs.values() if job.epoch > before[job.id]]
        for job in taken:
            self.starts(job, job.epoch)
        return taken

    @precondition(lambda self: self.requests)
    @rule(place=PLACE)
    def lease_again(self, place: int) -> None:
        """A retry of the newest process, whose answer was lost: only what was given is given again."""
        request = self.requests[list(self.requests)[place % len(self.requests)]]
        runner = self.model.runners[request["runner"]]
        given = self.answers[request["request_id"]]
        if given is None or request["boot_id"] != runner.boots[-1]:
            return
        self.model.expire()
        keeps("a lease asked for again is the same", self.leased(request), given)

    def leased(self, request: dict[str, Any]) -> object:
        try:
            assignment = self.queue.lease(**request).assignment
        except LeaseLostError:
            return "lost"
        except ConflictError:
            return "busy"
        return assignment and (assignment.job_id, assignment.epoch)

    @precondition(has_attempts)
    @rule(place=PLACE)
    def start(self, place: int) -> None:
        self.starts(*self.attempt(place))

    def starts(self, job: Job, epoch: int) -> None:
        said = told(lambda: self.queue.start(job.id, epoch))
        keeps("a lease that is over is lost", said, self.model.start(job, epoch))

    @precondition(has_attempts)
    @rule(place=PLACE)
    def beat(self, place: int) -> None:
        self.beats(*self.attempt(place))

    def beats(self, job: Job, epoch: int) -> None:
        said = told(lambda: self.queue.beat(job.id, epoch))
        keeps("a lease that is over is lost", said, self.model.beat(job, epoch))

    @precondition(has_attempts)
    @rule(place=PLACE, outcome=OUTCOMES)
    def finish(self, place: int, outcome: Outcome) -> None:
        self.end(*self.attempt(place), outcome)

    def end(self, job: Job, epoch: int, outcome: Outcome) -> None:
        said = self.finished(job, epoch, outcome)
        keeps("an end is the current attempt's alone", said, self.model.finish(job, epoch, outcome))

    @precondition(lambda self: any(job.epoch > 1 for job in self.model.jobs.values()))
    @rule(outcome=OUTCOMES, newest=st.booleans())
    def finish_late(self, outcome: Outcome, newest: bool) -> None:
        """An attempt that another one took the place of."""
        old = [job for job in self.model.jobs.values() if job.epoch > 1]
        job = old[-1] if newest else old[0]
        self.end(job, job.epoch - 1, outcome)

    @precondition(lambda self: self.model.ends)
    @rule(place=PLACE)
    def finish_again(self, place: int) -> None:
        (job, epoch), (outcome, answer) = list(self.model.ends.items())[place % len(self.model.ends)]
        said = self.finished(self.model.jobs[job], epoch, outcome)
        keeps("an end is the current attempt's alone", said, answer)

    def finished(self, job: Job, epoch: int, outcome: Outcome) -> str | None:
        state: dict[str, Any] = {"state": outcome} if outcome in ("succeeded", "cancelled") else {"failure": outcome}
        try:
            return self.queue.finish(job.id, epoch, **state)
        except OtherBytesError:
            return "other bytes"
        except ConflictError:
            return "conflict"

    @precondition(lambda self: self.model.jobs)
    @rule(place=PLACE)
    def cancel(self, place: int) -> None:
        job = list(self.model.jobs.values())[place % len(self.model.jobs)]
        try:
            self.queue.cancel(job.id)
            said = "done"
        except ConflictError:
            said = "conflict"
        keeps("a cancel is answered by the state", said, self.model.cancel(job))

    @rule(seconds=st.sampled_from([1, 29, 30, 31, 89, 90, 91]))
    def wait(self, seconds: int) -> None:
        self.queue.later(seconds)
        self.model.now += seconds

    @rule()
    def sweep(self) -> None:
        """What the server does by itself while no runner asks."""
        put_back(self.queue.database, self.queue.clock.now(), second=False)
        self.model.expire()

    @invariant()
    def both_are_alike(self) -> None:
        with self.queue.database.read() as session:
            jobs = session.connection().execute(sa.select(JOB.c.id, JOB.c.state, JOB.c.epoch, JOB.c.attempts)).all()
            results = session.connection().execute(sa.select(ATTEMPT.c.job_id).where(ATTEMPT.c.is_result)).scalars()
            shut = session.connection().execute(sa.select(RUNNER.c.name).where(RUNNER.c.quarantine.is_not(None)))
            found, shut_out = list(results), set(shut.scalars())
        model = {(job.id, job.state, job.epoch, job.attempts) for job in self.model.jobs.values()}
        for job in jobs:
            keeps("a terminal state stays", job.state, self.ended.get(job.id, job.state))
        keeps("a job has one result", len(found), len(set(found)))
        keeps("attempts are limited", max((job.attempts for job in jobs), default=0) <= states.MOST_ATTEMPTS, True)
        quarantined = {name for name, runner in self.model.runners.items() if runner.quarantined}
        keeps("runners that fail are shut out", shut_out, quarantined)
        keeps("jobs are where the calls brought them", {tuple(job) for job in jobs}, model)
        for job in jobs:
            if job.state in states.TERMINAL:
                self.ended[job.id] = job.state


def told(call: Callable[[], Any]) -> str:
    try:
        return "cancel" if call().cancel else "on"
    except LeaseLostError:
        return "lost"
    except ConflictError:
        return "conflict"


def clear(session: Session) -> None:
    for name in ("attempt", "refusal", "job", "runner", "reply"):
        session.connection().execute(sa.text(f"DELETE FROM {name}"))


def explore(queue: Queue, examples: int, *, derandomize: bool = False) -> None:
    """Without shrinking: to make a failing order of calls short takes minutes, to read a long one does not."""
    machine: type[Machine] = type("Here", (Machine,), {"queue": queue})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate],
            derandomize=derandomize,
        ),
    )


@pytest.fixture
def fast(sqlite_template: Path) -> Iterator[Queue]:
    """A queue on SQLite in memory, where there is such a folder: what a disk does is not asked here."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        file = Path(folder) / "benchcard.db"
        file.write_bytes(sqlite_template.read_bytes())
        database = Database(f"sqlite:///{file}")
        yield queue_in(database, StillClock(), Path(folder))
        database.close()


def test_the_store_keeps_what_the_model_promises(fast: Queue) -> None:
    explore(fast, EXAMPLES)


@pytest.mark.parametrize(
    "database_url", [pytest.param("postgresql", marks=pytest.mark.xdist_group("postgresql"))], indirect=True
)
def test_postgresql_keeps_the_same_promises(queue: Queue) -> None:
    explore(queue, EXAMPLES // 6)


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_breaks_the_promise_that_it_is_against(
    fast: Queue, monkeypatch: pytest.MonkeyPatch, bug: str
) -> None:
    BUGS[bug].plant(monkeypatch)
    with pytest.raises(BrokenError) as broken:
        explore(fast, 300, derandomize=True)
    assert broken.value.promise in BUGS[bug].against


def test_a_bug_that_merely_crashes_is_not_found(fast: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is an assertion of another's."""

    def crash(*_: object, **__: object) -> None:
        raise AssertionError("not one of the promises")

    monkeypatch.setattr(leases, "_take", crash)
    with pytest.raises(AssertionError, match="not one of the promises") as crashed:
        explore(fast, 25, derandomize=True)
    assert not isinstance(crashed.value, BrokenError)


def test_every_promise_has_a_bug_that_is_against_it() -> None:
    assert set[Promise]().union(*(bug.against for bug in BUGS.values())) == set(get_args(Promise))
