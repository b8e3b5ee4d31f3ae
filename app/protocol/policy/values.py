"""What a rule of the census lets a value be. Pure.

A rule is one text:

    switch                  true or false
    whole LOW..HIGH         a whole number, both ends included
    number LOW..HIGH        a number
    choice                  what the version's own --help lists
    one of A B C            these; another plain word needs approval (`one of A B C; never X Y` refuses some, in
                            whatever case: engines read some of them in any)
    text PATTERN            a text that the regular expression matches from end to end
    list RULE               a JSON list
    approve RULE            the same, with approval
    never REASON            nothing

or, for a JSON object, a table of rules by key: keys that it does not name need approval.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from app.protocol.policy.levels import Judged, together, worst

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")  # no dot, no slash: neither a path nor a module
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SWITCHED = {"0": False, "1": True, "false": False, "true": True, "False": False, "True": True}


class Rule(Protocol):
    """`where` names the value in the reason; `choices` are those of the version's own --help."""

    def judge(self, value: object, where: str, choices: tuple[str, ...]) -> Judged: ...


class RuleError(ValueError):
    """A rule that cannot be read."""


@dataclass(frozen=True, slots=True)
class Switch:
    def judge(self, value: object, where: str, _: tuple[str, ...]) -> Judged:
        return _fits(isinstance(value, bool), where, "is switched with true and false")


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`; `whole` ones alone where it says so."""

    low: float
    high: float
    whole: bool

    def judge(self, value: object, where: str, _: tuple[str, ...]) -> Judged:
        number = isinstance(value, int if self.whole else int | float) and not isinstance(value, bool)
        fits = number and self.low <= value <= self.high  # type: ignore[operator]
        kind = "a whole number" if self.whole else "a number"
        return _fits(fits, where, f"takes {kind} from {self.low:g} to {self.high:g}")


@dataclass(frozen=True, slots=True)
class Choice:
    def judge(self, value: object, where: str, choices: tuple[str, ...]) -> Judged:
        return _fits(str(value) in choices, where, f"takes one of {', '.join(choices)}")


@dataclass(frozen=True, slots=True)
class OneOf:
    allowed: tuple[str, ...]
    never: tuple[str, ...]

    def judge(self, value: object, where: str, choices: tuple[str, ...]) -> Judged:
        text = str(value)
        if (
            text.casefold() in {word.casefold() for word in self.never}
            or not _WORD.fullmatch(text)
            or (choices and text not in choices)
        ):
            return Judged("never", f"{where} takes one of {', '.join(self.allowed)}, not {text[:60]}")
        if text not in self.allowed:
            return Judged("approve", f"{where} runs unasked as {', '.join(self.allowed)}; {text} needs approval")
        return Judged("allow", "")


@dataclass(frozen=True, slots=True)
class Pattern:
    pattern: re.Pattern[str]

    def judge(self, value: object, where: str, _: tuple[str, ...]) -> Judged:
        fits = isinstance(value, str) and self.pattern.fullmatch(value) is not None
        return _fits(fits, where, f"takes a text like {self.pattern.pattern}")


@dataclass(frozen=True, slots=True)
class ListOf:
    item: Rule

    def judge(self, value: object, where: str, choices: tuple[str, ...]) -> Judged:
        if not isinstance(value, list) or len(value) > 1000:
            return Judged("never", f"{where} takes a list")
        return worst(Judged("allow", ""), *(self.item.judge(item, where, choices) for item in value))


@dataclass(frozen=True, slots=True)
class Approve:
    rule: Rule

    def judge(self, value: object, where: str, choices: tuple[str, ...]) -> Judged:
        return worst(Judged("approve", f"{where} needs approval"), self.rule.judge(value, where, choices))


@dataclass(frozen=True, slots=True)
class Never:
    reason: str

    def judge(self, _: object, where: str, __: tuple[str, ...]) -> Judged:
        return Judged("never", f"{where}: {self.reason}")


@dataclass(frozen=True, slots=True)
class Keys:
    """A JSON object."""

    rules: Mapping[str, Rule]

    def judge(self, value: object, where: str, _: tuple[str, ...]) -> Judged:
        if not isinstance(value, Mapping):
            return Judged("never", f"{where} takes a JSON object")
        return together([Judged("allow", ""), *(self._key(key, item, where) for key, item in value.items())])

    def _key(self, key: str, item: object, where: str) -> Judged:
        if not _KEY.fullmatch(key):
            return Judged("never", f"{where}: {key[:60]} is no plain key; write nested keys as nested objects")
        if key not in self.rules:
            return Judged("approve", f"{where}.{key} is not on the list of keys that run unasked")
        return self.rules[key].judge(item, f"{where}.{key}", ())


def _fits(fits: bool, where: str, form: str) -> Judged:
    return Judged("allow", "") if fits else Judged("never", f"{where} {form}")


def _range(whole: bool, rest: str) -> Rule:
    low, high = map(float, rest.split("..", 1))
    return Range(low, high, whole)


def _one_of(rest: str) -> Rule:
    allowed, _, never = rest.removeprefix("of ").partition("; never ")
    return OneOf(tuple(allowed.split()), tuple(never.split()))


_KINDS: dict[str, Callable[[str], Rule]] = {
    "switch": lambda _: Switch(),
    "choice": lambda _: Choice(),
    "whole": lambda rest: _range(True, rest),
    "number": lambda rest: _range(False, rest),
    "one": _one_of,
    "text": lambda rest: Pattern(re.compile(rest)),
    "list": lambda rest: ListOf(parse(rest)),
    "approve": lambda rest: Approve(parse(rest)),
    "never": Never,
}


def parse(written: object) -> Rule:
    """RuleError: not a rule."""
    if isinstance(written, Mapping):
        return Keys({key: parse(rule) for key, rule in written.items()})
    kind, _, rest = str(written).partition(" ")
    if kind not in _KINDS or (rest == "") != (kind in ("switch", "choice")):
        raise RuleError(f"{written!r} is no rule of the census")
    return _KINDS[kind](rest)


def from_text(rule: Rule, text: str) -> object:
    """An environment variable's text as the value that its rule speaks of; as it is where it is none."""
    if isinstance(rule, Switch):
        return _SWITCHED.get(text, text)
    if isinstance(rule, Range):
        if re.fullmatch(r"-?[0-9]{1,18}", text):
            return int(text)
        return float(text) if not rule.whole and re.fullmatch(r"[0-9]{1,18}\.[0-9]{1,18}", text) else text
    return text
