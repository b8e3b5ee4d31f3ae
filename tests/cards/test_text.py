"""Hostile and odd text: a finding with its place, whatever the syntax, and never a crash."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cards.load import MOST_BYTES, MOST_FINDINGS, Syntax, read_bytes, read_card
from app.yaml_tree import Place


def first(text: str, syntax: Syntax = "json") -> tuple[str, Place | None]:
    read = read_card(text, syntax=syntax)
    assert [item.rule for item in read.errors if not item.rule.startswith("E-missing")] == ["E-form"]
    return read.findings[0].message, read.findings[0].place


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("NaN", "`NaN` is no JSON value"),
        ("1e400", "number is larger than anything measured here"),
        ("1e-400", "number is smaller than anything measured here"),
        ("9223372036854775808", "number is larger than anything measured here"),
        ("9" * 5000, "characters; at most 200 fit here"),
        ("true", "no thousands separators), got `true`"),
        ('"1_000"', "no thousands separators), got `1_000`"),
        ('"\\ud800"', "half of a surrogate pair"),
        ('"\\u0000"', "control character U+0000"),
        ('"870,57"', "not a number (write it with a decimal point and no thousands separators), got `870,57`"),
        ("[1]", "a number is expected"),
        ("{}", "a number is expected"),
        ("null", "a number is expected, got nothing"),
    ],
)
def test_what_is_no_number_is_refused_at_its_place_in_json(number: str, said: str) -> None:
    message, place = first('{"result":\n {"unit": "ms", "value": ' + number + "}}")
    assert said in message
    assert place in (Place(2, 26), Place(2, 27))  # of a bad escape: the escape


@pytest.mark.parametrize("number", [".nan", "NaN", ".inf", "1e400", "true", "1_000", "0x10", "12:30", "~", "off"])
def test_what_is_no_number_is_refused_at_its_place_in_yaml(number: str) -> None:
    assert first(f"result:\n  unit: ms\n  value: {number}\n", "yaml")[1] == Place(3, 10)


@pytest.mark.parametrize("number", ["9223372036854775808", "1.5", "-9223372036854775809", "true"])
def test_a_seed_is_a_64_bit_number(number: str) -> None:
    assert read_card(f"workload: {{seed: {number}}}\n").errors


@pytest.mark.parametrize(("written", "read"), [("1e3", 1000), ("64.0", 64), ("1.5e1", 15)])
@pytest.mark.parametrize("syntax", ["yaml", "json"])
def test_a_count_may_be_written_as_any_number_that_is_whole(written: str, read: int, syntax: Syntax) -> None:
    card = read_card(f'{{"workload": {{"concurrency": {written}, "seed": {written}}}}}', syntax=syntax).card
    assert card and card.workload
    assert (card.workload.concurrency, card.workload.seed) == (read, read)


@pytest.mark.parametrize(
    ("written", "said"), [("1.5", "a whole number"), ("1e-3", "a whole number"), ("1e99", "larger")]
)
def test_a_count_that_is_not_whole_is_refused(written: str, said: str) -> None:
    message, place = first(f"workload: {{concurrency: {written}}}\n", "yaml")
    assert said in message
    assert place == Place(1, 25)


@pytest.mark.parametrize("digits", ["\u0661\u0662", "\uff11\uff12", "1\u0662"])
@pytest.mark.parametrize(
    "field", ["result: {unit: ms, value: %s}", "runs: {count: %s}", "runs: %s", "hardware: %sx H200"]
)
def test_digits_that_are_not_everybody_s_are_no_number(field: str, digits: str) -> None:
    assert [finding.rule for finding in read_card(field % digits).errors][:1] == ["E-form"]


@pytest.mark.parametrize("day", ["86400", "0", "2026-10-07T00:00:00", "2026-1-7", "07.10.2026", "2026-02-30", "true"])
def test_a_day_is_year_month_day(day: str) -> None:
    text = f"result: {{value: 1, unit: ms, measured_at: {day}}}\n"
    assert first(text, "yaml")[1] == Place(1, 43)
    kept = read_card(text.replace(day, "2026-10-07")).card
    assert kept and kept.result
    assert str(kept.result.measured_at) == "2026-10-07"


@pytest.mark.parametrize("syntax", ["yaml", "json"])
def test_a_number_means_the_same_in_both_syntaxes(syntax: Syntax) -> None:
    card = read_card('{"result": {"value": 1e3, "unit": "ms"}, "runs": {"count": 6}}', syntax=syntax).card
    assert card and card.result and card.runs
    assert (str(card.result.value), card.runs.count) == ("1000", 6)


def test_json_may_use_the_short_forms() -> None:
    card = read_card('{"hardware": "4x GB300", "parallelism": "TP4"}', syntax="json").card
    assert card and card.hardware
    assert card.hardware.count == 4


@pytest.mark.parametrize("text", ["[]", "3", '"x"', "null", "[{}]"])
@pytest.mark.parametrize("syntax", ["yaml", "json"])
def test_what_is_no_mapping_is_no_card(text: str, syntax: Syntax) -> None:
    assert "a card is a mapping" in first(text, syntax)[0]


@pytest.mark.parametrize("char", ["\\u0000", "\\u001b", "\\u0085", "\\r"])
def test_control_characters_are_refused_in_values_and_keys(char: str) -> None:
    assert "control character" in first(f'{{"note": "a{char}b"}}')[0]
    assert "control character" in first(f'{{"launch": {{"env": {{"A{char}": "x"}}}}}}')[0]


@pytest.mark.parametrize("char", [*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))])
@pytest.mark.parametrize("syntax", ["yaml", "json"])
def test_characters_that_turn_the_order_of_text_round_are_refused(char: str, syntax: Syntax) -> None:
    message, place = first(f'{{"note": "a{char}b"}}', syntax)
    assert f"control character U+{ord(char):04X}" in message
    assert place == Place(1, 10)
    assert "control character" in first(f'{{"launch": {{"argv": ["vllm", "{char}"]}}}}', syntax)[0]


@pytest.mark.parametrize("name", ["A B", "A;rm", "$(x)", "1A", "A-B", "\u00c4", "A\nB"])
def test_a_variable_of_the_environment_has_a_name_that_a_shell_takes(name: str) -> None:
    text = json.dumps({"launch": {"env": {"_OK1": "x", name: "y"}}})
    assert first(text)[0].startswith("is no name of a variable")
    assert first(text)[1] == Place(1, text.index('"y"') + 1)


def test_text_is_kept_in_its_composed_form() -> None:
    card = read_card('{"note": "e\\u0301"}', syntax="json").card
    assert card
    assert card.note == "\u00e9"


def test_names_are_short() -> None:
    assert "at most 200 fit here" in first('{"engine": {"name": "' + "x" * 201 + '"}}')[0]


def test_a_body_that_is_not_utf_8_is_told_where() -> None:
    read = read_bytes("title: é\nnote: x".encode() + b"\xff")
    assert (read.card, read.findings[0].place) == (None, Place(2, 8))
    assert read_bytes("title: x".encode("utf-16")).errors


def test_a_byte_order_mark_is_no_matter() -> None:
    assert read_bytes(b"\xef\xbb\xbftitle: x\n").card
    assert read_bytes(b'\xef\xbb\xbf{"title": "x"}', syntax="json").card


BIG = {
    "keys": "\n".join(f"k{number}: 1" for number in range(9000)),
    "errors": "raw: [" + ",".join("{a: b}" for _ in range(3000)) + "]",
    "duplicates": "\n".join("a: 1" for _ in range(40_000)),
    "values": "excludes: [" + ",".join("x" for _ in range(60_000)) + "]",
    "long key": "? " + "k" * 100_000 + "\n: {" + ", ".join(f"a{number}: 1" for number in range(2000)) + "}",
    "deep": "{a: " * 60_000,
    "brackets": "[" * 200_000,
    "bomb": "a: &a [x]\n" + "".join(f"b{number}: [*a,*a]\n" for number in range(5000)),
}


@pytest.mark.parametrize("name", BIG)
@pytest.mark.parametrize("syntax", ["yaml", "json"])
def test_a_hostile_text_is_answered_with_few_short_findings(name: str, syntax: Syntax) -> None:
    text = BIG[name]
    assert len(text) <= MOST_BYTES
    read = read_card(text, syntax=syntax)
    assert read.errors
    assert len(read.findings) <= MOST_FINDINGS + 1
    assert sum(len(finding.message) + len(finding.field) for finding in read.findings) < 100_000


def test_a_text_above_the_limit_is_not_read() -> None:
    assert "at most 256 KB" in first("x" * (MOST_BYTES + 1), "yaml")[0]


@given(
    st.text(max_size=300) | st.text("{}[]:,\"'\\#&*!|>-? \n\tabc019.", max_size=300), st.sampled_from(["yaml", "json"])
)
def test_any_text_gives_a_card_or_errors(text: str, syntax: Syntax) -> None:
    read = read_card(text, syntax=syntax)
    assert (read.card is None) <= bool(read.errors)
    assert all(finding.place for finding in read.findings if finding.rule == "E-form")


@given(st.binary(max_size=200), st.sampled_from(["yaml", "json"]))
def test_any_bytes_give_a_card_or_errors(data: bytes, syntax: Syntax) -> None:
    read = read_bytes(data, syntax=syntax)
    assert (read.card is None) <= bool(read.errors)
