"""Who may do what with jobs, approvals and runners: every route that changes something, asked by everybody."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from app.accounts.store import revoke_token
from app.accounts.tokens import token_id
from tests.jobs.factories import EMPTY, attach_plan, capabilities, plan
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import httpx

    from app.db import Database
    from tests.conftest import StillClock

SCOPES = {
    ("POST", "/api/v1/jobs"): "submit",
    ("POST", "/api/v1/jobs/{job_id}/cancel"): "submit",
    ("POST", "/api/v1/jobs/{job_id}/approve"): "maintain",
    ("POST", "/api/v1/approvals/{approval_id}/revoke"): "maintain",
    ("POST", "/api/v1/runners/{name}/drain"): "maintain",
    ("POST", "/api/v1/runners/{name}/resume"): "maintain",
    ("POST", "/api/v1/runners/{name}/retire"): "maintain",
    ("POST", "/api/v1/runner/lease"): "runner",
    ("POST", "/api/v1/runner/jobs/{job_id}/start"): "runner",
    ("POST", "/api/v1/runner/jobs/{job_id}/heartbeat"): "runner",
    ("PUT", "/api/v1/runner/jobs/{job_id}/log"): "runner",
    ("PUT", "/api/v1/runner/jobs/{job_id}/parts/{name}"): "runner",
    ("POST", "/api/v1/runner/jobs/{job_id}/finish"): "runner",
}
BYTES = b"bytes"
DIGEST = f"sha-256=:{base64.b64encode(hashlib.sha256(BYTES).digest()).decode()}:"
JSON = "application/json"


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


@pytest.fixture
def of_several(database: Database, clock: StillClock) -> Iterator[Site]:
    """An installation that wants two people for an approval."""
    yield from open_site(database, clock, second_approver=True)


def ask(site: Site, path: str, body: object, token: str | None, **headers: str) -> httpx.Response:
    return site.send("POST", path, json.dumps(body), token, Content_Type=JSON, **headers)


def submitted(site: Site, token: str, *, needs_approval: bool = False) -> str:
    """The id of a job that was asked for just now."""
    wanted = plan() if needs_approval else attach_plan()
    answer = ask(site, "/api/v1/jobs", {"plan": wanted.model_dump(mode="json")}, token)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def lease(
    site: Site, token: str | None, request: str = "request-1", models: Sequence[str] = (), **headers: str
) -> httpx.Response:
    body = {
        "runner": "one",
        "boot_id": "boot-one",
        "request_id": request,
        "version": "1",
        "capabilities": capabilities(models=tuple(models)).model_dump(mode="json"),
    }
    return ask(site, "/api/v1/runner/lease", body, token, **headers)


def leased(site: Site, token: str) -> str:
    """The id of a job that this token's runner has now."""
    submitted(site, site.token(name="Owner"))
    return str(lease(site, token).json()["assignment"]["job_id"])


def send(site: Site, method: str, path: str, token: str | None, owner: str, **headers: str) -> httpx.Response:
    """A request that is right but for who asks; `owner` is a runner's token, whose job it is."""
    if path == "/api/v1/jobs":
        return ask(site, path, {"plan": attach_plan().model_dump(mode="json")}, token, **headers)
    if path.startswith("/api/v1/runner/"):
        return runner_call(site, method, path, token, leased(site, owner), **headers)
    if "{approval_id}" in path:
        job = submitted(site, site.token(name="Owner"), needs_approval=True)
        ask(site, f"/api/v1/jobs/{job}/approve", {}, site.token("maintain"))
        return ask(site, path.replace("{approval_id}", "1"), {}, token, **headers)
    if "{name}" in path:
        lease(site, owner)
        return ask(site, path.replace("{name}", "one"), {}, token, **headers)
    job = submitted(site, site.token(name="Owner"), needs_approval=True)
    return ask(site, path.replace("{job_id}", job), {}, token, **headers)


def runner_call(site: Site, method: str, path: str, token: str | None, job: str, **headers: str) -> httpx.Response:
    if path.endswith("/lease"):
        return lease(site, token, "request-2", **headers)
    address = path.replace("{job_id}", job).replace("{name}", "trace-0")
    if method == "PUT":
        address += "?epoch=1&offset=0" if path.endswith("/log") else "?epoch=1"
        return site.send(method, address, BYTES, token, Content_Type="application/octet-stream", Content_Digest=DIGEST)
    bodies = {
        "start": {"epoch": 1, "request_id": "request-3"},
        "heartbeat": {"epoch": 1, "phase": "measuring"},
        "finish": {
            "epoch": 1,
            "request_id": "request-4",
            "outcome": {"state": "failed", "failure": "bad_flag"},
            "parts": {},
            "log": {"size": 0, "sha256": EMPTY},
        },
    }
    return ask(site, address, bodies[path.rpartition("/")[2]], token, **headers)


@pytest.mark.parametrize(("method", "path"), list(SCOPES))
def test_strangers_and_revoked_tokens_are_401(site: Site, method: str, path: str) -> None:
    owner, revoked = site.token("runner"), site.token("submit", "maintain", "runner")
    site.database.write(lambda session: revoke_token(session, token_id(revoked), site.clock.now()))
    for token in (None, revoked, "bcr_" + "A" * 43):
        answer = send(site, method, path, token, owner)
        assert (answer.status_code, answer.headers.get("www-authenticate")) == (401, "Bearer"), token


@pytest.mark.parametrize(("method", "path"), list(SCOPES))
@pytest.mark.parametrize("scope", ["submit", "maintain", "runner"])
def test_a_scope_allows_what_it_says(site: Site, method: str, path: str, scope: str) -> None:
    token = site.token(scope)
    owner = token if scope == "runner" else site.token("runner")
    answer = send(site, method, path, token, owner)
    needed = SCOPES[method, path]
    allowed = scope == needed or (scope == "maintain" and needed == "submit")
    others_job = path.endswith("/cancel") and scope == "submit"
    expected = {200, 201, 409} if allowed and not others_job else {403}  # 409: a heartbeat before the start
    assert answer.status_code in expected, answer.text
    assert (answer.status_code == 409) == (allowed and path.endswith("/heartbeat"))


@pytest.mark.parametrize(("method", "path"), [item for item, scope in SCOPES.items() if scope == "runner"])
def test_another_runner_s_token_may_not_touch_a_job(site: Site, method: str, path: str) -> None:
    owner = site.token("runner")
    assert send(site, method, path, site.token("runner"), owner).status_code == 403
    assert site.get("/api/v1/jobs").json()["items"][0]["state"] == "leased"


def test_a_maintainer_alone_approves_a_job_of_their_own(site: Site) -> None:
    both = site.token("submit", "maintain")
    job = submitted(site, both, needs_approval=True)
    answer = ask(site, f"/api/v1/jobs/{job}/approve", {}, both)
    assert (answer.status_code, answer.json()["state"]) == (200, "queued")
    alone = submitted(site, site.token(), needs_approval=True)
    assert ask(site, f"/api/v1/jobs/{alone}/approve", {}, site.token()).status_code == 403


def test_where_two_people_are_wanted_nobody_approves_a_job_of_their_own(of_several: Site) -> None:
    site = of_several
    both = site.token("submit", "maintain")
    job = submitted(site, both, needs_approval=True)
    refused = ask(site, f"/api/v1/jobs/{job}/approve", {}, both)
    assert refused.status_code == 403
    assert "BENCHCARD_SECOND_APPROVER" in refused.json()["error"]["message"]
    answer = ask(site, f"/api/v1/jobs/{job}/approve", {}, site.token("maintain", name="May"))
    assert (answer.status_code, answer.json()["state"]) == (200, "queued")
    approval = answer.json()["launches"][0]["approval"]
    assert (approval["asked_by"], approval["approved_by"]) == ("Ana", "May")
    assert hashlib.sha256(approval["launch"].encode()).hexdigest() == approval["digest"]


def test_only_a_maintainer_lets_a_job_go_before_others(site: Site) -> None:
    body = {"plan": attach_plan().model_dump(mode="json"), "priority": 1}
    assert ask(site, "/api/v1/jobs", body, site.token()).status_code == 403
    assert ask(site, "/api/v1/jobs", body, site.token("maintain")).json()["priority"] == 1
