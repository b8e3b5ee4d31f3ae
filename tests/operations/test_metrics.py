"""/metrics: what an operator needs to see, with labels that stay few, at a bounded cost."""

from __future__ import annotations

import datetime as dt
import re
import threading
from typing import TYPE_CHECKING

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import event, insert

from app.jobs.logs import Logs
from app.jobs.tables import JobTable, RunnerTable
from tests.jobs.factories import Queue
from tests.operations.conftest import JOB
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlmodel import Session

    from app.db import Database
    from tests.conftest import StillClock

RUNNER = {"token_id": "t", "boot_id": "b", "version": "1", "capabilities": "{}", "failures": 0, "earlier_boots": "[]"}


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def samples(site: Site) -> dict[tuple[str, frozenset[str]], float]:
    """(name, label values) -> value."""
    answer = site.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    families = text_string_to_metric_families(answer.text)
    return {(s.name, frozenset(s.labels.values())): s.value for family in families for s in family.samples}


def value(site: Site, name: str, *labels: str) -> float:
    return samples(site)[name, frozenset(labels)]


def test_requests_are_counted_by_template_method_and_class(site: Site) -> None:
    for path in ("/claims/a", "/claims/b", "/nothing/at/all", "/api/v1/cards/x"):
        site.get(path)
    site.client.request("HEAD", "/static/css/app.css")
    site.client.request("BREW", "/")
    found = samples(site)
    for labels, times in (
        (("GET", "/claims/{claim_id}", "4xx"), 2),
        (("GET", "none", "4xx"), 1),
        (("GET", "/api/v1/cards/{card_id}", "4xx"), 1),
        (("HEAD", "/static", "2xx"), 1),
        (("other", "/", "4xx"), 1),
    ):
        assert found["benchcard_request_seconds_count", frozenset(labels)] == times, labels


def test_a_label_repeats_nothing_that_was_sent(site: Site) -> None:
    for path in ("/canary", "/claims/canary", "/static/canary", "/?q=canary", "/api/v1/canary", "/canary%00"):
        site.get(path)
    site.client.request("CANARY", "/", headers={"X-Canary": "canary"})
    assert "canary" not in site.get("/metrics").text.lower()


def test_waiting_writes_are_measured(site: Site) -> None:
    before = value(site, "benchcard_write_wait_seconds_count")
    site.client.app.state.database.write(lambda _: None)
    assert value(site, "benchcard_write_wait_seconds_count") == before + 1


def add_jobs(session: Session, now: dt.datetime) -> None:
    second = dt.timedelta(seconds=1)
    for number, (state, until) in enumerate((("queued", None), ("running", now - second), ("leased", now + second))):
        session.execute(insert(JobTable).values(**JOB, id=f"j{number}", state=state, lease_until=until))
    for name, seen, draining, quarantined in (
        ("a", now, False, None),
        ("b", now, True, None),
        ("c", now - 91 * second, True, None),
        ("d", now - 91 * second, False, now),
    ):
        values = {"name": name, "seen_at": seen, "draining": draining, "drain_asked": False}
        session.execute(insert(RunnerTable).values(**RUNNER, **values, quarantined_at=quarantined))


def test_a_runner_whose_job_is_heard_of_is_not_away(site: Site) -> None:
    queue = Queue(site.database, site.clock, Logs(site.data / "logs"))
    queue.submit()
    job, epoch = queue.running()
    for _ in range(3):
        queue.later(60)
        queue.beat(job, epoch)
    assert value(site, "benchcard_runners", "ready") == 1


def test_jobs_late_leases_and_runners_are_counted_by_state(site: Site) -> None:
    site.database.write(lambda session: add_jobs(session, site.clock.now()))
    found = samples(site)
    jobs = {state: found["benchcard_jobs", frozenset([state])] for state in ("queued", "running", "leased", "failed")}
    assert jobs == {"queued": 1, "running": 1, "leased": 1, "failed": 0}
    assert found["benchcard_leases_expired", frozenset()] == 1
    runners = {state: found["benchcard_runners", frozenset([state])] for state in ("ready", "draining", "away")}
    assert runners == {"ready": 1, "draining": 1, "away": 1}
    assert found["benchcard_runners", frozenset(["quarantined"])] == 1
    assert found["benchcard_rows", frozenset(["job"])] == 3


def test_tables_are_counted_once_in_a_while_however_often_somebody_asks(site: Site) -> None:
    statements: list[str] = []
    engine = site.client.app.state.database._readers

    def note(*given: object) -> None:
        statements.append(str(given[2]))

    event.listen(engine, "before_cursor_execute", note)
    site.get("/metrics")
    first = len([text for text in statements if "count(" in text])
    assert first > 10
    for _ in range(5):
        site.get("/metrics")
    assert len([text for text in statements if "count(" in text]) == first
    site.clock.moment += dt.timedelta(seconds=15)
    site.get("/metrics")
    assert len([text for text in statements if "count(" in text]) == 2 * first


def test_the_data_folder_is_told_by_kind(site: Site) -> None:
    (site.data / "files").mkdir()
    (site.data / "files" / "arriving-x").write_bytes(b"123")
    assert value(site, "benchcard_data_bytes", "arriving") == 3
    assert value(site, "benchcard_data_files", "arriving") == 1


def test_a_broken_database_is_a_figure_and_no_failure(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    assert value(site, "benchcard_database_up") == 1
    site.clock.moment += dt.timedelta(minutes=1)
    with site.database.migration_connection() as connection:
        connection.exec_driver_sql("ALTER TABLE job RENAME TO gone")
    found = samples(site)
    assert found["benchcard_database_up", frozenset()] == 0
    assert ("benchcard_rows", frozenset(["claim"])) not in found
    with site.database.migration_connection() as connection:
        connection.exec_driver_sql("ALTER TABLE gone RENAME TO job")
    assert value(site, "benchcard_database_up") == 1


def test_many_who_ask_at_once_count_the_tables_once(site: Site) -> None:
    statements: list[str] = []
    event.listen(site.client.app.state.database._readers, "before_cursor_execute", lambda *g: statements.append(g[2]))
    askers = [threading.Thread(target=site.client.app.state.metrics.shown, daemon=True) for _ in range(8)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join(60)
    assert len([text for text in statements if re.search(r"count\(\*\).*\n?FROM claim\b", text)]) == 1
