"""The feed tells what happened once each, as valid XML whatever its texts hold; search engines find the pages."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from app.news import NewsItem
from app.web.feed_xml import feed
from tests.cards.factories import SOUND
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.db import Database
    from tests.conftest import Client, StillClock

ATOM = "{http://www.w3.org/2005/Atom}"
NASTY = "]]></title>&nbsp;<b>\x00\x0b\ufffe\ud800 'q' \"d\""


@pytest.fixture
def written(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def test_the_feed_names_every_source_once_with_ids_that_stay(site: Client) -> None:
    answer = site.get("/feed.atom")
    assert answer.headers["content-type"].startswith("application/atom+xml")
    root = ET.fromstring(answer.content)
    entries = root.findall(f"{ATOM}entry")
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert 0 < len(ids) == len(set(ids)) <= 50
    assert root.findtext(f"{ATOM}updated") == "2026-11-29T12:00:00Z"
    assert site.get("/feed.atom", headers={"Host": "other.test"}).text.count("<id>") == len(ids) + 1
    link = entries[0].find(f"{ATOM}link")
    assert link is not None
    assert site.get(link.attrib["href"]).status_code == 200


@pytest.mark.parametrize("path", ["/feed.atom", "/sitemap.xml"])
def test_whoever_has_it_as_it_is_gets_304(site: Client, path: str) -> None:
    mark = site.get(path).headers["etag"]
    again = site.get(path, headers={"If-None-Match": mark})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", mark)
    assert site.get(path, headers={"If-None-Match": 'W/"other"'}).status_code == 200


def test_a_recorded_card_is_the_newest_entry(written: Site) -> None:
    assert ET.fromstring(written.get("/feed.atom").content).findtext(f"{ATOM}updated") == ("1970-01-01T00:00:00Z")
    made = written.recorded(SOUND, written.token())
    entry = ET.fromstring(written.get("/feed.atom").content).find(f"{ATOM}entry")
    assert entry is not None
    assert (entry.findtext(f"{ATOM}title") or "").startswith("New card: ")
    assert entry.findtext(f"{ATOM}updated") == "2026-11-29T12:00:00Z"
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert link.attrib["href"] == f"http://bench.test/cards/{made}"


def test_no_text_breaks_the_feed() -> None:
    item = NewsItem("source", "k", dt.datetime(2026, 11, 29, tzinfo=dt.UTC), NASTY, NASTY, "/sources/s")
    entry = ET.fromstring(feed([item], 'http://a.test"<').encode()).find(f"{ATOM}entry")
    assert entry is not None
    assert (entry.findtext(f"{ATOM}title") or "").startswith("New claims: ]]></title>&nbsp;<b>")


def test_the_sitemap_names_pages_sources_and_claims_that_are_there(site: Client) -> None:
    found = re.findall("<loc>(.*?)</loc>", site.get("/sitemap.xml").text)
    assert {"http://bench.test/", "http://bench.test/claims/vllm-v41-5x"} <= set(found)
    assert len(found) == len(set(found))
    assert [url for url in found[:12] if site.get(url).status_code != 200] == []
    assert "Sitemap: http://bench.test/sitemap.xml" in site.get("/robots.txt").text


def test_every_page_tells_of_the_feed(site: Client) -> None:
    assert '<link rel="alternate" type="application/atom+xml"' in site.get("/axes").text


def test_what_people_type_for_the_feed_leads_to_it(site: Client) -> None:
    answer = site.get("/feed")
    assert (answer.status_code, answer.headers["location"]) == (301, "/feed.atom")
