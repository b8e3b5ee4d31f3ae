"""Reading JSON as scripts send it: the same tree as YAML, and nothing that another reader would guess at."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.json_tree import parse
from app.yaml_tree import Place


def messages(text: str) -> list[str]:
    return [str(problem) for problem in parse(text, "card.json").problems]


def as_strings(value: Any) -> Any:
    """What the tree of a JSON value looks like: numbers and booleans as they are written."""
    if isinstance(value, dict):
        return {key: as_strings(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_strings(inner) for inner in value]
    return value if value is None or isinstance(value, str) else json.dumps(value)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values, st.booleans(), st.sampled_from([None, 2, "\t"]))
def test_every_json_text_gives_the_tree_that_it_says(value: Any, escaped: bool, indent: int | str | None) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    surrogates = not escaped and any("\ud800" <= char <= "\udfff" for char in text)
    document = parse(text, "f")
    if not surrogates:
        assert document.problems == []
        assert document.data == as_strings(value)


@given(st.text(alphabet='{}[]":,\\u0123456789abcdefnulltrue-+.eE \n', max_size=40))
def test_what_is_taken_is_json_and_what_is_json_is_taken(text: str) -> None:
    document = parse(text, "f")
    try:
        expected = json.loads(text, parse_constant=lambda _: pytest.fail("NaN"))
    except ValueError:
        assert document.problems
        return
    twice = any("stands twice" in problem.message or "surrogate" in problem.message for problem in document.problems)
    assert twice or not document.problems
    assert (document.data is None) == (expected is None) or twice


def test_numbers_keep_their_digits() -> None:
    assert parse('{"a": 223.50, "b": 1e3, "c": -0, "d": true}', "f").data == {
        "a": "223.50",
        "b": "1e3",
        "c": "-0",
        "d": "true",
    }


def test_every_value_knows_its_line_and_column() -> None:
    document = parse('{\n  "a": [1,\n    {"b": 2}]\n}', "f")
    assert document.place(("a", 1, "b")) == Place(3, 11)
    assert document.place(("a", 0)) == Place(2, 9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": NaN}', "1:7: this is not JSON: `NaN` is no JSON value"),
        ('{"a": -Infinity}', "1:7: this is not JSON: `-Infinity` is no JSON value"),
        ('{"a": 01}', "1:7: this is not JSON: `01` is no JSON value"),
        ('{"a": 1_0}', "1:7: this is not JSON: `1_0` is no JSON value"),
        ('{"a": 1,\n "a": 2}', "2:2: `a` stands twice; keep one"),
        ('{"a": "\\ud800"}', "1:8: a: this is not text: half of a surrogate pair stands here"),
        ('{"a": "\\udc00\\ud800"}', "1:8: a: this is not text: half of a surrogate pair stands here"),
        ('{"a": "x\ny"}', "1:9: this is not JSON: a control character must be escaped in text"),
        ('{"a": "x', "1:9: this is not JSON: this text does not end"),
        ('{"a": 1', "1:8: this is not JSON: a comma or `}` is expected here"),
        ('{"a": 1,}', "1:9: this is not JSON: a key in double quotes is expected here"),
        ("{'a': 1}", "1:2: this is not JSON: a key in double quotes is expected here"),
        ('{"a": "\\x41"}', "1:8: this is not JSON: `\\` begins no escape here"),
        ("", "1:1: this is not JSON: a value is expected here"),
        ("{} {}", "1:4: this is not JSON: something follows the end of the value"),
        ("[" * 100_000, "1:34: this is not JSON: nested deeper than 32 levels"),
    ],
)
def test_what_is_no_json_is_refused_at_its_place(text: str, said: str) -> None:
    assert messages(text)[0].startswith(f"card.json:{said}")


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert parse('"\\ud83d\\ude00"', "f").data == "\N{GRINNING FACE}"
