"""A card's command line -> an engine's own flags by canonical name, and the model that it names. Pure.

What cannot be read for certain is missing, with its place in `launch.argv` and how to mend it: a word that is left out
or taken for another thing would start another server than the card's.
"""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any

from app.language import _
from app.protocol.engines import ENGINES
from app.protocol.policy import census

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.jobs.notes import Notes

Flag = str | int | float | bool | dict[str, Any]
NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")
PYTHON = re.compile(r"(.*/)?python(3(\.\d+)?)?")
MODEL = ("model", "model-path")
SHOWN = 60
# The words that start a server of each engine, after `python -m` where it is a module; the model may follow some.
MODULES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "vllm": (ENGINES["vllm"].module, ("vllm.entrypoints.openai.api_server",)),
    "sglang": (ENGINES["sglang"].module, ("sglang.cli.main", "serve")),
}
PROGRAMS: Mapping[str, tuple[str, ...]] = {"vllm": ("vllm", "serve"), "sglang": ("sglang", "serve")}
TAKES_MODEL = "serve"  # the word after which a model may stand without a flag


class _UnreadError(ValueError):
    """What is wrong with a JSON value."""


def of_argv(argv: Sequence[str], engine: str, notes: Notes) -> tuple[dict[str, Flag], str | None]:
    """Flags of the runner are left to it."""
    words = list(argv)
    first = next((place for place, word in enumerate(words) if _is_flag(words, place)), len(words))
    models = list(_positional(words[:first], engine, notes))
    found: dict[str, Flag] = {}
    for name, value in _pairs(words, first, notes, "launch.argv, item"):
        if name in MODEL:
            models.append(str(value))
        elif name in found:
            notes.lack(_("launch.argv: --{name} is given twice; leave one of them").format(name=name))
        elif census.rules(engine).of_runner(name):
            notes.assume(_("--{name}: left to the runner, which sets it itself").format(name=name))
        else:
            found[name] = value
    if len(models) > 1:
        notes.lack(
            _("launch.argv: {count} models are named ({names}); leave one of them").format(
                count=len(models), names=", ".join(map(_shown, models))
            )
        )
    return found, models[0] if models else None


def flags_of(text: str, notes: Notes) -> dict[str, Flag]:
    """Flags as they are typed after a command, quoted as a shell wants them."""
    found: dict[str, Flag] = {}
    try:
        words = shlex.split(text)
    except ValueError:
        notes.lack(_("a quotation mark or a backslash has no partner; close it"))
        return found
    for name, value in _pairs(words, 0, notes, _("word")):
        if name in found:
            notes.lack(_("--{name} is given twice; leave one of them").format(name=name))
        found[name] = value
    return found


def _is_flag(words: Sequence[str], place: int) -> bool:
    """Whether a flag of the server begins there; `-m` is Python's."""
    word = words[place]
    return word.startswith("-") and not (word == "-m" and place == 1 and PYTHON.fullmatch(words[0]) is not None)


def _positional(words: list[str], engine: str, notes: Notes) -> Iterator[str]:
    """The words before the first flag: how the server is started, and the model where it stands there."""
    begun = _beginning(words, engine)
    if begun is None:
        notes.lack(_no_beginning(words, engine))
        return
    rest = words[begun:]
    if rest and words[begun - 1 : begun] != [TAKES_MODEL]:
        notes.lack(
            _("launch.argv, item {place}: {word} stands where no model is read; write --{flag}").format(
                place=begun + 1, word=_shown(rest[0]), flag=_flag(engine)
            )
        )
    elif len(rest) > 1:
        notes.lack(
            _("launch.argv, item {place}: {word} is no flag, and the model is {model} already").format(
                place=begun + 2, word=_shown(rest[1]), model=_shown(rest[0])
            )
        )
    elif rest:
        yield rest[0]


def _beginning(words: Sequence[str], engine: str) -> int | None:
    """How many words start the server; None where they start something else."""
    if not words:
        return 0
    if len(words) > 1 and PYTHON.fullmatch(words[0]) and words[1] == "-m":
        begun = [2 + len(module) for module in MODULES[engine] if tuple(words[2 : 2 + len(module)]) == module]
        return begun[0] if begun else None
    program = PROGRAMS[engine]
    if (words[0].rsplit("/", 1)[-1], *words[1:2]) == program:
        return 2
    return 1 if words[0] == TAKES_MODEL else None


def _no_beginning(words: Sequence[str], engine: str) -> str:
    title, said = ENGINES[engine].title, _shown(" ".join(words))
    others = [ENGINES[name].title for name in ENGINES if name != engine and _beginning(words[:4], name) is not None]
    if others:
        return _("launch.argv: {said} starts {other}, and the card's engine is {title}; mend one of them").format(
            said=said, other=others[0], title=title
        )
    known = " ".join(PROGRAMS[engine])
    return _(
        "launch.argv: {said} is no start of {title} that is known here; begin with `{known} "
        "MODEL` or with the first flag, and put variables into launch.env"
    ).format(said=said, title=title, known=known)


def _flag(engine: str) -> str:
    return "model" if engine == "vllm" else "model-path"


def _pairs(words: Sequence[str], place: int, notes: Notes, where: str) -> Iterator[tuple[str, Flag]]:
    """`where` is the word before a place in the notes."""
    while place < len(words):
        word, at = words[place], place + 1
        place += 1
        if not word.startswith("--") or word == "--":
            notes.lack(
                _("{where} {at}: {word} is no flag with its full name; write --NAME=VALUE").format(
                    where=where, at=at, word=_shown(word)
                )
            )
            continue
        name, sign, text = word[2:].partition("=")
        if not sign and place < len(words) and (not words[place].startswith("-") or NUMBER.fullmatch(words[place])):
            sign, text = "=", words[place]
            place += 1
        try:
            yield name.replace("_", "-"), _typed(text) if sign else True
        except _UnreadError as error:
            told = _("{where} {at}: the JSON of --{name} {error}")
            notes.lack(told.format(where=where, at=at, name=name, error=error))


def _typed(text: str) -> Flag:
    """Raises _UnreadError."""
    if NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    if not text.lstrip().startswith("{"):
        return text
    try:
        return dict(json.loads(text, object_pairs_hook=_once, parse_constant=_no_number))
    except RecursionError:
        raise _UnreadError(_("is nested too deep")) from None
    except json.JSONDecodeError as error:
        raise _UnreadError(
            _("cannot be read: {why} at character {place}; mend it or quote the item").format(
                why=error.msg, place=error.pos + 1
            )
        ) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Readers of JSON differ in which of two equal keys counts."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _UnreadError(_("has the key {key} twice; leave one of them").format(key=_shown(key)))
        found[key] = value
    return found


def _no_number(text: str) -> None:
    raise _UnreadError(_("has {text}, which is no number in JSON").format(text=text))


def _shown(text: str) -> str:
    return f"`{text[:SHOWN]}{'…' if len(text) > SHOWN else ''}`"
