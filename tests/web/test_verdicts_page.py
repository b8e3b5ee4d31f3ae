"""Every rule of a verdict stands on a page, word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from app.claims.schema import ReproductionStatus
from app.compare import reproduction
from app.compare.beside import BESIDE
from app.compare.blocking import BLOCKING
from app.compare.lint import RULES
from app.compare.schema import Verdict
from app.web.verdicts_page import AGAIN, COMPARED
from tests.web.markup import read

if TYPE_CHECKING:
    from tests.conftest import Client


def test_every_rule_and_every_verdict_is_explained(site: Client) -> None:
    root = read(site.get("/verdicts").text)
    said = root.words()
    for text in (*(rule.says for rule in BLOCKING), *RULES.values(), *(says for _, says in reproduction.rules())):
        assert text in said
    for word in reproduction.WORDS.values():
        assert word in said
    root.one("section", id="measured-again")
    root.one("section", id="side-by-side")


def test_no_verdict_is_left_out() -> None:
    assert set(AGAIN) == set(get_args(reproduction.Status))
    here = {*get_args(ReproductionStatus)} - {"repeated_by_others"}  # which is no verdict of ours
    assert here == set(AGAIN), "a page explains a word that no number bears, or the other way round"
    assert set(COMPARED) == set(get_args(Verdict))


@pytest.mark.parametrize(
    "pair", [("vllm-v41-5x", "sglang-v41-step-16"), ("sglang-v41-ep4-same-round", "sglang-v41-step-16")]
)
def test_every_reason_of_a_comparison_leads_to_its_rule_and_its_axes(site: Client, pair: tuple[str, str]) -> None:
    main = read(site.get("/compare?ids={}&ids={}".format(*pair)).text).one("main")
    led = {link.attributes["href"] for link in main.all("a")}
    rules, axes = ({url for url in led if url.startswith(page)} for page in ("/verdicts#", "/axes#"))
    assert len(rules) > 3
    assert axes
    for page, urls in (("/verdicts", rules), ("/axes", axes)):
        there = {element.attributes.get("id") for element in read(site.get(page).text).all()}
        assert {url.partition("#")[2] for url in urls} <= there


def test_every_rule_has_its_place(site: Client) -> None:
    there = {element.attributes.get("id") for element in read(site.get("/verdicts").text).all()}
    ours = [f"rule-{rule.id}" for rule in (*BLOCKING, *BESIDE)]
    assert {*ours, "rule-condition", "rule-not-stated", "rule-same-claim", *RULES} <= there


def test_a_comparison_leads_to_the_rules(site: Client) -> None:
    assert 'href="/verdicts#side-by-side"' in site.get("/compare?ids=vllm-v41-5x&ids=sglang-v41-step-16").text
