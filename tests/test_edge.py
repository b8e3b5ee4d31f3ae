"""What every answer has, whoever gives it: headers, shape, method, encoding."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from app.edge import HEADERS, LONGEST_QUERY, takes_gzip
from app.main import LONGEST_BODY, create_app
from app.settings import Settings
from app.web.render import static_url
from tests.conftest import Client, migrate

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

PAGES = ["/", "/sources", "/axes", "/compare", "/sign-in", "/api/docs"]
API = ["/api/v1/claims", "/api/v1/claims.csv", "/api/v1/cards", "/api/v1/axes", "/healthz", "/api/openapi.json"]
SHAPES = [("/api/v1/claims", "application/json"), ("/compare", "text/html; charset=utf-8")]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('edge') / 'benchcard.db'}"
    migrate(url)
    return url


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[Client]:
    opened = Client(create_app(Settings(database_url=url)))
    yield opened
    opened.app.state.database.close()


@pytest.fixture
def broken(tmp_path: Path) -> Iterator[Client]:
    """On a database without tables: whatever reads it fails."""
    opened = Client(create_app(Settings(data=tmp_path)))
    yield opened
    opened.app.state.database.close()


def is_secured(answer: httpx.Response) -> bool:
    return all(answer.headers.get_list(name.decode()) == [value.decode()] for name, value in HEADERS)


async def failing(app: Any, path: str) -> httpx.Response:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://bench.test") as asking:
        return await asking.get(path)


@pytest.mark.parametrize(("path", "kind"), [("/api/v1/claims", "application/json"), ("/", "text/html; charset=utf-8")])
def test_a_failure_has_the_headers_and_shape_of_every_answer(broken: Client, path: str, kind: str) -> None:
    answer = asyncio.run(failing(broken.app, path))
    assert (answer.status_code, answer.headers["content-type"]) == (500, kind)
    assert is_secured(answer)
    told = answer.text.replace("&#39;", "'")
    assert f"in the server's log as request {answer.headers['x-request-id']}" in told


def test_a_failure_still_reaches_the_servers_log(broken: Client) -> None:
    with pytest.raises(Exception, match="no such table"):
        broken.get("/")


@pytest.mark.parametrize(("path", "kind"), SHAPES)
def test_an_overlong_query_is_refused_in_the_addresss_own_shape(client: Client, path: str, kind: str) -> None:
    answer = client.get(f"{path}?q={'x' * LONGEST_QUERY}")
    assert (answer.status_code, answer.headers["content-type"]) == (414, kind)
    assert is_secured(answer)


async def in_parts() -> AsyncIterator[bytes]:
    for _ in range(LONGEST_BODY // 100_000 + 1):
        yield b"x" * 100_000


@pytest.mark.parametrize(
    ("path", "kind", "announced", "status"),
    [
        ("/api/v1/cards", "application/json", True, 413),
        ("/api/v1/cards", "application/json", False, 401),  # who asks is judged before what they send is read
        ("/sign-in", "text/html; charset=utf-8", True, 413),
        ("/sign-in", "text/html; charset=utf-8", False, 413),
    ],
)
def test_too_large_a_body_is_refused_in_the_addresss_own_shape(
    client: Client, path: str, kind: str, announced: bool, status: int
) -> None:
    body = b"x" * (LONGEST_BODY + 1) if announced else in_parts()
    answer = client.request("POST", path, content=body)
    assert (answer.status_code, answer.headers["content-type"]) == (status, kind)
    assert is_secured(answer)


@pytest.mark.parametrize("path", [*PAGES, *API, "/static/css/app.css", "/nothing", "/api/v1/claims/nothing"])
def test_head_is_get_without_a_body(client: Client, path: str) -> None:
    asked = {"accept-encoding": "identity"}
    head, get = (client.request(method, path, headers=asked) for method in ("HEAD", "GET"))
    assert head.status_code == get.status_code
    assert head.content == b""
    for answer in (head, get):
        assert re.fullmatch(r"[0-9a-f]{16}", answer.headers.pop("x-request-id"))
    assert dict(head.headers) == dict(get.headers)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/sign-in", "GET, HEAD, POST"),
        ("/sign-out", "POST"),
        ("/", "GET, HEAD"),
        ("/api/v1/cards", "GET, HEAD, POST"),
        ("/api/v1/cards/x", "GET, HEAD, PUT"),
        ("/static/css/app.css", "GET, HEAD"),
    ],
)
def test_a_method_that_is_not_offered_is_told_all_that_are(client: Client, path: str, allowed: str) -> None:
    answer = client.request("DELETE", path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert allowed in answer.text


def test_head_of_what_can_only_be_posted_is_refused(client: Client) -> None:
    assert client.request("HEAD", "/sign-out").status_code == 405


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["gzip"], True),
        (["GZIP, deflate, br"], True),
        (["br;q=1.0, gzip;q=0.8, *;q=0.1"], True),
        (["*"], True),
        (["x-gzip"], True),
        (["deflate", "gzip"], True),
        (["gzip; q=0.5, identity;q=0.5"], True),
        ([], False),
        ([""], False),
        (["identity"], False),
        (["gzip;q=0"], False),
        (["gzip;q=0.000, *"], False),
        (["*;q=0"], False),
        (["notgzip"], False),
        (["gzip;q=0.2, identity;q=0.9"], False),
        (["gzip;q=many"], False),
        (["gzip;q=nan"], False),
    ],
)
def test_gzip_is_sent_to_those_who_take_it(given: list[str], wanted: bool) -> None:
    assert takes_gzip(given) is wanted


@pytest.mark.parametrize(("accepted", "sent"), [("gzip;q=0, identity", None), ("br, gzip;q=0.5", "gzip")])
def test_an_answer_is_compressed_only_where_it_is_wanted(client: Client, accepted: str, sent: str | None) -> None:
    assert client.get("/axes", headers={"accept-encoding": accepted}).headers.get("content-encoding") == sent


def test_a_static_file_is_kept_for_ever_under_the_mark_of_its_content_only(client: Client) -> None:
    marked = client.get(static_url("css/app.css"))
    assert marked.headers["cache-control"] == "public, max-age=31536000, immutable"
    for other in ("/static/css/app.css", "/static/css/app.css?v=0123456789ab"):
        assert client.get(other).headers["cache-control"] == "no-cache"


def test_a_static_files_tag_is_weak_because_it_is_the_same_compressed_and_not(client: Client) -> None:
    address = static_url("css/app.css")
    answers = [client.get(address, headers={"accept-encoding": coding}) for coding in ("gzip", "identity")]
    assert [answer.headers.get("content-encoding") for answer in answers] == ["gzip", None]
    assert all(answer.headers["etag"].startswith('W/"') for answer in answers)
    assert [answer.headers["vary"] for answer in answers] == ["Accept-Encoding"] * 2


def test_an_unchanged_static_file_is_304_with_the_same_caching_headers(client: Client) -> None:
    address = static_url("css/app.css")
    first = client.get(address)
    again = client.get(address, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    for name in ("etag", "vary", "cache-control"):
        assert again.headers[name] == first.headers[name], name


@pytest.mark.parametrize("path", ["/foo/bar", "/api/v1/foo", "/static/nothing.js"])
def test_an_address_where_nothing_is_says_what_there_is(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert ("/api/docs" if path.startswith("/api") else "/claims/{claim_id}") in answer.text


@pytest.mark.parametrize(
    ("path", "near"), [("/source", "/sources"), ("/claims", "/"), ("/api/v1/claim", "/api/v1/claims")]
)
def test_a_mistyped_address_is_told_the_near_one(client: Client, path: str, near: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert (f'href="{near}"' if not path.startswith("/api") else f"did you mean `{near}`?") in answer.text


@pytest.mark.parametrize("path", ["/%00", "/claims/%00", "/api/v1/cards/%00", "/api/v1/sources/a%1bb", "/static/%00"])
def test_a_path_with_control_characters_is_404(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert is_secured(answer)


def test_the_description_is_built_once_for_all_who_ask_at_the_same_time(url: str) -> None:
    app = create_app(Settings(database_url=url))

    async def at_once() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bench.test") as asking:
            return await asyncio.gather(*(asking.get("/api/openapi.json") for _ in range(8)))

    answers = asyncio.run(at_once())
    app.state.database.close()
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
