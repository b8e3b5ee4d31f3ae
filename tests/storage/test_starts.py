"""Several servers that start at once on one empty database: one after the other makes it ready."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from app.catalogue.queries import Catalogue
from app.claims.rows import ClaimFilter
from app.clock import SystemClock
from app.db import Database
from app.errors import SetupError
from app.installation import made_ready
from app.main import prepare
from app.settings import Settings
from tests.conftest import BOTH, execute, named
from tests.storage.test_load import source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

STARTS = 4
LIMIT_S = 120  # that they take at most


@pytest.fixture(params=BOTH)
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """The settings of an installation that was never started, with a catalogue of twelve sources."""
    sources = tmp_path / "sources"
    sources.mkdir()
    for number in range(12):
        claims = [f"{number}-{letter}" for letter in "abcdefgh"]
        (sources / f"{number}.yaml").write_text(source(f"s-{number}", *claims))
    if request.param == "sqlite":
        yield Settings(data=tmp_path / "data", catalogue=sources)
        return
    server, name = request.getfixturevalue("postgres"), f"starts_{uuid4().hex}"
    execute(server, f"CREATE DATABASE {name}")
    yield Settings(database_url=named(server, name), data=tmp_path / "data", catalogue=sources)
    execute(server, f"DROP DATABASE {name} WITH (FORCE)")


def start(settings: Settings, together: Barrier) -> None:
    together.wait(LIMIT_S)
    prepare(settings, SystemClock())


def test_servers_that_start_at_once_all_start(empty: Settings) -> None:
    context = multiprocessing.get_context("spawn")
    together = context.Barrier(STARTS)
    servers = [context.Process(target=start, args=(empty, together), daemon=True) for _ in range(STARTS)]
    for server in servers:
        server.start()
    for server in servers:
        server.join(LIMIT_S)
    assert [server.exitcode for server in servers] == [0] * STARTS
    database = Database(empty.url())
    assert Catalogue(database).page(ClaimFilter()).total == 96
    database.close()


def test_nobody_else_starts_meanwhile_and_everybody_afterwards(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.db.LONGEST_START_S", 1)
    other = Database(database.url.render_as_string(hide_password=False))
    with database.alone(), pytest.raises(Exception, match=r"locked|lock timeout"), other.alone():
        pytest.fail("two at once")
    with other.alone():
        other.migrate()
    other.close()


def test_a_start_that_waited_too_long_is_told(empty: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.db.LONGEST_START_S", 1)
    with made_ready(empty), pytest.raises(SetupError, match="another process has held it for long"):
        prepare(empty, SystemClock())
