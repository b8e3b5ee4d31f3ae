"""What a form records is the same in whichever language it was filled in: it travels to others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.site import Site, open_site
from tests.web.test_card_form import FEW
from tests.web.test_card_form import post as post_card
from tests.web.test_job_forms import BARE, CHOICES, cookie, form_of, post

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.db import Database
    from tests.conftest import StillClock

LANGUAGES = ("en", "id")


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def test_a_plan_and_its_assumptions(site: Site) -> None:
    path = f"/cards/{site.recorded(BARE, site.token(name='Owner'))}/reproduce"
    own, _ = cookie(site, "submit")
    asked: list[dict[str, Any]] = []
    for seed, language in enumerate(LANGUAGES):  # one seed is one request, which is answered once
        mine = {**own, "Accept-Language": language}
        fields = form_of(site.client.get(path, headers=mine, params=CHOICES).text, path)
        answer = post(site, path, mine, {**fields, "seed": str(seed)})
        asked.append(site.get(f"/api/v1{answer.headers['location']}").json())
        assert asked[-1]["plan"]["workload"].pop("seed") == seed
        asked[-1]["assumptions"].remove(f"seed of the prompts: {seed}")
    first, second = ({name: job[name] for name in ("plan", "assumptions")} for job in asked)
    assert first == second
    assert first["assumptions"]


def test_a_cards_findings(site: Site) -> None:
    own, _ = cookie(site, "submit")
    found = []
    for language in LANGUAGES:
        answer = post_card(site, FEW, **own, **{"Accept-Language": language})
        assert answer.status_code == 303, answer.text
        found.append(site.get(f"/api/v1{answer.headers['location']}").json()["findings"])
    assert found[0] == found[1] != []
