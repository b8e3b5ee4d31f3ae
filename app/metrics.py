"""What a Prometheus server reads at /metrics.

Every label has few values: addresses by their template, statuses by their class, methods that HTTP defines. No name,
no address of anybody and no secret is in it, and what it costs is bounded: tables are counted and the data folder is
walked at most once in a while, however often somebody asks.
"""

from __future__ import annotations

import platform
import threading
from typing import TYPE_CHECKING

import sqlalchemy as sa
from prometheus_client import CollectorRegistry, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

from app.jobs import tables  # noqa: F401 (declares them)
from app.jobs.states import ACTIVE, LEASE, STATES
from app.storage.sizes import sizes

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from prometheus_client.core import Metric

    from app.clock import Clock
    from app.db import Database

METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
ROWS_FOR_S = 15  # how long counts of rows are shown before they are counted again
FOLDER_FOR_S = 300
JOB, RUNNER = SQLModel.metadata.tables["job"], SQLModel.metadata.tables["runner"]
RUNNERS = ("ready", "draining", "quarantined", "away", "retired")


class Metrics:
    """What is counted while requests are answered, and the registry of everything."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = Histogram(
            "benchcard_request_seconds",
            "Time until a request was answered whole, by template of its address.",
            ("method", "route", "status"),
            buckets=SECONDS,
            registry=self.registry,
        )
        self._waits = Histogram(
            "benchcard_write_wait_seconds",
            "Time that a write waited for the writes before it.",
            buckets=SECONDS,
            registry=self.registry,
        )

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """`route` is a template, "none" where no route took the request."""
        self._requests.labels(method if method in METHODS else "other", route, f"{status // 100}xx").observe(seconds)

    def waited(self, seconds: float) -> None:
        self._waits.observe(seconds)

    def shown(self) -> bytes:
        """In Prometheus' text format."""
        return generate_latest(self.registry)


class Figures:
    """What is looked up when somebody asks: rows, jobs, runners, the data folder, the build."""

    def __init__(self, database: Database, data: Path, clock: Clock, version: str) -> None:
        self._version = version
        self._rows = Aged(lambda: _rows(database, clock), clock, ROWS_FOR_S)
        self._folder = Aged(lambda: _folder(data), clock, FOLDER_FOR_S)

    def collect(self) -> Iterator[Metric]:
        build = InfoMetricFamily("benchcard_build", "Which Benchcard this is.")
        build.add_metric([], {"version": self._version, "python": platform.python_version()})
        yield build
        yield from self._folder.value()
        try:
            rows = self._rows.value()
        except DBAPIError:  # what can be told without the database is worth most just then
            rows = []
        yield GaugeMetricFamily("benchcard_database_up", "Whether the database answers.", value=int(bool(rows)))
        yield from rows


class Aged:
    """A value that is made again once it is too old, by one asker at a time."""

    def __init__(self, make: Callable[[], list[Metric]], clock: Clock, seconds: int) -> None:
        self._make, self._clock, self._seconds = make, clock, seconds
        self._lock = threading.Lock()
        self._made: tuple[dt.datetime, list[Metric]] | None = None

    def value(self) -> list[Metric]:
        with self._lock:
            now = self._clock.now()
            if self._made is None or not 0 <= (now - self._made[0]).total_seconds() < self._seconds:
                self._made = (now, self._make())
            return self._made[1]


def _folder(data: Path) -> list[Metric]:
    files = GaugeMetricFamily("benchcard_data_files", "Files in the data folder.", labels=["kind"])
    size = GaugeMetricFamily("benchcard_data_bytes", "Bytes in the data folder.", labels=["kind"])
    for kind, (count, total) in sizes(data).items():
        files.add_metric([kind], count)
        size.add_metric([kind], total)
    return [files, size]


def _rows(database: Database, clock: Clock) -> list[Metric]:
    rows = GaugeMetricFamily("benchcard_rows", "Rows of a table.", labels=["table"])
    jobs = GaugeMetricFamily("benchcard_jobs", "Jobs by state.", labels=["state"])
    runners = GaugeMetricFamily("benchcard_runners", "Runners by state; away: not seen for 90 s.", labels=["state"])
    now = clock.now()
    expired = sa.and_(JOB.c.state.in_(ACTIVE), JOB.c.lease_until < now)
    beats = (JOB.c.runner == RUNNER.c.name, JOB.c.state.in_(ACTIVE), JOB.c.beat_at >= now - LEASE)
    kind = sa.case(
        (RUNNER.c.retired_at.is_not(None), "retired"),
        (RUNNER.c.quarantined_at.is_not(None), "quarantined"),
        (sa.and_(RUNNER.c.seen_at < now - LEASE, ~sa.exists().where(*beats)), "away"),
        (sa.or_(RUNNER.c.draining, RUNNER.c.drain_asked), "draining"),
        else_="ready",
    )
    with database.read() as session:
        connection = session.connection()
        for name, table in sorted(SQLModel.metadata.tables.items()):
            rows.add_metric([name], connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())
        by_state = _by(connection, JOB.c.state)
        by_kind = _by(connection, kind)
        late = connection.execute(sa.select(sa.func.count()).select_from(JOB).where(expired)).scalar_one()
    for state in STATES:
        jobs.add_metric([state], by_state.get(state, 0))
    for name in RUNNERS:
        runners.add_metric([name], by_kind.get(name, 0))
    return [rows, jobs, runners, GaugeMetricFamily("benchcard_leases_expired", "Leases past their end.", value=late)]


def _by(connection: sa.Connection, column: sa.ColumnElement[str]) -> dict[str, int]:
    counted = connection.execute(sa.select(column, sa.func.count()).group_by(column))
    return {str(value): int(count) for value, count in counted}
