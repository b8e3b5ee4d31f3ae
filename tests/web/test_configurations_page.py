"""Low latency and high throughput of one engine and model together, with a note where only one is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.markup import read

if TYPE_CHECKING:
    from tests.conftest import Client

BOTH = "/configurations?engine=SGLang&model=DeepSeek-V4.1-Flash"


def test_one_of_the_two_missing_is_told(site: Client) -> None:
    root = read(site.get("/configurations?engine=vLLM&model=DeepSeek-V4-Pro").text)
    assert [section.one("h2").text for section in root.one("div", class_="two").all("section")] == [
        "Low latency",
        "High throughput",
    ]
    assert "Only throughput per GPU" in root.one("p", class_="cite only-one").text
    assert "not stated" in root.one("div", class_="two").text


def test_both_stand_together_with_what_differs_between_them(site: Client) -> None:
    root = read(site.get(BOTH).text)
    assert len(root.one("div", class_="two").all("p", class_="figure")) == 2
    assert not root.all("p", class_="cite only-one")
    assert root.one("table", class_="list stack differ").one("tbody").all("tr")


@pytest.mark.parametrize("query", ["engine=nope&model=DeepSeek-V4.1-Flash", "engine=SGLang&model=%00"])
def test_an_engine_or_model_that_is_not_there_is_told_and_the_choice_stays(site: Client, query: str) -> None:
    answer = site.get(f"/configurations?{query}")
    root = read(answer.text)
    assert answer.status_code == 422
    assert root.one("section", class_="trouble")
    assert root.one("select", name="engine").all("option")


def test_the_choice_comes_first_where_nothing_is_asked_for(site: Client) -> None:
    root = read(site.get("/configurations").text)
    assert "SGLang" in [option.text for option in root.one("select", name="engine").all("option")]


def test_the_table_and_a_claim_lead_there(site: Client) -> None:
    assert read(site.get("/?engine=SGLang&model=DeepSeek-V4.1-Flash").text).all("a", href=BOTH)
    assert not read(site.get("/?engine=SGLang").text).all("a", href=BOTH)
    assert read(site.get("/claims/sglang-v41-step-16").text).all("a", href=BOTH)
