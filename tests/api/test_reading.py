"""Who may read: everybody, everything, and reading changes nothing. Every route that reads is listed here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlmodel import SQLModel

from app.accounts.store import revoke_token
from app.accounts.tokens import token_id
from app.jobs.logs import Logs
from tests.api.test_access import RESULT, routes
from tests.cards.factories import SOUND
from tests.jobs.bundles import bundle_bytes
from tests.jobs.factories import Queue, plan
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.db import Database
    from tests.conftest import StillClock

# All are public. A route that asks for a scope has a place in SCOPES of test_access.py, whatever its method is.
PUBLIC = [
    "/",
    "/about",
    "/api/docs",
    "/api/openapi.json",
    "/api/v1/approvals",
    "/api/v1/axes",
    "/api/v1/cards",
    "/api/v1/cards/{card_id}",
    "/api/v1/cards/{card_id}.yaml",
    "/api/v1/cards/{card_id}/revisions",
    "/api/v1/claims",
    "/api/v1/claims.csv",
    "/api/v1/claims/{claim_id}",
    "/api/v1/claims/{claim_id}/citation",
    "/api/v1/compare",
    "/api/v1/compare/citation",
    "/api/v1/imports/{sha256}",
    "/api/v1/imports/{sha256}/file",
    "/api/v1/jobs",
    "/api/v1/jobs/{job_id}",
    "/api/v1/jobs/{job_id}/log",
    "/api/v1/measurements",
    "/api/v1/measurements/{measurement_id}",
    "/api/v1/measurements/{measurement_id}/best",
    "/api/v1/measurements/{measurement_id}/evidence",
    "/api/v1/measurements/{measurement_id}/parts/{name}",
    "/api/v1/runners",
    "/api/v1/sources",
    "/api/v1/sources/{source_id}",
    "/api/v1/tools/capacity",
    "/api/v1/tools/speculation",
    "/api/v1/tools/workload",
    "/axes",
    "/axes/agreement",
    "/cards",
    "/cards/new",
    "/cards/schema",
    "/cards/{card_id}",
    "/cards/{card_id}/edit",
    "/cards/{card_id}/picture.png",
    "/cards/{card_id}/reproduce",
    "/cards/{card_id}/retract",
    "/cards/{card_id}/revisions",
    "/changelog",
    "/claims/{claim_id}",
    "/claims/{claim_id}/badge.svg",
    "/claims/{claim_id}/picture.png",
    "/claims/{claim_id}/reproduce",
    "/compare",
    "/compare/badge.svg",
    "/compare/picture.png",
    "/configurations",
    "/feed",
    "/feed.atom",
    "/glossary",
    "/healthz",
    "/import",
    "/import/{sha256}",
    "/jobs",
    "/jobs/{job_id}",
    "/jobs/{job_id}/approval",
    "/jobs/{job_id}/attempts/{epoch}/{name}",
    "/jobs/{job_id}/cancel",
    "/jobs/{job_id}/log",
    "/measurements",
    "/measurements/compare",
    "/measurements/compare.csv",
    "/measurements/{measurement_id}",
    "/measurements/{measurement_id}/badge.svg",
    "/measurements/{measurement_id}/chart.csv",
    "/measurements/{measurement_id}/picture.png",
    "/metrics",
    "/robots.txt",
    "/runners",
    "/sign-in",
    "/sitemap.xml",
    "/sources",
    "/sources/{source_id}",
    "/sources/{source_id}/{part}.csv",
    "/tools",
    "/tools/capacity",
    "/tools/speculation",
    "/tools/workload",
    "/verdicts",
]


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def test_every_route_that_reads_is_listed_here(site: Site) -> None:
    read = {path for method, path in routes(site.client.app, writing=False) if method in ("GET", "HEAD")}
    assert read == set(PUBLIC)


def there(site: Site) -> dict[str, str]:
    """What stands in the addresses' places: of each kind one that is there."""
    owner = site.token(name="Owner")
    card = site.recorded(SOUND, owner)
    measured = site.send("POST", "/api/v1/measurements/import", bundle_bytes(), owner).json()["id"]
    sha256 = site.send("POST", "/api/v1/imports", RESULT.read_bytes(), owner).json()["sha256"]
    queue = Queue(site.database, site.clock, Logs(site.data / "logs"))
    queue.submit()
    queue.lease()
    waits = queue.submit(plan=plan())
    return {
        "card_id": card, "claim_id": card, "measurement_id": measured, "sha256": sha256, "job_id": waits, "epoch": "1",
        "name": "report.json", "source_id": "none", "part": "none",
    }  # fmt: skip


def stored(site: Site) -> dict[str, list[tuple[object, ...]]]:
    with site.database.read() as session:
        tables = SQLModel.metadata.sorted_tables
        return {table.name: [tuple(row) for row in session.connection().execute(sa.select(table))] for table in tables}


def test_everybody_reads_the_same_and_leaves_no_trace(site: Site) -> None:
    places = there(site)
    revoked, runner = site.token(), site.token("runner")
    site.database.write(lambda session: revoke_token(session, token_id(revoked), site.clock.now()))
    before = stored(site)
    missing = []
    for path in PUBLIC:
        address = path.format(**places)
        answers = [
            site.client.get(address, headers={"Authorization": f"Bearer {token}"} if token else {})
            for token in (None, revoked, runner, "bcr_" + "A" * 43)
        ]
        statuses = {answer.status_code for answer in answers}
        assert len(statuses) == 1, path
        assert not statuses & {401, 403}, path
        assert max(statuses) < 500, path
        missing += [path] if statuses == {404} else []
        assert not [token for token in (revoked, runner) if token in answers[0].text], path
    assert stored(site) == before
    # Of what these have there is none: a part of that name, a chart of one load.
    assert {path for path in missing if "source_id" not in path} <= {
        "/jobs/{job_id}/attempts/{epoch}/{name}",
        "/api/v1/measurements/{measurement_id}/parts/{name}",
        "/measurements/{measurement_id}/chart.csv",
        "/measurements/compare.csv",
    }
