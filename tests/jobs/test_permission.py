"""What is judged again after a job was asked for."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from app.errors import InvalidInputError
from app.jobs.permission import needing
from app.jobs.queries import job_detail
from app.jobs.store import APPROVAL, JOB, settle
from app.protocol.engines import ENGINES
from tests.jobs.factories import MAY, plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.jobs.factories import Queue


@pytest.fixture
def other_version(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """What makes it one of Benchcard that adds an argument to every vLLM."""

    def change() -> None:
        engine = ENGINES["vllm"]
        monkeypatch.setitem(ENGINES, "vllm", replace(engine, fixed={**engine.fixed, "seed": 0}))
        needing.cache_clear()

    yield change
    needing.cache_clear()


def test_a_version_that_starts_the_same_launch_otherwise_asks_again(
    queue: Queue, other_version: Callable[[], None]
) -> None:
    job = queue.submit(plan=plan())
    queue.approve(job)
    assert queue.job(job).state == "queued"
    other_version()
    assert queue.lease().assignment is None, "before the next start has looked at what waits, too"
    assert queue.job(job).state == "awaiting_approval"
    queue.approve(job)
    assert queue.taken()[0] == job


def test_a_start_looks_at_what_waits_again(queue: Queue, other_version: Callable[[], None]) -> None:
    job = queue.submit(plan=plan())
    queue.approve(job)
    other_version()
    queue.database.write(lambda session: settle(session, queue.clock.now(), second=False))
    assert queue.job(job).state == "awaiting_approval"
    with queue.database.read() as session:
        (launch,) = job_detail(session, job, queue.clock.now()).launches
    assert launch.approval is None
    assert [line.text for line in launch.changes if line.kind == "new"] == ["--seed=0"]


def test_an_approval_of_a_version_that_bound_the_launch_alone_counts_no_more_and_is_still_compared_with(
    queue: Queue,
) -> None:
    first = queue.submit(plan=plan())
    queue.approve(first)
    wanted = plan().sides[0].launch
    assert wanted is not None
    alone = json.dumps(wanted.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    old = {"digest": hashlib.sha256(alone.encode()).hexdigest(), "launch": alone}
    queue.database.write(lambda session: session.connection().execute(sa.update(APPROVAL).values(**old)))
    queue.database.write(lambda session: settle(session, queue.clock.now(), second=False))
    assert queue.job(first).state == "awaiting_approval"
    with queue.database.read() as session:
        (launch,) = job_detail(session, first, queue.clock.now()).launches
    assert launch.before is not None
    assert "--host=127.0.0.1" in [line.text for line in launch.changes if line.kind == "new"]


def test_what_never_runs_by_now_cannot_be_approved(queue: Queue) -> None:
    job = queue.submit(plan=plan())
    newer = plan(launch={"flags": {"trust-remote-code": True}}).model_dump_json()
    queue.database.write(
        lambda session: session.connection().execute(sa.update(JOB).where(JOB.c.id == job).values(plan=newer))
    )
    with pytest.raises(InvalidInputError, match="trust-remote-code"):
        queue.approve(job, MAY)
    assert queue.job(job).state == "awaiting_approval"
