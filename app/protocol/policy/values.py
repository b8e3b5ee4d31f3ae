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

from app.language import F_
from app.protocol.policy.levels import Judged, together, worst

TAKES_VALUE = F_("{where} takes a value")
IS_SWITCHED = F_("{where} is switched with true and false")
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
        return _fits(isinstance(value, bool), IS_SWITCHED.format(where=where))


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`; `whole` ones alone where it says so."""

    low: float
    high: float
    whole: bool

    def judge(self, value: object, where: str, _: tuple[str, ...]) -> Judged:
        number = isinstance(value, int if self.whole else int | float) and not isinstance(value, bool)
        fits = number and self.low <= value <= self.high  # type: ignore[operator]
        takes = F_("{where} takes a number from {low} to {high}")
        if self.whole:
            takes = F_("{where} takes a whole number from {low} to {high}")
        return _fits(fits, takes.format(where=where, low=format(self.low, "g"), high=format(self.high, "g")))


@dataclass(frozen=True, slots=True)
class Choice:
    def judge(self, value: object, where: str, choices: tuple[str, ...]) -> Judged:
        return _fits(
            str(value) in choices, F_("{where} takes one of {choices}").format(where=where, choices=", ".join(choices))
        )


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
            return Judged(
                "never",
                F_("{where} takes one of {allowed}, not {text}").format(
                    where=where, allowed=", ".join(self.allowed), text=text[:60]
                ),
            )
        if text not in self.allowed:
            return Judged(
                "approve",
                F_("{where} runs unasked as {allowed}; {text} needs approval").format(
                    where=where, allowed=", ".join(self.allowed), text=text
                ),
            )
        return Judged("allow", "")


@dataclass(frozen=True, slots=True)
class Pattern:
    pattern: re.Pattern[str]

    def judge(self, value: object, where: str, _: tuple[str, ...]) -> Judged:
        fits = isinstance(value, str) and self.pattern.fullmatch(value) is not None
        return _fits(fits, F_("{where} takes a text like {pattern}").format(where=where, pattern=self.pattern.pattern))


@dataclass(frozen=True, slots=True)
class ListOf:
    item: Rule

    def judge(self, value: object, where: str, choices: tuple[str, ...]) -> Judged:
        if not isinstance(value, list) or len(value) > 1000:
            return Judged("never", F_("{where} takes a list").format(where=where))
        return worst(Judged("allow", ""), *(self.item.judge(item, where, choices) for item in value))


@dataclass(frozen=True, slots=True)
class Approve:
    rule: Rule

    def judge(self, value: object, where: str, choices: tuple[str, ...]) -> Judged:
        return worst(
            Judged("approve", F_("{where} needs approval").format(where=where)), self.rule.judge(value, where, choices)
        )


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
            return Judged("never", F_("{where} takes a JSON object").format(where=where))
        return together([Judged("allow", ""), *(self._key(key, item, where) for key, item in value.items())])

    def _key(self, key: str, item: object, where: str) -> Judged:
        if not _KEY.fullmatch(key):
            return Judged(
                "never",
                F_("{where}: {key} is no plain key; write nested keys as nested objects").format(
                    where=where, key=key[:60]
                ),
            )
        if key not in self.rules:
            return Judged(
                "approve", F_("{where}.{key} is not on the list of keys that run unasked").format(where=where, key=key)
            )
        return self.rules[key].judge(item, f"{where}.{key}", ())


def _fits(fits: bool, said: str) -> Judged:
    return Judged("allow", "") if fits else Judged("never", said)


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
