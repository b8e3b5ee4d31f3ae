"""A card that names the traces of a measurement and that measurement lead to each other, as long as the card names
them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from app.jobs.logs import Logs
from app.jobs.measurements import TRACE
from app.settings import ROOT
from tests.cards.factories import sound
from tests.jobs.factories import Queue, allow_all
from tests.jobs.runs import plan
from tests.site import Site, open_site
from tests.web.markup import read
from tests.web.test_measurement_pages import measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.db import Database
    from tests.conftest import StillClock


@pytest.fixture
def site(database: Database, clock: StillClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    allow_all(monkeypatch)
    yield from open_site(database, clock)


@pytest.fixture
def made(site: Site, tmp_path: Path) -> str:
    return measured(site, Queue(site.database, site.clock, Logs(site.data / "logs")), tmp_path, plan())


def naming(digest: str) -> str:
    return sound(raw=f"[{{name: run.parquet, sha256: {digest}}}, {{name: again.parquet, sha256: {digest}}}]")


def migrate(database: Database, step: Callable[[Config, str], None], revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    with database.migration_connection() as connection:
        config.attributes["connection"] = connection
        step(config, revision)


def links(site: Site, page: str) -> set[str]:
    return {str(item.attributes["href"]) for item in read(site.get(page).text).all("a")}


def test_they_lead_to_each_other_until_the_card_names_the_trace_no_more(site: Site, made: str) -> None:
    owner, row = site.token(), site.client.app.state.measurements.one(made)
    digest = row.numbers["sets"][0]["runs"][0]["trace_sha256"]
    card = site.recorded(naming(digest), owner)
    for page in (f"/measurements/{made}", f"/jobs/{row.job_id}"):
        assert f"/cards/{card}" in links(site, page)
    assert f"/measurements/{made}" in links(site, f"/cards/{card}")
    other = site.recorded(naming("0" * 64), owner)
    assert not [link for link in links(site, f"/cards/{other}") if link.startswith("/measurements/m")]

    answer = site.send("PUT", f"/api/v1/cards/{card}?revision=1", sound(note="of another run"), owner)
    assert answer.status_code == 200, answer.text
    assert f"/cards/{card}" not in links(site, f"/measurements/{made}")
    assert f"/measurements/{made}" not in links(site, f"/cards/{card}")
    assert f"/measurements/{made}" in links(site, f"/cards/{card}?revision=1"), "what it named then"


def test_a_card_that_was_taken_back_says_so_there(site: Site, made: str) -> None:
    owner = site.token()
    runs = site.client.app.state.measurements.one(made).numbers["sets"][0]["runs"]
    card = site.recorded(naming(runs[-1]["trace_sha256"]), owner)
    site.send(
        "POST", f"/api/v1/cards/{card}/retract", '{"reason": "wrong flag"}', owner, Content_Type="application/json"
    )
    assert "Retracted:" in read(site.get(f"/measurements/{made}").text).words()


def test_what_was_recorded_before_there_were_such_links_gets_them(site: Site, made: str) -> None:
    digest = site.client.app.state.measurements.one(made).numbers["sets"][0]["runs"][0]["trace_sha256"]
    card = site.recorded(naming(digest), site.token())
    for step, revision in ((command.downgrade, "0008"), (command.upgrade, "head")):
        migrate(site.database, step, revision)
    assert f"/cards/{card}" in links(site, f"/measurements/{made}")
    assert f"/measurements/{made}" in links(site, f"/cards/{card}")
    with site.database.read() as session:
        assert session.connection().execute(sa.select(sa.func.count()).select_from(TRACE)).scalar_one() == 3
