"""The page of runners: what each has, when it was heard of, and why it takes nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from runners import config
from tests.site import Site, open_site
from tests.web.markup import read
from tests.web.test_job_forms import cookie, post

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.db import Database
    from tests.conftest import StillClock
    from tests.jobs.factories import Queue


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


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
    assert f"last seen {queue.clock.now() - timedelta(seconds=1000):%Y-%m-%d %H:%M} UTC" in site.get("/runners").text


def test_a_runner_whose_job_is_heard_of_is_heard_of(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    for _ in range(4):
        queue.later(60)
        queue.beat(job, epoch)
    queue.later(20)
    (heard,) = read(site.get("/runners").text).all("time")
    assert (heard.words(), heard.attributes["data-age"]) == ("20 s ago", "20")
    assert site.get("/api/v1/runners").json()["items"][0]["seen_at"] == f"{queue.job(job).beat_at:%Y-%m-%dT%H:%M:%SZ}"


def test_the_runners_are_asked_for_again_while_one_of_them_is_heard_of(site: Site, queue: Queue) -> None:
    queue.lease()
    part = site.get("/runners", headers={"HX-Request": "true"}).text
    assert part.lstrip().startswith('<div id="runners" hx-get="/runners"')
    assert "<html" not in part
    queue.later(1000)
    assert "hx-get" not in site.get("/runners", headers={"HX-Request": "true"}).text


def test_a_quarantined_runner_says_since_when_and_why(site: Site, queue: Queue) -> None:
    queue.submit()
    for _ in range(3):
        job, epoch = queue.running()
        queue.finish(job, epoch, "gpu_not_free")
    text = site.get("/runners").text
    assert "in quarantine since" in text
    assert "3 attempts in a row" in text


def test_the_sample_of_a_runners_file_is_one_that_a_runner_takes(site: Site, tmp_path: Path) -> None:
    sample = read(site.get("/runners").text).one("pre", id="runner-toml")
    file = tmp_path / "runner.toml"
    file.write_text(sample.text)
    (tmp_path / "runner.token").write_text("bcr_token")
    assert config.read(file).name == "gpu-one"


def test_a_maintainer_retires_a_runner_that_is_not_up_and_the_page_keeps_its_name(site: Site, queue: Queue) -> None:
    queue.submit()
    job, epoch = queue.running()
    queue.finish(job, epoch)
    may, _ = cookie(site, "maintain", name="Mia")
    path = "/runners/one/retire"
    assert path not in site.get("/runners", headers=may).text, "one that is up is drained first"
    queue.later(1000)
    assert path in site.get("/runners", headers=may).text
    assert path not in site.get("/runners").text
    assert post(site, path).status_code == 401
    assert post(site, path, cookie(site, "submit")[0]).status_code == 403
    assert post(site, "/runners/none/retire", may).status_code == 404
    assert post(site, path, may).status_code == 303
    page = read(site.get("/runners").text)
    assert not page.all("table")
    assert f"one retired by Mia on {site.clock.now():%Y-%m-%d %H:%M} UTC, last seen " in page.words()
    assert ">one<" in site.get(f"/jobs/{job}").text.replace(" ", "")
    assert "No runner is in service here" in site.get("/jobs").text
    post(site, "/runners/one/drain", may, on="0")
    assert read(site.get("/runners").text).all("table")
