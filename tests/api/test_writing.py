"""What may go wrong between a client and the server while writing: retries, crowds, bodies of every kind."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from app.cards.load import MOST_BYTES
from tests.cards.factories import SOUND, sound
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from app.db import Database
    from tests.conftest import StillClock

CARDS = "/api/v1/cards"


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def at_once(site: Site, requests: Sequence[dict[str, Any]]) -> list[httpx.Response]:
    """Send all requests together."""

    async def send() -> list[httpx.Response]:
        transport = httpx.ASGITransport(site.client.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bench.test") as client:
            return await asyncio.gather(*(client.request(**request) for request in requests))

    return asyncio.run(send())


def post(body: str, token: str, key: str | None = None) -> dict[str, Any]:
    headers = {"Content-Type": "application/yaml", "Authorization": f"Bearer {token}"}
    return {
        "method": "POST",
        "url": CARDS,
        "content": body,
        "headers": headers | ({"Idempotency-Key": key} if key else {}),
    }


def test_a_retry_gets_the_first_answer_and_makes_no_second_card(site: Site) -> None:
    token = site.token()
    first = site.submit(SOUND, token, Idempotency_Key="k")
    again = site.submit(SOUND, token, Idempotency_Key="k")
    assert (again.status_code, again.text) == (first.status_code, first.text)
    assert again.headers["location"] == first.headers["location"]
    assert ("idempotent-replayed" in first.headers, again.headers["idempotent-replayed"]) == (False, "true")
    assert site.get(CARDS).json()["total"] == 1


def test_a_key_stands_for_one_request_of_one_token(site: Site) -> None:
    ana, ben = site.token(), site.token(name="Ben")
    made = site.submit(SOUND, ana, Idempotency_Key="k").json()["id"]
    other = site.submit(sound(note="n"), ana, Idempotency_Key="k")
    assert (other.status_code, other.json()["error"]["details"][0]["field"]) == (422, "Idempotency-Key")
    path = f"{CARDS}/{made}/retract"
    elsewhere = site.send("POST", path, '{"reason": "r"}', ana, Idempotency_Key="k", Content_Type="application/json")
    assert elsewhere.status_code == 422
    assert site.submit(SOUND, ben, Idempotency_Key="k").json()["id"] != made
    assert site.get(CARDS).json()["total"] == 2


def test_a_refused_card_may_be_mended_under_its_key(site: Site) -> None:
    token = site.token()
    assert site.submit(sound(metric="speed"), token, Idempotency_Key="k").status_code == 422
    assert site.submit(SOUND, token, Idempotency_Key="k").status_code == 201


def test_a_retraction_can_be_retried(site: Site) -> None:
    token = site.token()
    path = f"{CARDS}/{site.recorded(SOUND, token)}/retract"
    answers = [
        site.send("POST", path, '{"reason": "r"}', token, Idempotency_Key="k", Content_Type="application/json")
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].text == answers[1].text


@pytest.mark.parametrize("key", ["", "x" * 201, "a b", "é"])
def test_a_key_is_short_printable_text(site: Site, key: str) -> None:
    known = {"Content-Type": "application/yaml", "Authorization": f"Bearer {site.token()}"}
    headers = {**known, "Idempotency-Key": key.encode()}
    answer = site.client.request("POST", CARDS, content=SOUND, headers=headers)
    assert answer.status_code == 422


def test_one_request_sent_by_twenty_at_once_makes_one_card(site: Site) -> None:
    token = site.token()
    answers = at_once(site, [post(SOUND, token, "k") for _ in range(20)])
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1
    assert site.get(CARDS).json()["total"] == 1
    assert site.get("/api/v1/claims").json()["total"] == 1


def test_twenty_writers_through_the_api_lose_nothing(site: Site) -> None:
    tokens = [site.token(name=f"writer {number}") for number in range(20)]
    requests = [
        post(sound(title=f"{number} {turn}"), token) for turn in range(5) for number, token in enumerate(tokens)
    ]
    answers = at_once(site, requests)
    assert {answer.status_code for answer in answers} == {201}
    made = {answer.json()["id"] for answer in answers}
    assert len(made) == 100
    assert {item["id"] for item in site.get("/api/v1/claims?limit=500").json()["items"]} == made


def test_of_many_edits_of_one_revision_one_is_taken(site: Site) -> None:
    token = site.token()
    made = site.recorded(SOUND, token)
    edits = [
        {**post(sound(note=f"edit {number}"), token), "method": "PUT", "url": f"{CARDS}/{made}?revision=1"}
        for number in range(10)
    ]
    answers = at_once(site, edits)
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 9
    assert site.get(f"{CARDS}/{made}/revisions").json()["total"] == 2


JSON_BODIES = {
    "NaN": '{"result": {"value": NaN, "unit": "ms"}}',
    "infinite": '{"result": {"value": 1e400, "unit": "ms"}}',
    "2^63": '{"runs": {"count": 9223372036854775808}}',
    "seed": '{"workload": {"seed": 9223372036854775808}}',
    "true for a number": '{"runs": {"count": true}}',
    "underscore": '{"runs": {"count": "1_0"}}',
    "5000 digits": '{"runs": {"count": ' + "9" * 5000 + "}}",
    "half a pair": '{"note": "\\ud800"}',
    "half a pair in a key": '{"\\udfff": 1}',
    "zero byte": '{"note": "a\\u0000b"}',
    "duplicate key": '{"note": "a", "note": "b"}',
    "unknown key": '{"noet": "a"}',
    "deep": '{"note": ' + "[" * 100_000 + "]" * 100_000 + "}",
    "cut off": '{"note": "a',
    "empty": "",
    "list": "[]",
    "string for a block": '{"runs": [1]}',
}
YAML_BODIES = {
    "anchor": "note: &a x\n",
    "alias": "note: *a\n",
    "tag": "note: !!python/object:os.system x\n",
    "duplicate key": "note: a\nnote: b\n",
    "two documents": "note: a\n---\nnote: b\n",
    "tab": "note:\n\t- a\n",
    "bomb": "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n",
    "deep": "a: " * 50_000,
    "not a number": "result: {value: .nan, unit: ms}\n",
    "Norway": "runs: {count: NO}\n",
}


@pytest.mark.parametrize("path", [CARDS, f"{CARDS}/validate"])
def test_a_hostile_body_is_422_with_the_place(site: Site, path: str) -> None:
    """All kinds in one test: they share a server, as they would."""
    token = site.token()
    kinds = [("application/json", JSON_BODIES), ("application/yaml", YAML_BODIES)]
    for media_type, bodies in kinds:
        for name, body in bodies.items():
            answer = site.send("POST", path, body, token, Content_Type=media_type)
            assert answer.status_code == 422, (name, answer.text[:200])
            details = answer.json()["error"]["details"]
            assert all(item["line"] and item["column"] and item["rule"] for item in details), name
    for data in (b"note: \xff", "note: x".encode("utf-16"), b"\x1f\x8b" + b"\x00" * 50, b"\x00" * 1000):
        assert site.send("POST", path, data, token).status_code == 422
    assert site.get(CARDS).json()["total"] == 0


@pytest.mark.parametrize(
    "media_type", ["", "text/html", "application/x-www-form-urlencoded", "application/yaml; charset=utf-16", "x" * 500]
)
def test_another_media_type_is_415_and_says_what_is_taken(site: Site, media_type: str) -> None:
    answer = site.submit(SOUND, site.token(), Content_Type=media_type)
    assert answer.status_code == 415
    assert "application/yaml" in answer.json()["error"]["message"]


@pytest.mark.parametrize("media_type", ["application/yaml; charset=UTF-8", "TEXT/YAML", "application/x-yaml"])
def test_yaml_has_several_names(site: Site, media_type: str) -> None:
    assert site.submit(SOUND, site.token(), Content_Type=media_type).status_code == 201


def test_a_body_above_the_limit_is_413_even_where_it_does_not_say_so(site: Site) -> None:
    token, big = site.token(), b"note: " + b"x" * MOST_BYTES
    assert site.send("POST", CARDS, big, token).status_code == 413
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 100 * MOST_BYTES:
            sent += 65_536
            yield b"x" * 65_536

    headers = {"Content-Type": "application/yaml", "Authorization": f"Bearer {token}"}
    answer = site.client.request("POST", CARDS, content=endless(), headers=headers)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too_large"


def test_a_card_of_almost_the_limit_is_taken(site: Site) -> None:
    note = ", ".join(f"A{number}: {'x' * 1900}" for number in range(130))
    text = SOUND.replace("launch: {argv: [vllm, serve, m]}", "launch: {argv: [vllm], env: {" + note + "}}")
    assert MOST_BYTES * 0.9 < len(text) < MOST_BYTES
    assert site.submit(text, site.token()).status_code == 201
