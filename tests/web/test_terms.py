"""The field's words: one list, marked once where they are used, and readable without scripts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from app.axes import AXES
from app.axes.glossary import TERMS
from app.compare.blocking import BLOCKING
from app.compare.reproduction import FEWEST, rules
from app.web.terms import marked, meaning
from tests.web.markup import read

if TYPE_CHECKING:
    from tests.conftest import Client


def test_every_word_is_listed_once_with_a_meaning_and_a_source() -> None:
    assert [key for key, times in Counter(term.key for term in TERMS).items() if times > 1] == []
    spelt = Counter(spelling for term in TERMS for spelling in term.spellings)
    assert [spelling for spelling, times in spelt.items() if times > 1] == []
    for term in TERMS:
        assert term.says.endswith("."), term.key
        assert bool(term.axis) != bool(term.source), term.key
        assert not term.axis or (term.axis in AXES and AXES[term.axis].definition in meaning(term.key))


def test_the_first_use_of_a_word_is_marked_and_the_rest_is_text() -> None:
    page = read(str(marked("TTFT <b> against TTFT, attention TP4, not aTTFT or TTFTs", "x")))
    assert [button.words() for button in page.all("button")] == ["TTFT", "TP"]
    for button in page.all("button"):
        assert page.one(id=button.attributes["popovertarget"]).all("a")
    assert "<b> against TTFT, attention TP" in page.words()


@pytest.mark.parametrize("path", ["/about", "/claims/sglang-v41-35-to-873", "/claims/vllm-v41-5x"])
def test_marked_words_have_ids_of_their_own_and_lead_to_the_glossary(site: Client, path: str) -> None:
    page = read(site.get(path).text)
    ids = Counter(item.attributes["id"] for item in page.all() if "id" in item.attributes)
    assert [name for name, times in ids.items() if times > 1] == []
    glossary = {item.attributes["id"] for item in read(site.get("/glossary").text).all("section")}
    links = [
        item.attributes["href"].partition("#")[2]
        for item in page.all("a")
        if "/glossary#" in item.attributes.get("href", "")
    ]
    assert links
    assert set(links) <= glossary


def test_the_page_on_verdicts_tells_the_rules_as_they_are_applied(site: Client) -> None:
    page = read(site.get("/about").text)
    for rule in BLOCKING:
        assert rule.says in page.words()
        assert page.all("a", href=f"/verdicts#rule-{rule.id}")
    for _, says in rules():
        assert says in page.words()
    assert f"at least {FEWEST} times" in page.words()
    anchors = {item.attributes["id"] for item in read(site.get("/verdicts").text).all() if "id" in item.attributes}
    used = [
        item.attributes["href"] for item in page.all("a") if item.attributes.get("href", "").startswith("/verdicts#")
    ]
    assert {link.partition("#")[2] for link in used} <= anchors


def test_every_page_leads_to_how_verdicts_are_made_and_to_the_glossary(site: Client) -> None:
    footer = read(site.get("/jobs").text).one("footer")
    assert footer.all("a", href="/about")
    assert footer.all("a", href="/glossary")
