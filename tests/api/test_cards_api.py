"""Cards over HTTP: what is recorded is read back, in the list, among the claims, as YAML, with its revisions."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING

import pytest

from app.api.card_schema import CardChecked, CardDetail, CardList, CardRevisions, CardStored
from app.api.schema import ApiClaim
from app.cards.export import to_yaml
from app.cards.load import read_card
from tests.cards.factories import SOUND, card, sound
from tests.compare.factories import row
from tests.site import Site, open_site
from tests.storage.stored import store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.db import Database
    from tests.conftest import StillClock


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


def test_a_card_is_recorded_and_read_back(site: Site) -> None:
    answer = site.submit(SOUND, site.token())
    made = CardStored.model_validate_json(answer.text)
    assert (answer.status_code, made.revision, made.completeness) == (201, 1, 100)
    assert (made.url, answer.headers["location"]) == (f"/cards/{made.id}", f"/api/v1/cards/{made.id}")
    found = CardDetail.model_validate_json(site.get(answer.headers["location"]).text)
    assert found.card == card()
    assert (found.author, found.state, found.claim) == ("Ana", "measured", f"/api/v1/claims/{made.id}")


def test_ids_come_from_the_randomness_that_the_application_is_given(database: Database, clock: StillClock) -> None:
    class Zeros:
        def take(self, count: int) -> bytes:
            return bytes(count)

    for site in open_site(database, clock, Zeros()):
        assert site.recorded(SOUND, site.token()) == "card-20261129-00000000"


def test_a_drawn_id_that_is_taken_is_drawn_again(database: Database, clock: StillClock) -> None:
    class Repeating:
        drawn = iter((0, 0, 1))

        def take(self, count: int) -> bytes:
            return bytes([next(self.drawn)]) * count

    for site in open_site(database, clock, Repeating()):
        token = site.token()
        assert site.recorded(SOUND, token) == "card-20261129-00000000"
        assert site.recorded(SOUND, token) == "card-20261129-11111111"


def test_a_card_comes_as_the_yaml_that_would_record_it_again(site: Site) -> None:
    made = site.recorded(SOUND, site.token())
    answer = site.get(f"/api/v1/cards/{made}.yaml")
    assert answer.headers["content-type"] == "application/yaml"
    assert answer.text == to_yaml(card())
    assert site.submit(answer.text, site.token()).json()["findings"] == []


def test_json_and_yaml_record_the_same_card(site: Site) -> None:
    token = site.token()
    as_json = json.dumps(card().model_dump(mode="json", exclude_none=True))
    made = site.submit(as_json, token, Content_Type="application/json")
    assert made.status_code == 201
    assert site.get(f"/api/v1/cards/{made.json()['id']}").json()["card"] == json.loads(as_json)


def test_a_card_shows_up_among_the_claims_under_the_same_filter(site: Site) -> None:
    store(site.database, [row(id="claim", **{"conditions.engine.name": "vLLM"})])
    assert site.get("/api/v1/claims?engine=vLLM").json()["total"] == 1
    made = site.recorded(SOUND, site.token())
    listed = site.get("/api/v1/claims?engine=vLLM&axis=decode_rate&sort=-value").json()
    assert [item["id"] for item in listed["items"]] == [made, "claim"]
    assert [item["id"] for item in site.get("/api/v1/claims?record=card").json()["items"]] == [made]
    assert [item["id"] for item in site.get("/api/v1/claims?record=published").json()["items"]] == ["claim"]
    found = ApiClaim.model_validate_json(site.get(f"/api/v1/claims/{made}").text)
    assert (found.stated_in, found.engine, str(found.value)) == ("measured", "vLLM", "223.50")
    assert f"\r\n{made},card,223.50 tok/s" in site.get("/api/v1/claims.csv?record=card").text


def test_the_source_of_a_listed_claim_is_a_value_of_the_source_filter(site: Site) -> None:
    store(site.database, [row(id="claim")])
    made = [site.recorded(SOUND, site.token()) for _ in range(2)]
    listed = site.get("/api/v1/claims").json()["items"]
    assert {item["id"] for item in listed} == {"claim", *made}
    for item in listed:
        found = site.get("/api/v1/claims", params={"source": item["source"]["id"]}).json()
        assert [again["id"] for again in found["items"]] == [item["id"]]
    for line in csv.DictReader(io.StringIO(site.get("/api/v1/claims.csv").text, newline="")):
        found = site.get("/api/v1/claims.csv", params={"source": line["source"]}).text
        assert found.count("\r\n") == 2
    assert site.get("/api/v1/claims?source=cards").json()["total"] == 2
    assert site.get("/api/v1/claims", params={"source": ["cards", made[0]]}).json()["total"] == 2
    assert site.get("/api/v1/claims?source=claim").status_code == 422


def test_a_card_s_row_and_page_lead_to_the_card_and_not_to_a_source(site: Site) -> None:
    made = site.recorded(SOUND, site.token())
    for path in ("/", f"/claims/{made}", f"/?source={made}&engine=nope"):
        page = site.get(path).text
        assert f'href="/sources/{made}' not in page
        assert f'href="/claims/{made}' in page or f'href="/cards/{made}"' in page
    assert f'href="/cards/{made}"' in site.get(f"/claims/{made}").text
    box = re.search(rf'value="{made}" checked>.*?<small>(\d+)</small>', site.get(f"/?source={made}").text, re.DOTALL)
    assert box
    assert box[1] == "1"


def test_a_card_and_a_claim_are_compared(site: Site) -> None:
    store(site.database, [row(id="claim")])
    made = site.recorded(sound(model="DeepSeek-V4.1-Flash", speculation="off"), site.token())
    found = site.get(f"/api/v1/compare?a=claim&b={made}").json()
    assert (found["verdict"], found["ratio"]) == ("comparable_with_differences", None)


def test_warnings_are_kept_and_questions_asked(site: Site) -> None:
    made = CardStored.model_validate_json(site.submit(sound(launch=None, runs="1"), site.token()).text)
    assert [finding.rule for finding in made.findings] == ["W-command", "W-one-run"]
    assert made.findings[1].line == 12
    assert [question.field for question in made.questions] == ["runs.statistic", "launch.argv"]
    assert site.get(f"/api/v1/cards/{made.id}").json()["findings"] == [
        finding.model_dump() for finding in made.findings
    ]


def test_the_article_s_short_card_is_taken_as_a_plan(site: Site) -> None:
    text = "engine: vllm | sglang\nmodel: m\nhardware: 4x GB300\nworkload: {concurrency: 1}\nmetric: decode tokens/s\n"
    made = site.submit(text, site.token()).json()
    assert {finding["rule"] for finding in made["findings"]} >= {"W-choice"}
    found = site.get(f"/api/v1/cards/{made['id']}").json()
    assert (found["state"], found["claim"]) == ("plan", None)
    assert site.get("/api/v1/claims?record=card").json()["total"] == 0


def test_a_card_is_checked_without_being_stored_or_signed_in(site: Site) -> None:
    answer = site.send("POST", "/api/v1/cards/validate", SOUND)
    checked = CardChecked.model_validate_json(answer.text)
    assert (answer.status_code, checked.completeness, checked.yaml) == (200, 100, to_yaml(card()))
    assert site.get("/api/v1/cards").json()["total"] == 0


@pytest.mark.parametrize("path", ["/api/v1/cards", "/api/v1/cards/validate"])
def test_every_finding_comes_with_rule_field_line_and_column(site: Site, path: str) -> None:
    text = sound(hardware="{accelerator: H200, count: 3}", repeats="nothing", launch=None)
    answer = site.send("POST", path, text, site.token())
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, "card_invalid")
    assert [(item["rule"], item["severity"], item["field"]) for item in error["details"]] == [
        ("E-gpus", "error", "parallelism"),
        ("E-repeats", "error", "repeats"),
        ("W-command", "warning", "launch.argv"),
    ]
    assert all(item["message"] and item["line"] and item["column"] for item in error["details"])
    assert site.get("/api/v1/cards").json()["total"] == 0


def test_an_edit_makes_a_revision_that_says_what_changed(site: Site) -> None:
    token = site.token()
    made = site.recorded(SOUND, token)
    new = sound(result="{value: 300, unit: tok/s}")
    answer = site.send("PUT", f"/api/v1/cards/{made}?revision=1&note=typo", new, token)
    assert (answer.status_code, answer.json()["revision"]) == (200, 2)
    assert site.get(f"/api/v1/claims/{made}").json()["headline"] == "300 tok/s"
    found = CardRevisions.model_validate_json(site.get(f"/api/v1/cards/{made}/revisions").text)
    assert [item.note for item in found.items] == [None, "typo"]
    assert [(item.field, item.before, item.after) for item in found.items[1].changes] == [
        ("result.value", "223.50", "300")
    ]
    old = site.get(f"/api/v1/cards/{made}?revision=1").json()
    assert (old["card"]["result"]["value"], old["revision"], old["newest"]) == ("223.50", 1, 2)
    assert "value: 223.50" in site.get(f"/api/v1/cards/{made}.yaml?revision=1").text


def test_a_stale_edit_is_a_conflict_that_names_the_newest(site: Site) -> None:
    token = site.token()
    made = site.recorded(SOUND, token)
    assert site.send("PUT", f"/api/v1/cards/{made}?revision=1", sound(note="a"), token).status_code == 200
    answer = site.send("PUT", f"/api/v1/cards/{made}?revision=1", sound(note="b"), token)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "conflict")
    assert answer.json()["error"]["details"][0]["near"] == ["2"]


def test_an_edit_that_is_sent_again_is_done_once(site: Site) -> None:
    token = site.token()
    made = site.recorded(SOUND, token)
    path, edit = f"/api/v1/cards/{made}", sound(note="a")
    answers = [site.send("PUT", f"{path}?revision=1", edit, token) for _ in range(2)]
    assert [(answer.status_code, answer.json()["revision"]) for answer in answers] == [(200, 2)] * 2
    assert site.get(f"{path}/revisions").json()["total"] == 2
    maintainer = site.token("submit", "maintain", name="Ben")
    assert site.send("PUT", f"{path}?revision=1", edit, maintainer).status_code == 409  # not what Ben did
    assert site.send("PUT", f"{path}?revision=9", edit, token).status_code == 409
    assert site.send("PUT", f"{path}?revision=2", SOUND, token).json()["revision"] == 3
    assert site.send("PUT", f"{path}?revision=1", edit, token).status_code == 409  # changed back meanwhile


@pytest.mark.parametrize("query", ["", "?revision=0", "?revision=x", "?revision=1&note=%00", "?revision=1&other=2"])
def test_an_edit_says_which_revision_it_saw(site: Site, query: str) -> None:
    token = site.token()
    made = site.recorded(SOUND, token)
    assert site.send("PUT", f"/api/v1/cards/{made}{query}", sound(note="a"), token).status_code == 422


def test_a_retracted_card_says_so_wherever_it_is_shown(site: Site) -> None:
    token = site.token()
    made = site.recorded(SOUND, token)
    path, body = f"/api/v1/cards/{made}/retract", '{"reason": "the clock was wrong"}'
    answer = site.send("POST", path, body, token, Content_Type="application/json")
    found = CardDetail.model_validate_json(answer.text)
    assert found.retraction is not None
    assert (answer.status_code, found.state, found.retraction.reason) == (200, "retracted", "the clock was wrong")
    shown = site.get(f"/api/v1/claims/{made}").json()
    assert shown["caveats"][0] == {"kind": "retracted", "text": "Taken back by Ana: the clock was wrong."}
    assert site.get("/api/v1/claims?caveat=retracted").json()["total"] == 1
    assert CardList.model_validate_json(site.get("/api/v1/cards?state=retracted").text).items[0].id == made
    text = site.get(f"/api/v1/cards/{made}.yaml").text
    assert text == f"# Retracted 2026-11-29 by Ana: the clock was wrong\n{to_yaml(card())}"
    assert read_card(text).card == card()
    again = site.send("POST", path, body, token, Content_Type="application/json")
    assert again.status_code == 409
    assert site.send("PUT", f"/api/v1/cards/{made}?revision=1", sound(note="x"), token).status_code == 409


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{}",
        '{"reason": ""}',
        '{"reason": 1}',
        '{\n "reason": true}',
        '{"reason": 3, "x": 1}',
        '{"reason": "\\ud800"}',
        "[]",
    ],
)
def test_a_retraction_has_a_reason(site: Site, body: str) -> None:
    token = site.token()
    made = site.recorded(SOUND, token)
    answer = site.send("POST", f"/api/v1/cards/{made}/retract", body, token, Content_Type="application/json")
    assert answer.status_code == 422
    assert site.get(f"/api/v1/cards/{made}").json()["state"] == "measured"


@pytest.mark.parametrize("path", ["", "/revisions", ".yaml"])
def test_a_card_that_is_not_there_is_404_with_near_ids(site: Site, path: str) -> None:
    made = site.recorded(SOUND, site.token())
    answer = site.get(f"/api/v1/cards/{made[:-1]}{path}")
    assert (answer.status_code, answer.json()["error"]["details"][0]["near"]) == (404, [made])


def test_cards_are_listed_a_page_at_a_time(site: Site) -> None:
    token = site.token()
    made = [site.recorded(sound(title=str(number)), token) for number in range(3)]
    first = CardList.model_validate_json(site.get("/api/v1/cards?limit=2").text)
    second = CardList.model_validate_json(site.get(f"/api/v1/cards?limit=2&cursor={first.next}").text)
    assert [item.id for item in (*first.items, *second.items)] == made[::-1]
    assert (first.total, second.next) == (3, None)
    assert site.get("/api/v1/cards?engine=SGLang").json()["items"] == []


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "cursor=x", "state=gone", "engin=vLLM"])
def test_a_question_that_cannot_be_asked_is_422(site: Site, query: str) -> None:
    assert site.get(f"/api/v1/cards?{query}").status_code == 422
