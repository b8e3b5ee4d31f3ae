"""Reading YAML as people type it: strings with places, and every problem at once."""

from __future__ import annotations

import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.yaml_tree import Place, parse


def messages(text: str) -> list[str]:
    return [str(problem) for problem in parse(text, "card.yaml").problems]


def test_scalars_stay_as_typed() -> None:
    tree = parse("a: no\nb: 010\nc: 1e3\nd: 2026-11-29\ne: 1_000\nf: 223.50\n", "f").data
    assert tree == {"a": "no", "b": "010", "c": "1e3", "d": "2026-11-29", "e": "1_000", "f": "223.50"}


def test_only_plain_null_is_not_stated() -> None:
    assert parse("a:\nb: null\nc: ~\nd: 'null'\ne: ''\n", "f").data == {
        "a": None,
        "b": None,
        "c": None,
        "d": "null",
        "e": "",
    }


def test_every_value_knows_its_line_and_column() -> None:
    document = parse("a:\n  - b: 1\n    c: 2\n", "f")
    assert document.place(("a", 0, "c")) == Place(3, 8)
    assert document.place(("a", 0, "missing")) == document.place(("a", 0))


def test_duplicate_keys_anchors_aliases_and_tags_are_refused_together_with_their_places() -> None:
    found = messages("a: 1\na: 2\nb: &x 3\nc: *x\nd: !!int 4\n")
    assert [line.split(": ")[0] for line in found] == [
        "card.yaml:2:1",
        "card.yaml:3:4",
        "card.yaml:4:4",
        "card.yaml:5:4",
    ]
    assert "`a` stands twice" in found[0]
    assert "anchors" in found[1]
    assert "aliases" in found[2]
    assert "tags" in found[3]


def test_anchors_and_tags_on_keys_are_refused_at_their_places() -> None:
    found = messages("&x a: 1\nb:\n  !!str c: 2\n  ? &y d\n  : 3\n")
    assert [line.split(": ")[:2] for line in found] == [
        ["card.yaml:1:1", "a"],
        ["card.yaml:3:3", "b.c"],
        ["card.yaml:4:5", "b.d"],
    ]
    assert "anchors" in found[0]
    assert "tags" in found[1]


def test_broken_yaml_is_one_problem_with_its_place() -> None:
    assert messages("a: [1, 2\nb: 3\n")[0].startswith("card.yaml:2:2: this is not YAML")


def test_forbidden_characters_are_a_problem_and_no_crash() -> None:
    assert "not YAML" in messages("a: \x00\n")[0]


def test_half_a_surrogate_pair_is_a_problem_at_its_place() -> None:
    assert messages("a: 1\nb: x\ud800\n") == ["card.yaml:2:5: this is not text: half of a surrogate pair stands here"]


def test_nesting_without_end_is_a_problem_and_no_crash() -> None:
    assert "nested deeper" in messages("[" * 100)[0]


def test_second_document_is_refused() -> None:
    assert "second document" in messages("a: 1\n---\nb: 2\n")[0]


def test_keys_that_are_no_text_are_refused() -> None:
    assert "a key must be plain text" in messages("? [a]\n: 1\n")[0]


PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20)


@given(st.dictionaries(PLAIN, st.lists(PLAIN, max_size=3) | PLAIN, max_size=4))
def test_quoted_yaml_reads_back_as_it_was_written(tree: dict[str, object]) -> None:
    text = yaml.safe_dump(tree, default_style='"', allow_unicode=True)
    assert (parse(text, "f").data or {}) == tree


@given(st.text(max_size=200))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    document = parse(text, "f")
    assert document.problems or document.data is None or isinstance(document.data, str | list | dict)
