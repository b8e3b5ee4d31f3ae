"""The runner's states against a model of the app, on simulated time: every call lost, late, doubled or refused."""

from __future__ import annotations

import hashlib
import heapq
import itertools
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.protocol.lease import Capabilities, Finish, Finished, LeaseReply, LeaseRequest, Log, Renewal, Stored
from app.protocol.outcome import Outcome
from runners.calls import AskFinish, AskLease, AskStart, Beat, Call, Held, Refused, Said, SendLog, SendPart, Unheard
from runners.events import (
    Action,
    Answered,
    Ask,
    Begin,
    Ended,
    Event,
    Exit,
    Forget,
    Halt,
    Left,
    LogGrew,
    Me,
    Progress,
    Quarantined,
    SetAside,
    Terminated,
    Tick,
)
from runners.machine import Machine
from tests.runners.model_app import ModelApp, ProblemError
from tests.runners.plans import plan

ME = Me("box", "boot-000001", "0.1.0", Capabilities(cpus=2, memory_mib=1024, wall_s=60.0))
NAMES = {AskLease: "lease", AskStart: "start", Beat: "beat", SendLog: "log", SendPart: "part", AskFinish: "finish"}
CALLS = list(NAMES.values())
LOST = ["refused connection", "cut after it was done", "hang", "late"]
DENIED = [401, 409, 422]
TRACE = b"a trace"
LINE = b"one line of the log\n"
WORK_S = 40.0


@dataclass
class World:
    """One runner and one app on one clock. `faults` are used up, one a call of their kind."""

    app: ModelApp = field(default_factory=ModelApp)
    faults: list[tuple[str, str | int]] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    work_s: float = WORK_S
    now: float = 0.0
    done: list[Action] = field(default_factory=list)
    exit: Exit | None = None

    def __post_init__(self) -> None:
        ids = itertools.count(1)
        self.machine = Machine(ME, self.left, dice=lambda: 0.5, fresh=lambda: f"request-{next(ids)}")
        self.queue: list[tuple[float, int, Event]] = []
        self.order = itertools.count()
        self.running: tuple[Held, int] | None = None
        self.log: dict[Held, bytes] = {item.held: LINE for item in self.left}
        self.feed(Tick())

    def at(self, delay: float, event: Event) -> None:
        heapq.heappush(self.queue, (self.now + delay, next(self.order), event))

    def feed(self, event: Event) -> None:
        for action in self.machine.handle(event, self.now):
            self.done.append(action)
            match action:
                case Ask(call):
                    self.ask(call)
                case Begin(assignment):
                    held = Held(assignment.job_id, assignment.epoch)
                    job = self.app.jobs[held.job_id]
                    assert (job.state, job.epoch) == ("running", held.epoch), "begun before `start` was taken"
                    assert self.running is None, "two at a time"
                    self.begin(held)
                case Halt(reason):
                    assert self.running is not None
                    outcome = (
                        Outcome(state="cancelled") if reason == "cancelled" else Outcome(state="failed", failure=reason)
                    )
                    self.end(self.running[0], outcome, 2.0)
                case Exit():
                    self.exit = action

    def begin(self, held: Held) -> None:
        self.running = (held, next(self.order))
        self.log[held] = LINE
        self.at(0.1, Progress("measuring", 1, 2, "half"))
        self.at(0.2, LogGrew(len(LINE)))
        self.log[held] += LINE
        self.end(held, Outcome(state="succeeded"), self.work_s)

    def end(self, held: Held, outcome: Outcome, delay: float) -> None:
        if delay < self.work_s:  # halted: what was to come does not
            self.queue = [item for item in self.queue if not isinstance(item[2], Ended)]
            heapq.heapify(self.queue)
        log = Log(size=len(self.log[held]), sha256=hashlib.sha256(self.log[held]).hexdigest())
        parts = {"t.parquet": hashlib.sha256(TRACE).hexdigest()}
        finish = Finish(epoch=held.epoch, request_id=f"finish-{held.epoch}", outcome=outcome, parts=parts, log=log)
        self.at(delay, Ended(held, finish))

    def ask(self, call: Call) -> None:
        name = NAMES[type(call)]
        fault = next((item for item in self.faults if item[0] == name), None)
        if fault:
            self.faults.remove(fault)
        match fault:
            case (_, "refused connection"):
                self.at(0.01, Answered(call, Unheard("refused"), self.now))
            case (_, "cut after it was done"):
                self.take(call)
                self.at(0.02, Answered(call, Unheard("cut"), self.now))
            case (_, "hang"):
                self.take(call)
                self.at(20.0, Answered(call, Unheard("no answer within 20 s"), self.now))
            case (_, "late"):
                self.at(19.0, Answered(call, self.take(call), self.now))
            case (_, int(status)):
                code = "lease_lost" if status == 409 else "wrong"
                if name == "beat" and status == 409:
                    self.app.jobs[call.held.job_id].state = "queued"  # type: ignore[union-attr]  # so it is said in truth
                self.at(0.01, Answered(call, Refused(status, code, "no"), self.now))
            case _:
                self.at(0.02, Answered(call, self.take(call), self.now))

    def take(self, call: Call) -> Said | Refused:
        try:
            return Said(self.taken(call))
        except ProblemError as error:
            return Refused(error.status, error.code, error.code, error.expected)

    def taken(self, call: Call) -> LeaseReply | Renewal | Stored | Finished:
        app = self.app
        if isinstance(call, AskLease):
            return app.lease(call.request, self.now)
        name, epoch = call.held.job_id, call.held.epoch
        match call:
            case AskStart(_, start):
                return app.start(name, start, self.now)
            case Beat(_, beat):
                return app.beat(name, beat, self.now)
            case SendLog(held, offset):
                return app.log(name, epoch, offset, self.log[held][offset : offset + 7])
            case SendPart(_, part):
                return app.part(name, epoch, part, TRACE)
        return app.finish(name, call.finish, self.now)

    def run(self, until: float) -> None:
        while self.exit is None:
            due = self.machine.due
            first = self.queue[0][0] if self.queue else None
            moment = min(item for item in (due, first, until) if item is not None)
            if moment >= until:
                return
            self.now = max(self.now, moment)
            self.check()
            if first is not None and first <= self.now:
                event = heapq.heappop(self.queue)[2]
                if isinstance(event, Ended):
                    self.running = None
                self.feed(event)
            else:
                self.feed(Tick())

    def check(self) -> None:
        """Nothing runs here that the app may have given to another."""
        if self.running is not None:
            job = self.app.jobs[self.running[0].job_id]
            assert self.now <= job.until, "it ran on after its lease"

    def of(self, kind: type) -> list[Action]:
        return [action for action in self.done if isinstance(action, kind)]


def with_job(**more: object) -> World:
    app = ModelApp()
    app.add("j1", plan())
    return World(app, **more)  # type: ignore[arg-type]


def test_a_job_goes_through_and_nothing_is_kept() -> None:
    world = with_job()
    world.run(200)
    job = world.app.jobs["j1"]
    assert (job.state, job.epoch, job.results) == ("succeeded", 1, [1])
    assert bytes(world.app.logs["j1", 1]) == LINE * 2
    assert world.of(Forget) == [Forget(Held("j1", 1))]
    assert {beat.phase for beat in world.app.beats} >= {"measuring"}
    assert world.app.beats[-1].note == "half"


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("times", [1, 2])
def test_a_call_that_is_lost_is_made_again_and_nothing_is_doubled(call: str, fault: str, times: int) -> None:
    world = with_job(faults=[(call, fault)] * times)
    world.run(2000)
    job = world.app.jobs["j1"]
    assert (job.state, len(job.results)) == ("succeeded", 1)
    assert len(world.of(Forget)) == len(world.of(Begin))
    late = (call, fault, times) == ("lease", "hang", 2)  # longer than a lease waits for its acknowledgement
    assert len(world.of(Begin)) == job.epoch - late


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("status", DENIED)
def test_a_refusal_ends_what_it_refuses_and_nothing_else(call: str, status: int) -> None:
    world = with_job(faults=[(call, status)])
    world.run(2000)
    if (call, status) in {("lease", 401), ("lease", 409)}:  # no such token; a newer process has this one's place
        assert (world.exit is not None and world.exit.status) == 4
        return
    job = world.app.jobs["j1"]
    assert len(world.of(Forget)) == len(world.of(Begin))
    assert (job.state, len(job.results)) == ("succeeded", 1), "the job is done, here or in another attempt"
    assert world.exit is None


@pytest.mark.parametrize(("call", "status"), [("log", 422), ("part", 409), ("finish", 422), ("finish", 404)])
def test_what_the_app_never_takes_is_put_aside_and_the_next_job_goes_on(call: str, status: int) -> None:
    world = with_job(faults=[(call, status)] * (5 if call == "log" else 4))
    world.run(2000)
    assert [action.held for action in world.of(SetAside) if isinstance(action, SetAside)] == [Held("j1", 1)]
    assert (world.app.jobs["j1"].state, world.app.jobs["j1"].results) == ("succeeded", [2])


faults = st.lists(st.tuples(st.sampled_from(CALLS), st.sampled_from(LOST)), max_size=30)


@settings(max_examples=100, deadline=None)
@given(faults, st.floats(0.5, 400.0), st.booleans())
def test_whatever_is_lost_every_job_ends_once_and_nothing_runs_without_a_lease(
    lost: list[tuple[str, str | int]], work_s: float, cancel: bool
) -> None:
    app = ModelApp(wait_s=200.0)
    for name in ("j1", "j2"):
        app.add(name, plan())
    world = World(app, faults=lost, work_s=work_s)
    if cancel:
        app.jobs["j2"].cancel = True
    world.run(10_000)
    assert [len(job.results) for job in app.jobs.values()] == [1, 1] or any(
        job.state == "cancelled" for job in app.jobs.values()
    )
    assert {job.state for job in app.jobs.values()} <= {"succeeded", "cancelled"}
    assert not world.of(SetAside)
    assert len(world.of(Forget)) == len(world.of(Begin))


def test_what_cannot_be_renewed_is_ended_before_its_lease_is_and_its_evidence_is_sent() -> None:
    world = with_job(faults=[("beat", "refused connection")] * 40, work_s=500.0)
    world.run(95)
    assert world.of(Halt) == [Halt("runner_lost")]
    world.faults.clear()
    world.run(3000)
    job = world.app.jobs["j1"]
    assert world.app.ends["j1", 1].outcome.failure == "runner_lost"
    assert (job.epoch, job.results) == (2, [2])


def test_a_cancel_is_heard_by_the_next_heartbeat() -> None:
    world = with_job(work_s=500.0)
    world.run(20)
    world.app.jobs["j1"].cancel = True
    world.run(20 + 15 + 5)
    assert (world.of(Halt), world.app.jobs["j1"].state) == ([Halt("cancelled")], "cancelled")


def test_a_job_that_was_cancelled_while_it_was_leased_is_begun_and_halted_at_once() -> None:
    world = with_job()
    world.app.jobs["j1"].cancel = True
    world.run(5)
    assert (world.of(Halt), world.app.jobs["j1"].state) == ([Halt("cancelled")], "cancelled")


def test_the_first_signal_waits_for_the_job_and_the_second_does_not() -> None:
    world = with_job()
    world.run(10)
    world.feed(Terminated())
    world.run(500)
    assert world.app.jobs["j1"].state == "succeeded"
    assert world.exit is not None
    assert world.exit.status == 0
    assert world.app.requests[-1].draining
    world = with_job(work_s=500.0)
    world.run(10)
    world.feed(Terminated())
    world.feed(Terminated())
    world.run(30)
    assert (world.of(Halt), world.app.ends["j1", 1].outcome.failure) == ([Halt("runner_stopped")], "runner_stopped")
    assert world.exit is not None


def test_a_signal_while_nothing_runs_says_goodbye() -> None:
    world = World()
    world.run(3)
    world.feed(Terminated())
    world.run(10)
    assert world.exit == Exit(0, "stopped")
    assert [request.draining for request in world.app.requests] == [False, True]


def test_a_runner_that_stops_while_the_app_is_away_leaves_the_end_on_disk() -> None:
    world = with_job(faults=[(call, "refused connection") for call in ("log", "part", "finish") for _ in range(20)])
    world.run(10)
    world.feed(Terminated())
    world.run(300)
    assert world.exit is not None
    assert "kept on disk" in world.exit.why
    assert not world.of(Forget)


def test_an_app_that_asks_to_drain_lets_the_job_end_first() -> None:
    world = with_job()
    world.run(5)
    world.app.drain = True
    world.run(500)
    assert (world.app.jobs["j1"].state, world.exit) == ("succeeded", Exit(0, "stopped"))


def test_what_an_earlier_process_left_is_sent_before_anything_is_asked_for() -> None:
    app = ModelApp()
    app.add("j1", plan())
    app.lease(LeaseRequest(**dict(vars(ME_REQUEST))), 0.0)
    held = Held("j1", 1)
    finish = Finish(
        epoch=1, request_id="finish-left", outcome=Outcome(state="succeeded"),
        parts={"t.parquet": hashlib.sha256(TRACE).hexdigest()},
        log=Log(size=len(LINE), sha256=hashlib.sha256(LINE).hexdigest()),
    )  # fmt: skip
    world = World(app, left=[Left(held, finish, 15.0)])
    world.run(10)
    assert (app.jobs["j1"].results, world.of(Begin)) == ([1], [])
    assert isinstance(world.done[0], Ask)
    assert not isinstance(world.done[0].call, AskLease)


ME_REQUEST = LeaseRequest(
    runner="box", boot_id="boot-before", request_id="request-before", version="0.1.0", capabilities=ME.capabilities
)


def test_a_runner_in_quarantine_says_so_and_asks_on() -> None:
    world = World(ModelApp())
    world.feed(Quarantined("GPU memory did not come back"))
    world.app.add("j1", plan())
    world.run(30)
    assert world.app.requests[-1].quarantine == "GPU memory did not come back"
    assert not world.of(Begin)
    world.feed(Quarantined(None))
    world.run(300)
    assert world.app.jobs["j1"].state == "succeeded"


def test_an_end_whose_answer_was_lost_is_asked_for_again_though_its_bytes_are_taken_no_more() -> None:
    world = with_job(faults=[("finish", "cut after it was done")])
    world.run(60)
    again = World(world.app, left=[left_of(world)])
    taken = again.app.log
    again.app.log = lambda *_: refuse()  # type: ignore[method-assign, assignment]
    again.run(30)
    again.app.log = taken  # type: ignore[method-assign]
    assert (again.of(Forget), again.of(SetAside)) == ([Forget(Held("j1", 1))], [])
    assert world.app.jobs["j1"].results == [1]


def refuse() -> None:
    raise ProblemError(409, "conflict")


def left_of(world: World) -> Left:
    return Left(Held("j1", 1), world.app.ends["j1", 1], 15.0)


def test_idle_runners_do_not_ask_in_step() -> None:
    asked = []
    for dice in (0.0, 0.999):
        machine = Machine(ME, [], dice=lambda dice=dice: dice, fresh=lambda: "request-1")  # type: ignore[misc]
        (ask,) = machine.handle(Tick(), 0.0)
        assert isinstance(ask, Ask)
        machine.handle(Answered(ask.call, Said(ModelApp().lease(ask.call.request, 0.0)), 0.0), 0.0)  # type: ignore[union-attr]
        asked.append(machine.due)
    assert asked == [2.5, pytest.approx(7.5, abs=0.01)]
