"""Every example of the API's description works as it is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from app.main import create_app, prepare
from app.settings import Settings
from tests.conftest import Client, StillClock
from tests.site import Site
from tests.web.markup import read

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]
OF_THEIR_OWN = ("card_id", "job_id", "measurement_id", "sha256", "name")  # no name of these is in a new installation


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """With the shipped catalogue, whose names the examples use."""
    data, clock = tmp_path_factory.mktemp("examples"), StillClock()
    prepare(Settings(data=data), clock)
    app = create_app(Settings(data=data), clock)
    yield Site(Client(app), app.state.database, clock, data)
    app.state.database.close()


def operations(site: Site) -> Iterator[tuple[str, str, Json]]:
    for path, methods in site.get("/api/openapi.json").json()["paths"].items():
        for method, said in methods.items():
            yield path, method, said


def asked(path: str, said: Json) -> tuple[str, dict[str, str]]:
    """The address and the query of an operation's example."""
    query = {}
    for item in said.get("parameters", []):
        if "example" in item and item["in"] == "path":
            path = path.replace(f"{{{item['name']}}}", str(item["example"]))
        elif "example" in item:
            query[item["name"]] = str(item["example"])
    return path, query


def test_every_example_of_a_question_is_answered(site: Site) -> None:
    tried = 0
    for path, method, said in operations(site):
        address, query = asked(path, said)
        if method != "get" or (not query and address == path):
            continue
        answer = site.client.get(address, params=query)
        assert answer.status_code == 200, (address, query, answer.text[:500])
        tried += 1
    assert tried >= 14


def test_every_example_of_something_sent_is_taken(site: Site) -> None:
    token, sent = site.token("submit", "maintain"), 0
    for path, method, said in operations(site):
        for kind, content in said.get("requestBody", {}).get("content", {}).items():
            if "example" not in content or method != "post":
                continue
            body = content["example"] if isinstance(content["example"], str) else json.dumps(content["example"])
            answer = site.send("POST", path, body, token, Content_Type=kind)
            assert answer.status_code in (200, 201), (path, answer.text[:500])
            sent += 1
    assert sent >= 3


def test_what_an_address_needs_has_an_example(site: Site) -> None:
    for path, method, said in operations(site):
        needed = [item for item in said.get("parameters", []) if item.get("required") and method == "get"]
        if not any(item["name"] in OF_THEIR_OWN for item in needed):
            assert all("example" in item for item in needed), path


def test_the_pages_commands_are_the_examples(site: Site) -> None:
    shown = [item.words() for item in read(site.get("/api/docs").text).all("pre")]
    assert "curl 'http://bench.test/api/v1/claims?axis=decode_rate&sort=-value&limit=5'" in shown
    assert any(text.startswith('curl -X POST -H "Authorization: Bearer $BENCHCARD_TOKEN"') for text in shown)
