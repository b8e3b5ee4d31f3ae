"""Flags of the engine that somebody chooses for a reproduction, as they would type them on a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.jobs.logs import Logs
from app.protocol.plan import Plan
from tests.jobs.factories import Queue
from tests.site import Site, open_site
from tests.web.markup import read
from tests.web.test_job_forms import BARE, CHOICES, cookie, form_of, post

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.db import Database
    from tests.conftest import StillClock


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


@pytest.fixture
def queue(site: Site) -> Queue:
    return Queue(site.database, site.clock, Logs(site.data / "logs"))


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
