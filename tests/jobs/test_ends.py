"""How attempts end and what becomes of their jobs: by whose fault, who asked, and how often it was tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.errors import ConflictError, ForbiddenError, IncompleteError, LogGapError, NotFoundError, OtherBytesError
from app.jobs.queries import Jobs
from app.jobs.states import LEASE, NEXT, STATES, TERMINAL, after
from app.protocol.lease import MOST_LOG
from app.protocol.outcome import MACHINE_FAILURES, RECIPE_FAILURES
from tests.jobs.factories import ANA, BO, MAY, plan

if TYPE_CHECKING:
    from app.jobs.states import Event
    from app.protocol.outcome import Failure
    from tests.jobs.factories import Queue


@pytest.mark.parametrize("failure", RECIPE_FAILURES)
def test_a_failure_of_the_recipe_is_not_tried_again(queue: Queue, failure: Failure) -> None:
    queue.submit()
    job, epoch = queue.running()
    assert queue.finish(job, epoch, failure) == "failed"
    assert (queue.job(job).failure, queue.runner().failures) == (failure, 0)


@pytest.mark.parametrize("failure", MACHINE_FAILURES)
def test_a_failure_of_the_machine_is_tried_again(queue: Queue, failure: Failure) -> None:
    queue.submit()
    job, epoch = queue.running()
    assert queue.finish(job, epoch, failure) == "queued"
    assert queue.taken(runner="two", boot_id="boot-two") == (job, 2)
    assert queue.runner().failures == (0 if failure == "runner_stopped" else 1)


def test_three_failures_in_a_row_shut_the_runner_out_and_not_the_job(queue: Queue) -> None:
    job = queue.submit()
    for epoch in (1, 2, 3):
        assert queue.running() == (job, epoch)
        assert queue.finish(job, epoch, "gpu_not_free") == "queued"
    assert queue.lease().assignment is None
    assert "3 attempts" in queue.runner().quarantine
    assert queue.job(job).attempts == 0
    assert queue.running(runner="two", boot_id="boot-two") == (job, 4)
    queue.drain(on=False)
    queue.submit()
    assert queue.lease().assignment is not None


def test_a_runner_whose_third_lease_in_a_row_expires_gets_no_job_by_the_request_that_finds_it(queue: Queue) -> None:
    queue.submit()
    for _ in range(3):
        queue.running()
        queue.later(LEASE.total_seconds() + 1)
    assert queue.lease().assignment is None
    assert "3 attempts" in queue.runner().quarantine


def test_a_success_between_two_failures_is_forgiven(queue: Queue) -> None:
    for failure in ("port_in_use", "port_in_use", None, "port_in_use", "port_in_use"):
        queue.submit()
        queue.finish(*queue.running(), failure)
    assert queue.runner().quarantine is None


def test_a_queued_job_is_cancelled_at_once(queue: Queue) -> None:
    job = queue.submit()
    queue.cancel(job)
    queue.cancel(job)
    assert (queue.job(job).state, queue.job(job).cancelled_by) == ("cancelled", "Ana")
    assert queue.lease().assignment is None


def test_a_cancel_is_told_by_start_and_heartbeat_and_ends_with_the_runner(queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.taken()
    queue.cancel(job)
    assert queue.start(job, epoch).cancel
    assert queue.beat(job, epoch).cancel
    assert queue.finish(job, epoch, state="cancelled") == "cancelled"


def test_a_cancelled_job_whose_runner_is_gone_is_not_queued_again(queue: Queue) -> None:
    queue.submit()
    job, _ = queue.running()
    queue.cancel(job)
    queue.later(91)
    assert queue.lease("two", "boot-two").assignment is None
    assert queue.job(job).state == "cancelled"


def test_a_job_that_was_done_before_the_cancel_came_stays_done(queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.cancel(job)
    assert queue.finish(job, epoch) == "succeeded"
    with pytest.raises(ConflictError):
        queue.cancel(job)


def test_only_its_owner_and_a_maintainer_cancel_a_job(queue: Queue) -> None:
    job = queue.submit()
    with pytest.raises(ForbiddenError):
        queue.cancel(job, BO)
    queue.cancel(job, MAY)
    with pytest.raises(NotFoundError):
        queue.cancel("jnone", MAY)


def test_a_runner_that_gives_a_job_back_unasked_has_it_tried_again(queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    assert queue.finish(job, epoch, state="cancelled") == "queued"


def test_an_end_sent_again_has_the_same_answer_and_another_one_is_refused(queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    assert queue.finish(job, epoch, "port_in_use", request_id="the-finish") == "queued"
    queue.running(runner="two", boot_id="boot-two")
    assert queue.finish(job, epoch, "port_in_use", request_id="the-finish") == "queued"
    with pytest.raises(OtherBytesError):
        queue.finish(job, epoch, "disk_full", request_id="the-finish")


def test_nothing_leads_out_of_a_terminal_state() -> None:
    events: set[Event] = {event for _, event in NEXT}
    assert set(TERMINAL) == {"succeeded", "failed", "cancelled"}
    for state in TERMINAL:
        for event in events:
            with pytest.raises(ConflictError):
                after(state, event)
    assert {state for pair in NEXT for state in (pair[0], NEXT[pair])} == set(STATES)


def test_a_log_is_kept_byte_for_byte_and_read_from_any_offset(queue: Queue) -> None:
    job = queue.submit()
    read = Jobs(queue.database, queue.logs, queue.clock)
    assert read.log(job).data == b""
    _, epoch = queue.running()
    pieces = [b"one\x00\r\n", "é".encode()[:1], "é".encode()[1:], b"\x1b[31mred", b"no newline at the end"]
    at = 0
    for piece in pieces:
        assert queue.log(job, epoch, at, piece) == at + len(piece)
        assert queue.log(job, epoch, at, piece) == at + len(piece)
        at += len(piece)
    whole = b"".join(pieces)
    assert read.log(job).data == whole
    assert [read.log(job, offset).data for offset in (5, -4, at, at + 9)] == [whole[5:], whole[-4:], b"", b""]
    with pytest.raises(LogGapError) as gap:
        queue.log(job, epoch, at + 1, b"x")
    assert gap.value.expected == at
    with pytest.raises(OtherBytesError):
        queue.log(job, epoch, 0, b"two")
    assert read.log(job).data == whole


def test_bytes_that_nobody_was_told_of_are_written_over(queue: Queue) -> None:
    """A crash between the file and the database leaves some."""
    queue.submit()
    job, epoch = queue.running()
    queue.log(job, epoch, 0, b"told")
    with queue.logs.path(job, epoch).open("ab") as file:
        file.write(b"never told of, and longer than what comes")
    assert queue.log(job, epoch, 4, b" more") == 9
    assert queue.logs.path(job, epoch).read_bytes() == b"told more"


def test_a_log_above_its_limit_is_refused_and_stays_as_it_was(queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.log(job, epoch, 0, b"x" * MOST_LOG)
    with pytest.raises(Exception, match="at most 6 MB"):
        queue.log(job, epoch, MOST_LOG, b"y")


def test_an_end_is_taken_once_all_is_there(queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"  # of b"x"
    with pytest.raises(IncompleteError):
        queue.finish(job, epoch, parts={"trace": digest})
    queue.part(job, epoch, "trace", b"x")
    assert queue.finish(job, epoch, parts={"trace": digest}) == "succeeded"
    assert queue.part(job, epoch, "trace", b"x") == 1
    with pytest.raises(ConflictError):
        queue.part(job, epoch, "another", b"x")


def test_an_approval_holds_for_every_job_with_the_same_launch_until_it_is_revoked(queue: Queue) -> None:
    from app.jobs.store import revoke

    first, second, other = (
        queue.submit(plan=plan()),
        queue.submit(plan=plan()),
        queue.submit(plan=plan(launch={"gpus": 2})),
    )
    with pytest.raises(ForbiddenError):
        queue.approve(first, ANA)
    queue.approve(first)
    assert [queue.job(job).state for job in (first, second, other)] == ["queued", "queued", "awaiting_approval"]
    assert queue.job(queue.submit(plan=plan())).state == "queued"
    queue.database.write(lambda session: revoke(session, 1, MAY, queue.clock.now(), second=False))
    assert queue.job(first).state == queue.job(second).state == "awaiting_approval"


def test_where_two_people_are_wanted_a_maintainer_does_not_approve_what_they_asked_for(queue: Queue) -> None:
    job = queue.submit(by=MAY, plan=plan())
    with pytest.raises(ForbiddenError, match="of their own"):
        queue.approve(job, second=True)
    queue.approve(job, second=False)
    assert queue.job(job).state == "queued"
