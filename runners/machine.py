"""The runner's side of the lease as states: events in, actions out. Pure: time, dice and ids are given.

One job at a time: leased -> acknowledged by `start` -> running -> its end delivered. Two lanes carry calls, one at a
time each: one for the lease, so that heartbeats never wait behind a large trace, and one for log, parts and the end.
Nothing runs before `start` was answered, and nothing goes on running when the lease could not be renewed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.protocol.lease import Heartbeat, LeaseReply, LeaseRequest, Renewal, Start
from runners.calls import AskFinish, AskLease, AskStart, Beat, Held, Refused, Retry, Said, SendLog, SendPart, Unheard
from runners.delivery import Delivery
from runners.events import (
    Answered,
    Ask,
    Begin,
    Ended,
    Exit,
    Forget,
    Halt,
    LogGrew,
    Note,
    Progress,
    Quarantined,
    SetAside,
    Terminated,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.protocol.lease import Assignment
    from runners.calls import Answer, Call
    from runners.events import Action, Event, Left, Me, Reason

MARGIN_S = 10.0  # before the end of a lease, for ending what runs under it
LEASE_MOST_S = 60.0
LEAVING_FAILURES = 3  # calls in a row that fail before a leaving runner trusts its disk instead
NO_ACCESS = 4  # exit status


@dataclass(slots=True)
class _Job:
    held: Held
    delivery: Delivery
    beat_s: float
    starts: tuple[Assignment, Start, float] | None = None  # until `start` is answered: with when its lease ends at last
    asks: Retry = field(default_factory=lambda: Retry(LEASE_MOST_S))  # of `start`, later of heartbeats
    until: float | None = None  # when the lease ends; None: not known
    lost: bool = False
    halted: bool = False
    progress: Progress = field(default_factory=lambda: Progress("preparing"))


class Machine:
    """Feed `handle` with events; do what it returns; feed a Tick when `due` has come."""

    def __init__(self, me: Me, left: Sequence[Left], *, dice: Callable[[], float], fresh: Callable[[], str]) -> None:
        """`dice` gives numbers from 0 to 1, `fresh` a new request id each time."""
        self.due: float | None = None
        self._me, self._dice, self._fresh = me, dice, fresh
        self._left = list(left)
        self._lane: Call | None = None
        self._data: Call | None = None
        self._job: _Job | None = None
        self._lease = Retry(LEASE_MOST_S)
        self._request: LeaseRequest | None = None  # asked and not answered
        self._quarantine: str | None = None
        self._accepted = False  # the app has taken a call of this process
        self._leaving = 0  # how often it was asked to stop
        self._goodbye = False
        self._out: list[Action] = []

    def handle(self, event: Event, now: float) -> list[Action]:
        """`now` is a clock that never goes back and counts while the machine sleeps, in seconds."""
        self._out, self.due = [], None
        job = self._job
        match event:
            case Answered(call, answer, sent_at):
                self._answered(call, answer, sent_at, now)
            case Progress() if job and job.delivery.open:
                job.progress = event
            case LogGrew(size) if job and job.delivery.open:
                job.delivery.grew(size)
            case Ended(held, finish) if job and job.held == held:
                job.delivery.close(finish)
                job.progress = Progress("uploading")
            case Terminated():
                self._terminated()
            case Quarantined(reason):
                self._quarantine = reason
        self._pump(now)
        return self._out

    def _terminated(self) -> None:
        self._leaving += 1
        if self._job is not None and self._job.delivery.open and self._job.starts is None:
            if self._leaving == 1:
                self._note(f"stopping after job {self._job.held}; once more stops it now")
            else:
                self._halt(self._job, "runner_stopped")

    # What is due

    def _pump(self, now: float) -> None:
        job = self._job
        if job is not None and job.delivery.over is not None:
            self._close(job)
            self._lease.good(now)
            job = None
        if job is None and self._left and not self._leaving:
            left = self._left.pop(0)
            job = self._job = _Job(left.held, Delivery(left.held, left.finish), left.beat_s)
        if job is None:
            self._pump_idle(now)
        elif job.starts is not None:
            self._pump_start(job, job.starts, now)
        else:
            self._pump_lease(job, now)
            self._pump_delivery(job, now)

    def _close(self, job: _Job) -> None:
        done = job.delivery.over == "done"
        self._out.append(Forget(job.held) if done else SetAside(job.held, job.delivery.why))
        self._job = None

    def _pump_idle(self, now: float) -> None:
        if self._leaving > 1 or (self._goodbye and self._lane is None):
            self._exit(0, "stopped")
        elif self._lane is None and (self._leaving or self._ready(self._lease.at, now)):
            self._goodbye = bool(self._leaving)
            if self._request is None or self._leaving:
                self._request = self._lease_request()
            self._ask(AskLease(self._request))

    def _lease_request(self) -> LeaseRequest:
        return LeaseRequest(
            runner=self._me.runner,
            boot_id=self._me.boot_id,
            request_id=self._fresh(),
            version=self._me.version,
            capabilities=self._me.capabilities,
            draining=bool(self._leaving),
            quarantine=self._quarantine,
        )

    def _pump_start(self, job: _Job, starts: tuple[Assignment, Start, float], now: float) -> None:
        _, start, until = starts
        if self._leaving > 1 or self._ready(until - 2 * _margin(job), now):
            self._note(f"job {job.held} was not begun, and is free again")
            self._job = None
            self._pump(now)
        elif self._lane is None and self._ready(job.asks.at, now):
            self._ask(AskStart(job.held, start))

    def _pump_lease(self, job: _Job, now: float) -> None:
        if job.delivery.open and job.until is not None and self._ready(job.until - _margin(job), now):
            self._lose(job, "could not be renewed in time")
        if not job.lost and self._lane is None and self._ready(job.asks.at, now):
            said = job.progress
            done = min(said.done, said.total)  # counted while the other was told
            beat = Heartbeat(epoch=job.held.epoch, phase=said.phase, done=done, total=said.total, note=said.note[:4000])
            self._ask(Beat(job.held, beat))

    def _pump_delivery(self, job: _Job, now: float) -> None:
        delivery = job.delivery
        limit = LEAVING_FAILURES if self._leaving == 1 else 1
        if self._leaving and not delivery.open and delivery.retry.failures >= limit:
            self._exit(0, f"the app does not take job {job.held} now; it is kept on disk and sent at the next start")
        elif self._data is None and (call := delivery.next()) is not None and self._ready(delivery.retry.at, now):
            self._data = call
            self._out.append(Ask(call))

    def _ready(self, at: float, now: float) -> bool:
        """Whether that moment has come; if not, it is one to wake up at."""
        if at > now:
            self.due = at if self.due is None else min(self.due, at)
        return at <= now

    def _ask(self, call: Call) -> None:
        self._lane = call
        self._out.append(Ask(call))

    def _note(self, text: str) -> None:
        self._out.append(Note(text))

    def _exit(self, status: int, why: str) -> None:
        self._out.append(Exit(status, why))

    # What the app answers

    def _answered(self, call: Call, answer: Answer, sent_at: float, now: float) -> None:
        if call is self._lane:
            self._lane = None
        if call is self._data:
            self._data = None
        if isinstance(answer, Said):
            self._accepted = True
        elif isinstance(answer, Refused) and answer.of_the_token and not self._accepted:
            self._exit(NO_ACCESS, f"the app does not let this runner in: {answer}")
            return
        job = self._job
        if isinstance(call, AskLease):
            self._leased(answer, sent_at, now)
        elif job is None or call.held != job.held:
            return  # of an attempt that is over
        elif isinstance(call, AskStart):
            self._started(job, answer, sent_at, now)
        elif isinstance(call, Beat):
            self._beaten(job, answer, sent_at, now)
        else:
            self._delivered(job, call, answer, now)

    def _leased(self, answer: Answer, sent_at: float, now: float) -> None:
        if isinstance(answer, Refused) and answer.code == "lease_lost":
            self._exit(NO_ACCESS, f"this runner asks no more: {answer}")
            return
        if not isinstance(answer, Said):
            self._lease.failed(now, self._dice())
            self._note(f"no job could be asked for: {_told(answer)}")
            if isinstance(answer, Refused) and not answer.of_the_token:
                self._request = None
            return
        reply = answer.value
        assert isinstance(reply, LeaseReply)
        self._request = None
        self._lease.good(now + reply.wait_s * (0.5 + self._dice()))
        if reply.drain:
            self._drain()
        taken = reply.assignment
        if taken is not None and self._leaving:
            self._note(f"job {taken.job_id} is not begun, for this runner stops; it is free again in {taken.ack_s:g} s")
        elif taken is not None:
            held = Held(taken.job_id, taken.epoch)
            start = Start(epoch=taken.epoch, request_id=self._fresh())
            self._job = _Job(held, Delivery(held), taken.beat_s, (taken, start, sent_at + taken.lease_s))

    def _started(self, job: _Job, answer: Answer, sent_at: float, now: float) -> None:
        if isinstance(answer, Said):
            assert job.starts is not None
            (assignment, _, until), job.starts = job.starts, None
            asked_again = job.asks.failures > 0
            self._out.append(Begin(assignment))
            self._renewed(job, answer, sent_at)
            if asked_again:  # it may be the first answer once more: the lease may be older than it looks
                job.until = until
                job.asks.good(now)
        elif isinstance(answer, Unheard) or answer.of_the_token:
            job.asks.failed(now, self._dice())
            self._note(f"job {job.held}: {_told(answer)}")
        else:
            self._note(f"job {job.held} is not ours any more: {answer}")
            self._job = None
            self._lease.good(now)

    def _beaten(self, job: _Job, answer: Answer, sent_at: float, now: float) -> None:
        if isinstance(answer, Said):
            self._renewed(job, answer, sent_at)
        elif isinstance(answer, Refused) and answer.status in {404, 409}:
            self._lose(job, f"is lost: {answer}")
        else:
            job.asks.most = job.beat_s
            job.asks.failed(now, self._dice())
            self._note(f"the lease of job {job.held} could not be renewed: {_told(answer)}")

    def _renewed(self, job: _Job, answer: Said, sent_at: float) -> None:
        renewal = answer.value
        assert isinstance(renewal, Renewal)
        job.until = sent_at + renewal.lease_s
        job.asks.good(sent_at + job.beat_s)
        if renewal.drain:
            self._drain()
        if renewal.cancel:
            self._halt(job, "cancelled")

    def _lose(self, job: _Job, how: str) -> None:
        if not job.lost:
            self._note(f"the lease of job {job.held} {how}")
            job.lost = True
            self._halt(job, "runner_lost")

    def _halt(self, job: _Job, reason: Reason) -> None:
        if job.delivery.open and not job.halted:
            job.halted = True
            self._out.append(Halt(reason))

    def _drain(self) -> None:
        if not self._leaving:
            self._leaving = 1
            self._note("the app asks this runner to stop after its job")

    def _delivered(self, job: _Job, call: SendLog | SendPart | AskFinish, answer: Answer, now: float) -> None:
        said = job.delivery.answered(call, answer, now, self._dice())
        if said:
            self._note(f"job {job.held}: {said}")


def _margin(job: _Job) -> float:
    return min(MARGIN_S, job.beat_s / 2)


def _told(answer: Unheard | Refused) -> str:
    return answer.why if isinstance(answer, Unheard) else str(answer)
