"""The claims of the API: the same list as the page's, in JSON and CSV, whatever is asked."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from app.api.schema import ApiClaim, ClaimList
from app.claims.rows import FACETS
from tests.compare.factories import SOURCE, row
from tests.storage.stored import store

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message

    from app.db import Database
    from tests.conftest import Client

CHANGE: dict[str, Any] = {"kind": "change", "unit": "%", "baseline": {"kind": "not_stated"}}
ROWS = [
    row(id="a", value="223.50", rank=1),
    row(id="b", value="36", rank=2, **CHANGE, title="=HYPERLINK(1)", **{"conditions.engine.name": "vLLM"}),
    row(id="c", value="-30", rank=3, **CHANGE, statistic=None, title='quotes " and, commas\nand lines'),
    row(id="d", value=None, rank=4, written="@fast", source={**SOURCE, "id": "other", "title": "<script>alert(1)"}),
]


@pytest.fixture(scope="module")
def api(kept_database: Database, kept_client_on: Callable[[str], Client]) -> Client:
    store(kept_database, ROWS)
    return kept_client_on(kept_database.url.render_as_string(hide_password=False))


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_list_is_what_its_description_promises(api: Client) -> None:
    answer = api.get("/api/v1/claims")
    found = ClaimList.model_validate_json(answer.text)
    assert answer.headers["content-type"] == "application/json"
    assert (found.total, found.next) == (4, None)
    assert [(item.id, item.engine, item.model) for item in found.items][:2] == [
        ("a", "SGLang", "DeepSeek-V4.1-Flash"),
        ("b", "vLLM", "DeepSeek-V4.1-Flash"),
    ]


def test_a_number_is_text_with_every_digit(api: Client) -> None:
    assert api.get("/api/v1/claims").json()["items"][0]["value"] == "223.50"


def test_one_claim_is_the_same_as_in_the_list(api: Client) -> None:
    listed = api.get("/api/v1/claims").json()["items"][1]
    answer = api.get("/api/v1/claims/b")
    assert answer.json() == listed
    assert ApiClaim.model_validate_json(answer.text).headline == "+36 %"


def test_pages_follow_each_other_by_cursor(api: Client) -> None:
    first = api.get("/api/v1/claims", params={"limit": 3}).json()
    second = api.get("/api/v1/claims", params={"limit": 3, "cursor": first["next"]}).json()
    assert [item["id"] for item in first["items"] + second["items"]] == ["a", "b", "c", "d"]
    assert second["next"] is None


def test_a_facet_may_be_given_several_times(api: Client) -> None:
    chosen = api.get("/api/v1/claims?engine=vLLM&engine=SGLang&kind=change").json()
    assert [item["id"] for item in chosen["items"]] == ["b", "c"]


def test_csv_has_the_claims_of_the_same_filter(api: Client) -> None:
    query = "?kind=change"
    answer = api.get(f"/api/v1/claims.csv{query}")
    assert answer.headers["content-type"].startswith("text/csv; charset=utf-8")
    listed = api.get(f"/api/v1/claims{query}").json()["items"]
    assert [line["id"] for line in lines(answer.text)] == [item["id"] for item in listed] == ["b", "c"]


def test_csv_text_is_never_a_formula_and_numbers_stay_numbers(api: Client) -> None:
    found = {line["id"]: line for line in lines(api.get("/api/v1/claims.csv").text)}
    assert found["b"]["title"] == "'=HYPERLINK(1)"
    assert found["b"]["headline"] == "'+36 %"
    assert found["c"]["value"] == "-30"
    assert found["d"]["headline"] == "'@fast"
    assert found["a"]["value"] == "223.50"


def test_csv_keeps_quotes_commas_and_lines(api: Client) -> None:
    found = {line["id"]: line for line in lines(api.get("/api/v1/claims.csv").text)}
    assert found["c"]["title"] == 'quotes " and, commas\nand lines'


def test_csv_says_what_is_not_stated_and_leaves_missing_numbers_empty(api: Client) -> None:
    found = {line["id"]: line for line in lines(api.get("/api/v1/claims.csv").text)}
    assert found["c"]["statistic"] == "not stated"
    assert found["d"]["value"] == ""


def test_csv_of_nothing_has_its_header(api: Client) -> None:
    answer = api.get("/api/v1/claims.csv?kind=ratio").text
    assert answer.startswith("id,")
    assert len(answer.splitlines()) == 1


def test_csv_of_more_than_one_page_is_whole(database: Database, client_on: Callable[[str], Client]) -> None:
    store(database, [row(id=f"n{number}") for number in range(1100)])
    client = client_on(database.url.render_as_string(hide_password=False))
    assert len({line["id"] for line in lines(client.get("/api/v1/claims.csv").text)}) == 1100


@pytest.mark.parametrize("path", ["/api/v1/claims", "/api/v1/claims.csv"])
@pytest.mark.parametrize(
    ("query", "field", "near"),
    [
        ("engin=vLLM", "engin", "engine"),
        ("engine=vllm", "engine", "vLLM"),
        ("scope=end+to+end", "scope", "end_to_end"),
        ("axis=decode", "axis", "decode_rate"),
        ("caveat=onerun", "caveat", "one_run"),
        ("sort=valeu", "sort", "value"),
        ("source=pots", "source", "post"),
    ],
)
def test_a_slip_of_the_pen_is_told_with_what_was_meant(
    api: Client, path: str, query: str, field: str, near: str
) -> None:
    answer = api.get(f"{path}?{query}")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, "invalid_input")
    assert error["details"][0]["field"] == field
    assert error["details"][0]["near"][0] == near
    assert f"did you mean `{near}`?" in error["message"]


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=501",
        "limit=-1",
        "limit=ten",
        "limit=1e2",
        "limit=" + "9" * 400,
        "limit=NaN",
        "q=%00",
        "q=a%00b",
        "q=" + "x" * 201,
        "cursor=x",
        "cursor=%00",
        "cursor=" + "A" * 401,
        "sort=value",
        "sort=value&axis=ttft&axis=tpot",
        "engine=%00",
        "engine=" + "x" * 5000,
        "model=%ED%A0%80",
        "%00=1",
        "=1",
        "status=never",
    ],
)
def test_what_cannot_be_taken_is_refused_and_never_breaks(api: Client, query: str) -> None:
    answer = api.get(f"/api/v1/claims?{query}")
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["details"]
    assert len(answer.text) < 2000


def test_everything_wrong_with_a_query_is_said_at_once(api: Client) -> None:
    fields = [d["field"] for d in api.get("/api/v1/claims?limit=0&scope=x&foo=1").json()["error"]["details"]]
    assert sorted(fields) == ["foo", "limit", "scope"]


@pytest.mark.parametrize(
    "query", ["q=%ED%A0%80", "q=%FF", "q=%F0%9F%98%80", "q=%25_%5C", "limit=%31", "q=&engine=vLLM"]
)
def test_odd_but_honest_text_is_searched_for(api: Client, query: str) -> None:
    assert api.get(f"/api/v1/claims?{query}").status_code == 200


async def ask_raw(app: ASGIApp, query: bytes) -> list[Any]:
    """As the server hands a request over; httpx would not even send this one."""
    sent: list[Any] = []

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/api/v1/claims", "query_string": query, "headers": []}
    await app(scope, receive, send)
    return sent


def test_an_absurdly_long_query_is_refused_before_it_is_read(api: Client) -> None:
    answer = asyncio.run(ask_raw(api.app, b"q=" + b"x" * 10_000_000))
    assert answer[0]["status"] == 414
    assert (b"x-content-type-options", b"nosniff") in answer[0]["headers"]
    assert json.loads(answer[1]["body"])["error"]["code"] == "too_long"


@pytest.mark.parametrize("given", ["nothing", "%00", "a%2Fb", "x" * 2000, "%ED%A0%80", "A", "%25"])
def test_an_unknown_claim_is_404_whatever_its_id(api: Client, given: str) -> None:
    answer = api.get(f"/api/v1/claims/{given}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
    assert len(answer.text) < 1000


def test_text_of_a_source_is_data_and_nothing_else(api: Client) -> None:
    answer = api.get("/api/v1/claims/d")
    assert answer.json()["source"]["title"] == "<script>alert(1)"
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", [*FACETS, "q", "sort", "cursor", "limit"])
def test_an_empty_value_is_no_value(api: Client, name: str) -> None:
    assert api.get(f"/api/v1/claims?{name}=").json() == api.get("/api/v1/claims").json()


@pytest.mark.parametrize("name", [*FACETS, "q", "sort", "cursor", "limit"])
def test_control_characters_are_refused_in_every_parameter(api: Client, name: str) -> None:
    answer = api.get(f"/api/v1/claims?{name}=%00")
    assert answer.status_code == 422
    assert [detail["field"] for detail in answer.json()["error"]["details"]] == [name]


@pytest.mark.parametrize("name", ["engine", "model", "hardware", "axis", "state", "repeats", "cursor", "limit"])
def test_control_characters_are_refused_for_cards_too(api: Client, name: str) -> None:
    assert api.get(f"/api/v1/cards?{name}=%00").status_code == 422


@pytest.mark.parametrize("query", ["q=a&q=b", "limit=5&limit=6", "sort=rank&sort=rank", "cursor=a&cursor=b"])
def test_a_single_value_is_given_once(api: Client, query: str) -> None:
    answer = api.get(f"/api/v1/claims?{query}&scope=x")
    details = {detail["field"]: detail["message"] for detail in answer.json()["error"]["details"]}
    assert answer.status_code == 422
    assert "given 2 times" in details[query.partition("=")[0]]
    assert "scope" in details


@pytest.mark.parametrize("given", ["1_0", "%2B5", "5.0", "%205", "0x5", "%D9%A5", "5e0"])
@pytest.mark.parametrize("path", ["/api/v1/claims", "/api/v1/sources", "/api/v1/cards"])
def test_a_number_is_digits_only(api: Client, path: str, given: str) -> None:
    answer = api.get(f"{path}?limit={given}")
    assert answer.status_code == 422
    assert "digits" in answer.json()["error"]["message"]


def test_a_parameter_of_an_address_that_takes_none_is_refused_with_its_name(api: Client) -> None:
    details = api.get("/api/v1/axes?limit=5&limit=6").json()["error"]["details"]
    assert [detail["field"] for detail in details] == ["limit"]


@pytest.mark.parametrize(("given", "near"), [("A", "a"), ("B", "b")])
def test_an_id_in_another_case_is_told_the_right_one(api: Client, given: str, near: str) -> None:
    assert api.get(f"/api/v1/claims/{given}").json()["error"]["details"][0]["near"] == [near]
