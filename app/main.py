"""The application: one place that puts settings, database, pages and API together."""

from __future__ import annotations

import threading
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware

import app.api.errors
import app.api.router
import app.web.errors
import app.web.pages
from app import memory
from app.accounts.queries import Accounts
from app.accounts.throttle import Throttle
from app.api.examples import with_examples
from app.cards.queries import Cards
from app.catalogue.folder import read_catalogue
from app.catalogue.models import weights
from app.catalogue.pairs import pairs
from app.catalogue.queries import Catalogue
from app.catalogue.store import load_into
from app.clock import SystemClock
from app.db import Database
from app.edge import SAME_SITE, Edge
from app.installation import made_ready
from app.jobs.logs import Logs
from app.jobs.measured import Measurements
from app.jobs.measurements import judge_changed
from app.jobs.queries import Jobs
from app.jobs.shipped import record_all
from app.jobs.store import settle
from app.jobs.sweeping import swept
from app.locale import languages
from app.metrics import Figures, Metrics
from app.news import News
from app.randomness import SystemRandomness
from app.results.files import Files
from app.results.intake import Intake
from app.results.queries import Imports
from app.settings import ROOT
from app.web.marked_files import MarkedFiles
from app.web.run_apart import RunViews
from app.web.speaking import language_at

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import AsyncIterator

    from starlette.datastructures import State
    from starlette.types import ASGIApp

    from app.clock import Clock
    from app.randomness import Randomness
    from app.settings import Settings

LONGEST_BODY = 2_000_000  # bytes, where a route sets no limit of its own
GZIP_LEVEL = 3  # bench/README.md


class Site(FastAPI):
    """With the edge around the framework's own handling of failures and body sizes too."""

    _describing = threading.Lock()  # two threads that build the description at once break each other's

    def openapi(self) -> dict[str, Any]:
        """Built on first use, in half a second: ask for it in a thread."""
        with self._describing:
            if self.openapi_schema is None:
                self.openapi_schema = with_examples(super().openapi())
            return self.openapi_schema

    def build_middleware_stack(self) -> ASGIApp:
        return Edge(
            super().build_middleware_stack(), refuse=self.state.refuse, metrics=self.state.metrics, language=language_at
        )


def prepare(settings: Settings, clock: Clock) -> Counter[str]:
    """Bring the tables and what they hold up to date. Raises SettingError or CatalogueError before anything is
    written, and SetupError where the database or a language's catalogue cannot be used."""
    languages()
    loaded = read_catalogue(settings.catalogue)
    with made_ready(settings) as database:
        changes = load_into(database, loaded, clock)
        record_all(database, Files(settings.data / "files"), settings.catalogue, clock)
        database.write(judge_changed)  # a claim that was loaded anew knows nothing of its measurements
        now, second = clock.now(), settings.two_people
        database.write(lambda session: settle(session, now, second=second))  # this version may start things otherwise
        return changes


def create_app(settings: Settings, clock: Clock | None = None, randomness: Randomness | None = None) -> FastAPI:
    """The web application on a database that `prepare` has made ready. Tests hand in what they can foresee."""
    metrics = Metrics()
    database = Database(settings.url(), waited=metrics.waited)

    @asynccontextmanager
    async def lifespan(running: FastAPI) -> AsyncIterator[None]:
        memory.bound()
        await run_in_threadpool(running.state.catalogue.index)  # so that nobody's first request waits for it
        weights(), pairs()  # nor finds their files changed
        memory.settle()
        async with swept(database, running.state.clock, second=settings.two_people):
            yield
        database.close()

    application = Site(
        title="Benchcard",
        version=version("benchcard"),
        summary="Published LLM-serving numbers beside what they mean.",
        lifespan=lifespan,
        openapi_url=None,  # /api/openapi.json is a route of ours: building it takes half a second of a thread
        docs_url=None,  # Swagger UI would load from another host; /api/docs is a page of ours
        redoc_url=None,
        max_body_size=LONGEST_BODY,
        dependencies=[SAME_SITE],
    )
    _fill(application.state, settings, database, clock or SystemClock())
    application.state.metrics = metrics
    metrics.registry.register(Figures(database, settings.data, application.state.clock, application.version))
    application.state.randomness = randomness or SystemRandomness()
    application.mount("/static", MarkedFiles(directory=ROOT / "static"), name="static")
    app.api.router.include(application)
    app.web.pages.include(application)
    refuse = app.api.errors.register(application, pages=app.web.errors.error_page)
    application.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=GZIP_LEVEL)
    application.state.refuse = refuse
    return application


def _fill(state: State, settings: Settings, database: Database, clock: Clock) -> None:
    """What requests work with: the read sides of every domain, and what they share."""
    state.settings, state.database, state.clock = settings, database, clock
    state.catalogue = Catalogue(database)
    state.cards = Cards(database, state.catalogue, clock)
    state.imports = Imports(database)
    state.files = Files(settings.data / "files")
    state.intake, state.run_views = Intake(state.files, database), RunViews()
    state.logs = Logs(settings.data / "logs")
    state.jobs, state.measurements = Jobs(database, state.logs, clock), Measurements(database)
    state.news = News(database)
    state.accounts = Accounts(database, clock)
    state.throttle = Throttle(clock)
