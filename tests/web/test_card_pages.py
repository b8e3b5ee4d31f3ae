"""The pages of cards: the list, one card with its surroundings, its revisions, and what a card may say."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from app.accounts.access import PLAIN_COOKIE
from app.cards.diff import diff
from app.cards.fields import FIELDS, SHORT_FORMS, leaves
from app.cards.load import read_card
from app.cards.rules import ELSEWHERE, RULES
from app.cards.short import FORMS, MOVED
from app.catalogue.folder import read_catalogue
from app.catalogue.store import load_into
from app.settings import Settings
from app.web.card_revisions_page import pieces
from app.web.card_schema_page import EXAMPLES
from tests.cards.factories import card, sound
from tests.site import Site, open_site
from tests.web.markup import Element, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from app.db import Database
    from tests.conftest import StillClock

HOSTILE = '<script>alert("x")</script>'


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


@pytest.fixture
def full_site(site: Site) -> Site:
    """With the shipped claims."""
    load_into(site.database, read_catalogue(Settings().catalogue), site.clock)
    return site


def page(site: Site, path: str, status: int = 200, **options: object) -> Element:
    answer = site.get(path, **options)
    assert answer.status_code == status, answer.text
    return read(answer.text)


def cookie(site: Site, token: str) -> dict[str, str]:
    """What a browser sends that signed in with this token."""
    answer = site.client.request("POST", "/sign-in", content=urlencode({"token": token}))
    return {"Cookie": f"{PLAIN_COOKIE}={answer.cookies[PLAIN_COOKIE]}"}


def post(site: Site, path: str, headers: dict[str, str], **fields: str) -> httpx.Response:
    return site.client.request("POST", path, content=urlencode(fields), headers=headers)


def test_the_list_shows_every_card_with_its_number_first_and_filters_by_what_there_is(site: Site) -> None:
    token = site.token()
    site.recorded(sound(), token)
    plan = site.recorded(sound(result=None, engine="{name: sglang, version: 0.5.23}"), token)
    root = page(site, "/cards")
    rows = root.one("table").one("tbody").all("tr")
    assert [row.one("b").text for row in rows] == ["no result yet", "223.50 tok/s"]
    assert [option.text for option in root.one("select", name="engine").all("option")] == [
        "any",
        "SGLang (1)",
        "vLLM (1)",
    ]
    only = page(site, "/cards?engine=SGLang&model=").one("table").one("tbody").all("tr")
    assert [row.one("th").one("a").attributes["href"] for row in only] == [f"/cards/{plan}"]


def test_a_filter_that_cannot_be_taken_is_told_and_the_rest_is_shown(site: Site) -> None:
    site.recorded(sound(), site.token())
    for query, name in (("state=best", "state"), ("cursor=x", "cursor")):
        root = page(site, f"/cards?{query}", 422)
        assert root.one("section", class_="trouble").one("code").text == name
        assert root.one("table").all("b")


def test_an_empty_list_says_how_to_begin(site: Site) -> None:
    links = page(site, "/cards").one("div", class_="empty prose").all("a")
    assert [link.attributes["href"] for link in links] == ["/cards/new", "/import", "/cards/schema"]


def test_htmx_gets_the_list_alone(site: Site) -> None:
    part = read(site.get("/cards", headers={"HX-Request": "true"}).text)
    assert not part.all("main")
    assert part.one("p", id="count").text == "0 cards"


def test_a_card_page_says_the_whole_card_and_asks_for_the_rest(site: Site) -> None:
    text = sound(runs="{count: 1}", model="{id: org/M, weights: dummy}", launch="{argv: [vllm, 'a b'], env: {X: '1'}}")
    card_id = site.recorded(text, site.token())
    root = page(site, f"/cards/{card_id}")
    assert root.one("h1").words().startswith("223.50 tok/s")
    assert root.one("pre", id="launch").text == "X=1 \\\nvllm 'a b'"
    assert "Which model revision? (model.revision)" in root.one("pre", id="letter").text
    assert root.one("button", data_copy="letter").attributes["hidden"] == ""
    assert "random weights" in root.one("dl", class_="facts lead").text
    assert "One run has no spread" in root.one("section", id="findings").text
    links = {link.text: link.attributes["href"] for link in root.all("a", download=f"{card_id}.yaml")}
    assert site.get(links["YAML"]).status_code == 200
    assert root.all("a", href=f"/cards/new?from={card_id}")
    assert not root.all("a", href=f"/cards/{card_id}/edit")


def test_a_card_that_repeats_a_claim_shows_the_verdict_and_the_claim_shows_the_card(full_site: Site) -> None:
    card_id = full_site.recorded(sound(repeats="sglang-v41-step-16"), full_site.token())
    part = page(full_site, f"/cards/{card_id}").one("section", id="repeats")
    assert "Not comparable." in part.text
    assert part.all("a", href="/claims/sglang-v41-step-16")
    assert page(full_site, "/claims/sglang-v41-step-16").all("a", href=f"/cards/{card_id}")
    assert page(full_site, f"/claims/{card_id}").all("a", href=f"/cards/{card_id}")
    plan = full_site.recorded(sound(repeats="sglang-v41-step-16", result=None), full_site.token())
    assert not page(full_site, "/claims/sglang-v41-step-16").all("a", href=f"/cards/{plan}")


def test_a_card_is_told_apart_in_the_table(site: Site) -> None:
    site.recorded(sound(), site.token())
    assert page(site, "/").one("b", class_="tag").text == "Card by Ana"


def test_a_plan_and_a_bare_card_have_pages_too(full_site: Site) -> None:
    token = full_site.token()
    plan = full_site.recorded(sound(result=None, repeats="sglang-v41-step-16"), token)
    assert "nothing can be compared" in page(full_site, f"/cards/{plan}").one("section", id="repeats").text
    template = full_site.recorded(EXAMPLES["template"][1], token)
    assert "No result yet" in page(full_site, f"/cards/{template}").one("h1").text


def test_related_claims_are_found_by_what_they_share(full_site: Site) -> None:
    text = sound(model="{id: deepseek-ai/DeepSeek-V4.1-Flash}", hardware="{accelerator: GB300, count: 4}")
    root = page(full_site, f"/cards/{full_site.recorded(text, full_site.token())}")
    assert "(same model, axis, GPU)" in root.text


def test_what_a_card_says_is_shown_literally(site: Site) -> None:
    card_id = site.recorded(
        sound(title=f"'{HOSTILE}'", note=f"'{HOSTILE}'", source=f"'https://x/ {HOSTILE}'"), site.token()
    )
    for path in ("/cards", f"/cards/{card_id}", f"/cards/{card_id}/revisions", f"/cards/{card_id}/retract"):
        assert HOSTILE in page(site, path).text
        assert "<script>alert" not in site.get(path).text


@pytest.mark.parametrize("path", ["/cards/none", "/cards/none/revisions", "/cards/none/retract", "/cards/%00"])
def test_a_card_that_is_not_there_is_no_failure(site: Site, path: str) -> None:
    assert site.get(path).status_code == 404


@pytest.mark.parametrize(("query", "status"), [("2", 404), ("x", 422), ("0", 404), ("-1", 422), ("9999999999", 422)])
def test_a_revision_that_is_not_there_is_told(site: Site, query: str, status: int) -> None:
    card_id = site.recorded(sound(), site.token())
    assert site.get(f"/cards/{card_id}?revision={query}").status_code == status
    assert site.get(f"/cards/{card_id}/revisions?to={query}").status_code == status


def test_revisions_show_what_changed_between_any_two(site: Site) -> None:
    token = site.token()
    card_id = site.recorded(sound(), token)
    for number, value in ((1, "224"), (2, "225")):
        text = sound(result=f"{{value: {value}, unit: tok/s}}")
        assert site.send("PUT", f"/api/v1/cards/{card_id}?revision={number}&note=N{number}", text, token).is_success
    cells = page(site, f"/cards/{card_id}/revisions").one("table").one("tbody").all("td")
    assert [cell.text for cell in cells] == ["224", "225"]
    root = page(site, f"/cards/{card_id}/revisions?from=1&to=3")
    assert root.one("del").text == "223.50"
    assert "From revision 1 to revision 3, 1 field changed." in root.text
    old = page(site, f"/cards/{card_id}?revision=1")
    assert old.one("h1").words().startswith("223.50")
    assert "earlier revision" in old.one("p", class_="cite").text
    assert "“N2”" in old.one("ol").text


def test_long_texts_differ_word_by_word() -> None:
    change = diff(card(sound(launch="{argv: [serve, m, --tp, 4]}")), card(sound(launch="{argv: [serve, m, --tp, 8]}")))[
        0
    ]
    before, after = pieces(str(change.before), str(change.after))
    assert [(piece.text, piece.change) for piece in after] == [("serve m --tp ", "same"), ("8", "new")]
    assert "".join(piece.text for piece in before) == change.before


def test_its_author_takes_a_card_back_and_the_reason_stays_on_it(site: Site) -> None:
    token = site.token()
    card_id = site.recorded(sound(), token)
    mine = cookie(site, token)
    assert page(site, f"/cards/{card_id}", headers=mine).all("a", href=f"/cards/{card_id}/retract")
    answer = post(site, f"/cards/{card_id}/retract", mine, reason=" A warm cache.\r\nSorry. ")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/cards/{card_id}")
    root = page(site, f"/cards/{card_id}", headers=mine)
    assert "by Ana: A warm cache. Sorry." in root.one("div", class_="trouble retracted").words()
    assert not root.all("a", href=f"/cards/{card_id}/retract")
    assert post(site, f"/cards/{card_id}/retract", mine, reason="again").status_code == 409


def test_what_cannot_be_taken_back_keeps_the_reason_as_typed(site: Site) -> None:
    token = site.token()
    card_id = site.recorded(sound(), token)
    other = cookie(site, site.token(name="Ben"))
    for headers, reason, status in (
        ({}, "Wrong <b>.", 401),
        (other, "Wrong <b>.", 403),
        (cookie(site, token), "  ", 422),
        (cookie(site, token), "x" * 2001, 422),
        (cookie(site, token), "a\x01b", 422),
    ):
        answer = post(site, f"/cards/{card_id}/retract", headers, reason=reason)
        root = read(answer.text)
        assert answer.status_code == status
        assert root.one("textarea").text == reason
        assert root.one("div", class_="trouble").text.strip()
    cross = {**cookie(site, token), "Sec-Fetch-Site": "cross-site"}
    assert post(site, f"/cards/{card_id}/retract", cross, reason="Mine.").status_code == 403
    assert "Retracted" not in site.get(f"/cards/{card_id}").text


def test_a_maintainer_may_take_back_what_others_recorded(site: Site) -> None:
    card_id = site.recorded(sound(), site.token())
    maintainer = cookie(site, site.token("submit", "maintain", name="Mia"))
    assert post(site, f"/cards/{card_id}/retract", maintainer, reason="Wrong.").status_code == 303


def test_the_schema_page_names_every_field_every_short_form_and_every_rule(site: Site) -> None:
    root = page(site, "/cards/schema")
    codes = [code.text for code in root.all("code")]
    assert {path for path, _, _ in leaves()} == set(FIELDS) <= set(codes)
    assert {rule.id for rule in (*RULES, *ELSEWHERE)} == {
        row.attributes["id"] for row in root.all("tr") if "id" in row.attributes
    }
    assert set(SHORT_FORMS) == set(FORMS) | set(MOVED)
    for rule in RULES:
        assert rule.says in root.text


@pytest.mark.parametrize("key", list(EXAMPLES))
def test_an_example_is_taken_as_it_stands(site: Site, key: str) -> None:
    text = page(site, "/cards/schema").one("pre", id=f"example-{key}").text
    assert text == EXAMPLES[key][1]
    assert not read_card(text).errors


@pytest.mark.parametrize(("key", "form"), [(key, form) for key, forms in SHORT_FORMS.items() for form in forms])
def test_a_short_form_of_the_page_is_one_that_is_taken(key: str, form: str) -> None:
    assert not [item for item in read_card(f"{key}: {form}\n").findings if item.rule == "E-form"]


@pytest.mark.parametrize(("wish", "drafts"), [("en", "Draft tokens"), ("id", "Token draft")])
def test_of_speculation_that_was_off_nothing_more_is_missing_in_any_language(
    site: Site, wish: str, drafts: str
) -> None:
    """Whether it was off is a fact of the card, not a word of the page."""
    asked = {"Accept-Language": wish}
    for method, listed in (("'off'", False), ("ngram, acceptance: measured", True)):
        of = site.recorded(sound(speculation=f"{{method: {method}}}"), site.token())
        page = read(site.client.get(f"/cards/{of}", headers=asked).text).words()
        assert (drafts in page) is listed, method
