"""What cannot be given or taken: pages that help, with the true status, and text that stays text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.catalogue.rows import rows
from app.claims.rows import FACETS
from app.web.render import render
from app.web.source_page import source_page
from app.web.state import MOST_IDS
from tests.catalogue.test_rows import entry, source
from tests.compare.factories import SOURCE, row
from tests.storage.stored import store
from tests.web.markup import read

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.db import Database
    from tests.conftest import Client

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><svg onload=alert(1)>",
    "{{ 7 * 7 }} {% raw %}",
    "javascript:alert(1)",
    "&lt;b&gt; &amp;",
]
TROUBLED = [
    ("engine=nope", "engine"),
    ("sort=best", "sort"),
    ("col=colour", "col"),
    ("cursor=damaged", "cursor"),
    ("ids=vllm-v41-5y", "ids"),
    ("q=" + "x" * 300, "q"),
    ("q=%00", "q"),
    ("q=a&q=b", "q"),
    ("sort=rank&sort=newest", "sort"),
    *((f"{name}=%00", name) for name in (*(name for name in FACETS if name != "kind"), "sort", "col", "ids", "cursor")),
]


@pytest.mark.parametrize(("query", "name"), TROUBLED)
def test_a_value_that_cannot_be_taken_is_told_and_the_rest_is_shown(site: Client, query: str, name: str) -> None:
    answer = site.get(f"/?kind=ratio&{query}")
    root = read(answer.text)
    assert answer.status_code == 422
    assert [code.text for code in root.one("section", class_="trouble").all("code")] == [name]
    assert root.all("table", class_="claims")


@pytest.mark.parametrize("path", ["/", "/compare", "/axes", "/sources", "/sign-in", "/api/docs", "/claims/vllm-v41-5x"])
def test_a_parameter_that_means_nothing_here_is_told_and_changes_nothing(site: Client, path: str) -> None:
    answer = site.get(f"{path}?utm_source=x")
    assert answer.status_code == site.get(path).status_code == 200
    assert "utm_source" in read(answer.text).one("section", class_="trouble").text
    assert not read(site.get(path).text).all("section", class_="trouble")


@pytest.mark.parametrize(("query", "near"), [("/?engnie=vLLM", "engine"), ("/compare?id=vllm-v41-5x", "ids")])
def test_a_mistyped_parameter_is_told_the_near_one(site: Client, query: str, near: str) -> None:
    assert f"did you mean “{near}”?" in read(site.get(query).text).one("section", class_="trouble").text


@pytest.mark.parametrize("query", ["a=vllm-v41-5x&a=x&b=vllm-v41-5x", "ids=%00", "a=%00"])
def test_what_a_comparison_cannot_take_is_told_with_the_true_status(site: Client, query: str) -> None:
    answer = site.get(f"/compare?{query}")
    assert answer.status_code == 422
    assert query.partition("=")[0] in read(answer.text).one("section", class_="trouble").one("code").text


def test_rows_beyond_what_can_be_chosen_are_told_and_looked_up_at_once(site: Client) -> None:
    answer = site.get("/?ids=" + ",".join(f"sglang-v41-kernels-{number}" for number in range(400)))
    assert answer.status_code == 422
    assert f"{MOST_IDS} rows at most" in read(answer.text).one("section", class_="trouble").text


def test_the_rows_that_are_there_stay_chosen_beside_those_that_are_not(site: Client) -> None:
    root = read(site.get("/?kind=change&ids=nope,vllm-v41-5x,vllm-v41-1.9x").text)
    assert [box.attributes["value"] for box in root.one("form", id="choose").all("input")] == [
        "vllm-v41-5x",
        "vllm-v41-1.9x",
    ]


@pytest.mark.parametrize(
    "url", ["/claims/VLLM-V41-5X", "/Claims/vllm-v41-5x", "/sources/VLLM-2026-10-07-DEEPSEEK-V41-FLASH"]
)
def test_an_address_in_another_case_is_told_the_right_one(site: Client, url: str) -> None:
    answer = site.get(url)
    assert answer.status_code == 404
    assert url.lower() in [link.attributes["href"] for link in read(answer.text).one("main").all("a")]


def test_htmx_gets_the_note_with_the_true_status(site: Client) -> None:
    answer = site.get("/?engine=nope", headers={"HX-Request": "true"})
    assert answer.status_code == 422
    assert "nope" in read(answer.text).one("section", class_="trouble").text


def test_an_order_that_no_longer_fits_is_told_without_an_error(site: Client) -> None:
    answer = site.get("/?sort=value")
    assert answer.status_code == 200
    assert "within one axis" in read(answer.text).one("section", class_="trouble").text


@pytest.mark.parametrize(
    ("url", "near"),
    [
        ("/claims/vllm-v41-5y", "/claims/vllm-v41-5x"),
        ("/sources/vllm-2026-10-07-deepseek-v41-flush", "/sources/vllm-2026-10-07-deepseek-v41-flash"),
        ("/claims/%00%ff", None),
        ("/claims/" + "x" * 500, None),
        ("/nothing/here", None),
        ("/sources/sglang-deepseek-v41-flash-kernels/nothing.csv", None),
    ],
)
def test_an_unknown_address_gets_a_page_that_helps(site: Client, url: str, near: str | None) -> None:
    answer = site.get(url)
    root = read(answer.text)
    assert answer.status_code == 404
    root.one("form", role="search")
    assert near is None or near in [link.attributes["href"] for link in root.one("main").all("a")]


def test_htmx_gets_an_error_as_an_alert_at_the_top(site: Client) -> None:
    answer = site.get("/claims/vllm-v41-5y", headers={"HX-Request": "true"})
    assert (answer.status_code, answer.headers["hx-retarget"]) == (404, "#alerts")
    assert "<html" not in answer.text
    assert "vllm-v41-5x" in answer.text


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("ids=vllm-v41-5x", 200, "Chosen so far"),
        ("ids=vllm-v41-5x&ids=nope", 404, "nope"),
        ("ids=a,b", 404, "There is no claim"),
        ("ids=vllm-v41-5x,vllm-v41-1.9x,vllm-v41-5.3x,vllm-v41-ttft-30,vllm-v41-ttft-70", 422, "4 claims at most"),
    ],
)
def test_comparing_what_cannot_be_compared_helps_to_choose(site: Client, query: str, status: int, said: str) -> None:
    answer = site.get(f"/compare?{query}")
    assert answer.status_code == status
    assert said in read(answer.text).one("main").words()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from([*FACETS, "q", "sort", "col", "ids", "cursor"]), st.text(max_size=30))))
def test_no_query_breaks_the_table(site: Client, pairs: list[tuple[str, str]]) -> None:
    clean = [(name, value.encode("utf-8", "ignore").decode()) for name, value in pairs]
    answer = site.get("/", params=clean)
    assert answer.status_code in (200, 422)
    read(answer.text)


@pytest.fixture(scope="module")
def hostile(kept_database: Database, kept_client_on: Callable[[str], Client]) -> Client:
    hostile_rows = [
        row(
            id=f"h{number}",
            rank=number,
            title=text,
            written=text,
            locator=text,
            check=text,
            statistic=text,
            caveats=[{"kind": "one_run", "text": text}, {"kind": "other", "text": text}],
            contradictions=[{"id": "c", "claims": [f"h{number}"], "text": text}],
            corrections=[{"id": "d", "claims": [f"h{number}"], "often_read_as": text, "source_says": text}],
            beside=[{"name": text, "value": "1", "unit": text}],
            baseline={"kind": "own_earlier_build", "text": text, "flaw": text},
            source={**SOURCE, "id": f"s{number}", "title": text, "publisher": text, "interest": text},
            **{"conditions.engine.name": text, "conditions.model.id": text, "conditions.parallelism": text},
        )
        for number, text in enumerate(HOSTILE)
    ]
    store(kept_database, hostile_rows)
    return kept_client_on(kept_database.url.render_as_string(hide_password=False))


@pytest.mark.parametrize(
    "url", ["/", "/?col=source&col=evidence&q=<b>", "/claims/h{}", "/sources", "/compare?ids=h{},h0"]
)
def test_text_of_sources_is_shown_literally(hostile: Client, url: str) -> None:
    for number, text in enumerate(HOSTILE):
        root = read(hostile.get(url.format(number)).text)
        pictures = [element for element in root.all() if element.tag in ("img", "svg")]
        ours = {url.format(number) + "/badge.svg", f"/compare/badge.svg?ids=h{number}&ids=h0"}
        assert {picture.attributes.get("src") for picture in pictures} <= ours
        assert all(script.attributes.get("src", "").startswith("/static/") for script in root.all("script"))
        links = [link.attributes["href"] for link in root.all("a")]
        assert not [link for link in links if link.startswith("javascript:")]
        assert "{}" not in url or " ".join(text.split()) in root.words()


@pytest.mark.parametrize("text", HOSTILE)
def test_text_in_a_sources_ladders_tables_and_commands_is_shown_literally(text: str) -> None:
    steps = [{"claim": name, "label": text, "kind": "fusion"} for name in ("one", "two")]
    gap = {"after": "one", "title": text, "reasons": [text]}
    cells = {"title": text, "caption": text, "locator": text, "row_heading": text, "columns": [text]}
    found = source(
        [entry("one"), entry("two")],
        title=text,
        ladders=[{"id": "l", "title": text, "locator": text, "unit": text, "steps": steps, "breaks": [gap]}],
        tables=[{"id": "t", **cells, "chart": "grouped_bars", "rows": [{"label": text, "cells": [["one"]]}]}],
        notes=[{"topic": "pins", "text": text}],
        commands=[{"title": text, "text": text, "env": {text: text}, "locator": text}],
    )
    members = rows(found)
    root = read(render(source_page(found, members, {member.id: member for member in members})))
    assert not [element for element in root.all() if element.tag in ("img", "svg")]
    figures = [json.loads(script.text) for script in root.all("script", type="application/json")]
    assert len(figures) == 2
    assert root.words().count(" ".join(text.split())) > 10
