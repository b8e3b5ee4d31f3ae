"""Pages in the reader's language: by the browser's wish, by a choice, and nothing but pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from app.web.speaking import VARY
from tests.web.markup import read

if TYPE_CHECKING:
    from tests.conftest import Client

WISH = {"Accept-Language": "fr, id-ID;q=0.9, en;q=0.5"}


def test_a_page_speaks_the_language_that_the_browser_asks_for(site: Client) -> None:
    said = [site.get("/about", headers={"Accept-Language": wish}) for wish in ("en", "id", "en", "tlh")]
    assert [read(page.text).one("html").attributes["lang"] for page in said] == ["en", "id", "en", "en"]
    assert said[0].text == said[2].text == said[3].text == site.get("/about").text
    assert "Langsung ke isi" in said[1].text
    assert all(page.headers["Vary"].startswith(VARY) for page in said)


def test_a_choice_outweighs_the_browser(site: Client) -> None:
    page = site.get("/about", headers={**WISH, "Cookie": "language=en"})
    assert read(page.text).one("html").attributes["lang"] == "en"
    page = site.get("/about", headers={**WISH, "Cookie": "language=xx"})
    assert read(page.text).one("html").attributes["lang"] == "id"


@pytest.mark.parametrize(("following", "place"), [("/?q=a&col=b", "/?q=a&col=b"), ("//evil.test/", "/"), ("", "/")])
def test_the_choice_is_kept_and_leads_back_to_the_page_and_never_elsewhere(
    site: Client, following: str, place: str
) -> None:
    answer = site.request("POST", "/language", content=urlencode({"language": "id", "next": following}))
    assert (answer.status_code, answer.headers["Location"]) == (303, place)
    assert answer.headers["Set-Cookie"].startswith("language=id; HttpOnly; Max-Age=31536000; Path=/; SameSite=lax")


@pytest.mark.parametrize(
    ("referer", "place"),
    [
        ("http://bench.test/?engine=SGLang", "/?engine=SGLang"),
        ("http://bench.test//evil.test/", "/"),
        ("http://evil.test/?engine=SGLang", "/about"),
        ("http://[", "/about"),
    ],
)
def test_the_choice_leads_to_the_page_as_a_filter_left_it(site: Client, referer: str, place: str) -> None:
    answer = site.request("POST", "/language", content="language=id&next=/about", headers={"Referer": referer})
    assert answer.headers["Location"] == place


def test_the_switch_knows_the_page_that_it_stands_on(site: Client) -> None:
    form = read(site.get("/?q=kernel&sort=date", headers=WISH).text).one("form", action="/language")
    assert form.one("input", name="next").attributes["value"] == "/?q=kernel&sort=date"
    assert [button.words() for button in form.all("button")] == ["English", "Bahasa Indonesia"]
    assert form.one("button", aria_current="true").attributes["value"] == "id"


def test_an_unknown_language_is_refused_with_those_that_are_known(site: Client) -> None:
    answer = site.request("POST", "/language", content="language=xx", headers=WISH)
    assert answer.status_code == 422
    assert "en, id" in answer.text


def test_an_address_that_is_not_there_is_told_in_the_readers_language(site: Client) -> None:
    assert "Tidak ada apa pun di alamat ini" in site.get("/nowhere", headers=WISH).text
    assert "There is nothing at this address" in site.get("/nowhere").text


PAIR = "ids=sglang-v41-dspark-off&ids=sglang-v41-step-16"
PAGES = {
    "/": ["Yang diukur", "873,63", "acceptance simulasi", " klaim"],
    "/claims/sglang-v41-step-16": ["laju decode satu stream", "Terakhir diperiksa", "873,63"],
    f"/compare?{PAIR}": ["dan 873,63 tok/s: bisakah dibandingkan?", "Mengapa, alasan terkuat dulu"],
    "/measurements": ["Pengukuran"],
    "/nowhere?a=b": ["Tidak ada apa pun di “/nowhere”"],
    "/?sort=bad": ["`bad` tidak dikenal; yang diterima rank"],
    "/api/docs": ["Langsung ke isi"],
}


def still(page: str) -> str:
    """Without the seconds since something was recorded, which go on between two answers."""
    return re.sub(r'data-age="\d+"', "", page)


@pytest.mark.parametrize("address", PAGES)
def test_a_page_and_what_is_kept_of_it_keep_to_the_readers_language(site: Client, address: str) -> None:
    english = site.get(address)
    said = [site.get(address, headers=WISH), site.get(address), site.get(address, headers=WISH)]
    assert still(said[1].text) == still(english.text)
    assert still(said[0].text) == still(said[2].text)
    assert not [text for text in PAGES[address] if text not in read(said[0].text).words()]
    assert said[0].text != english.text


def test_what_a_page_offers_to_quote_is_the_same_on_all(site: Client) -> None:
    """The quotation, the badge's text and the picture in words go to other people."""
    for address in ("/claims/sglang-v41-step-16", f"/compare?{PAIR}"):
        pages = [read(site.get(address, headers=headers).text) for headers in ({}, WISH)]
        quoted = [[field.text for field in page.all("textarea")] for page in pages]
        assert quoted[0] == quoted[1] != []
        alt = [page.one("meta", property="og:image:alt").attributes["content"] for page in pages]
        assert alt[0] == alt[1]


def test_numbers_dates_and_their_alignment_follow(site: Client) -> None:
    cell = read(site.get("/?engine=SGLang&q=step-16", headers=WISH).text).one("table", class_="claims").all("a")[0]
    assert (cell.one("span", class_="w").words(), cell.words()) == ("873", "873,63 tok/s")
    page = read(site.get("/claims/sglang-v41-step-16", headers=WISH).text)
    figure = page.all("span", class_="figure")[0].words()
    assert figure == "873,63 tok/s"
    assert any("Nov 2026" in item.words() or "Okt 2026" in item.words() for item in page.all("dd"))


@pytest.mark.parametrize(
    "address",
    ["/api/v1/claims?limit=3", "/api/v1/claims.csv?limit=3", "/feed.atom", "/api/v1/nowhere", "/claims/{}/badge.svg"],
)
def test_what_travels_is_the_same_for_everybody(site: Client, address: str) -> None:
    claim = site.get("/api/v1/claims?limit=1").json()["items"][0]["id"]
    address = address.format(claim)
    assert site.get(address, headers=WISH).content == site.get(address).content
