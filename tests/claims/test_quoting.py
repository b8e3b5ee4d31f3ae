"""A quoted claim carries all that its number needs, and its text stays text wherever it is pasted."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.claims.quoting import Line, Part, quotation, quote_claim
from app.compare.quoting import quote_comparison
from app.compare.verdict import compare
from tests.compare.factories import FORCED, row
from tests.web.markup import read

ROOT = "https://bench.test"
MARKDOWN = MarkdownIt("commonmark").enable("table").enable("strikethrough")
NASTY = "a<b>|c]`d`\n# e\n\n    f\n- g **h** _i_ ~~j~~ &lt; ![k](l) <script>m</script> \\"
TEXTS = st.text(st.sampled_from("ab1 <>|[]()`*_~#&;!\\-+=.:/\"'\n\t$é"), min_size=1).filter(str.strip)


def words(html: str) -> str:
    class Reader(HTMLParser):
        said = ""

        def handle_data(self, data: str) -> None:
            self.said += data

    reader = Reader()
    reader.feed(html)
    reader.close()
    return " ".join(reader.said.split())


def tags(html: str) -> list[str]:
    return [element.tag for element in read(html.replace("<hr />", "<hr>").replace("<br />", "<br>")).all()]


def test_a_quoted_claim_says_what_against_what_under_which_conditions_and_what_to_mind() -> None:
    said = quote_claim(row(**FORCED, stated_in="chart"), ROOT).text.splitlines()
    assert said[0] == "100 tok/s (unverified): decode rate of one stream; one stream."
    assert said[1] == "Against: nothing; the number stands by itself."
    assert said[2].startswith("Conditions: SGLang 1.0, DeepSeek-V4.1-Flash, 4× GB300 · ")
    assert "simulated acceptance (" in said[3]
    assert "chart only (" in said[3]
    assert said[4].endswith("“A post”, 2026-10-07, table 1, retrieved 2026-11-29, last checked 2026-11-29.")
    assert said[5] == "Benchcard: one stream, https://bench.test/claims/a"


def test_the_three_forms_hold_the_same_words() -> None:
    found = quote_claim(row(**FORCED), ROOT)
    text = words(found.html)
    assert words(MARKDOWN.render(found.markdown)) == text
    for line in found.text.splitlines()[:4]:
        assert line.rstrip(".") in text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"status": "never_tried"}, "unverified"),
        ({"status": "failed", "text": "the engine did not start"}, "unverified"),
        ({"status": "repeated_by_others", "text": "98 tok/s by another"}, "repeated by others: 98 tok/s by another"),
        ({"status": "below", "text": "90 tok/s.", "measured": "90"}, "measured again: 90 tok/s"),
        ({"status": "within", "text": "elsewhere: 9.", "measured": "9", "imported": True}, "elsewhere: 9"),
        ({"status": "failed", "text": "t", "others": "98 by another"}, "repeated by others: 98 by another"),
    ],
)
def test_a_claim_is_unverified_until_somebody_measured_it_again(given: dict[str, Any], said: str) -> None:
    assert f"({said}): " in quote_claim(row(reproduction=given), ROOT).text


def test_a_claim_without_a_caveat_and_with_nothing_stated_says_so() -> None:
    bare = row(**{"conditions.engine": {}, "conditions.model": {}, "conditions.hardware": {}})
    text = quote_claim(bare, ROOT).text
    assert "engine not stated, model not stated, GPU not stated" in text
    assert "Mind: no caveat recorded." in text
    assert "Against: not stated." in quote_claim(row(baseline={"kind": "not_stated"}), ROOT).text


def test_what_a_source_writes_stays_text_in_markdown_and_html() -> None:
    source = {"id": "s", "title": NASTY, "url": None, "date": None, "publisher": NASTY, "interest": "x"}
    plain = quote_claim(row(title="t", locator="l"), ROOT)
    found = quote_claim(row(title=NASTY, source=source, locator=NASTY), ROOT)
    assert tags(found.html) == tags(plain.html)
    assert tags(MARKDOWN.render(found.markdown)) == tags(MARKDOWN.render(plain.markdown))
    assert " ".join(NASTY.split()) in words(MARKDOWN.render(found.markdown))
    assert len(found.text.splitlines()) == len(plain.text.splitlines())


@given(TEXTS, TEXTS, TEXTS)
def test_no_text_becomes_markup(lead: str, rest: str, text: str) -> None:
    found = quotation([Part(lead, rest, (Line("Name", text, "https://a.test/?b=c&lt;"), Line("Name", text)))], "-")
    meant = " ".join(f"{lead} {rest} Name: {text} Name: {text}".split())
    assert words(found.html) == meant
    rendered = MARKDOWN.render(found.markdown)
    assert words(rendered) == meant
    assert tags(rendered) == ["blockquote", "p", "strong", "ul", "li", "a", "li"]


@given(TEXTS)
def test_an_address_ends_only_at_its_end_and_leads_to_the_web(end: str) -> None:
    found = quotation([Part("1 x", "r", (Line("Source", "s", f"https://a.test/{end}"),))], "-")
    for html in (found.html, MARKDOWN.render(found.markdown)):
        assert tags(html) == ["blockquote", "p", "strong", "ul", "li", "a"]
        assert read(html).one("a").attributes["href"].startswith("https://a.test/")
    assert not tags(quotation([Part("1 x", "r", (Line("Source", "s", f"javascript:{end}"),))], "-").html).count("a")


def test_a_quoted_comparison_gives_the_verdict_first_and_both_claims_whole() -> None:
    a, b = row(), row(id="b", axis="ttft", unit="ms")
    parts = quote_comparison(a, b, compare(a, b, (), {}), ROOT).text.split("\n\n")
    assert parts[0].startswith("Not comparable. These two cannot be ranked: ")
    assert "Ratio" not in parts[0]
    assert parts[0].endswith("https://bench.test/compare?ids=a&ids=b")
    assert parts[1:] == [quote_claim(a, ROOT).text, quote_claim(b, ROOT).text]


def test_a_quoted_ratio_is_the_verdicts_with_its_conditions() -> None:
    a, b = row(), row(id="b", value="150", repeats="a")
    found = compare(a, b, (), {})
    assert found.ratio is not None
    text = quote_comparison(a, b, found, ROOT).text.lower()
    assert found.ratio.text.lower() in text
    assert found.ratio.conditions.lower() in text


def test_the_short_quotation_has_axis_baseline_conditions_and_the_names_of_the_caveats() -> None:
    said = quote_claim(row(**FORCED, stated_in="chart"), ROOT).short
    assert "\n" not in said
    for part in (
        "100 tok/s (unverified): decode rate of one stream",
        "against nothing",
        "4\N{MULTIPLICATION SIGN} GB300",
    ):
        assert part in said
    assert "mind: simulated acceptance, chart only" in said
    assert said.endswith(f"{ROOT}/claims/a")
