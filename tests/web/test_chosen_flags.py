"""Flags of the engine that somebody chooses for a reproduction, as they would type them on a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.protocol.plan import Plan
from tests.site import Site, open_site
from tests.web.markup import read
from tests.web.test_job_forms import BARE, CHOICES, cookie, form_of, post

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.db import Database
    from tests.conftest import StillClock
    from tests.jobs.factories import Queue


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def test_flags_are_typed_as_on_a_command_line_and_run(site: Site, queue: Queue) -> None:
    own, _ = cookie(site, "submit")
    path = f"/cards/{site.recorded(BARE, site.token(name='Owner'))}/reproduce"
    typed = CHOICES | {"flags": "--enforce_eager --max-num-seqs 8 --compilation-config '{\"level\": 3}'"}
    shown = site.client.get(path, headers=own, params=typed).text
    assert "--max-num-seqs: 8 was chosen; the source states none" in read(shown).words()
    sent = post(site, path, own, form_of(shown, path))
    job = queue.job(sent.headers["location"].rpartition("/")[2])
    launch = Plan.model_validate_json(job.plan).sides[0].launch
    assert launch is not None
    assert {
        "enforce-eager": True,
        "max-num-seqs": 8,
        "compilation-config": {"level": 3},
    }.items() <= launch.flags.items()


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("-tp 2", "word 1: “-tp” is no flag with its full name; write --NAME=VALUE"),
        ("--dtype 'half", "a quotation mark or a backslash has no partner; close it"),
        ("--dtype half --dtype=auto", "--dtype is given twice; leave one of them"),
        ("--compilation-config={", "word 1: the JSON of --compilation-config cannot be read"),
        ("--Näme 2", "“Näme” is not written as"),
    ],
)
def test_flags_that_cannot_be_read_are_told_and_stay_in_their_field(site: Site, flags: str, told: str) -> None:
    path = f"/cards/{site.recorded(BARE, site.token(name='Owner'))}/reproduce"
    answer = site.client.get(path, params=CHOICES | {"flags": flags})
    assert answer.status_code == 422
    assert told in read(answer.text).words()
    (field,) = (item for item in read(answer.text).all("input") if item.attributes.get("id") == "c-flags")
    assert field.attributes["value"] == flags


def test_every_choice_that_cannot_be_taken_has_a_line_that_leads_to_its_field(site: Site) -> None:
    path = f"/cards/{site.recorded(BARE, site.token(name='Owner'))}/reproduce"
    answer = site.client.get(path, params={"revision": "main", "gpus": "two", "flags": "nonsense --"})
    page = read(answer.text)
    assert answer.status_code == 422
    section = page.one("section", class_="trouble")
    links = {link.attributes["href"]: link.text for link in section.all("a")}
    assert set(links) == {"#c-revision", "#c-gpus", "#c-flags"}
    for href, text in links.items():
        field = page.one("input", id=href[1:])
        assert field.attributes["aria-invalid"] == "true"
        error = page.one("p", id=f"{href[1:]}-error")
        assert f"{href[1:]}-error" in field.attributes["aria-describedby"]
        assert text.partition(": ")[2].casefold() in error.text.casefold()
