"""A runner that a maintainer took out of service: refused with a sentence, and still named by what it did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.errors import ForbiddenError, NotFoundError
from app.jobs.queries import Jobs
from app.jobs.retiring import retire
from app.jobs.store import drain
from tests.jobs.factories import ANA, MAY, plan
from tests.jobs.test_policies import LISTS, PINNED, lacking

if TYPE_CHECKING:
    from app.cards.store import Writer
    from tests.jobs.factories import Queue


def retired(queue: Queue, name: str = "one", by: Writer = MAY) -> None:
    now = queue.clock.now()
    queue.database.write(lambda session: retire(session, name, by, now, second=queue.second))


def test_only_a_maintainer_retires_and_only_what_is_there(queue: Queue) -> None:
    queue.lease()
    with pytest.raises(ForbiddenError):
        retired(queue, by=ANA)
    with pytest.raises(NotFoundError):
        retired(queue, "two")
    retired(queue)
    first = queue.runner()
    queue.later(60)
    retired(queue)
    assert (queue.runner().retired_at, queue.runner().retired_by) == (first.retired_at, MAY.name), "twice is as once"


def test_a_retired_runner_is_refused_whatever_it_says_and_under_whatever_name(queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    retired(queue)
    day = f"{queue.clock.now():%Y-%m-%d}"
    told = f"the runner `one` was retired by {MAY.name} on {day}"
    with pytest.raises(ForbiddenError, match=told):
        queue.lease()
    with pytest.raises(ForbiddenError, match=told):
        queue.lease("another-name", "boot-other")
    with pytest.raises(ForbiddenError, match=told):
        queue.beat(job, epoch)
    with pytest.raises(ForbiddenError, match=told):
        queue.finish(job, epoch)


def test_another_runner_of_the_same_token_goes_on(queue: Queue) -> None:
    queue.lease()
    queue.lease("two", "boot-two")
    retired(queue)
    job = queue.submit()
    assert queue.taken(runner="two", boot_id="boot-two")[0] == job
    queue.lease("three", "boot-three")


def test_what_it_had_is_queued_again_and_its_attempt_keeps_its_name(queue: Queue) -> None:
    queue.submit()
    job, _ = queue.running()
    retired(queue)
    assert (queue.job(job).state, queue.job(job).runner) == ("queued", None)
    (attempt,) = queue.attempts(job)
    assert (attempt.runner, attempt.state) == ("one", "lost")
    assert "one" not in lacking(queue, job)
    assert queue.taken(runner="two", boot_id="boot-two", token="bcr_two")[0] == job


def test_it_starts_nothing_unasked_and_no_claim_can_be_tried_on_it(queue: Queue) -> None:
    queue.lease("lister", "boot-lists", capabilities=LISTS)
    job = queue.submit(plan=plan(launch=PINNED))
    assert queue.job(job).state == "queued"
    retired(queue, "lister")
    assert queue.job(job).state == "awaiting_approval"
    assert Jobs(queue.database, queue.logs, queue.clock).fleet() == ()


def test_a_maintainer_can_let_it_take_jobs_again(queue: Queue) -> None:
    queue.lease()
    retired(queue)
    queue.database.write(lambda session: drain(session, "one", on=False))
    job = queue.submit()
    assert queue.taken()[0] == job
