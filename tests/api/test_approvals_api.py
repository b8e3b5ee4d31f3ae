"""What the API tells of approvals: what would run, and against what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.api.test_job_access import ask
from tests.jobs.factories import plan
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.db import Database
    from tests.conftest import StillClock


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def test_a_launch_to_approve_is_told_as_it_would_run_and_against_what_was_approved(site: Site) -> None:
    def asked(**launch: object) -> dict[str, Any]:
        wanted = plan(launch=launch).model_dump(mode="json")
        return dict(ask(site, "/api/v1/jobs", {"plan": wanted}, site.token()).json())

    first = asked(flags={"max-model-len": 64})
    (launch,) = first["launches"]
    assert {"text": "--api-key={KEY}", "place": "KEY", "only_with": None} in launch["start"]["argv"]
    assert launch["start"]["env"]["HF_HUB_OFFLINE"] == {"text": "1", "place": None, "only_with": None}
    assert (launch["before"], launch["changes"], launch["trouble"]) == (None, [], "")
    ask(site, f"/api/v1/jobs/{first['id']}/approve", {}, site.token("maintain"))
    (launch,) = asked(flags={"max-model-len": 128})["launches"]
    assert launch["before"]["digest"] == first["launches"][0]["digest"]
    assert [(line["kind"], line["text"]) for line in launch["changes"] if line["kind"] != "same"] == [
        ("old", "--max-model-len=64"),
        ("new", "--max-model-len=128"),
    ]
