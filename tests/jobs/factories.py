"""Plans, runners and the store's calls as tests make them."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from app.accounts.store import add_token
from app.accounts.tokens import new_token, token_id
from app.cards.store import Writer
from app.jobs import leases, store, uploads
from app.jobs.leases import ATTEMPT
from app.jobs.logs import Logs
from app.jobs.store import JOB, RUNNER, NewJob
from app.protocol.launch import Launch
from app.protocol.lease import (
    Capabilities,
    EngineHere,
    Finish,
    Gpu,
    Heartbeat,
    LeaseReply,
    LeaseRequest,
    Log,
    Renewal,
    Start,
)
from app.protocol.outcome import Outcome
from app.protocol.plan import Attach, Plan, Point, Side, Workload
from app.randomness import SystemRandomness
from app.results.files import Kept

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from app.db import Database
    from app.protocol.outcome import Failure
    from tests.conftest import StillClock

RANDOM = SystemRandomness()
LAUNCH = Launch(engine="vllm", version="0.33.0", model="Qwen/Qwen3-8B", weights="real", gpus=1, flags={}, env={})
ANA, BO, MAY = Writer("Ana", "bcr_ana"), Writer("Bo", "bcr_bo"), Writer("May", "bcr_may", maintains=True)
EMPTY = hashlib.sha256(b"").hexdigest()
LOAD = Workload(input_tokens=8, output_tokens=8, seed=1, prefix_cache="cleared")


def plan(**changes: Any) -> Plan:
    """A plan with one launch; `launch` changes that one."""
    launch = LAUNCH.model_copy(update=changes.pop("launch", {}))
    sides = (Side(name="a", label="as it is", launch=launch),)
    return Plan(kind="point", sides=sides, workload=LOAD, points=(Point(concurrency=1, requests=4),), **changes)


def attach_plan(address: str = "bench.test:9000") -> Plan:
    """A plan that needs nobody's approval."""
    sides = (Side(name="a", label="as it is", attach=Attach(address=address, model="m")),)
    return Plan(kind="attach", sides=sides, workload=LOAD, points=(Point(concurrency=1, requests=4),))


def capabilities(**changes: Any) -> Capabilities:
    return Capabilities.model_validate(
        {
            "gpus": (Gpu(name="NVIDIA H200", memory_mib=143771),),
            "cpus": 16,
            "memory_mib": 128000,
            "engines": (EngineHere(name="vllm", version="0.33.0", device="cuda"),),
            "attach": ("bench.test:9000",),
            "wall_s": 86400.0,
            **changes,
        }
    )


def allow_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """No launch needs anybody's approval."""
    for name in ("asks", "needing"):
        monkeypatch.setattr(store, name, lambda *_: [])


@dataclass
class Queue:
    """The store's calls at the clock's time, each one transaction."""

    database: Database
    clock: StillClock
    logs: Logs
    token: str = "bcr_runner"
    keys: count[int] = field(default_factory=count)
    second: bool = False  # whether this installation wants another maintainer's approval

    def key(self) -> str:
        return f"request-{next(self.keys):08d}"

    def submit(self, *, by: Writer = ANA, **changes: Any) -> str:
        new = NewJob(changes.pop("plan", None) or attach_plan(), **changes)
        return self.database.write(
            lambda session: store.submit(session, new, by, self.clock.now(), RANDOM, second=self.second)
        )

    def lease(self, runner: str = "one", boot_id: str = "boot-one", **changes: Any) -> LeaseReply:
        token = changes.pop("token", self.token)
        request = LeaseRequest.model_validate(
            {
                "runner": runner,
                "boot_id": boot_id,
                "request_id": self.key(),
                "version": "1",
                "capabilities": capabilities(),
                **changes,
            }
        )
        return self.database.write(
            lambda session: leases.lease(session, request, token, self.clock.now(), second=self.second)
        )

    def taken(self, **changes: Any) -> tuple[str, int]:
        """A job that was leased just now."""
        assignment = self.lease(**changes).assignment
        assert assignment is not None
        return assignment.job_id, assignment.epoch

    def start(self, job: str, epoch: int, **changes: Any) -> Renewal:
        message = Start(epoch=epoch, request_id=self.key())
        token = changes.get("token", self.token)
        return self.database.write(lambda session: leases.start(session, job, message, token, self.clock.now()))

    def running(self, **changes: Any) -> tuple[str, int]:
        job, epoch = self.taken(**changes)
        self.start(job, epoch)
        return job, epoch

    def beat(self, job: str, epoch: int, **changes: Any) -> Renewal:
        message = Heartbeat.model_validate({"epoch": epoch, "phase": "measuring", **changes})
        return self.database.write(
            lambda session: leases.heartbeat(session, job, message, self.token, self.clock.now())
        )

    def log(self, job: str, epoch: int, offset: int, data: bytes) -> int:
        return self.database.write(
            lambda session: uploads.append_log(session, self.logs, (job, epoch), offset, data, self.token)
        )

    def part(self, job: str, epoch: int, name: str, data: bytes) -> int:
        kept = Kept(hashlib.sha256(data).hexdigest(), len(data))
        return self.database.write(lambda session: uploads.add_part(session, job, epoch, name, kept, self.token))

    def finish(self, job: str, epoch: int, failure: Failure | None = None, **changes: Any) -> str | None:
        message = finish(epoch, failure, **{"request_id": self.key(), **changes})
        return self.database.write(
            lambda session: uploads.finish(session, self.logs, job, message, self.token, self.clock.now())
        )

    def cancel(self, job: str, by: Writer = ANA) -> None:
        self.database.write(lambda session: store.cancel(session, job, by, self.clock.now()))

    def approve(self, job: str, by: Writer = MAY, *, second: bool = True) -> None:
        self.database.write(lambda session: store.approve(session, job, by, self.clock.now(), second=second))

    def drain(self, name: str = "one", *, on: bool = True) -> None:
        self.database.write(lambda session: store.drain(session, name, on=on))

    def later(self, seconds: float) -> None:
        self.clock.moment += dt.timedelta(seconds=seconds)

    def job(self, job: str) -> Any:
        with self.database.read() as session:
            return session.connection().execute(sa.select(JOB).where(JOB.c.id == job)).one()

    def attempts(self, job: str) -> list[Any]:
        asked = sa.select(ATTEMPT).where(ATTEMPT.c.job_id == job).order_by(ATTEMPT.c.epoch)
        with self.database.read() as session:
            return list(session.connection().execute(asked).all())

    def runner(self, name: str = "one") -> Any:
        with self.database.read() as session:
            return session.connection().execute(sa.select(RUNNER).where(RUNNER.c.name == name)).one()

    def new_token(self, *scopes: str) -> str:
        """The id of a token that is valid."""
        token = new_token(RANDOM)
        self.database.write(lambda session: add_token(session, token, "t", scopes or ("runner",), self.clock.now()))
        return token_id(token)


def finish(epoch: int, failure: Failure | None = None, **changes: Any) -> Finish:
    state = changes.pop("state", "failed" if failure else "succeeded")
    outcome = Outcome(state=state, failure=failure)
    log = {"size": 0, "sha256": EMPTY, **changes.pop("log", {})}
    return Finish.model_validate({"epoch": epoch, "outcome": outcome, "parts": {}, "log": Log(**log), **changes})


def queue_in(database: Database, clock: StillClock, folder: Path) -> Queue:
    return Queue(database, clock, Logs(folder / "logs"))
