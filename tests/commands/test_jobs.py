"""`benchcard job` and the client's calls for jobs, against the real application."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from app.api.job_schema import JobListQuery, SubmitJob
from app.cli import main
from app.client import Client, ServerError
from app.commands.exits import FOUND, OK, SERVER, USAGE
from app.db import Database
from tests.api.test_job_access import lease
from tests.conftest import migrate
from tests.jobs.factories import attach_plan, plan, queue_in
from tests.live import live
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import StillClock

    Capture = pytest.CaptureFixture[str]


@pytest.fixture
def site(tmp_path: Path, clock: StillClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    url = f"sqlite:///{tmp_path / 'benchcard.db'}"
    migrate(url)
    database = Database(url)
    for opened in open_site(database, clock):
        with live(opened.client.app) as address:
            monkeypatch.setenv("BENCHCARD_SERVER", address)
            monkeypatch.setenv("BENCHCARD_TOKEN", opened.token())
            yield opened
    database.close()


def submitted(tmp_path: Path, capsys: Capture, text: str) -> str:
    file = tmp_path / "plan.json"
    file.write_text(text)
    assert main(["job", "submit", "--plan", str(file)]) == OK
    return capsys.readouterr().out.split("\t")[0]


def test_a_job_is_submitted_listed_shown_and_cancelled(site: Site, tmp_path: Path, capsys: Capture) -> None:
    job = submitted(tmp_path, capsys, attach_plan().model_dump_json())
    assert main(["job", "list", "--state", "queued"]) == OK
    assert capsys.readouterr().out == f"{job}\tqueued\tattach\ta plan\tno runner\n"
    assert main(["job", "cancel", job]) == OK
    assert main(["job", "show", job]) == OK
    assert capsys.readouterr().out.count("\tcancelled\t") == 2


def test_how_an_attempt_failed_is_said_in_words(site: Site, tmp_path: Path, capsys: Capture) -> None:
    job = submitted(tmp_path, capsys, attach_plan().model_dump_json())
    queue = queue_in(site.database, site.clock, site.data)
    queue.finish(*queue.running(), "out_of_memory")
    assert main(["job", "show", job]) == OK
    assert "attempt 1 on one: failed (the GPUs' memory was not enough)" in capsys.readouterr().out
    assert main(["job", "list"]) == OK
    assert "\tthe GPUs' memory was not enough\n" in capsys.readouterr().out


def test_what_waits_for_approval_says_why_and_is_approved_by_another(
    site: Site, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = submitted(tmp_path, capsys, plan().model_dump_json())
    assert main(["job", "approve", job]) == SERVER  # this token may not
    assert main(["job", "show", job]) == OK
    said = capsys.readouterr().out
    assert "to approve: model: no commit" in said
    other = submitted(tmp_path, capsys, plan().model_dump_json())
    assert main(["job", "cancel", other]) == OK
    assert "to approve" not in capsys.readouterr().out, "nobody is to approve what was cancelled"
    assert f"at {os.environ['BENCHCARD_SERVER']}/jobs/{job}/approval, or `benchcard job approve {job}`" in said
    monkeypatch.setenv("BENCHCARD_TOKEN", site.token("maintain", name="May"))
    assert main(["job", "approve", job]) == OK
    digest, launch = capsys.readouterr().out.splitlines()[0].split(" ", 1)
    assert hashlib.sha256(launch.encode()).hexdigest() == digest


def test_a_log_is_printed_as_it_is(site: Site, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with Client(os.environ["BENCHCARD_SERVER"], site.token()) as client:
        job = client.submit_job(SubmitJob(plan=attach_plan())).id
        assert list(client.job_log(job)) == []
    runner = site.token("runner")
    lease(site, runner)
    at = f"/api/v1/runner/jobs/{job}/log?epoch=1&offset=0"
    site.send("PUT", at, b"one\xff\n", runner, Content_Type="application/octet-stream")
    assert main(["job", "log", job]) == OK
    assert capfdbinary.readouterr().out == b"one\xff\n"


def test_a_job_that_is_not_there_is_the_answer_no(site: Site, tmp_path: Path, capsys: Capture) -> None:
    for action in ("show", "cancel", "log"):
        assert main(["job", action, "jnone"]) == FOUND
    assert main(["job", "submit", "--claim", "none"]) == FOUND
    assert main(["job", "list", "--limit", "0"]) == USAGE
    assert main(["job", "submit", "--plan", str(tmp_path / "none.json")]) == USAGE
    (tmp_path / "bad.json").write_text('{"kind": "point"}')
    assert main(["job", "submit", "--plan", str(tmp_path / "bad.json")]) == FOUND
    assert "sides: is missing" in capsys.readouterr().err


def test_a_priority_is_given_with_the_job_and_held_to_the_apis_own_rules(
    site: Site, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plan.json").write_text(attach_plan().model_dump_json())
    asked = ["job", "submit", "--plan", str(tmp_path / "plan.json"), "--priority"]
    assert main([*asked, "-5"]) == OK
    job = capsys.readouterr().out.split("\t")[0]
    assert site.get(f"/api/v1/jobs/{job}").json()["priority"] == -5
    assert main([*asked, "101"]) == USAGE
    assert capsys.readouterr().err == "benchcard job submit: --priority: must be at most 100\n"
    assert main([*asked, "5"]) == SERVER
    assert "a priority above 0 needs the scope `maintain`" in capsys.readouterr().err
    monkeypatch.setenv("BENCHCARD_TOKEN", site.token("maintain", name="May"))
    assert main([*asked, "5"]) == OK


def test_a_version_with_known_weaknesses_is_refused_with_their_names_and_the_versions_without(
    site: Site, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "plan.json").write_text(plan(launch={"version": "0.12"}).model_dump_json())
    assert main(["job", "submit", "--plan", str(tmp_path / "plan.json")]) == FOUND
    said = capsys.readouterr().err
    assert "this may never be started: vllm: CVE-2026-22807: code of a model's repository runs" in said
    assert all(f"(fixed in vllm {version})" in said for version in ("0.14.0", "0.14.1", "0.18.0", "0.23.1"))


def test_the_client_lists_and_ends_jobs(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    with Client(os.environ["BENCHCARD_SERVER"], site.token()) as client:
        first = client.submit_job(SubmitJob(plan=attach_plan()), key="k")
        assert client.submit_job(SubmitJob(plan=attach_plan()), key="k").id == first.id
        assert client.jobs(JobListQuery(state=["queued"])).total == 1
        assert client.cancel_job(first.id).state == client.job(first.id).state == "cancelled"
        with pytest.raises(ServerError) as refused:
            client.approve_job(first.id)
        assert refused.value.status == 403
