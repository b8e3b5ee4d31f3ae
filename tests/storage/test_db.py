"""The database's promises: what is acknowledged is kept, readers see one state, writers wait their turn."""

from __future__ import annotations

import fcntl
import importlib
import multiprocessing
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, SQLModel

from app.db import Database, check_foreign_keys, sqlite_module
from app.errors import InvalidInputError
from app.settings import ROOT

if TYPE_CHECKING:
    from types import ModuleType

COUNT = text("SELECT version FROM catalogue_state")
RAISE = text("UPDATE catalogue_state SET version = version + 1")


def count(database: Database) -> int:
    with database.read() as session:
        return int(session.execute(COUNT).scalar_one())


def raise_by_reading_first(session: Session) -> None:
    """What loses updates where a transaction takes its lock late."""
    now = session.execute(COUNT).scalar_one()
    session.execute(text("UPDATE catalogue_state SET version = :next"), {"next": now + 1})


def write_often(url: str, times: int) -> None:
    database = Database(url)
    for _ in range(times):
        database.write(raise_by_reading_first)
    database.close()


def open_files() -> int:
    listed = Path("/proc/self/fd")
    return len(list(listed.iterdir())) if listed.exists() else 0


def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(DBAPIError), database.read() as session:
        session.execute(RAISE)
    assert count(database) == 0


def test_a_reader_sees_one_state_while_others_write(database: Database) -> None:
    with database.read() as session:
        before = session.execute(COUNT).scalar_one()
        database.write(lambda writer: writer.execute(RAISE))
        assert session.execute(COUNT).scalar_one() == before
    assert count(database) == before + 1


def test_a_failed_write_leaves_nothing_and_the_next_one_works(database: Database) -> None:
    def fails(session: Session) -> None:
        session.execute(RAISE)
        raise LookupError("halfway")

    with pytest.raises(LookupError):
        database.write(fails)
    database.write(lambda session: session.execute(RAISE))
    assert count(database) == 1


def test_writes_are_done_in_the_order_they_came(database: Database) -> None:
    order: list[int] = []
    with ThreadPoolExecutor(1) as pool:
        done = [pool.submit(database.write, lambda _, n=number: order.append(n)) for number in range(50)]
    assert [item.result() for item in done] == [None] * 50
    assert order == list(range(50))


def test_no_update_is_lost_between_processes(sqlite_template: Path, tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    path.write_bytes(sqlite_template.read_bytes())
    url = f"sqlite:///{path}"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write_often, args=(url, 50), daemon=True) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    database = Database(url)
    assert [worker.exitcode for worker in workers] == [0] * 4
    assert count(database) == 200
    database.close()


def test_processes_that_write_to_one_sqlite_file_wait_for_each_other_in_a_queue_of_the_system(
    sqlite_template: Path, tmp_path: Path
) -> None:
    file = tmp_path / "copy.db"
    file.write_bytes(sqlite_template.read_bytes())
    database, happened = Database(f"sqlite:///{file}"), []
    with Path(f"{file}.turn").open("ab") as another, ThreadPoolExecutor(1) as thread:
        fcntl.flock(another, fcntl.LOCK_EX)
        written = thread.submit(database.write, lambda _: happened.append("written"))
        wait({written}, timeout=0.2)
        happened.append("the other's turn ended")
        fcntl.flock(another, fcntl.LOCK_UN)
        written.result(60)
    database.close()
    assert happened == ["the other's turn ended", "written"]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_sqlite_keeps_what_it_acknowledged(database: Database) -> None:
    asked = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "trusted_schema", "query_only")
    with database.read() as session:
        found = [session.connection().exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in asked]
    assert found == ["wal", 2, 1, 10000, 0, 1]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_backup_of_a_live_database_has_every_acknowledged_row(database: Database, tmp_path: Path) -> None:
    with database.read() as held:  # keeps the writes in the log, where `cp` would miss them
        held.execute(COUNT)
        for _ in range(20):
            database.write(lambda session: session.execute(RAISE))
        database.backup(tmp_path / "copy.db")
    copy = Database(f"sqlite:///{tmp_path / 'copy.db'}")
    assert count(copy) == 20
    copy.close()


def test_postgresql_is_not_backed_up_by_copying() -> None:
    database = Database("postgresql://nobody@localhost/none")
    with pytest.raises(InvalidInputError, match="pg_dump"):
        database.backup(None)  # type: ignore[arg-type]
    database.close()


def test_the_newest_sqlite_at_hand_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 40, 1))
    assert sqlite_module().__name__.startswith("pysqlite3")
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 3))
    assert sqlite_module() is sqlite3


def test_an_unsound_sqlite_is_warned_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ModuleType:
        raise ImportError(name)

    database = Database(f"sqlite:///{tmp_path / 'a.db'}")
    assert database.warnings() == []
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 40, 1))
    monkeypatch.setattr(importlib, "import_module", missing)
    assert "pysqlite3" in database.warnings()[0]
    database.close()


def test_migrating_twice_changes_nothing(database: Database) -> None:
    database.write(lambda session: session.execute(RAISE))
    database.migrate()
    assert count(database) == 1


def test_the_tables_are_what_the_migrations_make(database: Database) -> None:
    with database.migration_connection() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []


def test_every_migration_goes_down_and_up_again(database: Database) -> None:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    for step in ("base", "head"):
        with database.migration_connection() as connection:
            config.attributes["connection"] = connection
            (command.downgrade if step == "base" else command.upgrade)(config, step)
    assert count(database) == 0
    assert len(ScriptDirectory.from_config(config).get_heads()) == 1


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_migration_that_leaves_a_reference_to_nothing_is_undone(database: Database) -> None:
    columns = "id, source_id, rank, date, axis, kind, scope, acceptance, stated_in, status, caveats, sort_group, search"
    orphan = (
        f"INSERT INTO claim ({columns}, document) VALUES ('a', 'gone', 1, 0, '', '', '', '', '', '', '', 0, '', '')"
    )
    with pytest.raises(RuntimeError, match="1 reference"), database.migration_connection() as connection:
        connection.execute(text(orphan))
    with database.migration_connection() as connection:
        check_foreign_keys(connection)
        assert connection.execute(text("SELECT count(*) FROM claim")).scalar_one() == 0


def test_a_closed_database_lets_go_of_its_threads_and_connections(database_url: str) -> None:
    threads, files = threading.active_count(), open_files()
    for _ in range(20):
        database = Database(database_url)
        database.write(lambda session: session.execute(COUNT))
        assert count(database) == 0
        database.close()
    assert threading.active_count() <= threads
    assert open_files() <= files + 2
    last = Database(database_url)
    last.close()
    with pytest.raises(RuntimeError, match="shutdown"):
        last.write(lambda session: session.execute(COUNT))
