"""The shipped pairs, validated like the sources."""

from __future__ import annotations

import pytest

from app.catalogue.check import Known
from app.catalogue.pairs import load_pairs, pairs, read_pairs
from app.errors import CatalogueError

GOOD = "- {a: one, b: two, verdict: comparable, title: T, why: W}\n"


def test_the_shipped_pairs_can_be_read() -> None:
    assert len(pairs()) >= 7


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is a list"),
        ("pairs: []\n", "is a list"),
        (GOOD.replace("verdict: comparable", "verdict: same"), r"p\.yaml:1:29: \[0\]\.verdict"),
        (GOOD.replace("title: T, ", ""), r"p\.yaml:1:3: \[0\]\.title: is missing"),
        (GOOD.replace("why", "wyh"), r"\[0\]\.wyh: .*did you mean `why`"),
        (GOOD.replace("W", '"\\e[31m"'), r"U\+001B"),
        (GOOD.replace("b: two", "b: one"), r"p\.yaml:1:15: \[0\]\.b: .*a pair has two"),
        (GOOD + GOOD.replace("a: one, b: two", "a: two, b: one"), r"p\.yaml:2:3: \[1\]: .*are a pair already"),
    ],
)
def test_a_wrong_pair_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(CatalogueError, match=told):
        load_pairs("p.yaml", text)


def test_a_pair_names_claims_of_the_catalogue() -> None:
    known = Known(frozenset({"one"}))
    (problem,) = read_pairs("p.yaml", GOOD, known)[0].problems
    assert str(problem) == "p.yaml:1:15: [0].b: `two` is no claim of the catalogue"
    assert not read_pairs("p.yaml", GOOD, Known(frozenset(), complete=False))[0].problems
