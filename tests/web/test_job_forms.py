"""What people do with jobs and runners on pages: who may, and what is told to those who may not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.cards.store import Writer
from app.jobs.logs import Logs
from tests.jobs.factories import Queue, plan
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from app.db import Database
    from tests.conftest import StillClock

# Every form of these pages, with the scope that it asks for.
SCOPES = {"/jobs/{job_id}/cancel": "submit", "/runners/{name}/drain": "maintain"}


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


@pytest.fixture
def queue(site: Site) -> Queue:
    return Queue(site.database, site.clock, Logs(site.data / "logs"))


def cookie(site: Site, *scopes: str) -> tuple[dict[str, str], Writer]:
    """The header of a browser that signed in with a token of these scopes, and who that is."""
    token = site.token(*scopes)
    answer = site.client.request("POST", "/sign-in", content=f"token={token}")
    actor = site.client.app.state.accounts.of_token(token)
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}, Writer.of(actor)


def post(site: Site, path: str, headers: dict[str, str] | None = None, **fields: str) -> httpx.Response:
    return site.client.request("POST", path, headers=headers or {}, data=fields)


def test_cancelling_asks_for_the_owner_or_a_maintainer(site: Site, queue: Queue) -> None:
    own, ana = cookie(site, "submit")
    other, _ = cookie(site, "submit")
    job = queue.submit(by=ana)
    assert "Sign in" in site.get(f"/jobs/{job}/cancel").text
    assert post(site, f"/jobs/{job}/cancel").status_code == 401
    assert post(site, f"/jobs/{job}/cancel", cookie(site, "runner")[0]).status_code == 403
    refused = post(site, f"/jobs/{job}/cancel", other)
    assert refused.status_code == 403
    assert "belongs to Ana" in refused.text
    assert "only they or a maintainer" in site.get(f"/jobs/{job}/cancel", headers=other).text
    assert queue.job(job).state == "queued"
    done = post(site, f"/jobs/{job}/cancel", own)
    assert (done.status_code, done.headers["location"]) == (303, f"/jobs/{job}")
    assert queue.job(job).state == "cancelled"
    assert "over already" in site.get(f"/jobs/{job}/cancel", headers=own).text


def test_a_maintainer_cancels_what_a_runner_has_and_is_told_what_is_lost(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.beat(job, epoch, done=2, total=9)
    may, _ = cookie(site, "maintain")
    assert "2 of 9 steps are done" in site.get(f"/jobs/{job}/cancel", headers=may).text
    assert f'href="/jobs/{job}/cancel"' in site.get(f"/jobs/{job}", headers=may).text
    assert f'href="/jobs/{job}/cancel"' not in site.get(f"/jobs/{job}").text
    assert post(site, f"/jobs/{job}/cancel", may).status_code == 303
    assert queue.job(job).cancelled_by == "Ana"


def test_a_job_that_ended_otherwise_cannot_be_cancelled(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.finish(job, epoch)
    answer = post(site, f"/jobs/{job}/cancel", cookie(site, "maintain")[0])
    assert answer.status_code == 409
    assert "can no longer cancel" in answer.text


def test_a_maintainer_lets_a_runner_take_no_more_and_take_again(site: Site, queue: Queue) -> None:
    queue.lease()
    may, _ = cookie(site, "maintain")
    assert "Drain" not in site.get("/runners").text
    assert "Drain" in site.get("/runners", headers=may).text
    assert post(site, "/runners/one/drain", on="1").status_code == 401
    assert post(site, "/runners/one/drain", cookie(site, "submit")[0], on="1").status_code == 403
    assert not queue.runner().drain_asked
    assert post(site, "/runners/one/drain", may, on="1").status_code == 303
    shown = site.get("/runners", headers=may).text
    assert "takes no more" in shown
    assert "Let it take jobs again" in shown
    post(site, "/runners/one/drain", may, on="0")
    assert not queue.runner().drain_asked
    assert post(site, "/runners/none/drain", may, on="1").status_code == 404


def test_a_runner_says_what_it_has_and_why_it_takes_nothing(site: Site, queue: Queue) -> None:
    assert "benchcard runner start" in site.get("/runners").text
    queue.lease()
    queue.lease("two", quarantine="GPU 0 is held by something else")
    queue.submit()
    job, _ = queue.running(runner="three", boot_id="boot-three")
    text = site.get("/runners").text
    for said in ("1x NVIDIA H200 (140 GiB)", "vLLM 0.33.0 on GPUs", "held by something else", f"/jobs/{job}", "free"):
        assert said in text
    queue.later(1000)
    assert "not heard of" in site.get("/runners").text


def test_a_quarantined_runner_says_since_when_and_why(site: Site, queue: Queue) -> None:
    queue.submit()
    for _ in range(3):
        job, epoch = queue.running()
        queue.finish(job, epoch, "gpu_not_free")
    text = site.get("/runners").text
    assert "in quarantine since" in text
    assert "3 attempts in a row" in text


def test_a_launch_that_waits_for_approval_leads_there(site: Site, queue: Queue) -> None:
    job = queue.submit(plan=plan())
    assert f"/jobs/{job}/approval" in site.get(f"/jobs/{job}").text
