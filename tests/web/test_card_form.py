"""Recording and revising a card by its form: nothing typed is lost, whatever happens to it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from app.cards.fields import FIELDS
from app.cards.form import INPUTS, from_text
from app.cards.load import MOST_BYTES, read_card
from app.cards.rules import ELSEWHERE, RULES
from app.catalogue.folder import read_catalogue
from app.catalogue.store import load_into
from app.settings import Settings
from app.web.card_form_fields import GROUPS, NEEDED
from app.web.card_form_page import input_of
from tests.cards.factories import SOUND, sound
from tests.site import Site, open_site
from tests.web.markup import Element, read
from tests.web.test_card_pages import cookie

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from app.db import Database
    from tests.conftest import StillClock

HTMX = {"HX-Request": "true"}
FEW = {
    "engine.name": "vllm",
    "model.id": "org/M",
    "hardware.accelerator": "H200",
    "workload.concurrency": "1",
    "metric.axis": "decode_rate",
    "result.value": "223.50",
    "result.unit": "tok/s",
}
HOSTILE = '"><script>alert(1)</script>'


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def post(site: Site, fields: dict[str, str], path: str = "/cards/new", **headers: str) -> httpx.Response:
    return site.client.request("POST", path, content=urlencode(fields), headers=headers)


def typed(root: Element) -> dict[str, str]:
    """Every field of a page's form with what stands in it, as a browser would send it."""
    form = root.one("form", id="card-form")
    named = [field for field in form.all("input") if "name" in field.attributes]
    found = {field.attributes["name"]: field.attributes["value"] for field in named}
    found |= {field.attributes["name"]: field.text.removeprefix("\n") for field in form.all("textarea")}
    for field in form.all("select"):
        chosen = [option for option in field.all("option") if "selected" in option.attributes]
        found[field.attributes["name"]] = chosen[0].attributes["value"] if chosen else ""
    return found


def page(site: Site, path: str = "/cards/new", **headers: str) -> Element:
    answer = site.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return read(answer.text)


def recorded(site: Site, answer: httpx.Response) -> str:
    """The recorded card's YAML."""
    assert answer.status_code == 303, answer.text
    return site.get(f"/api/v1{answer.headers['location']}.yaml").text


def test_seven_fields_record_a_card_and_lead_to_it(site: Site) -> None:
    mine = cookie(site, site.token())
    text = recorded(site, post(site, {**typed(page(site)), **FEW}, **mine))
    assert "value: 223.50" in text
    assert set(NEEDED) <= set(FEW)


def test_every_field_of_the_schema_has_an_input_once(site: Site) -> None:
    fields = [field for kind in ("input", "select", "textarea") for field in page(site).all(kind)]
    names = [field.attributes.get("name") for field in fields]
    assert sorted(name for name in names if name in INPUTS) == sorted(INPUTS)
    assert sorted(path for group in GROUPS for path in (*group.key, *group.rest)) == sorted(INPUTS)


def test_a_card_that_was_opened_and_saved_untouched_is_the_same_card(site: Site) -> None:
    token = site.token()
    mine = cookie(site, token)
    lines = {"also": "[{axis: ttft, value: 41.20, unit: ms}]", "raw": f"[{{name: r, sha256: {'a' * 64}}}]"}
    card_id = site.recorded(sound(**lines), token)
    fields = typed(page(site, f"/cards/{card_id}/edit", **mine))
    before = site.get(f"/api/v1/cards/{card_id}").json()
    assert post(site, fields, f"/cards/{card_id}/edit", **mine).status_code == 303
    assert site.get(f"/api/v1/cards/{card_id}").json() == before


def test_an_edit_makes_a_revision_with_its_note_and_keeps_what_has_no_field(site: Site) -> None:
    token = site.token()
    mine = cookie(site, token)
    card_id = site.recorded(sound(also="[{axis: ttft, value: 41.20, unit: ms}]"), token)
    fields = typed(page(site, f"/cards/{card_id}/edit", **mine))
    answer = post(site, {**fields, "runs.count": "7", "change_note": "one  more"}, f"/cards/{card_id}/edit", **mine)
    assert answer.headers["location"] == f"/cards/{card_id}"
    card = site.get(f"/api/v1/cards/{card_id}").json()
    assert (card["revision"], card["note"], card["card"]["runs"]["count"]) == (2, "one more", 7)
    assert card["card"]["also"][0]["value"] == "41.20"
    stale = post(site, {**fields, "runs.count": "8"}, f"/cards/{card_id}/edit", **mine)
    assert stale.status_code == 409
    assert typed(read(stale.text))["runs.count"] == "8"
    assert "somebody changed it" in stale.text


@pytest.mark.parametrize("who", ["stranger", "another"])
def test_others_may_not_save_and_keep_what_they_typed(site: Site, who: str) -> None:
    card_id = site.recorded(SOUND, site.token())
    headers = {} if who == "stranger" else cookie(site, site.token(name="Ben"))
    fields = typed(page(site, f"/cards/{card_id}/edit", **headers))
    answer = post(site, {**fields, "note": "Mine."}, f"/cards/{card_id}/edit", **headers)
    assert answer.status_code == (401 if who == "stranger" else 403)
    assert typed(read(answer.text))["note"] == "Mine."


def test_another_sites_page_records_nothing(site: Site) -> None:
    mine = cookie(site, site.token())
    assert post(site, FEW, **mine, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert site.get("/api/v1/cards").json()["total"] == 0


def test_errors_stand_above_the_form_and_by_their_field_and_lead_to_it(site: Site) -> None:
    mine = cookie(site, site.token())
    answer = post(site, {**FEW, "engine.name": "", "runs.count": "six", "parallelism": "{tp: "}, **mine)
    root = read(answer.text)
    assert answer.status_code == 422
    assert root.one("title").text.startswith("Error: ")
    summary = root.one("section", id="error-summary")
    links = {link.attributes["href"]: link.text for link in summary.all("a")}
    assert set(links) == {"#f-engine-name", "#f-runs-count", "#f-parallelism"}
    for href, text in links.items():
        field = root.one(id=href[1:])
        assert field.attributes["aria-invalid"] == "true"
        slot = href.replace("#f-", "e-")
        assert slot in field.attributes["aria-describedby"].split()
        assert root.one("p", id=slot).text == text
    assert typed(root)["parallelism"] == "{tp: "
    assert typed(root)["runs.count"] == "six"


def test_a_stranger_gets_everything_back_with_the_way_to_sign_in(site: Site) -> None:
    answer = post(site, {**typed(page(site)), **FEW, "note": "kept"})
    root = read(answer.text)
    assert answer.status_code == 401
    assert {name: typed(root)[name] for name in FEW} == FEW
    assert root.one("a", target="_blank").attributes["href"] == "/sign-in?next=/cards/new"


def test_the_same_form_sent_twice_records_one_card(site: Site) -> None:
    mine = cookie(site, site.token())
    fields = {**typed(page(site)), **FEW}
    first, second = post(site, fields, **mine), post(site, fields, **mine)
    assert first.headers["location"] == second.headers["location"]
    other = post(site, {**fields, "note": "another run"}, **mine)
    assert other.headers["location"] != first.headers["location"]


def test_a_card_is_turned_into_yaml_and_back_with_its_comments(site: Site) -> None:
    text = "# mine\nengine: vllm 0.33.0  # pinned\nalso: [{axis: ttft, value: 1, unit: ms}]\n"
    form = typed(read(post(site, {"tab": "yaml", "yaml": text, "to": "form"}).text))
    assert (form["tab"], form["engine.version"], form["yaml"]) == ("form", "0.33.0", text)
    back = typed(read(post(site, {**form, "model.id": "org/M", "to": "yaml"}).text))
    assert (back["tab"], back["yaml"]) == ("yaml", text.replace("also:", "model:\n  id: org/M\nalso:"))


def test_a_text_that_no_form_can_show_stays_as_it_is_with_the_line_to_mend(site: Site) -> None:
    answer = post(site, {"tab": "yaml", "yaml": "engine: vllm\nmodel: [\n", "to": "form"}, **HTMX)
    root = read(answer.text)
    assert answer.status_code == 422
    assert typed(root)["yaml"] == "engine: vllm\nmodel: [\n"
    assert "Line 3" in root.one("section", id="error-summary").text
    assert "hidden" in root.one("div", id="as-form").attributes


def test_what_cannot_be_put_into_yaml_stays_in_the_form(site: Site) -> None:
    answer = post(site, {"launch.argv": "vllm 'serve", "to": "yaml"})
    assert answer.status_code == 422
    assert typed(read(answer.text))["launch.argv"] == "vllm 'serve"


def test_yaml_and_short_forms_record_as_they_stand(site: Site) -> None:
    mine = cookie(site, site.token())
    text = recorded(site, post(site, {"tab": "yaml", "yaml": sound(parallelism="TP4")}, **mine))
    assert read_card(text).card == read_card(sound(parallelism="TP4")).card


def test_live_findings_blame_no_field_for_being_empty_and_name_what_is_needed(site: Site) -> None:
    answer = post(site, {"metric.axis": "ttft", "result.value": "x"}, "/cards/new/check", **HTMX)
    root = read(f"<div>{answer.text}</div>")
    assert answer.status_code == 200
    slots = {item.attributes["id"]: item.text for item in root.all("p", hx_swap_oob="true")}
    assert "number" in slots["e-result-value"]
    assert slots["e-engine-name"] == ""
    assert slots["hint-result-unit"] == "Takes ms."
    assert "to mend" in root.one("p", role="status").text


def test_the_panel_goes_from_needed_to_ready(site: Site) -> None:
    def status(fields: dict[str, str]) -> str:
        return read(post(site, fields, "/cards/new/check").text).one("p", role="status").text

    assert status({}) == "5 things still needed"
    assert status(FEW) == "Ready to record"
    assert status({**FEW, "result.value": "", "result.unit": ""}) == "Ready to record, as a plan without a result"


@pytest.mark.parametrize("text", ["x" * (MOST_BYTES + 1), "note: " + "é" * MOST_BYTES])
def test_a_text_that_is_too_long_comes_back_whole(site: Site, text: str) -> None:
    answer = post(site, {"tab": "yaml", "yaml": text}, **cookie(site, site.token()))
    assert answer.status_code == 413
    assert typed(read(answer.text))["yaml"] == text


def test_a_form_that_is_too_long_to_be_read_says_where_the_text_still_is(site: Site) -> None:
    answer = post(site, {"tab": "yaml", "yaml": "x" * 1_900_000})
    assert answer.status_code == 413
    assert "what you typed is still there" in answer.text


@pytest.mark.parametrize(
    "body",
    [
        b"\xff",
        b"yaml=%FF",
        b"&" * 500,
        b"tab=yaml&yaml=%00",
        b"note=a%00b",
        b"yaml=%ED%A0%80",
        b"engine.name=%E2%80%A8",
    ],
)
def test_a_broken_form_is_refused_and_never_a_failure(site: Site, body: bytes) -> None:
    for path in ("/cards/new", "/cards/new/check"):
        answer = site.client.request("POST", path, content=body, headers=cookie(site, site.token()))
        assert answer.status_code in (200, 422), answer.text


def test_what_is_typed_is_shown_literally(site: Site) -> None:
    fields = dict.fromkeys(INPUTS, HOSTILE) | {"change_note": HOSTILE, "once": HOSTILE, "tab": HOSTILE}
    for to in ("record", "form", "yaml"):
        answer = post(site, {**fields, "to": to})
        assert "<script>alert" not in answer.text
        assert typed(read(answer.text))["engine.name"] == HOSTILE


def test_a_value_that_no_choice_offers_is_kept(site: Site) -> None:
    form = typed(read(post(site, {"tab": "yaml", "yaml": "model: {weights: half}\n", "to": "form"}).text))
    assert form["model.weights"] == "half"


def test_a_copy_of_a_card_begins_as_that_card(site: Site) -> None:
    card_id = site.recorded(sound(also="[{axis: ttft, value: 41.20, unit: ms}]"), site.token())
    root = page(site, f"/cards/new?from={card_id}")
    assert from_text(typed(root)["yaml"]) == from_text(site.get(f"/api/v1/cards/{card_id}.yaml").text)
    assert root.one("form", id="card-form").attributes["action"] == f"/cards/new?from={card_id}"


def test_a_repeat_of_a_claim_begins_with_its_conditions(site: Site) -> None:
    load_into(site.database, read_catalogue(Settings().catalogue), site.clock)
    fields = typed(page(site, "/cards/new?claim=sglang-v41-step-16"))
    assert (fields["repeats"], fields["hardware.count"], fields["result.value"]) == ("sglang-v41-step-16", "4", "")
    mine = cookie(site, site.token())
    fields |= {"result.value": "870", "result.unit": "tok/s"}
    again = post(site, fields, "/cards/new?claim=sglang-v41-step-16", **mine)
    assert "repeats: sglang-v41-step-16" in recorded(site, again)


@pytest.mark.parametrize("path", ["/cards/new?from=none", "/cards/new?claim=none", "/cards/none/edit"])
def test_what_cannot_be_begun_from_is_not_there(site: Site, path: str) -> None:
    assert site.get(path).status_code == 404


def test_htmx_is_led_to_the_recorded_card(site: Site) -> None:
    answer = post(site, {**FEW}, **cookie(site, site.token()), **HTMX)
    assert answer.status_code == 204
    assert site.get(answer.headers["hx-redirect"]).status_code == 200


@pytest.mark.parametrize("rule", [*RULES, *ELSEWHERE], ids=lambda rule: rule.id)
def test_every_rule_leads_to_a_field(rule: object) -> None:
    field = str(getattr(rule, "field", ""))
    assert field in ("", "also") or input_of(field) in INPUTS  # further numbers are written as YAML alone
    assert {input_of(path) for path in FIELDS if "[]" not in path} == set(INPUTS) - {"approximations"}


def test_errors_are_told_in_the_order_of_the_form(site: Site) -> None:
    wrong = {**FEW, "result.value": "x", "engine.name": "", "workload.concurrency": "many", "hardware.count": "0"}
    answer = post(site, wrong, **cookie(site, site.token()))
    summary = read(answer.text).one("section", id="error-summary")
    told = [link.attributes["href"] for link in summary.all("a")]
    assert told == ["#f-engine-name", "#f-hardware-count", "#f-workload-concurrency", "#f-result-value"]


def test_a_slip_is_told_by_form_yaml_api_and_import_alike(site: Site) -> None:
    token = site.token()
    slips = {
        "workload.input_tokens": "1.024",
        "workload.output_tokens": "-5",
        "result.spread": "abc",
        "source": "htp://example.org",
        "parallelism": "TPx",
    }
    answer = post(site, {**FEW, **slips}, **cookie(site, token))
    root = read(answer.text)
    assert answer.status_code == 422
    told = {path: root.one("p", id=f"e-{path.replace('.', '-')}").text for path in slips}
    assert told["workload.input_tokens"] == (
        "Input tokens: 1.024 may be read in two ways: write whole tokens in digits alone, 1024, "
        "or name the statistic: mean 1.024"
    )
    assert all(told.values())
    text = typed(read(post(site, {**typed(root), "to": "yaml"}, **cookie(site, token)).text))["yaml"]
    as_text = post(site, {"tab": "yaml", "yaml": text}, **cookie(site, token))
    summary = read(as_text.text).one("section", id="error-summary").text
    fields = {item["field"] for item in site.submit(text, token).json()["error"]["details"] if "field" in item}
    assert fields >= {*slips} - {"parallelism"} | {"parallelism.note"}
    assert all(message in summary for message in told.values())


def test_what_only_the_yaml_can_show_is_led_to_from_the_form(site: Site) -> None:
    text = sound(also="[{axis: speed, value: 1, unit: ms}]")
    form = typed(read(post(site, {"tab": "yaml", "yaml": text, "to": "form"}).text))
    root = read(post(site, form, **cookie(site, site.token())).text)
    [link] = root.one("section", id="error-summary").all("a")
    assert link.attributes["href"] == "#to-yaml"
    assert root.one("button", id="to-yaml")


def test_what_can_be_read_beside_an_unknown_key_is_counted_and_a_key_is_quoted_as_it_is_spelt(site: Site) -> None:
    text = sound().replace("engine:", "modle: x\nengine:").replace("{tp: 4}", "TPx")
    root = read(f"<div>{post(site, {'tab': 'yaml', 'yaml': text}, '/cards/new/check', **HTMX).text}</div>")
    assert root.one("meter").attributes["value"] != "0"
    told = [item.text for item in root.one("ul", class_="told to-mend").all("a")]
    assert told[0] == "Line 1: “modle” is not a known key; did you mean “model”?"
    assert len(told) == 2
    unread = post(site, {"tab": "yaml", "yaml": "engine: ["}, "/cards/new/check", **HTMX)
    assert not read(f"<div>{unread.text}</div>").all("meter")


def test_a_field_that_cannot_be_put_into_the_text_is_told_with_what_the_rules_say_of_the_others(site: Site) -> None:
    answer = post(site, {**FEW, "launch.argv": "vllm 'serve", "workload.input_tokens": "-5", "runs.count": "x"})
    links = [item.attributes["href"] for item in read(answer.text).one("section", id="error-summary").all("a")]
    assert links == ["#f-workload-input_tokens", "#f-runs-count", "#f-launch-argv"]
    assert "no launch command" not in answer.text
