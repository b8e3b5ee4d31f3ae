"""The import pages: a file is sent, read, completed and recorded, and nothing typed is lost on the way."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from tests.importers.factories import DATA
from tests.site import Site, open_site
from tests.web.markup import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from app.db import Database
    from tests.conftest import StillClock

VLLM, GUIDELLM = (DATA / "vllm_ngram_detailed.json").read_bytes(), (DATA / "guidellm_sweep.json").read_bytes()
ENOUGH = {"engine.name": "vllm", "hardware.accelerator": "H200"}


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def signed_in(site: Site, *scopes: str) -> dict[str, str]:
    answer = site.client.request(
        "POST", "/sign-in", content=urlencode({"token": site.token(*scopes)}), headers={"Content-Type": "x"}
    )
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}


def send(site: Site, cookie: dict[str, str], data: bytes, name: str = "r.json", format: str = "auto") -> httpx.Response:
    return site.client.request("POST", "/import", files={"file": (name, data)}, data={"format": format}, headers=cookie)


def post(site: Site, url: str, cookie: dict[str, str], fields: list[tuple[str, str]]) -> httpx.Response:
    headers = {**cookie, "Content-Type": "application/x-www-form-urlencoded"}
    return site.client.request("POST", url, content=urlencode(fields), headers=headers)


def checked(html: str) -> list[str]:
    return re.findall(r'name="parts" value="(\d+)"[^>]* checked', html)


def test_the_page_names_every_tool_and_its_file(site: Site) -> None:
    html = site.get("/import").text
    for tool in ("vllm bench serve", "sglang.bench_serving", "guidellm", "aiperf", "MLPerf Inference summary"):
        assert tool in html
    assert 'href="/sign-in?next=/import"' in html
    assert "Sign in</a> to send" not in site.get("/import", headers=signed_in(site)).text


def test_a_file_is_read_and_its_measurements_recorded(site: Site) -> None:
    cookie = signed_in(site)
    sent = send(site, cookie, GUIDELLM)
    assert sent.status_code == 303
    url = sent.headers["location"]
    page = site.get(url, headers=cookie)
    assert page.status_code == 200
    assert checked(page.text) == ["1", "2"]
    rate = json.loads(GUIDELLM)["benchmarks"][0]["metrics"]["output_tokens_per_second"]["successful"]["mean"]
    assert f"{rate:.6g} tok/s" in page.text
    assert "Which engine ran?" in page.text
    made = post(site, url, cookie, [("parts", "1"), ("parts", "2"), *ENOUGH.items()])
    cards = site.get("/api/v1/cards").json()["items"]
    location, _, place = made.headers["location"].partition("#")
    assert (made.status_code, place) == (303, "recorded")
    told = read(site.get(location, headers=cookie).text).one(id="recorded")
    assert "2 bench cards recorded" in told.words()
    assert {link.attributes["href"] for link in told.all("a")} == {
        "/cards",
        *(f"/cards/{card['id']}" for card in cards),
    }
    assert 'id="recorded"' not in site.get(f"{url}?recorded=card-of-another", headers=cookie).text
    assert [card["hardware"] for card in cards] == ["H200", "H200"]
    again = site.get(url, headers=cookie).text
    assert all(f'href="/cards/{card["id"]}"' in again for card in cards)
    assert checked(again) == [], "what was recorded is not recorded twice by accident"


def test_what_was_typed_stays_with_every_problem_at_its_field(site: Site) -> None:
    cookie = signed_in(site)
    url = send(site, cookie, GUIDELLM).headers["location"]
    page = post(site, url, cookie, [("parts", "2"), ("hardware.count", "many<"), ("engine.version", "0.33.0")])
    assert page.status_code == 422
    assert 'value="many&lt;"' in page.text
    assert 'value="0.33.0"' in page.text
    assert checked(page.text) == ["2"]
    assert '<a href="#hardware.count">' in page.text
    assert 'id="wrong-hardware.count"' in page.text
    assert site.get("/api/v1/cards").json()["total"] == 0


def test_nothing_chosen_is_told(site: Site) -> None:
    cookie = signed_in(site)
    url = send(site, cookie, VLLM).headers["location"]
    page = post(site, url, cookie, list(ENOUGH.items()))
    assert page.status_code == 422
    assert "hoose at least one measurement" in page.text
    assert 'value="H200"' in page.text


@pytest.mark.parametrize("part", ["9" * 5000, "x", "-1", "0", "1.0", "\u0661", ""])
def test_a_measurement_that_cannot_be_is_told_and_nothing_is_lost(site: Site, part: str) -> None:
    cookie = signed_in(site)
    url = send(site, cookie, GUIDELLM).headers["location"]
    page = post(site, url, cookie, [("parts", "2"), ("parts", part), *ENOUGH.items()])
    assert page.status_code == 422
    assert "is no measurement of this file" in page.text
    assert 'value="H200"' in page.text
    assert checked(page.text) == ["2"]
    assert site.get("/api/v1/cards").json()["total"] == 0


def test_who_was_signed_out_in_between_keeps_what_was_typed(site: Site) -> None:
    url = send(site, signed_in(site), VLLM).headers["location"]
    page = post(site, url, {}, [("parts", "1"), *ENOUGH.items()])
    assert page.status_code == 401
    assert 'value="H200"' in page.text
    assert "/sign-in?next=/import/" in page.text


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"{}", "not a result of any tool known here"), (b'{"a":\n x', "line 2"), (b"", "The file is empty")],
)
def test_a_file_that_is_no_result_is_told_with_its_place(site: Site, data: bytes, said: str) -> None:
    page = send(site, signed_in(site), data, format="guidellm" if data == b"x" else "auto")
    assert page.status_code == 422
    assert said.casefold() in page.text.casefold()
    assert page.text.casefold().count(said.casefold()) == 1
    assert "Nothing was kept" in page.text


def test_strangers_and_forms_without_a_file_are_told(site: Site) -> None:
    stranger = send(site, {}, VLLM)
    assert stranger.status_code == 401
    assert "/sign-in?next=/import" in stranger.text
    cookie = signed_in(site)
    empty = site.client.request("POST", "/import", files={"file": ("", b"")}, headers=cookie)
    assert (empty.status_code, "Choose a file" in empty.text) == (422, True)
    wrong = send(site, cookie, VLLM, format="nonsense")
    assert (wrong.status_code, "Choose a tool from the list" in wrong.text) == (422, True)


def test_another_site_s_page_can_send_nothing(site: Site) -> None:
    cookie = signed_in(site)
    assert send(site, {**cookie, "Sec-Fetch-Site": "cross-site"}, VLLM).status_code == 403
    url = send(site, cookie, VLLM).headers["location"]
    assert post(site, url, {**cookie, "Origin": "https://evil.test"}, [("parts", "1")]).status_code == 403


def lines(count: int) -> bytes:
    """A file of `count` measurements, small ones."""
    kept = {key: value for key, value in json.loads(VLLM).items() if not isinstance(value, list)}
    return b"\n".join(json.dumps({**kept, "max_concurrency": part}).encode() for part in range(1, count + 1))


def shown_parts(html: str) -> list[int]:
    return [int(part) for part in re.findall(r'name="parts" value="(\d+)"', html)]


def test_a_file_of_many_measurements_is_shown_a_hundred_at_a_time(site: Site) -> None:
    cookie = signed_in(site)
    url = send(site, cookie, lines(205)).headers["location"]
    first, last = site.get(url, headers=cookie).text, site.get(f"{url}?from=201", headers=cookie).text
    assert shown_parts(first) == [*range(1, 101)]
    assert checked(first) == [str(part) for part in range(1, 101)]
    assert not re.search(r'value="all"[^>]* checked', first), "a measurement that is unchosen stays out"
    assert "205 measurements" in first
    assert f'href="{url}?from=101"' in first
    assert shown_parts(last) == [*range(201, 206)]
    assert f'href="{url}?from=101"' in last
    for wrong in ("206", "0", "x", "9" * 5000):
        assert site.get(f"{url}?from={wrong}", headers=cookie).status_code == 422


def test_all_of_many_measurements_can_be_recorded_at_once(site: Site) -> None:
    cookie = signed_in(site)
    url = send(site, cookie, lines(103)).headers["location"]
    wrong = post(site, url, cookie, [("parts", "all"), ("hardware.count", "many"), *ENOUGH.items()])
    assert wrong.status_code == 422
    assert re.search(r'value="all"[^>]* checked', wrong.text)
    assert 'value="many"' in wrong.text
    later = post(site, url, cookie, [("parts", "102"), ("hardware.count", "many")])
    assert checked(later.text) == ["102"]
    assert post(site, url, cookie, [("parts", "all"), *ENOUGH.items()]).status_code == 303
    assert site.get("/api/v1/cards").json()["total"] == 103


def test_names_from_a_file_are_shown_literally(site: Site) -> None:
    cookie = signed_in(site)
    data = VLLM.replace(b'"tiny-qwen3"', b'"<script>x</script>"')
    url = send(site, cookie, data, name="<b>a</b>.json").headers["location"]
    html = site.get(url, headers=cookie).text
    assert "<script>x" not in html
    assert "<b>a" not in html
    assert "&lt;b&gt;a" in html or "b&gt;.json" in html


def test_an_import_that_is_not_there_is_404(site: Site) -> None:
    assert site.get(f"/import/{'0' * 64}").status_code == 404
    assert site.get("/import/x").status_code == 404


def test_the_place_of_a_measurement_in_its_file_is_told_in_the_readers_language(site: Site) -> None:
    two = b"\n".join((DATA / "sglang_vllm.jsonl").read_bytes().splitlines()[:1] * 2)
    url = send(site, signed_in(site), two, name="two.jsonl").headers["location"]
    places = [code.text for code in read(site.get(url, headers={"Accept-Language": "id"}).text).all("code")]
    assert {"baris 1", "baris 2"} <= {*places}
