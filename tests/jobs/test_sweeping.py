"""The server puts expired leases back by itself, and its stop waits for that."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.db import Database
from app.jobs.sweeping import keep_sweeping, put_back, swept
from app.main import create_app
from app.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from tests.conftest import StillClock
    from tests.jobs.factories import Queue


class Waits:
    """Waiting that moves the clock instead, and does something of the test's own each time."""

    def __init__(self, queue: Queue, *during: Callable[[], object]) -> None:
        self.asked: list[float] = []
        self._queue, self._during = queue, list(during)

    async def __call__(self, seconds: float) -> bool:
        if not self._during:
            return True
        self.asked.append(seconds)
        self._queue.later(seconds)
        self._during.pop(0)()
        return False


def run(queue: Queue, waits: Waits) -> None:
    asyncio.run(keep_sweeping(queue.database, queue.clock, waits, second=False))


def nothing() -> None:
    pass


def test_a_job_whose_runner_died_is_queued_again_though_nobody_asks_for_work(queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    waits = Waits(queue, lambda: queue.beat(job, epoch) if queue.job(job).state == "running" else None, *[nothing] * 6)
    queue.later(-30)  # so that the beat within the first wait comes in time
    run(queue, waits)
    assert waits.asked == [90, *[15] * 6]
    stored = queue.job(job)
    assert (stored.state, stored.runner, stored.lease_until, stored.attempts) == ("queued", None, None, 1)
    assert queue.attempts(job)[0].state == "lost"


def test_a_result_that_an_outage_of_the_server_kept_waiting_still_counts(queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.later(3600)  # the server is away, and comes back
    run(queue, Waits(queue, lambda: queue.finish(job, epoch)))
    assert queue.job(job).state == "succeeded"


def test_a_job_lost_for_the_last_time_fails_and_a_cancelled_one_ends(queue: Queue) -> None:
    failing, ending = queue.submit(), queue.submit()
    for number in range(3):
        assert queue.running(runner=f"r{number}", boot_id=f"boot-{number:04d}")[0] == failing
        queue.later(90)
        assert put_back(queue.database, queue.clock.now(), second=False) == 1
    queue.running()
    queue.cancel(ending)
    queue.later(90)
    assert put_back(queue.database, queue.clock.now(), second=False) == 1
    assert [(queue.job(job).state, queue.job(job).failure) for job in (failing, ending)] == [
        ("failed", "runner_lost"),
        ("cancelled", None),
    ]


def test_an_idle_server_writes_nothing(queue: Queue) -> None:
    queue.submit()
    queue.running()
    writes: list[float] = []
    database = Database(queue.database.url.render_as_string(hide_password=False), waited=writes.append)
    assert put_back(database, queue.clock.now(), second=False) == 0
    assert not writes
    queue.later(90)
    assert put_back(database, queue.clock.now(), second=False) == 1
    assert len(writes) == 1
    database.close()


def test_a_round_that_fails_is_logged_and_the_next_one_works(queue: Queue, caplog: pytest.LogCaptureFixture) -> None:
    queue.submit()
    job, _ = queue.running()

    def rename(old: str, new: str) -> None:
        queue.database.write(lambda session: session.execute(text(f"ALTER TABLE {old} RENAME TO {new}")))

    caplog.set_level("INFO", "benchcard")
    run(queue, Waits(queue, lambda: rename("job", "away"), lambda: rename("away", "job")))
    assert queue.job(job).state == "queued"
    assert [record.levelname for record in caplog.records if record.name == "benchcard"] == ["ERROR", "INFO"]


def test_after_a_stop_nothing_sweeps_and_the_database_can_be_closed(database: Database, clock: StillClock) -> None:
    threads = threading.active_count()

    async def serve() -> None:
        async with swept(database, clock, second=False):
            assert "sweeping" in {task.get_name() for task in asyncio.all_tasks()}
        assert "sweeping" not in {task.get_name() for task in asyncio.all_tasks()}
        database.close()

    asyncio.run(serve())
    assert threading.active_count() <= threads


def test_the_application_sweeps_while_it_serves(database_url: str, tmp_path: Path) -> None:
    app = create_app(Settings(database_url=database_url, data=tmp_path))

    async def serve() -> set[str]:
        async with app.router.lifespan_context(app):
            return {task.get_name() for task in asyncio.all_tasks()}

    assert "sweeping" in asyncio.run(serve())
