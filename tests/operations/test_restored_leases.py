"""A runner that leased a job after the backup was made does not write into the restored state."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from alembic import command
from alembic.config import Config

from app.cli import main
from app.clock import SystemClock
from app.commands.exits import OK
from app.db import Database
from app.errors import LeaseLostError
from app.jobs.queries import Jobs
from app.settings import ROOT
from tests.jobs.factories import Queue, queue_in
from tests.operations.conftest import sha256

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import StillClock
    from tests.operations.conftest import Installation

LINE = sha256(b"a line\n")


@pytest.fixture
def live(installation: Installation, clock: StillClock) -> Queue:
    return queue_in(installation.database, clock, installation.data)


@pytest.fixture
def restore(live: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Queue]]:
    """The queue as the backup has it, which is made here."""
    opened: list[Database] = []

    def restored() -> Queue:
        data = tmp_path / f"new{len(opened)}"
        monkeypatch.setenv("BENCHCARD_DATA", str(data))
        assert main(["restore", str(tmp_path / "copy")]) == OK
        opened.append(Database(f"sqlite:///{data / 'benchcard.db'}"))
        queue = queue_in(opened[-1], live.clock, data)
        queue.keys = live.keys  # a runner never takes a request id twice
        return queue

    yield restored
    for database in opened:
        database.close()


def backup(tmp_path: Path) -> None:
    assert main(["backup", str(tmp_path / "copy")]) == OK


def refused(queue: Queue, job: str, epoch: int) -> None:
    calls: list[Callable[[], object]] = [
        lambda: queue.beat(job, epoch),
        lambda: queue.start(job, epoch),
        lambda: queue.log(job, epoch, 0, b"a line\n"),
        lambda: queue.part(job, epoch, "report.json", b"{}"),
        lambda: queue.finish(job, epoch),
    ]
    for call in calls:
        with pytest.raises(LeaseLostError):
            call()


def test_a_lease_from_after_the_backup_is_refused_before_and_after_the_job_is_leased_again(
    live: Queue, restore: Callable[[], Queue], tmp_path: Path
) -> None:
    live.submit()
    backup(tmp_path)
    old = []
    for number in range(3):  # lost twice, so that the newest epoch is not the next one of the backup
        old.append(live.running(runner=f"r{number}", boot_id=f"boot-{number:04d}"))
        live.later(91)
    queue = restore()
    job = old[0][0]
    for _, epoch in old:
        refused(queue, job, epoch)
    assert queue.job(job).state == "queued"
    again = queue.running()
    assert again[0] == job
    for _, epoch in old:
        refused(queue, job, epoch)
    assert queue.log(*again, 0, b"a line\n") == 7
    assert queue.finish(*again, log={"size": 7, "sha256": LINE}) == "succeeded"
    (attempt,) = queue.attempts(job)
    assert (attempt.epoch, attempt.is_result) == (again[1], True)


def test_a_backup_that_is_restored_twice_gives_no_epoch_twice(
    live: Queue, restore: Callable[[], Queue], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.submit()
    backup(tmp_path)
    job, first = restore().running()
    later = SystemClock().now() + dt.timedelta(minutes=10)
    monkeypatch.setattr(SystemClock, "now", lambda _: later)
    queue = restore()
    refused(queue, job, first)
    assert queue.running()[0] == job
    refused(queue, job, first)


def test_a_lease_of_the_backup_itself_ends_and_what_it_sends_is_evidence(
    live: Queue, restore: Callable[[], Queue], tmp_path: Path
) -> None:
    live.submit()
    job, epoch = live.running()
    backup(tmp_path)
    assert live.finish(job, epoch) == "succeeded"
    queue = restore()
    stored = queue.job(job)
    assert (stored.state, stored.runner, stored.attempts) == ("queued", None, 0)
    with pytest.raises(LeaseLostError):
        queue.beat(job, epoch)
    assert queue.finish(job, epoch) is None
    first = queue.attempts(job)[0]
    assert (first.state, first.is_result, first.finish is not None) == ("lost", False, True)
    assert queue.finish(*queue.running()) == "succeeded"
    assert [attempt.is_result for attempt in queue.attempts(job)] == [False, True]


def test_a_job_that_was_being_cancelled_ends_and_one_that_is_over_stays(
    live: Queue, restore: Callable[[], Queue], tmp_path: Path
) -> None:
    over, cancelled = live.submit(), live.submit()
    live.finish(*live.running())
    live.running()
    live.cancel(cancelled)
    backup(tmp_path)
    queue = restore()
    assert (queue.job(over).state, queue.job(over).epoch) == ("succeeded", 1)
    assert (queue.job(cancelled).state, queue.job(cancelled).ended_at is None) == ("cancelled", False)
    assert queue.lease().assignment is None


def test_a_restored_job_shows_its_attempts_and_their_logs(
    live: Queue, restore: Callable[[], Queue], tmp_path: Path
) -> None:
    never, job = live.submit(priority=-1), live.submit()
    live.log(*live.running(), 0, b"a line\n")
    backup(tmp_path)
    queue = restore()
    jobs = Jobs(queue.database, queue.logs, queue.clock)
    assert (jobs.log(job).epoch, jobs.log(job).data) == (1, b"a line\n")
    assert [attempt.message for attempt in jobs.job(job).attempts] == ["a backup from before its end was restored"]
    assert jobs.log(never).data == b""


@pytest.mark.parametrize("revision", ["0003", "0005"])
def test_a_backup_of_an_older_benchcard_is_restored(
    revision: str, installation: Installation, restore: Callable[[], Queue], tmp_path: Path
) -> None:
    """0003 has no jobs yet, and 0005 fewer columns than today."""
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    with installation.database.migration_connection() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)
    job = installation.job() if revision > "0003" else None
    backup(tmp_path)
    queue = restore()
    queue.database.migrate()
    assert job is None or queue.job(job).state == "queued"
