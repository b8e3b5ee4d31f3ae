"""What else the server answers: sources, axes, comparison, health, errors, headers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from app.api.schema import AxisList, Health, SourceList
from app.axes import AXES
from app.catalogue.folder import read_catalogue
from app.catalogue.schema import Source
from app.catalogue.store import load_into
from app.compare.schema import Comparison
from tests.conftest import StillClock
from tests.storage.test_load import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.db import Database
    from tests.conftest import Client


@pytest.fixture(scope="module")
def api(
    kept_database: Database, kept_client_on: Callable[[str], Client], tmp_path_factory: pytest.TempPathFactory
) -> Client:
    folder = tmp_path_factory.mktemp("sources")
    for name in ("one", "two", "three"):
        (folder / f"{name}.yaml").write_text(source(name, f"{name}-a", f"{name}-b"))
    load_into(kept_database, read_catalogue(folder), StillClock())
    return kept_client_on(kept_database.url.render_as_string(hide_password=False))


def test_sources_come_a_page_at_a_time(api: Client) -> None:
    first = SourceList.model_validate_json(api.get("/api/v1/sources?limit=2").text)
    second = SourceList.model_validate_json(api.get(f"/api/v1/sources?limit=2&cursor={first.next}").text)
    assert [item.id for item in (*first.items, *second.items)] == ["one", "three", "two"]
    assert (first.total, second.next, first.items[0].claims) == (3, None, 2)


@pytest.mark.parametrize("query", ["cursor=nothing", "cursor=%00", "limit=0", "engine=vLLM"])
def test_a_source_list_refuses_what_it_cannot_take(api: Client, query: str) -> None:
    assert api.get(f"/api/v1/sources?{query}").status_code == 422


def test_a_source_is_given_whole(api: Client) -> None:
    found = Source.model_validate_json(api.get("/api/v1/sources/one").text)
    assert [claim.id for claim in found.claims] == ["one-a", "one-b"]


def test_an_unknown_source_is_404_with_what_was_meant(api: Client) -> None:
    answer = api.get("/api/v1/sources/on")
    assert (answer.status_code, answer.json()["error"]["details"][0]["near"]) == (404, ["one"])


def test_every_axis_is_listed(api: Client) -> None:
    found = AxisList.model_validate_json(api.get("/api/v1/axes").text)
    assert [item.key for item in found.items] == list(AXES)
    assert found.total == len(AXES)


def test_two_claims_are_compared_with_reasons(api: Client) -> None:
    found = Comparison.model_validate_json(api.get("/api/v1/compare?a=one-a&b=two-a").text)
    assert (found.a, found.b) == ("one-a", "two-a")
    assert found.reasons or found.verdict == "comparable"


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("a=one-a", 422),
        ("", 422),
        ("a=one-a&b=x", 404),
        ("a=%00&b=x", 422),
        ("a=one-a&a=two-a&b=x", 422),
        ("a=1&b=2&c=3", 422),
    ],
)
def test_a_comparison_needs_two_claims(api: Client, query: str, status: int) -> None:
    answer = api.get(f"/api/v1/compare?{query}")
    assert answer.status_code == status
    assert answer.json()["error"]["details"]


def test_health_names_the_database_and_counts_the_catalogue(api: Client, kept_database: Database) -> None:
    found = Health.model_validate_json(api.get("/healthz").text)
    assert (found.claims, found.sources, found.catalogue_version) == (6, 3, 1)
    assert found.database.startswith("SQLite 3." if kept_database.is_sqlite else "PostgreSQL ")
    assert found.warnings == []


@pytest.mark.parametrize("path", ["/api/v1/axes", "/api/v1/claims/one-a", "/api/v1/sources/one", "/healthz"])
def test_a_route_without_parameters_takes_none(api: Client, path: str) -> None:
    assert api.get(path).status_code == 200
    assert api.get(f"{path}?x=1").status_code == 422


def test_errors_below_api_are_json_and_elsewhere_pages(api: Client) -> None:
    assert api.get("/api/v1/nothing").json()["error"]["code"] == "not_found"
    assert api.get("/nothing").headers["content-type"].startswith("text/html")
    assert api.get("/nothing").status_code == 404


def test_a_method_that_is_not_offered_is_405_with_those_that_are(api: Client) -> None:
    answer = api.request("POST", "/api/v1/claims")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert answer.json()["error"]["code"] == "method_not_allowed"


@pytest.mark.parametrize("path", ["/", "/api/v1/claims", "/api/v1/claims.csv", "/nothing", "/static/css/app.css"])
def test_every_response_tells_the_browser_to_trust_only_this_server(api: Client, path: str) -> None:
    headers = api.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert "'unsafe-inline'" not in headers["content-security-policy"]
    assert policy["frame-ancestors"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_long_answers_are_compressed_for_those_who_ask(api: Client) -> None:
    plain = api.get("/api/v1/claims", headers={"accept-encoding": "identity"})
    packed = api.get("/api/v1/claims", headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(plain.content) / 3
    assert packed.json() == plain.json()


def test_the_documentation_names_every_address_and_loads_nothing_from_elsewhere(api: Client) -> None:
    page = api.get("/api/docs")
    assert page.status_code == 200
    for path, operations in api.get("/api/openapi.json").json()["paths"].items():
        assert all(f"{method.upper()} {path}" in page.text for method in operations)
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page.text)
