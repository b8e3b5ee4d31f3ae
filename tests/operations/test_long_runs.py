"""D10, D11: long readers do not let the write-ahead log grow without bound, and an application that ends lets go."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from app.main import create_app
from app.settings import Settings
from tests.conftest import Client
from tests.storage.test_db import COUNT, RAISE, count, open_files

if TYPE_CHECKING:
    from app.db import Database

READERS, WRITES = 8, 2000  # as many readers as there are connections for
LONGEST_LOG = 64 * 1024**2  # bytes


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_readers_that_hold_their_state_keep_the_log_bounded_and_stop_no_write(database: Database) -> None:
    log = Path(f"{database.url.database}-wal")
    reading, release = threading.Barrier(READERS + 1), threading.Event()

    def hold() -> None:
        with database.read() as session:
            before = session.execute(COUNT).scalar_one()
            reading.wait(60)
            assert release.wait(120)
            assert session.execute(COUNT).scalar_one() == before

    readers = [threading.Thread(target=hold, daemon=True) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    reading.wait(60)
    for _ in range(WRITES):
        database.write(lambda session: session.execute(RAISE))
    while_held = log.stat().st_size
    release.set()
    for reader in readers:
        reader.join(120)
    assert while_held <= LONGEST_LOG
    for _ in range(WRITES):
        database.write(lambda session: session.execute(RAISE))
    assert count(database) == 2 * WRITES
    assert log.stat().st_size <= max(while_held, 8 * 1024**2), "the log is used again once the readers are gone"
    with database.read() as session:
        assert session.execute(text("PRAGMA integrity_check")).scalar_one() == "ok"


def test_an_application_that_was_opened_and_closed_fifty_times_leaves_nothing(
    database_url: str, tmp_path: Path
) -> None:
    def once() -> None:
        app = create_app(Settings(database_url=database_url, data=tmp_path))
        for path in ("/", "/healthz", "/metrics"):
            assert Client(app).get(path).status_code == 200
        app.state.database.write(lambda session: session.execute(COUNT))
        app.state.database.close()

    once()
    threads, files = threading.active_count(), open_files()
    for _ in range(50):
        once()
    assert threading.active_count() <= threads + 2
    assert open_files() <= files + 2
