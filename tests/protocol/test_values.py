"""The rules of the census, each with what fits and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from app.protocol.policy import census
from app.protocol.policy.values import RuleError, from_text, parse

CHOICES = ("a", "b")
CASES: list[tuple[Any, dict[str, list[Any]]]] = [
    ("switch", {"allow": [True, False], "never": [1, "true", None]}),
    ("whole 1..64", {"allow": [1, 64], "never": [0, 65, 1.0, True, "1"]}),
    ("whole -1..4", {"allow": [-1], "never": [-2]}),
    ("number 0.5..1", {"allow": [0.5, 1, 0.75], "never": [0.4, 1.1, True, "1"]}),
    ("choice", {"allow": ["a"], "never": ["c", "a,b", 1]}),
    ("one of a; never b", {"allow": ["a"], "never": ["b", "c", "pkg.mod"]}),
    ("text [a-z]+", {"allow": ["abc"], "never": ["abc1", "a\n", "", 1]}),
    ("list whole 1..8", {"allow": [[], [1, 8]], "never": [[9], 1, [1] * 1001]}),
    ("approve text [a-z]+", {"approve": ["abc"], "never": ["abc/"]}),
    ("never it runs code", {"never": [1, "a", None]}),
    (
        {"n": "whole 1..2", "code": "never it runs code", "deep": {"m": "switch"}},
        {
            "allow": [{}, {"n": 1}, {"deep": {"m": True}}],
            "approve": [{"other": 1}, {"deep": {"o": 1}}, {"n": 1, "other": {"code": 1}}],
            "never": [{"n": 3}, {"code": "x"}, {"other": 1, "code": 1}, {"deep.m": True}, {"deep": 1}, "n", {"": 1}],
        },
    ),
]


@pytest.mark.parametrize(("rule", "cases"), CASES, ids=lambda part: str(part)[:30])
def test_a_value_is_judged_by_its_rule(rule: Any, cases: dict[str, list[Any]]) -> None:
    for level, values in cases.items():
        for value in values:
            said = parse(rule).judge(value, "flag", CHOICES)
            assert (value, said.level) == (value, level)
            assert bool(said.reason) is (level != "allow")
            assert level == "allow" or "flag" in said.reason


def test_a_word_beside_the_allowed_ones_needs_approval_where_the_help_lists_nothing() -> None:
    rule = parse("one of auto")
    assert rule.judge("sharded_state", "load-format", ()).level == "approve"
    assert rule.judge("pkg.module", "load-format", ()).level == "never"
    assert rule.judge("/tmp/x", "load-format", ()).level == "never"


@pytest.mark.parametrize("rule", ["", "switch on", "whole", "text", "sometimes", "never", "list", 3, None])
def test_what_is_no_rule_is_an_error(rule: Any) -> None:
    with pytest.raises(RuleError):
        parse(rule)


@pytest.mark.parametrize(
    ("rule", "text", "value"),
    [
        ("switch", "1", True),
        ("switch", "False", False),
        ("switch", "yes", "yes"),
        ("whole 0..9", "7", 7),
        ("whole 0..9", "7.0", "7.0"),
        ("whole 0..9", "٧", "٧"),
        ("whole 0..9", " 7", " 7"),
        ("number 0..1", "0.5", 0.5),
        ("number 0..1", "1e9", "1e9"),
        ("number 0..1", "nan", "nan"),
        ("one of a", "a", "a"),
    ],
)
def test_the_text_of_a_variable_is_read_as_plainly_as_it_is_written(rule: str, text: str, value: object) -> None:
    found = from_text(parse(rule), text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "value", "level"),
    [
        ("attention-backend", "FLASH_ATTN", "allow"),
        ("attention-backend", "CUSTOM", "never"),
        ("attention-backend", "custom", "never"),
        ("attention-backend", "NEW_ONE", "approve"),
        ("attention-backend", "pkg.Backend", "never"),
        ("attention-config", {"backend": "CUSTOM"}, "never"),
        ("attention-config", {"backend": "FLASHINFER"}, "allow"),
        ("attention-config", {"mla_prefill_backend": "CUSTOM"}, "approve"),
        ("mamba-backend", "Custom", "never"),
        ("load-format", "PT", "never"),
        ("spec-method", "CUSTOM_CLASS", "never"),
    ],
)
@pytest.mark.parametrize("version", ["0.25.1", "0.32.0", "0.33.0"])
def test_a_value_that_stands_for_registered_code_does_not_run_unasked(
    version: str, name: str, value: Any, level: str
) -> None:
    known = census.of("vllm", version)
    assert known is not None
    if name in known.options:
        assert known.flag(name, value).level == level
