"""What the queue promises, told a second time in the plainest way: lists in memory, no database."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

TTL, ACK = 90, 30
ACTIVE = ("leased", "running")
Outcome = Literal["succeeded", "bad_flag", "not_allowed", "not_here", "port_in_use", "runner_stopped", "cancelled"]

Promise = Literal[
    "a submission is one job", "a lease is given as the queue stands", "a lease asked for again is the same",
    "a lease that is over is lost", "an end is the current attempt's alone", "a cancel is answered by the state",
    "jobs are where the calls brought them", "a job has one result", "attempts are limited",
    "runners that fail are shut out", "a terminal state stays",
]  # fmt: skip
REFUSED = ("not_allowed", "not_here")


@dataclass
class Job:
    id: str
    rank: int
    state: str = "queued"
    epoch: int = 0
    attempts: int = 0
    cancel: bool = False
    until: int = 0
    runner: str = ""
    boot: str = ""
    failures: Counter[str] = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)  # runner -> the process that refused it

    def is_current(self, epoch: int) -> bool:
        return self.epoch == epoch and self.state in ACTIVE


@dataclass
class Runner:
    boots: list[str]
    failures: int = 0
    quarantined: bool = False


@dataclass
class Model:
    """`ends`: what each attempt said at last, and how that was answered (None: the lease was lost)."""

    now: int = 0
    jobs: dict[str, Job] = field(default_factory=dict)
    runners: dict[str, Runner] = field(default_factory=dict)
    ends: dict[tuple[str, int], tuple[Outcome, str | None]] = field(default_factory=dict)

    def lease(self, name: str, boot: str) -> tuple[str, int] | Literal["lost", "busy"] | None:
        runner = self.runners.setdefault(name, Runner([boot]))
        if boot in runner.boots[:-1]:
            return "lost"
        held = self.held(name, boot)
        if held is not None and held.state == "running" and not runner.quarantined:
            return "busy"
        self.expire()
        if boot != runner.boots[-1]:
            self._give_back(lambda job: job.runner == name)
            runner.boots.append(boot)
        queued = sorted((job for job in self.jobs.values() if job.state == "queued"), key=lambda job: job.rank)
        queued = [job for job in queued if job.refused.get(name) != boot]
        if runner.quarantined or not (queued or held):
            return None
        if held is not None:
            return held.id, held.epoch
        job = queued[0]
        job.state, job.epoch, job.attempts = "leased", job.epoch + 1, job.attempts + 1
        job.runner, job.boot, job.until = name, boot, self.now + ACK
        return job.id, job.epoch

    def held(self, name: str, boot: str) -> Job | None:
        """The job that a process has now."""
        mine = (job for job in self.jobs.values() if (job.runner, job.boot) == (name, boot) and job.until > self.now)
        return next((job for job in mine if job.state in ACTIVE), None)

    def expire(self) -> None:
        self._give_back(lambda job: job.until <= self.now)

    def start(self, job: Job, epoch: int) -> str:
        if not job.is_current(epoch) or job.until <= self.now:
            return "lost"
        job.state, job.until = "running", self.now + TTL
        return "cancel" if job.cancel else "on"

    def beat(self, job: Job, epoch: int) -> str:
        if job.is_current(epoch) and job.until > self.now and job.state == "leased":
            return "conflict"
        return self.start(job, epoch)

    def finish(self, job: Job, epoch: int, outcome: Outcome) -> str | None:
        known = self.ends.get((job.id, epoch))
        if known is not None:
            return known[1] if known[0] == outcome else "other bytes"
        if not job.is_current(epoch):
            answer = None
        elif outcome == "succeeded" and job.state == "leased":
            return "conflict"
        else:
            answer = self._end(job, outcome)
        self.ends[job.id, epoch] = (outcome, answer)
        return answer

    def cancel(self, job: Job) -> str:
        if job.state == "cancelled" or (job.state in ACTIVE and job.cancel):
            return "done"
        if job.state in ("succeeded", "failed"):
            return "conflict"
        job.cancel = True
        if job.state == "queued":
            job.state = "cancelled"
        return "done"

    def _end(self, job: Job, outcome: Outcome) -> str:
        if outcome == "succeeded":
            job.state = "succeeded"
            self.runners[job.runner].failures = 0
        elif outcome in REFUSED and not job.cancel:
            job.state, job.attempts = "queued", job.attempts - 1
            job.refused[job.runner] = job.boot
        elif outcome == "bad_flag":
            job.state = "failed"
        elif outcome in ("cancelled", *REFUSED) and job.cancel:
            job.state = "cancelled"
        else:
            self._put_back(job, blame=outcome == "port_in_use")
        return job.state

    def _give_back(self, over: Callable[[Job], bool]) -> None:
        for job in self.jobs.values():
            if job.state in ACTIVE and over(job):
                self._put_back(job, blame=True)

    def _put_back(self, job: Job, *, blame: bool) -> None:
        runner = self.runners[job.runner]
        if blame and job.state == "running":
            runner.failures += 1
            job.failures[job.runner] += 1
            runner.quarantined = runner.quarantined or runner.failures >= 3
            if runner.quarantined:
                job.attempts -= job.failures.pop(job.runner)
        job.state = "cancelled" if job.cancel else "queued" if job.attempts < 3 else "failed"
