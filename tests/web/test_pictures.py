"""Pictures of claims, comparisons and measurements: whole, honest about what does not fit, and cheap to ask for."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from app.catalogue.models import weights
from app.compare.verdict import compare
from app.errors import BusyError
from app.web import picture as drawing
from app.web.picture import BOLD, PLAIN, counted_out, fitted, mark, png
from app.web.picture_words import Picture, of_claim, of_comparison, said_by
from tests.compare.factories import row
from tests.web.markup import read

if TYPE_CHECKING:
    from tests.conftest import Client

CLAIM = "sglang-v41-35-to-873"
PAIR = "ids=vllm-v41-5x&ids=sglang-v41-step-16"
LONG = "a very long sentence about one condition " * 40
CAVEATS = tuple(f"caveat number {place} of this claim" for place in range(30))


def picture(**changes: object) -> Picture:
    given = {"stamp": "unverified", "lead": "1 x", "rest": "r", "lines": (), "caveats": (), "url": "https://b.test"}
    return Picture(**(given | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [f"/claims/{CLAIM}/picture.png", f"/compare/picture.png?{PAIR}"])
def test_a_picture_has_the_size_that_sites_expect_and_is_not_sent_twice(site: Client, path: str) -> None:
    answer = site.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)
    assert "max-age" in answer.headers["cache-control"]
    again = site.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/claims/none/picture.png", 404),
        ("/cards/none/picture.png", 404),
        ("/measurements/none/picture.png", 404),
        ("/compare/picture.png?ids=none&ids=other", 404),
        (f"/compare/picture.png?ids={CLAIM}", 422),
    ],
)
def test_what_there_is_not_has_no_picture(site: Client, path: str, status: int) -> None:
    assert site.get(path).status_code == status


@pytest.mark.parametrize(
    ("page", "shown"),
    [(f"/claims/{CLAIM}", f"/claims/{CLAIM}/picture.png"), (f"/compare?{PAIR}", f"/compare/picture.png?{PAIR}")],
)
def test_a_page_names_its_picture_with_its_words(site: Client, page: str, shown: str) -> None:
    found = read(site.get(page).text)
    tags = {
        item.attributes.get("property") or item.attributes.get("name"): item.attributes["content"]
        for item in found.all("meta")
        if "content" in item.attributes
    }
    assert tags["og:image"] == tags["twitter:image"] == f"http://bench.test{shown}"
    assert tags["og:url"] == f"http://bench.test{page}"
    assert tags["twitter:card"] == "summary_large_image"
    assert "unverified" in tags["og:image:alt"]
    assert "Mind: " in tags["og:image:alt"]
    assert site.get(shown).status_code == 200


def test_a_picture_says_axis_baseline_conditions_caveats_and_that_nobody_measured_again() -> None:
    said = of_claim(row(), "https://b.test")
    assert (said.stamp, said.lead) == ("unverified", row().headline)
    assert [name for name, _ in said.lines] == ["Against", "On"]
    assert said.rest in said_by(said)
    assert said.url == f"https://b.test/claims/{row().id}"


def test_long_text_ends_with_an_ellipsis_and_never_beyond_its_width() -> None:
    lines = fitted(LONG, PLAIN, 24, 500, 3)
    assert len(lines) == 3
    assert lines[-1].endswith("…")
    assert all(drawing._width(line, PLAIN, 24) <= 500 for line in lines)
    assert fitted("short", PLAIN, 24, 500, 3) == ["short"]
    assert fitted("x" * 400, BOLD, 24, 500, 1)[0].endswith("…")


def test_an_ellipsis_stands_behind_a_whole_word() -> None:
    text = "one stream against something else that is measured elsewhere"
    for width in range(120, 900, 20):
        *_lines, last = fitted(text, PLAIN, 24, width, 1)
        assert not last.endswith("…") or set(last.removesuffix("…").split()) <= set(text.split())
    assert fitted("x" * 300, PLAIN, 24, 200, 1)[0].endswith("x…")


def test_caveats_that_do_not_fit_are_counted() -> None:
    text = counted_out(CAVEATS, PLAIN, 24, 900, 2)
    shown = text.count("caveat number")
    assert text.endswith(f"; and {30 - shown} more")
    assert 0 < shown < 30
    assert counted_out(CAVEATS[:2], PLAIN, 24, 900, 2) == "; ".join(CAVEATS[:2])
    assert counted_out((LONG, *CAVEATS), PLAIN, 24, 900, 1).endswith("…; and 30 more")
    assert counted_out((), PLAIN, 24, 900, 1) == "no caveat recorded"


@pytest.mark.parametrize("lead", ["873.63 tok/s", LONG, "x" * 500, "\u202e\x00 <b>", ""])
def test_nothing_is_drawn_over_the_address_whatever_is_said(lead: str) -> None:
    drawn = png(picture(lead=lead, rest=LONG, lines=(("Against", LONG), ("On", LONG)), caveats=CAVEATS, url="u"))
    image = Image.open(io.BytesIO(drawn)).convert("L")
    band = image.crop((drawing.EDGE, drawing.HEIGHT - 80, drawing.WIDTH, drawing.HEIGHT - 73))
    assert min(band.tobytes()) == 255  # the row above the line is empty


def test_other_words_are_another_picture_and_the_same_words_the_same() -> None:
    assert mark(picture()) == mark(picture())
    assert mark(picture()) != mark(picture(lead="2 x"))


def test_whoever_asks_for_very_many_at_once_is_told_to_wait() -> None:
    for _ in range(drawing.WAITING):
        assert drawing._waiting.acquire(blocking=False)
    try:
        with pytest.raises(BusyError):
            png(picture(lead="never drawn before"))
    finally:
        for _ in range(drawing.WAITING):
            drawing._waiting.release()
    assert png(picture(lead="never drawn before"))


def test_a_comparison_says_its_verdict_and_the_caveats_of_each_side(site: Client) -> None:
    reading = site.app.state.catalogue
    a, b = reading.claims(["vllm-v41-5x", "sglang-v41-step-16"])
    found = of_comparison(a, b, compare(a, b, (), weights()), "https://b.test")
    assert found.lead == "Not comparable."
    assert any(caveat.startswith("A: ") for caveat in found.caveats)
    assert any(caveat.startswith("B: ") for caveat in found.caveats)
    assert [name for name, text in found.lines if " on vLLM" in text or " on SGLang" in text] == ["A", "B"]


def test_the_title_of_a_comparison_says_its_verdict(site: Client) -> None:
    page = read(site.get(f"/compare?{PAIR}").text)
    title = page.one("meta", property="og:title").attributes["content"]
    assert title == "about 5x and 873.63 tok/s: not comparable"
    assert page.one("title").text.startswith(title)
