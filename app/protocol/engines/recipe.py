"""A recipe -> the start of a server, checked against the flags of that very version. Pure.

A flag is given by its full canonical name, as one `--name=value` item, and never twice: the engines' own parsers also
take abbreviations, underscores, short forms, nested keys and files of flags, which nobody could check.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING

from app.protocol.engines import ENGINES
from app.protocol.engines.start import Start, Word, mark, put, variables
from app.protocol.engines.table import Put
from app.protocol.policy import census

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.protocol.engines.options import Flag
    from app.protocol.engines.table import Device, Engine
    from app.protocol.launch import Launch

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
Value = str | int | float | bool | dict[str, Json]


class RecipeError(ValueError):
    """A recipe that this version of the engine cannot be started with; every problem a sentence."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Speculation:
    """Speculative decoding: `draft_tokens` proposed a step, the token that the model itself adds not counted."""

    method: str
    draft_tokens: int
    more: Mapping[str, Json] = field(default_factory=dict)  # the engine's own further keys


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to start an engine. `settings` have names that are the same for every engine (`SETTINGS` of its table);
    `flags` are the engine's own, without dashes; `model` is a folder, or the id of a model in the runner's store and
    `revision` its commit, which a folder has not."""

    engine: str
    version: str
    model: str
    settings: Mapping[str, Value] = field(default_factory=dict)
    speculation: Speculation | None = None
    flags: Mapping[str, Value] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    revision: str | None = None


def of_launch(launch: Launch, model: str) -> Recipe:
    """The recipe of a launch, whose model is at `model`: its id, or the folder in which the runner has it. Random
    weights are one flag of both engines."""
    flags: dict[str, Value] = dict(sorted(launch.flags.items()))  # one launch has one order
    if launch.weights == "dummy":
        flags["load-format"] = "dummy"
    return Recipe(launch.engine, launch.version, model, flags=flags, env=dict(launch.env), revision=launch.revision)


def start(recipe: Recipe, known: Mapping[str, Flag], device: Device) -> Start:
    """The one maker of a server's command: what an approval shows, and what a runner starts. RecipeError tells
    everything that is wrong at once."""
    engine = ENGINES[recipe.engine]
    wanted, problems = _wanted(engine, recipe)
    given = {**engine.fixed, **engine.device_fixed.get(device, {}), **wanted}
    argv = []
    for name, value in given.items():
        flag, problem = _known(engine, name, known, asked=name in wanted)
        if flag is None:
            problems += [problem] if problem else []
            continue
        item = _item(flag, name, value)
        if item is None:
            problems.append(f"--{name}: {_form(flag)}, and {json.dumps(value, default=str)} was given")
        argv += [item] if item and item.text else []
    problems += _environment(engine, recipe.env)
    if problems:
        raise RecipeError(problems)
    program = Word(text=f"{mark('PROGRAMS')}/python", place="PROGRAMS")
    words = [Word(text=text) for text in ("-m", *engine.module)]
    commit = [Word(text=f"--revision={recipe.revision}", only_with="CACHED")] if recipe.revision else []
    first = [put(item.place) for item in engine.positional]
    argv = [program, *words, *first, *argv, *commit]
    return Start(argv=tuple(argv), env=variables(engine, device, recipe.env))


def deprecated(recipe: Recipe, known: Mapping[str, Flag]) -> list[str]:
    """What a version says against flags that the recipe asks for."""
    wanted, _ = _wanted(ENGINES[recipe.engine], recipe)
    found = {name: known[name].deprecated for name in wanted if name in known}
    return [f"--{name}: {said}" for name, said in found.items() if said]


def _wanted(engine: Engine, recipe: Recipe) -> tuple[dict[str, Value], list[str]]:
    """The flags that the recipe asks for, by the engine's own names."""
    problems: list[str] = []
    never = census.rules(engine.name).flags
    found: dict[str, Value] = {}
    for setting, value in recipe.settings.items():
        if setting not in engine.settings:
            problems.append(f"{setting}: no such setting{_nearest(setting, engine.settings)}")
            continue
        found |= engine.settings[setting](value)
    if recipe.speculation is not None:
        found |= engine.speculate(recipe.speculation)
    for name, value in recipe.flags.items():
        if (refused := never.refusal(name)) is not None:
            problems.append(f"--{name}: {refused}")
        elif name in found:
            problems.append(f"--{name}: given twice, as a flag and by a setting")
        else:
            found[name] = value
    return found, problems


def _known(engine: Engine, name: str, known: Mapping[str, Flag], *, asked: bool) -> tuple[Flag | None, str]:
    """The flag of that name, or why there is none. What the runner adds of itself is left out where it is unknown."""
    flag = known.get(name)
    if flag is not None and flag.name == name:
        return flag, ""
    if not asked:
        return None, ""
    if flag is not None:
        return None, f"--{name}: write --{flag.name}, its canonical name"
    if name in engine.renamed:
        return None, f"--{name}: {engine.renamed[name]}"
    return None, f"--{name}: this version has no such flag{_nearest(name, known, '--')}"


def _nearest(name: str, names: Mapping[str, object], dashes: str = "") -> str:
    close = get_close_matches(name.replace("_", "-") if dashes else name, names, 1, 0.6)
    return f"; the nearest is {dashes}{close[0]}" if close else ""


def _item(flag: Flag, name: str, value: Value | Put) -> Word | None:
    """One item; an empty one where the flag's absence says it; None where the value does not fit the flag."""
    if isinstance(value, bool):
        if flag.takes_value:
            return None
        return Word(text=f"--{name}" if value else f"--{flag.negative}" if flag.negative else "")
    if not flag.takes_value:
        return None
    if isinstance(value, Put):
        return Word(text=f"--{name}={mark(value.place)}", place=value.place)
    text = json.dumps(value, separators=(",", ":")) if isinstance(value, dict) else str(value)
    if "\0" in text or (flag.choices and text not in flag.choices):
        return None
    return Word(text=f"--{name}={text}")


def _form(flag: Flag) -> str:
    if flag.choices:
        return f"takes one of {', '.join(flag.choices)}"
    return "takes a value" if flag.takes_value else "is switched with true and false"


def _environment(engine: Engine, env: Mapping[str, str]) -> list[str]:
    rules = census.rules(engine.name)
    judged = {name: rules.variable(name, value) for name, value in env.items()}
    problems = [f"{name}: {said.reason}" for name, said in judged.items() if said.level == "never"]
    return problems + [f"{name}: a NUL is not possible in a value" for name, value in env.items() if "\0" in value]
