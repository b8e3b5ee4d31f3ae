"""Jobs over the API: from asking for one to its end, as people and runners see it."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from app.jobs import uploads
from app.protocol.outcome import REPORT
from tests.api.test_job_access import ask, lease, submitted
from tests.cards.factories import sound
from tests.jobs.factories import attach_plan, plan
from tests.jobs.runs import attempt
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx

    from app.db import Database
    from tests.conftest import StillClock


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def put(site: Site, path: str, data: bytes, token: str, **headers: str) -> httpx.Response:
    return site.send(
        "PUT", f"/api/v1/runner/jobs/{path}", data, token, Content_Type="application/octet-stream", **headers
    )


def part(site: Site, job: str, name: str, data: bytes, token: str, claimed: bytes | None = None) -> httpx.Response:
    digest = base64.b64encode(hashlib.sha256(data if claimed is None else claimed).digest()).decode()
    return put(site, f"{job}/parts/{name}?epoch=1", data, token, Content_Digest=f"sha-256=:{digest}:")


def end(log: bytes, parts: dict[str, bytes], **changes: Any) -> dict[str, Any]:
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in parts.items()}
    told = {"size": len(log), "sha256": hashlib.sha256(log).hexdigest()}
    return {
        "epoch": 1,
        "request_id": "the-finish",
        "outcome": {"state": "succeeded"},
        "parts": digests,
        "log": told,
        **changes,
    }


def attempt_parts(folder: Path) -> dict[str, bytes]:
    """What a runner sends of the job that `submitted` asks for."""
    report, traces = attempt(folder, attach_plan())
    return {REPORT: report.model_dump_json().encode(), **{name: file.read_bytes() for name, file in traces.items()}}


def error(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_a_job_from_its_submission_to_its_end(site: Site, tmp_path: Path) -> None:
    runner = site.token("runner")
    job = submitted(site, site.token())
    assert site.get(f"/api/v1/jobs/{job}").json()["lacking"] == {}
    assignment = lease(site, runner).json()["assignment"]
    assert (assignment["job_id"], assignment["plan"]) == (job, attach_plan().model_dump(mode="json"))
    at = f"/api/v1/runner/jobs/{job}"
    assert ask(site, f"{at}/start", {"epoch": 1, "request_id": "the-start"}, runner).json()["lease_s"] == 90
    beat = {"epoch": 1, "phase": "measuring", "done": 2, "total": 3, "note": "point 2"}
    assert ask(site, f"{at}/heartbeat", beat, runner).json() == {"lease_s": 90.0, "cancel": False, "drain": False}
    assert put(site, f"{job}/log?epoch=1&offset=0", b"one\n", runner).json() == {"size": 4}
    assert put(site, f"{job}/log?epoch=1&offset=4", b"two\n", runner).json() == {"size": 8}
    parts = attempt_parts(tmp_path)
    for name, data in parts.items():
        assert part(site, job, name, data, runner).json() == {"size": len(data)}
    finish = end(b"one\ntwo\n", parts)
    first = ask(site, f"{at}/finish", finish, runner)
    assert (first.status_code, first.json()) == (200, {"state": "succeeded"})
    assert ask(site, f"{at}/finish", finish, runner).json() == first.json()
    told = site.get(f"/api/v1/jobs/{job}").json()
    assert (told["state"], told["tries"][0]["is_result"], told["done"]) == ("succeeded", True, 3)
    assert [item["name"] for item in told["tries"][0]["parts"]] == sorted(parts)
    measured = site.get(f"/api/v1/measurements/{told['measurement_id']}").json()
    assert (measured["job_id"], measured["trust"], measured["numbers"]["valid"]) == (job, "runner", True)
    log = site.get(f"/api/v1/jobs/{job}/log", params={"offset": "4"})
    assert (log.text, log.headers["log-size"], log.headers["log-ended"]) == ("two\n", "8", "true")


def test_an_end_without_a_report_is_refused_and_not_put_on_record(site: Site, held: tuple[str, str]) -> None:
    job, runner = held
    answer = ask(site, f"/api/v1/runner/jobs/{job}/finish", end(b"", {}), runner)
    assert error(answer) == (422, "invalid_input")
    assert answer.json()["error"]["details"][0]["field"] == "parts.report.json"
    assert site.get(f"/api/v1/jobs/{job}").json()["state"] == "running"


def test_a_job_keeps_what_its_plan_takes_for_granted(site: Site) -> None:
    token = site.token()
    card = site.recorded(sound(engine="{name: vllm, version: 0.33.0}", launch=None), token)
    asked = ask(site, "/api/v1/jobs", {"card_id": card, "choices": {"model": "org/M", "repeats": 3}}, token)
    assert asked.status_code == 201, asked.text
    assumed = asked.json()["assumptions"]
    assert "model: org/M was chosen; the source says Llama-3.1-8B" in assumed
    assert site.get(asked.headers["location"]).json()["assumptions"] == assumed
    assert site.get(f"/api/v1/jobs/{submitted(site, token)}").json()["assumptions"] == []


def test_what_an_older_job_takes_for_granted_is_not_known(site: Site) -> None:
    job = submitted(site, site.token())
    site.database.write(lambda session: session.execute(text("UPDATE job SET assumptions = NULL")))
    assert site.get(f"/api/v1/jobs/{job}").json()["assumptions"] is None


def test_a_claim_that_cannot_be_run_says_what_is_missing(site: Site) -> None:
    answer = ask(site, "/api/v1/jobs", {"claim_id": "nothing-of-that-name"}, site.token())
    assert error(answer) == (404, "not_found")


@pytest.fixture
def held(site: Site) -> tuple[str, str]:
    """A job that a runner has started, and that runner's token."""
    runner = site.token("runner")
    submitted(site, site.token())
    job = lease(site, runner).json()["assignment"]["job_id"]
    ask(site, f"/api/v1/runner/jobs/{job}/start", {"epoch": 1, "request_id": "the-start"}, runner)
    return job, runner


def test_a_gap_in_the_log_names_the_offset_that_goes_on(site: Site, held: tuple[str, str]) -> None:
    job, runner = held
    put(site, f"{job}/log?epoch=1&offset=0", b"1234", runner)
    answer = put(site, f"{job}/log?epoch=1&offset=9", b"x", runner)
    assert (*error(answer), answer.json()["error"]["expected"]) == (409, "log_gap", 4)


def test_bytes_that_are_there_are_not_changed(site: Site, held: tuple[str, str]) -> None:
    job, runner = held
    put(site, f"{job}/log?epoch=1&offset=0", b"1234", runner)
    assert put(site, f"{job}/log?epoch=1&offset=2", b"3456", runner).json() == {"size": 6}
    assert error(put(site, f"{job}/log?epoch=1&offset=1", b"xx", runner)) == (422, "other_bytes")
    part(site, job, "a", b"1", runner)
    assert part(site, job, "a", b"1", runner).status_code == 200
    assert error(part(site, job, "a", b"2", runner)) == (422, "other_bytes")
    assert error(part(site, job, "b", b"2", runner, claimed=b"3")) == (422, "other_bytes")
    assert error(put(site, f"{job}/parts/b?epoch=1", b"2", runner)) == (422, "invalid_input")
    assert site.get(f"/api/v1/jobs/{job}/log").text == "123456"


def test_an_end_without_all_that_it_names_says_what_is_missing(site: Site, held: tuple[str, str]) -> None:
    job, runner = held
    put(site, f"{job}/log?epoch=1&offset=0", b"12", runner)
    part(site, job, "there", b"x", runner)
    part(site, job, "other", b"y", runner)
    finish = end(b"1234", {"there": b"x", "gone": b"z", "other": b"z"})
    answer = ask(site, f"/api/v1/runner/jobs/{job}/finish", finish, runner)
    assert error(answer) == (409, "incomplete")
    assert [item["field"] for item in answer.json()["error"]["details"]] == ["parts.gone", "parts.other", "log"]
    assert answer.json()["error"]["expected"] == 2
    assert site.get(f"/api/v1/jobs/{job}").json()["state"] == "running"


def test_a_lost_lease_is_told_by_its_code_and_what_it_saw_is_kept(site: Site, held: tuple[str, str]) -> None:
    job, runner = held
    site.clock.moment += dt.timedelta(seconds=91)
    lease(site, runner, "request-2")
    at = f"/api/v1/runner/jobs/{job}"
    assert error(ask(site, f"{at}/heartbeat", {"epoch": 1, "phase": "measuring"}, runner)) == (409, "lease_lost")
    assert put(site, f"{job}/log?epoch=1&offset=0", b"late", runner).json() == {"size": 4}
    assert error(ask(site, f"{at}/finish", end(b"late", {}), runner)) == (409, "lease_lost")
    told = site.get(f"/api/v1/jobs/{job}").json()
    assert [(item["state"], item["finish"] is not None) for item in told["tries"]] == [
        ("lost", True),
        ("leased", False),
    ]
    assert site.get(f"/api/v1/jobs/{job}/log", params={"epoch": "1"}).text == "late"
    assert error(put(site, f"{job}/log?epoch=1&offset=4", b"r", runner)) == (409, "conflict")


def test_a_submission_sent_again_under_its_key_is_one_job(site: Site) -> None:
    token = site.token()
    body = {"plan": plan().model_dump(mode="json")}
    answers = [ask(site, "/api/v1/jobs", body, token, Idempotency_Key="k") for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["idempotent-replayed"] == "true"
    assert site.get("/api/v1/jobs").json()["total"] == 1


def test_a_cancel_reaches_the_runner_by_its_heartbeat(site: Site, held: tuple[str, str]) -> None:
    job, runner = held
    answer = ask(site, f"/api/v1/jobs/{job}/cancel", {}, site.token("maintain", name="May"))
    assert (answer.json()["state"], answer.json()["cancelled_by"]) == ("running", "May")
    at = f"/api/v1/runner/jobs/{job}"
    assert ask(site, f"{at}/heartbeat", {"epoch": 1, "phase": "measuring"}, runner).json()["cancel"] is True
    finish = end(b"", {}, outcome={"state": "cancelled"})
    assert ask(site, f"{at}/finish", finish, runner).json() == {"state": "cancelled"}


def test_why_no_runner_takes_a_job_is_told_by_runner(site: Site) -> None:
    lease(site, site.token("runner"))
    wanted = plan(launch={"version": "0.32.0", "gpus": 2}).model_dump(mode="json")
    answer = ask(site, "/api/v1/jobs", {"plan": wanted, "accelerator": "B200"}, site.token())
    assert answer.json()["lacking"] == {
        "one": ["it has no vllm 0.32.0 for GPUs, only 0.33.0", "it has no 2x B200, but 1x H200"]
    }


def test_the_list_is_read_page_by_page_and_filtered(site: Site) -> None:
    token = site.token()
    jobs = [submitted(site, token) for _ in range(3)]
    first = site.get("/api/v1/jobs", params={"limit": "2"}).json()
    assert ([item["id"] for item in first["items"]], first["total"]) == (jobs[:0:-1], 3)
    rest = site.get("/api/v1/jobs", params={"cursor": first["next"]}).json()
    assert ([item["id"] for item in rest["items"]], rest["next"]) == (jobs[:1], None)
    assert site.get("/api/v1/jobs", params={"state": "failed"}).json()["total"] == 0
    assert site.get("/api/v1/jobs", params={"cursor": "x"}).status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b"[]",
        b"",
        b"\xff",
        b'{"plan": 1}',
        b'{"plan": null, "card_id": "a", "claim_id": "b"}',
        b'{"card_id": "\\u0000"}',
        b'{"claim_id": "x", "choices": {"gpus": "one"}}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_job_is_refused_with_its_place(site: Site, body: bytes) -> None:
    answer = site.send("POST", "/api/v1/jobs", body, site.token(), Content_Type="application/json")
    assert answer.status_code == 422, answer.text
    assert answer.json()["error"]["details"]


def test_a_launch_with_a_number_that_json_does_not_have_is_refused(site: Site) -> None:
    wanted = json.dumps({"plan": plan(launch={"flags": {"x": {"a": 1}}}).model_dump(mode="json")})
    for number in ("NaN", "1e999", "-Infinity"):
        text = wanted.replace('{"a": 1}', f'{{"a": {number}}}')
        answer = site.send("POST", "/api/v1/jobs", text, site.token(), Content_Type="application/json")
        assert answer.status_code == 422


def test_what_is_not_there_is_404(site: Site) -> None:
    job = submitted(site, site.token())
    for path in (
        "/api/v1/jobs/x",
        "/api/v1/jobs/x/log",
        f"/api/v1/jobs/{job}/log?epoch=1",
        "/api/v1/measurements/x",
        "/api/v1/measurements/x/parts/y",
    ):
        assert site.get(path).status_code == 404, path
    assert ask(site, "/api/v1/approvals/1/revoke", {}, site.token("maintain")).status_code == 404
    assert ask(site, "/api/v1/runners/none/drain", {}, site.token("maintain")).status_code == 404


def test_a_runner_is_listed_and_drained_by_a_maintainer(site: Site) -> None:
    runner, maintainer = site.token("runner"), site.token("maintain")
    lease(site, runner)
    assert ask(site, "/api/v1/runners/one/drain", {}, maintainer).json()["drain_asked"] is True
    submitted(site, site.token())
    assert lease(site, runner, "request-2").json() == {"assignment": None, "wait_s": 5.0, "drain": True}
    assert ask(site, "/api/v1/runners/one/resume", {}, maintainer).json()["drain_asked"] is False
    assert lease(site, runner, "request-3").json()["assignment"] is not None
    listed = site.get("/api/v1/runners").json()["items"]
    assert [(item["name"], len(item["jobs"])) for item in listed] == [("one", 1)]


def test_what_may_never_run_is_refused_with_its_reason(site: Site) -> None:
    for launch in ({"version": "0.1.0"}, {"flags": {"trust-remote-code": True}}, {"env": {"LD_PRELOAD": "/x.so"}}):
        wanted = plan(launch=launch).model_dump(mode="json")
        answer = ask(site, "/api/v1/jobs", {"plan": wanted}, site.token())
        assert error(answer) == (422, "invalid_input"), launch
        assert "never" in answer.json()["error"]["message"]


def test_a_launch_that_a_runner_starts_unasked_waits_for_nobody(site: Site) -> None:
    """Real weights of a model at a commit that the runner's operator listed."""
    pin = {"revision": "0" * 40}
    job = ask(site, "/api/v1/jobs", {"plan": plan(launch=pin).model_dump(mode="json")}, site.token()).json()
    assert (job["state"], job["launches"][0]["decision"]["level"]) == ("awaiting_approval", "approve")
    models = [f"{plan().sides[0].launch.model}@{'0' * 40}"]  # type: ignore[union-attr]
    given = lease(site, site.token("runner"), models=models).json()["assignment"]
    assert (given["job_id"], given["approved"]) == (job["id"], [])
    job = ask(site, "/api/v1/jobs", {"plan": plan(launch=pin).model_dump(mode="json")}, site.token()).json()
    assert job["state"] == "queued"


def test_a_card_becomes_a_job_with_what_was_chosen_for_it(site: Site) -> None:
    token = site.token()
    card = site.recorded(sound(workload="{input_tokens: 4096, concurrency: 1}"), token)
    lacking = ask(site, "/api/v1/jobs", {"card_id": card}, token)
    assert error(lacking) == (422, "invalid_input"), lacking.text
    told = lacking.json()["error"]["details"][0]
    assert (told["field"], told["message"]) == ("choices", "the source states no output length")
    chosen = {"output_tokens": 64, "concurrency": 2}
    asked = {"card_id": card, "choices": chosen}
    made = ask(site, "/api/v1/jobs", asked, token)
    assert (made.status_code, made.json().get("card_id")) == (201, card), made.text
    assert made.json()["plan"]["points"][0]["concurrency"] == 2


def kept(site: Site) -> list[str]:
    return [file.name for file in (site.data / "files").rglob("*") if file.is_file()]


def test_nothing_is_left_of_a_part_that_is_refused(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner, job, parts = site.token("runner"), submitted(site, site.token()), attempt_parts(tmp_path)
    lease(site, runner)
    at = f"/api/v1/runner/jobs/{job}"
    ask(site, f"{at}/start", {"epoch": 1, "request_id": "the-start"}, runner)
    assert part(site, job, "first", b"first", runner).status_code == 200
    before = kept(site)
    assert error(part(site, job, "first", b"other bytes", runner)) == (422, "other_bytes")
    assert error(part(site, job, "wrong", b"wrong", runner, claimed=b"right")) == (422, "other_bytes")
    with monkeypatch.context() as smaller:
        smaller.setattr(uploads, "MOST_PARTS", 1)
        assert error(part(site, job, "more", b"one part too many", runner))[0] == 413
    for name, data in parts.items():
        part(site, job, name, data, runner)
    assert ask(site, f"{at}/finish", end(b"", {**parts, "first": b"first"}), runner).json() == {"state": "succeeded"}
    ended = kept(site)
    assert error(part(site, job, "late", b"too late", runner)) == (409, "conflict")
    assert kept(site) == ended
    assert len(ended) == len(before) + len(set(parts.values()))


def test_more_steps_than_there_are_cannot_be_done(site: Site) -> None:
    runner, job = site.token("runner"), submitted(site, site.token())
    lease(site, runner)
    at = f"/api/v1/runner/jobs/{job}"
    ask(site, f"{at}/start", {"epoch": 1, "request_id": "the-start"}, runner)
    answer = ask(site, f"{at}/heartbeat", {"epoch": 1, "phase": "measuring", "done": 5, "total": 2}, runner)
    assert answer.status_code == 422
    assert "5 of 2 steps cannot be done: `done` is at most `total`" in answer.text


@pytest.mark.parametrize("key", ["max-model-len", "flags", "plan"])
def test_a_key_that_stands_twice_is_refused_wherever_it_stands(site: Site, key: str) -> None:
    """Readers differ in which of the two counts, so an approver could read another launch than the one that is run."""
    sent = json.dumps({"plan": plan(launch={"flags": {"max-model-len": 64}}).model_dump(mode="json")})
    doubled = {
        "max-model-len": sent.replace('"max-model-len": 64', '"max-model-len": 64, "max-model-len": 65'),
        "flags": sent.replace('"flags": {', '"flags": {}, "flags": {'),
        "plan": sent.replace('{"plan":', '{"plan": null, "plan":'),
    }[key]
    answer = site.send("POST", "/api/v1/jobs", doubled, site.token(), Content_Type="application/json")
    assert answer.status_code == 422
    assert f"`{key}` stands twice" in answer.json()["error"]["message"]


def test_a_row_of_a_card_among_the_claims_is_asked_for_as_its_card(site: Site) -> None:
    token = site.token()
    card = site.recorded(sound(), token)
    chosen = {
        "version": "0.33.0",
        "model": "org/m",
        "gpus": 1,
        "input_tokens": 64,
        "output_tokens": 8,
        "concurrency": 1,
    }
    answers = [ask(site, "/api/v1/jobs", {name: card, "choices": chosen}, token) for name in ("claim_id", "card_id")]
    assert [answer.status_code for answer in answers] == [201, 201], answers[0].text
    one, two = (answer.json() for answer in answers)
    assert (one["card_id"], one["claim_id"]) == (two["card_id"], two["claim_id"]) == (card, None)
    for job in (one, two):
        job["plan"]["workload"]["seed"] = 0
    assert one["plan"] == two["plan"]
    page = site.get(f"/claims/{card}/reproduce").text
    assert f"/cards/{card}" in page
    assert f'action="/claims/{card}/reproduce"' not in page
    assert f'href="/claims/{card}/reproduce"' not in page
