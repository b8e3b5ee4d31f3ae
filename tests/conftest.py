"""Migrated databases, SQLite and PostgreSQL, and the application on them; what could not run is named at the end."""

from __future__ import annotations

import asyncio
import datetime as dt
import shutil
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import httpx
import psycopg
import pytest
from hypothesis import settings

from app.db import Database
from app.main import create_app
from app.settings import Settings
from tests.postgres import server, which

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fastapi import FastAPI


STANDING = settings.get_profile(settings.get_current_profile_name())  # in CI examples are the same every time
settings.register_profile("benchcard", STANDING, deadline=None)  # no test fails for the machine's load
settings.load_profile("benchcard")


class StillClock:
    """A clock that shows one moment until it is set."""

    def __init__(self) -> None:
        self.moment = dt.datetime(2026, 11, 29, 12, 0, tzinfo=dt.UTC)

    def now(self) -> dt.datetime:
        return self.moment


class Client:
    """Asks the application as HTTP does, without a network."""

    def __init__(self, app: FastAPI) -> None:
        self.app = app

    def get(self, url: str, **options: Any) -> httpx.Response:
        return self.request("GET", url, **options)

    def request(self, method: str, url: str, **options: Any) -> httpx.Response:
        return asyncio.run(self._request(method, url, options))

    async def _request(self, method: str, url: str, options: dict[str, Any]) -> httpx.Response:
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bench.test") as client:
            return await client.request(method, url, **options)


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "benchcard.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL server (tests.postgres)."""
    with ExitStack() as opened:
        try:
            url = opened.enter_context(server(tmp_path_factory.mktemp("postgres")))
        except Exception as error:
            reason = f"no PostgreSQL here ({type(error).__name__}: {error})"
            pytest.skip(reason)
        yield url


@pytest.fixture(scope="session")
def postgres_template(postgres: str) -> str:
    """The name of a migrated database, of which every test gets a copy."""
    name = f"template_{uuid4().hex}"
    execute(postgres, f"CREATE DATABASE {name}")
    migrate(named(postgres, name))
    return name


BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.xdist_group("postgresql"))]


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A migrated, empty database of its own."""
    yield from migrated(request, tmp_path)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    opened = Database(database_url)
    yield opened
    opened.close()


@pytest.fixture(scope="module", params=BOTH)
def kept_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """One database for the tests of a module that only read it."""
    for url in migrated(request, tmp_path_factory.mktemp("kept")):
        opened = Database(url)
        yield opened
        opened.close()


def migrated(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    if request.param == "sqlite":
        copy = shutil.copy(request.getfixturevalue("sqlite_template"), folder / "benchcard.db")
        yield f"sqlite:///{copy}"
        return
    server, template = request.getfixturevalue("postgres"), request.getfixturevalue("postgres_template")
    name = f"test_{uuid4().hex}"
    execute(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    yield named(server, name)
    execute(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def client_on() -> Iterator[Callable[[str], Client]]:
    """The application on a database, by its URL."""
    yield from clients()


@pytest.fixture(scope="module")
def kept_client_on() -> Iterator[Callable[[str], Client]]:
    """The same for the tests of a module that only read."""
    yield from clients()


def clients() -> Iterator[Callable[[str], Client]]:
    opened: list[Client] = []

    def open_client(url: str) -> Client:
        opened.append(Client(create_app(Settings(database_url=url))))
        return opened[-1]

    yield open_client
    for client in opened:
        client.app.state.database.close()


def migrate(url: str) -> None:
    database = Database(url)
    database.migrate()
    database.close()


def named(server: str, name: str) -> str:
    """The server's URL with another database: `postgresql://user@host/NAME?options`."""
    address, _, options = server.partition("?")
    return f"{address.rpartition('/')[0]}/{name}" + (f"?{options}" if options else "")


def execute(server: str, statement: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(statement.encode())


def pytest_report_header() -> str:
    return f"PostgreSQL: {which()}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What could not run, on the last lines; reports come together here from every worker."""
    skipped = (report.longrepr for report in terminalreporter.stats.get("skipped", []))
    reasons = Counter(place[2].removeprefix("Skipped: ") for place in skipped if isinstance(place, tuple))
    for reason, count in reasons.items():
        terminalreporter.write_line(f"NOT RUN, {count} tests: {reason}", yellow=True)
