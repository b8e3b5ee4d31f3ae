"""The app's side of the lease as small as it can be: what runners are tested against. Time is given."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.protocol.lease import (
    Assignment,
    Finish,
    Finished,
    Heartbeat,
    LeaseReply,
    LeaseRequest,
    Placement,
    Renewal,
    Start,
    Stored,
)

if TYPE_CHECKING:
    from app.protocol.plan import Plan

Epoch = tuple[str, int]


class ProblemError(Exception):
    def __init__(self, status: int, code: str, expected: int | None = None) -> None:
        super().__init__(code)
        self.status, self.code, self.expected = status, code, expected


@dataclass
class Job:
    plan: Plan
    state: str = "queued"
    epoch: int = 0
    until: float = 0.0
    acked: bool = False
    boot_id: str = ""
    cancel: bool = False
    results: list[int] = field(default_factory=list)  # epochs whose end became the job's


@dataclass
class ModelApp:
    """Jobs by id. `ends` holds every finish that was taken or noted, `beats` every heartbeat of a live lease."""

    lease_s: float = 90.0
    ack_s: float = 30.0
    beat_s: float = 15.0
    wait_s: float = 5.0
    jobs: dict[str, Job] = field(default_factory=dict)
    logs: dict[Epoch, bytearray] = field(default_factory=dict)
    parts: dict[tuple[str, int, str], bytes] = field(default_factory=dict)
    ends: dict[Epoch, Finish] = field(default_factory=dict)
    beats: list[Heartbeat] = field(default_factory=list)
    requests: list[LeaseRequest] = field(default_factory=list)
    drain: bool = False
    _answers: dict[str, tuple[object, object]] = field(default_factory=dict)

    def add(self, name: str, plan: Plan) -> Job:
        return self.jobs.setdefault(name, Job(plan))

    def sweep(self, now: float) -> None:
        for job in self.jobs.values():
            if job.state in {"leased", "running"} and now >= job.until:
                job.state = "cancelled" if job.cancel else "queued"

    def lease(self, request: LeaseRequest, now: float) -> LeaseReply:
        self.sweep(now)
        self.requests.append(request)
        if request.request_id in self._answers:
            given, answer = self._answers[request.request_id]
            assert given == request, "another request under the same id"
            assert isinstance(answer, LeaseReply)
            return answer
        for job in self.jobs.values():
            if job.state == "running" and job.boot_id != request.boot_id:
                job.state = "queued"  # an earlier process of this runner
            if job.state == "leased":
                job.state = "queued"  # nobody acknowledged it
        reply = LeaseReply(wait_s=self.wait_s, drain=self.drain, assignment=self._assign(request, now))
        self._answers[request.request_id] = (request, reply)
        return reply

    def _assign(self, request: LeaseRequest, now: float) -> Assignment | None:
        if request.draining or request.quarantine or self.drain:
            return None
        for name, job in self.jobs.items():
            if job.state == "queued":
                job.state, job.epoch, job.acked, job.boot_id = "leased", job.epoch + 1, False, request.boot_id
                job.until = now + self.ack_s
                return Assignment(
                    job_id=name, epoch=job.epoch, plan=job.plan, placements=(Placement(gpus=0),),
                    lease_s=self.lease_s, ack_s=self.ack_s, beat_s=self.beat_s,
                )  # fmt: skip
        return None

    def start(self, name: str, start: Start, now: float) -> Renewal:
        job = self._live(name, start.epoch, now)
        job.state = "running"
        return self._renew(job, now)

    def beat(self, name: str, beat: Heartbeat, now: float) -> Renewal:
        job = self._live(name, beat.epoch, now)
        self.beats.append(beat)
        return self._renew(job, now)

    def _renew(self, job: Job, now: float) -> Renewal:
        job.until = now + self.lease_s
        return Renewal(lease_s=self.lease_s, cancel=job.cancel, drain=self.drain)

    def _live(self, name: str, epoch: int, now: float) -> Job:
        self.sweep(now)
        job = self.jobs[name]
        if job.epoch != epoch or job.state not in {"leased", "running"}:
            raise ProblemError(409, "lease_lost")
        return job

    def log(self, name: str, epoch: int, offset: int, data: bytes) -> Stored:
        held = self.logs.setdefault((name, epoch), bytearray())
        if offset > len(held):
            raise ProblemError(409, "log_gap", len(held))
        if held[offset : offset + len(data)] != data[: len(held) - offset]:
            raise ProblemError(422, "other_bytes")
        held[offset:] = data if offset + len(data) > len(held) else held[offset:]
        return Stored(size=len(held))

    def part(self, name: str, epoch: int, part: str, data: bytes) -> Stored:
        if self.parts.setdefault((name, epoch, part), data) != data:
            raise ProblemError(422, "other_bytes")
        return Stored(size=len(data))

    def finish(self, name: str, finish: Finish, now: float) -> Finished:
        key = (name, finish.epoch)
        if finish.request_id in self._answers:
            _, answer = self._answers[finish.request_id]
            assert isinstance(answer, Finished)
            return answer
        held = {part: hashlib.sha256(data).hexdigest() for (*at, part), data in self.parts.items() if tuple(at) == key}
        if held != finish.parts or hashlib.sha256(self.logs.get(key, b"")).hexdigest() != finish.log.sha256:
            raise ProblemError(409, "incomplete")
        self.ends[key] = finish
        job = self._live(name, finish.epoch, now)
        outcome = finish.outcome
        job.state = "queued" if outcome.of_the_machine and not job.cancel else outcome.state
        if job.state != "queued":
            job.results.append(finish.epoch)
        answer = Finished.model_validate({"state": job.state})
        self._answers[finish.request_id] = (finish, answer)
        return answer
