"""What came of a job is told in words: a job that ran to its end with nothing usable is no success."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.jobs.factories import attach_plan
from tests.jobs.runs import plan
from tests.web.test_measurement_pages import _allowed, measured, site, text  # noqa: F401 (fixtures)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.jobs.factories import Queue
    from tests.site import Site


def test_a_job_without_a_usable_run_is_no_success(site: Site, queue: Queue, tmp_path: Path) -> None:  # noqa: F811
    measured(site, queue, tmp_path, plan(repeats=1), failed=4)
    job = site.get("/api/v1/jobs").json()["items"][0]
    assert (job["state"], job["runs"], job["usable"]) == ("succeeded", 1, 0)
    said = text(site, "/jobs")
    assert "ended without a usable run" in said
    assert "s-empty" in said
    page = text(site, f"/jobs/{job['id']}")
    assert "none of its 1 runs is a result" in page
    assert "It succeeded" not in page


def test_a_job_with_usable_runs_succeeded(site: Site, queue: Queue, tmp_path: Path) -> None:  # noqa: F811
    measured(site, queue, tmp_path, plan(repeats=2), failed=1)
    job = site.get("/api/v1/jobs").json()["items"][0]
    assert (job["runs"], job["usable"]) == (2, 1)
    assert "ended without a usable run" not in text(site, "/jobs")


def test_attempts_are_numbered_from_1_whatever_their_epochs(site: Site, queue: Queue) -> None:  # noqa: F811
    job = queue.submit(plan=attach_plan())
    queue.running()
    queue.later(91)
    queue.running(runner="two", boot_id="boot-two2")
    told = site.get(f"/api/v1/jobs/{job}").json()["tries"]
    assert [item["number"] for item in told] == [1, 2]
    assert "Log of attempt 2" in text(site, f"/jobs/{job}/log")
