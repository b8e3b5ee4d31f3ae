"""A card that was measured again: its row keeps the verdict whatever becomes of the card, set against what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.catalogue.queries import Catalogue
from app.jobs.logs import Logs
from app.jobs.measurements import record
from app.results.files import Files
from tests.api.test_job_access import ask
from tests.cards.factories import sound
from tests.jobs.factories import RANDOM, Queue, allow_all
from tests.jobs.prepared import prepare
from tests.jobs.runs import attempt, plan
from tests.jobs.test_measurements import kept
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.claims.schema import Reproduction
    from app.db import Database
    from tests.conftest import StillClock


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


@pytest.fixture
def owner(site: Site) -> str:
    return site.token()


@pytest.fixture
def card(site: Site, owner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """One that was measured again."""
    allow_all(monkeypatch)
    of = site.recorded(sound(), owner)
    queue, files = Queue(site.database, site.clock, Logs(site.data / "logs")), Files(tmp_path / "files")
    queue.submit(plan=plan(), card_id=of, assumptions=("repeats: 3",))
    job, epoch = queue.running()
    found = prepare(site.database, files, job, kept(files, tmp_path, *attempt(tmp_path / "traces", plan())))
    site.database.write(lambda session: record(session, found, job, epoch, "Ana", site.clock.now(), RANDOM))
    return of


def said_of(site: Site, card: str) -> Reproduction:
    return Catalogue(site.database).claim(card).reproduction


def test_a_verdict_stays_when_the_card_is_edited(site: Site, owner: str, card: str) -> None:
    before = said_of(site, card)
    assert before.measurement is not None
    answer = site.send("PUT", f"/api/v1/cards/{card}?revision=1", sound(quality="{checked: no}"), owner)
    assert answer.status_code == 200
    assert said_of(site, card) == before


def test_a_verdict_is_set_against_the_number_that_the_card_says_now(site: Site, owner: str, card: str) -> None:
    assert "against 223.50 tok/s" in said_of(site, card).text
    site.send("PUT", f"/api/v1/cards/{card}?revision=1", sound(result="{value: 99.8, unit: tok/s}"), owner)
    after = said_of(site, card)
    assert "against 99.8 tok/s" in after.text
    verdict = site.get(f"/api/v1/measurements/{after.measurement}").json()["verdict"]
    assert (verdict["claimed"], verdict["assumptions"]) == ("99.8 tok/s", ["repeats: 3"])


def test_the_form_sets_the_verdict_against_the_new_number_too(site: Site, owner: str, card: str) -> None:
    answer = site.client.request("POST", "/sign-in", content=f"token={owner}")
    signed_in = {"Cookie": answer.headers["set-cookie"].partition(";")[0]}
    form = {"yaml": sound(result="{value: 99.8, unit: tok/s}"), "tab": "yaml", "revision": "1"}
    assert site.client.request("POST", f"/cards/{card}/edit", headers=signed_in, data=form).status_code == 303
    assert "against 99.8 tok/s" in said_of(site, card).text


def test_a_verdict_stays_when_the_card_is_taken_back(site: Site, owner: str, card: str) -> None:
    before = said_of(site, card)
    assert ask(site, f"/api/v1/cards/{card}/retract", {"reason": "a typo"}, owner).status_code == 200
    assert said_of(site, card) == before
