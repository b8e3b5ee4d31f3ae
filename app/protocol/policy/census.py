"""Every option and every environment variable of an exact engine version, and who may set it. Pure.

`census/ENGINE-VERSION.toml` is what the version itself says, written by `benchcard engine census`; `census/ENGINE.toml`
and `census/system.toml` are the classification, written by people, by name: the same for every version. A name that is
not classified is refused, so a new version waits until somebody has looked at what is new in it.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from app.language import F_
from app.protocol.policy.levels import Judged
from app.protocol.policy.values import IS_SWITCHED, TAKES_VALUE, Rule, from_text, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

SET_BY_RUNNER = "The runner sets it."  # a reason in the files
FOLDER = resources.files("app.protocol.policy") / "census"


@dataclass(frozen=True, slots=True)
class Option:
    """One option by its canonical name. `others` are further spellings, the short ones among them."""

    name: str
    takes_value: bool
    choices: tuple[str, ...]
    others: tuple[str, ...]

    def misfit(self, value: object) -> str | None:
        """Why the option cannot be given this kind of value; None where it can."""
        if isinstance(value, bool) == self.takes_value:
            return "takes a value" if self.takes_value else "is switched with true and false"
        return None


@dataclass(frozen=True, slots=True)
class Sorted:
    """Names in their three kinds: `allow` by rule, the others by their reason. `patterns` are names with a `*`."""

    allow: Mapping[str, Rule]
    approve: Mapping[str, str]
    never: Mapping[str, str]
    patterns: Mapping[str, str]

    def known(self, name: str) -> bool:
        return name in self.allow or name in self.approve or self.refusal(name) is not None

    def refusal(self, name: str) -> str | None:
        """Why nobody may set it; None where somebody may, or where it is not classified."""
        return self.never.get(name) or next(
            (reason for pattern, reason in self.patterns.items() if fnmatchcase(name, pattern)), None
        )


@dataclass(frozen=True, slots=True)
class Rules:
    """The classification of one engine's names, that of variables with those of every program."""

    flags: Sorted
    env: Sorted

    def of_runner(self, name: str) -> bool:
        """Whether that flag is set by the runner itself, so that a command line loses nothing without it."""
        return self.flags.never.get(name) == SET_BY_RUNNER

    def variable(self, name: str, value: str) -> Judged:
        """Of an environment variable, whichever version of the engine it is for."""
        refused = self.env.refusal(name)
        if refused is not None:
            return Judged("never", refused)
        if name in self.env.approve:
            return Judged("approve", self.env.approve[name])
        rule = self.env.allow.get(name)
        if rule is None:
            return Judged(
                "never",
                _nearest(F_("{name} is not a variable that a launch may set").format(name=name), name, self.env.allow),
            )
        return rule.judge(from_text(rule, value), name, ())


@dataclass(frozen=True, slots=True)
class Census:
    """One exact version. `variables` are those that the engine's own list names."""

    engine: str
    version: str
    options: Mapping[str, Option]
    variables: frozenset[str]
    rules: Rules
    further: Mapping[str, str]  # every other spelling that the version names itself -> the canonical one

    def flag(self, name: str, value: object) -> Judged:
        """What is to be said of `--name=value`."""
        option = self.options.get(name)
        if option is None:
            return Judged("never", self.spelling(name))
        refused = self.rules.flags.refusal(name)
        if refused is not None:
            return Judged("never", refused)
        if option.misfit(value) is not None:
            form = TAKES_VALUE if option.takes_value else IS_SWITCHED
            return Judged("never", form.format(where=name))
        if name in self.rules.flags.approve:
            return Judged("approve", self.rules.flags.approve[name])
        if name not in self.rules.flags.allow:
            return Judged("never", F_("{where}: not classified yet").format(where=name))
        rule = self.rules.flags.allow[name]
        return rule.judge(value, name, option.choices)

    def variable(self, name: str, value: str) -> Judged:
        """What is to be said of `NAME=value`."""
        if name not in self.variables and _of_the_engine(name, self.rules):
            return Judged(
                "never",
                F_("{engine} {version} has no variable {name}").format(
                    engine=self.engine, version=self.version, name=name
                ),
            )
        return self.rules.variable(name, value)

    def canonical(self, written: str) -> str | None:
        """The name of the option that the engine's own parser could take this spelling for."""
        head = re.split(r"[=. ]", written.strip().lstrip("-"), maxsplit=1)[0]
        name = head.replace("_", "-")
        if name in self.options:
            return name
        found = self.further.get(head) or self.further.get(name) or self.further.get(head.rstrip("0123456789"))
        if found is not None:
            return found
        starting = [option for option in self.options if name and option.startswith(name)]
        return starting[0] if len(starting) == 1 else None

    def spelling(self, written: str) -> str:
        """What to say of a name that is none: the full canonical name is the only one that is taken."""
        found = self.canonical(written)
        if found is not None:
            return F_("write it as {found}, its full name, without dashes before it").format(found=found)
        return _nearest(
            F_("{engine} {version} has no such option").format(engine=self.engine, version=self.version),
            written,
            self.options,
        )

    def unclassified(self) -> list[str]:
        """Options and variables that nobody has sorted."""
        flags = [name for name in self.options if not self.rules.flags.known(name)]
        return flags + sorted(name for name in self.variables if not self.rules.env.known(name))


def _nearest(said: str, name: str, names: Mapping[str, object]) -> str:
    """The sentence with the name that is most like the one given, where one is."""
    close = get_close_matches(name, names, 1, 0.6)
    return F_("{said}; the nearest is {close}").format(said=said, close=close[0]) if close else said


def _of_the_engine(name: str, rules: Rules) -> bool:
    """Whether the name is classified for this engine alone, and so must be one of the version's own."""
    return rules.env.known(name) and not system().known(name)


@cache
def of(engine: str, version: str) -> Census | None:
    """The census of that version, whatever its build (`+cpu`); None where there is none."""
    name = f"{engine}-{version.partition('+')[0]}"
    return census(_read(name)) if name in versions() else None


@cache
def versions() -> tuple[str, ...]:
    """`vllm-0.32.0` and so on: every version that has a census."""
    names = (path.name.removesuffix(".toml") for path in FOLDER.iterdir() if path.name.endswith(".toml"))
    return tuple(sorted(name for name in names if "-" in name))


def census(said: Mapping[str, Any]) -> Census:
    """From the table of a version's file."""
    choices, others = said["choices"], said["others"]
    options = {
        name: Option(name, takes_value, tuple(choices.get(name, ())), tuple(others.get(name, ())))
        for takes_value, names in ((False, said["switches"]), (True, said["values"]))
        for name in names
    }
    further = {f"no-{name}": name for name in options} | {
        other: option.name for option in options.values() for other in option.others
    }
    variables, engine = frozenset(said["variables"]), said["engine"]
    return Census(engine, said["version"], options, variables, rules(engine), further)


@cache
def rules(engine: str) -> Rules:
    """The classification of that engine's names."""
    said = _read(engine)
    own, everywhere = _sorted(said["env"]), system()
    env = Sorted(
        {**own.allow, **everywhere.allow},
        {**own.approve, **everywhere.approve},
        {**own.never, **everywhere.never},
        {**own.patterns, **everywhere.patterns},
    )
    return Rules(_sorted(said["flags"]), env)


@cache
def system() -> Sorted:
    """The variables that are no engine's own."""
    return _sorted(_read("system")["env"])


def _sorted(said: Mapping[str, Any]) -> Sorted:
    never = _by_name(said.get("never", {}))
    return Sorted(
        allow={name: parse(rule) for name, rule in said.get("allow", {}).items()},
        approve=_by_name(said.get("approve", {})),
        never={name: reason for name, reason in never.items() if "*" not in name},
        patterns={name: reason for name, reason in never.items() if "*" in name},
    )


def _by_name(said: Mapping[str, list[str]]) -> dict[str, str]:
    return {name: reason for reason, names in said.items() for name in names}


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
