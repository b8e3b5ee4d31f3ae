"""Who may do what: every route that changes something, asked by everybody; and who another site's page may be."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.routing import APIRoute

from app.accounts.access import PLAIN_COOKIE
from app.accounts.store import revoke_token
from app.accounts.tokens import token_id
from tests.api.test_job_access import SCOPES as JOB_SCOPES
from tests.cards.factories import SOUND, sound
from tests.importers.factories import DATA
from tests.jobs.bundles import bundle_bytes
from tests.site import Site, open_site
from tests.web.test_job_forms import SCOPES as JOB_FORMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx
    from fastapi import FastAPI

    from app.db import Database
    from tests.conftest import StillClock

RESULT = DATA / "vllm_ngram_detailed.json"
# Every route that is no reading, with the scope that it asks for; "" for those that need none. Those of jobs stand in
# test_job_access.py.
SCOPES = {
    ("POST", "/api/v1/cards"): "submit",
    ("POST", "/api/v1/cards/validate"): "",
    ("PUT", "/api/v1/cards/{card_id}"): "submit",
    ("POST", "/api/v1/cards/{card_id}/retract"): "submit",
    ("POST", "/api/v1/imports"): "submit",
    ("POST", "/api/v1/imports/{sha256}/cards"): "submit",
    ("POST", "/api/v1/measurements/import"): "submit",
    ("POST", "/sign-in"): "",
    ("POST", "/sign-out"): "",
    ("POST", "/language"): "",
}
API = [(method, path) for (method, path), scope in SCOPES.items() if scope]
# The same of the pages' forms.
FORMS = {
    "/cards/new": "submit",
    "/cards/new/check": "",
    "/cards/{card_id}/edit": "submit",
    "/cards/{card_id}/retract": "submit",
    "/import": "submit",
    "/import/{sha256}": "submit",
}
WRITES = [*SCOPES, *JOB_SCOPES, *(("POST", path) for path in (*FORMS, *JOB_FORMS))]


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def routes(app: FastAPI, *, writing: bool = True) -> set[tuple[str, str]]:
    """Every (method, path) that may change something; without `writing` all that there are."""
    found: set[tuple[str, str]] = set()
    pending: list[Any] = list(app.routes)
    while pending:
        route = pending.pop()
        if isinstance(route, APIRoute):
            found |= {
                (method, route.path) for method in (route.methods or set()) - ({"GET", "HEAD"} if writing else set())
            }
        pending += getattr(getattr(route, "original_router", None), "routes", ())
    return found


def ask(site: Site, method: str, path: str, token: str | None = None, **headers: str) -> httpx.Response:
    """A request that is right but for who asks."""
    if path.startswith("/api/v1/measurements"):
        return site.send(method, path, bundle_bytes(), token, **headers)
    if path.startswith("/api/v1/imports"):
        file = RESULT.read_bytes()
        if "{sha256}" not in path:
            return site.send(method, path, file, token, **headers)
        kept = site.send("POST", "/api/v1/imports", file, site.token(name="Owner")).json()["sha256"]
        body = json.dumps({"answers": {"engine": "vllm", "hardware": "1x H200"}})
        address = path.replace("{sha256}", kept)
        return site.send(method, address, body, token, Content_Type="application/json", **headers)
    made = site.recorded(SOUND, site.token(name="Owner")) if "{card_id}" in path else ""
    path = path.replace("{card_id}", made)
    if path.endswith("/retract"):
        return site.send(method, path, '{"reason": "r"}', token, Content_Type="application/json", **headers)
    return site.send(method, f"{path}?revision=1" if method == "PUT" else path, sound(note="n"), token, **headers)


def test_every_route_that_changes_something_is_listed_here(site: Site) -> None:
    assert routes(site.client.app) == set(WRITES)


def filled(site: Site, path: str) -> tuple[str, dict[str, Any]]:
    """The form's address and a request that is right but for who asks."""
    if path == "/import":
        return path, {"files": {"file": ("r.json", RESULT.read_bytes())}}
    if "{sha256}" in path:
        read = site.send("POST", "/api/v1/imports", RESULT.read_bytes(), site.token(name="Owner")).json()
        return path.replace("{sha256}", read["sha256"]), {
            "data": {"parts": "1", "engine.name": "vllm", "hardware.accelerator": "H200"}
        }
    card_id = site.recorded(SOUND, site.token(name="Owner")) if "{card_id}" in path else ""
    fields = {"reason": "r", "yaml": sound(note="n"), "tab": "yaml", "to": "record", "revision": "1"}
    return path.replace("{card_id}", card_id), {"data": fields}


@pytest.mark.parametrize("path", [path for path, scope in FORMS.items() if scope])
@pytest.mark.parametrize(
    ("scopes", "others_card", "own"), [((), 401, 401), (("runner",), 403, 403), (("submit",), 403, 303)]
)
def test_a_form_asks_for_its_scope_and_changes_nothing_without(
    site: Site, path: str, scopes: tuple[str, ...], others_card: int, own: int
) -> None:
    address, form = filled(site, path)
    before = site.get("/api/v1/cards").json()
    headers = {}
    if scopes:
        answer = site.client.request("POST", "/sign-in", content=f"token={site.token(*scopes)}")
        headers["Cookie"] = answer.headers["set-cookie"].partition(";")[0]
    answer = site.client.request("POST", address, headers=headers, **form)
    wanted = others_card if "{card_id}" in path else own
    assert answer.status_code == wanted, answer.text
    assert (site.get("/api/v1/cards").json() == before) == (wanted != 303 or path == "/import")


@pytest.mark.parametrize(("method", "path"), API)
def test_strangers_and_revoked_tokens_are_401(site: Site, method: str, path: str) -> None:
    revoked = site.token()
    site.database.write(lambda session: revoke_token(session, token_id(revoked), site.clock.now()))
    for token in (None, revoked, "bcr_" + "A" * 43, "x", "é"):
        answer = ask(site, method, path, token)
        assert (answer.status_code, answer.headers.get("www-authenticate")) == (401, "Bearer"), token


BROKEN = ("{", "[]", '{"odd": 1}', "\xff")


@pytest.mark.parametrize(("method", "path"), [*API, *JOB_SCOPES])
@pytest.mark.parametrize(("body", "query"), [*((body, "") for body in BROKEN), ("{}", "?nonsense=1"), ("{}", "?q=%00")])
def test_who_asks_is_judged_before_what_is_sent(site: Site, method: str, path: str, body: str, query: str) -> None:
    scope = {**SCOPES, **JOB_SCOPES}[method, path]
    other = site.token("submit" if scope != "submit" else "runner")
    address = re.sub(r"\{\w+\}", "1", path)
    for token, status in ((None, 401), (other, 403)):
        answer = site.send(method, address + query, body, token, Content_Type="application/json")
        assert answer.status_code == status, answer.text


@pytest.mark.parametrize(("method", "path"), [*API, *JOB_SCOPES])
def test_a_body_that_is_no_card_is_not_called_one(site: Site, method: str, path: str) -> None:
    address = re.sub(r"\{\w+\}", "1", path)
    raw = path.endswith(("/import", "/imports")) or method == "PUT"
    kind = "application/octet-stream" if raw else "application/json"
    answer = site.send(method, address, "{", site.token("submit", "maintain", "runner"), Content_Type=kind)
    code = answer.json()["error"]["code"]
    assert (code == "card_invalid") == (path == "/api/v1/cards"), answer.text
    if path in ("/api/v1/jobs", "/api/v1/runner/lease", "/api/v1/imports/{sha256}/cards"):
        assert code == "body_invalid"


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic YTpi", "bcr_x"])
def test_a_header_that_is_no_bearer_token_is_401(site: Site, header: str) -> None:
    assert ask(site, "POST", "/api/v1/cards", Authorization=header).status_code == 401


@pytest.mark.parametrize(("method", "path"), API)
@pytest.mark.parametrize(
    ("scopes", "others_card", "own"),
    [(["runner"], 403, 403), (["submit"], 403, 201), (["maintain"], 200, 201), (["submit", "runner"], 403, 201)],
)
def test_a_scope_allows_what_it_says(
    site: Site, method: str, path: str, scopes: list[str], others_card: int, own: int
) -> None:
    answer = ask(site, method, path, site.token(*scopes))
    assert answer.status_code == (others_card if "{card_id}" in path else own), answer.text


def test_a_token_is_shown_to_have_been_used(site: Site) -> None:
    site.submit(SOUND, site.token())
    assert site.client.app.state.accounts.tokens()[0].last_used_at == site.clock.now()


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_another_site_s_page_changes_nothing(site: Site, method: str, path: str) -> None:
    site.client.request("POST", "/sign-in", content=f"link={site.link()}")
    for headers in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.test"},
        {"Origin": "null"},
        {"Authorization": f"Bearer {site.token()}", "Cookie": "benchcard=x", "Sec-Fetch-Site": "cross-site"},
    ):
        answer = site.client.request(
            method, path.replace("{card_id}", "x").replace("{sha256}", "0" * 64), content=SOUND, headers=headers
        )
        assert answer.status_code == 403, (headers, answer.text)
    assert site.get("/api/v1/cards").json()["total"] == 0


def test_a_script_with_a_token_may_run_on_any_page(site: Site) -> None:
    answer = site.submit(SOUND, site.token(), Origin="https://notebook.test", Sec_Fetch_Site="cross-site")
    assert answer.status_code == 201


def signed_in(site: Site) -> str:
    """The Cookie header of a browser that signed in."""
    answer = site.client.request("POST", "/sign-in", content=f"link={site.link()}")
    assert answer.status_code == 303
    return f"{PLAIN_COOKIE}={answer.cookies[PLAIN_COOKIE]}"


def test_a_signed_in_browser_writes_from_this_site_only(site: Site) -> None:
    cookie = signed_in(site)
    own = site.submit(SOUND, Cookie=cookie, Sec_Fetch_Site="same-origin")
    assert (own.status_code, own.json()["revision"]) == (201, 1)
    assert site.get(f"/api/v1/cards/{own.json()['id']}").json()["author"] == "maintainer"
    assert site.submit(SOUND, Cookie=cookie, Sec_Fetch_Site="cross-site").status_code == 403


def test_a_browser_is_signed_out_for_good(site: Site) -> None:
    cookie = signed_in(site)
    answer = site.client.request("POST", "/sign-out", headers={"Cookie": cookie, "Sec-Fetch-Site": "same-origin"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert site.submit(SOUND, Cookie=cookie, Sec_Fetch_Site="same-origin").status_code == 401
