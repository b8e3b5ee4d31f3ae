"""A job is taken by one runner at a time, kept by heartbeats, and given back when they stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.accounts.store import revoke_token
from app.errors import ConflictError, ForbiddenError, LeaseLostError, NotFoundError
from app.jobs.leases import sweep
from tests.jobs.factories import LAUNCH, MAY, allow_all, capabilities, plan

if TYPE_CHECKING:
    from tests.jobs.factories import Queue


def test_a_job_is_leased_started_and_kept_by_heartbeats(queue: Queue) -> None:
    job = queue.submit()
    given = queue.lease().assignment
    assert given is not None
    assert (given.job_id, given.epoch, given.lease_s, given.ack_s, given.beat_s) == (job, 1, 90, 30, 15)
    assert queue.job(job).state == "leased"
    queue.start(job, 1)
    for _ in range(20):
        queue.later(80)
        assert queue.beat(job, 1, done=1, total=6, note="n").lease_s == 90
    stored = queue.job(job)
    assert (stored.state, stored.phase, stored.done, stored.total, stored.note) == ("running", "measuring", 1, 6, "n")
    assert queue.finish(job, 1) == "succeeded"
    assert queue.job(job).ended_at == queue.clock.now()


def test_a_job_goes_to_one_runner_only(queue: Queue) -> None:
    queue.submit()
    assert queue.lease().assignment is not None
    assert queue.lease("two", "boot-two").assignment is None


def test_a_higher_priority_goes_first_and_then_the_older_one(queue: Queue) -> None:
    jobs = [queue.submit(priority=priority) for priority in (0, 5, 0, 5, -1)]
    taken = [queue.taken(runner=f"r{number}", boot_id=f"boot-{number:04d}")[0] for number in range(5)]
    assert taken == [jobs[place] for place in (1, 3, 0, 2, 4)]


def test_a_lease_asked_for_again_has_the_same_answer(queue: Queue) -> None:
    queue.submit()
    queue.submit()
    first = queue.lease(request_id="the-request")
    assert first.assignment is not None
    queue.later(10)
    assert queue.lease(request_id="the-request") == first
    other = queue.lease("two", "boot-two").assignment
    assert other is not None
    assert other.job_id != first.assignment.job_id
    queue.later(10_000)
    assert queue.lease(request_id="the-request") == first  # though it was lost meanwhile
    with pytest.raises(LeaseLostError):
        queue.start(first.assignment.job_id, 1)


def test_a_lease_that_is_not_acknowledged_in_30_s_is_free_again(queue: Queue) -> None:
    job, _ = (queue.submit(), queue.lease())
    queue.later(29)
    assert queue.lease("two", "boot-two").assignment is None
    queue.later(1)
    assert queue.taken(runner="two", boot_id="boot-two") == (job, 2)
    with pytest.raises(LeaseLostError):
        queue.start(job, 1)


def test_start_said_twice_is_as_once(queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    begun = queue.attempts(job)[0].started_at
    queue.later(5)
    queue.start(job, epoch)
    assert queue.attempts(job)[0].started_at == begun


def test_a_heartbeat_does_not_revive_an_expired_lease(queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.later(90)
    with pytest.raises(LeaseLostError):
        queue.beat(job, epoch)


def test_a_heartbeat_before_the_start_is_refused(queue: Queue) -> None:
    queue.submit()
    with pytest.raises(ConflictError):
        queue.beat(*queue.taken())


def test_a_stalled_runner_finds_its_job_taken_and_there_is_one_result(queue: Queue) -> None:
    queue.submit()
    job, old = queue.running()
    queue.later(120)  # the runner is stopped for so long
    assert queue.running(runner="two", boot_id="boot-two") == (job, 2)
    with pytest.raises(LeaseLostError):
        queue.beat(job, old)
    assert queue.finish(job, old) is None
    assert queue.job(job).state == "running"
    assert queue.finish(job, 2) == "succeeded"
    assert queue.finish(job, old, request_id="later-on") is None
    assert [(item.state, item.is_result) for item in queue.attempts(job)] == [("lost", False), ("succeeded", True)]
    assert '"succeeded"' in queue.attempts(job)[0].finish  # what it saw is on its own record


def test_an_expired_lease_that_nobody_took_may_still_end(queue: Queue) -> None:
    """After an outage of the server a finished result is not measured again."""
    queue.submit()
    job, epoch = queue.running()
    queue.later(3600)
    assert queue.finish(job, epoch) == "succeeded"


def test_a_new_process_of_a_runner_gives_back_what_the_old_one_had(queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    assert queue.taken(boot_id="boot-new") == (job, 2)
    with pytest.raises(LeaseLostError):
        queue.beat(job, epoch)


def test_a_process_that_was_replaced_does_not_take_its_place_back(queue: Queue) -> None:
    queue.submit()
    queue.running()
    job, epoch = queue.running(boot_id="boot-new")
    with pytest.raises(LeaseLostError, match="newer process"):
        queue.lease()
    queue.beat(job, epoch)


def test_a_job_is_tried_three_times(queue: Queue) -> None:
    job = queue.submit()
    for epoch in (1, 2, 3):
        runner, boot = f"r{epoch}", f"boot-{epoch:04d}"
        assert queue.running(runner=runner, boot_id=boot) == (job, epoch)
        queue.later(91)
    assert queue.lease("r4", "boot-0004").assignment is None
    stored = queue.job(job)
    assert (stored.state, stored.failure, stored.attempts) == ("failed", "runner_lost", 3)
    assert [item.state for item in queue.attempts(job)] == ["lost"] * 3


def test_a_thousand_expired_leases_are_put_back_by_one_lease(queue: Queue) -> None:
    jobs = [queue.submit() for _ in range(60)]
    for number in range(60):
        queue.running(runner=f"r{number}", boot_id=f"boot-{number:04d}")
    queue.later(91)
    assert queue.taken(runner="last", boot_id="boot-last")[0] == jobs[0]
    assert {queue.job(job).state for job in jobs[1:]} == {"queued"}
    assert queue.database.write(lambda session: sweep(session, queue.clock.now())) == 0


def test_a_runner_gets_only_what_it_can_do(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    allow_all(monkeypatch)
    needs_two = queue.submit(plan=plan(launch={"gpus": 2}))
    needs_one = queue.submit(plan=plan())
    assert queue.taken()[0] == needs_one
    assert queue.lease("two", "boot-two").assignment is None
    many = capabilities(gpus=capabilities().gpus * 2)
    given = queue.lease("two", "boot-two", capabilities=many).assignment
    assert given is not None
    assert (given.job_id, given.placements[0].gpus) == (needs_two, 2)


@pytest.mark.parametrize("why", [{"draining": True}, {"quarantine": "the GPU is not free"}])
def test_a_runner_that_takes_nothing_is_seen(queue: Queue, why: dict[str, Any]) -> None:
    queue.submit()
    assert queue.lease(**why).assignment is None
    assert queue.runner().seen_at == queue.clock.now()
    assert queue.lease().assignment is not None


def test_a_runner_that_a_maintainer_drains_ends_what_it_has_and_takes_no_more(queue: Queue) -> None:
    queue.submit()
    queue.submit()
    job, epoch = queue.running()
    queue.drain()
    assert queue.beat(job, epoch).drain
    assert queue.finish(job, epoch) == "succeeded"
    reply = queue.lease()
    assert (reply.assignment, reply.drain) == (None, True)
    queue.drain(on=False)
    assert queue.lease().assignment is not None


def test_a_runner_s_name_belongs_to_its_token_until_that_is_revoked(queue: Queue) -> None:
    queue.submit()
    mine, other = queue.new_token(), queue.new_token()
    queue.token = mine
    job, epoch = queue.running()
    with pytest.raises(ForbiddenError):
        queue.lease(token=other)
    queue.token = other
    for ask in (queue.start, queue.beat, queue.finish):
        with pytest.raises(ForbiddenError):
            ask(job, epoch)
    queue.database.write(lambda session: revoke_token(session, mine, queue.clock.now()))
    queue.beat(job, epoch)
    queue.lease(draining=True)
    assert queue.runner().token_id == other


@pytest.mark.parametrize(("job", "epoch"), [("jnone", 1), ("", 1), ("é", 1), ("\x00", 1), ("x" * 500, 1)])
def test_a_job_that_is_not_there_is_told(queue: Queue, job: str, epoch: int) -> None:
    with pytest.raises(NotFoundError):
        queue.beat(job, epoch)


def test_an_attempt_that_is_not_there_is_told(queue: Queue) -> None:
    job = queue.submit()
    with pytest.raises(NotFoundError):
        queue.beat(job, 2**70)


def test_only_approved_launches_are_given_out(queue: Queue) -> None:
    job = queue.submit(plan=plan())
    assert queue.job(job).state == "awaiting_approval"
    assert queue.lease().assignment is None
    queue.approve(job)
    given = queue.lease().assignment
    assert given is not None
    assert len(given.approved) == 1
    assert given.plan.sides[0].launch == LAUNCH


def test_an_approval_that_expired_in_the_queue_is_asked_for_again(queue: Queue) -> None:
    job = queue.submit(plan=plan())
    queue.approve(job)
    queue.later(7 * 86400)
    assert queue.lease().assignment is None
    assert queue.job(job).state == "awaiting_approval"
    queue.approve(job, MAY)
    assert queue.taken()[0] == job
