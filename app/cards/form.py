"""A card as the fields of a form: each a text, as people type it. Pure: tree in, texts out, and back.

A field that was not touched changes nothing, so that whatever a form has no input for survives.
"""

from __future__ import annotations

import shlex
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app import yaml_tree
from app.cards import short
from app.cards.edit import read_tree, rewritten
from app.cards.export import flow
from app.cards.fields import FIELDS, leaves
from app.language import F_

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

YES = {"yes", "true", "on", "y", "t", "1"}
NOT_CLOSED = F_("a quote is opened here and never closed")
NO = {"no", "false", "off", "n", "f", "0"}
BLOCKS = ("parallelism", "approximations")  # one input for a whole block, in its short form
INPUTS = (*(path for path in FIELDS if "[]" not in path and not path.startswith("parallelism.")), *BLOCKS)
_YES_OR_NO = {path for path, kind, _ in leaves() if kind == "yes or no"}


@dataclass(frozen=True)
class FormCard:
    """A card's text with the fields made from it or that it was made from. `problems` by field: what could not be
    put into the text."""

    text: str
    values: dict[str, str]
    problems: dict[str, str]


def from_text(text: str) -> FormCard | None:
    """The fields of a card's text; None where the text is no tree."""
    document = read_tree(text)
    return None if document.problems else FormCard(text, values_of(document.data), {})


def from_fields(base: str, given: Mapping[str, str]) -> FormCard | None:
    """`base` with the fields that were changed put in; None where `base` is no tree."""
    document = read_tree(base)
    if document.problems:
        return None
    shown = values_of(document.data)
    tree, problems = deepcopy(document.data), {}
    values = dict(shown)
    for path in INPUTS:
        text = given.get(path)
        if text is None or _same(text, shown[path]):
            continue
        values[path] = text
        try:
            _put(tree, path, READ.get(path, _plain)(text.strip()) if text.strip() else None)
        except ValueError as error:
            problems[path] = str(error)
    return FormCard(rewritten(base, document.data, tree), values, problems)


def values_of(tree: dict[str, Any]) -> dict[str, str]:
    """Every input's text; "" for what is not stated, and for what only the YAML can show."""
    return {path: _shown(path, _get(tree, path)) for path in INPUTS}


def _same(a: str, b: str) -> bool:
    return a.replace("\r\n", "\n").strip() == b.strip()


def _get(tree: dict[str, Any], path: str) -> Any:
    block, _, part = path.partition(".")
    holder = tree.get(block)
    return (holder.get(part) if isinstance(holder, dict) else None) if part else holder


def _put(tree: dict[str, Any], path: str, value: Any) -> None:
    block, _, part = path.partition(".")
    if not part:
        tree[block] = value
        return
    holder = tree.get(block)
    tree[block] = {**(holder if isinstance(holder, dict) else {}), part: value}


def _shown(path: str, value: Any) -> str:
    if value is None:
        return ""
    if path in SHOW:
        return SHOW[path](value)
    if not isinstance(value, str):
        return ""
    if path in _YES_OR_NO:
        return "true" if value.lower() in YES else "false" if value.lower() in NO else value
    return value


def _plain(text: str) -> str:
    return text


def _list_shown(value: Any) -> str:
    lines = value if isinstance(value, list) else [value]
    plain = all(isinstance(line, str) and line.strip() and "\n" not in line for line in lines)
    return "\n".join(lines) if plain and lines else flow(value)


def _list_read(text: str) -> Any:
    if text.startswith("["):
        return _flow_read(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return short.FORMS["excludes"](lines[0]) if len(lines) == 1 else lines


def _command_shown(value: Any) -> str:
    plain = isinstance(value, list) and all(isinstance(word, str) for word in value)
    return shlex.join(value) if plain and value else flow(value)


def _command_read(text: str) -> Any:
    """A command as a shell takes it; a line may go on behind a backslash."""
    if text.startswith("["):
        return _flow_read(text)
    try:
        return shlex.split(text.replace("\\\n", " "))
    except ValueError as error:
        raise ValueError(NOT_CLOSED) from error


def _env_shown(value: Any) -> str:
    plain = isinstance(value, dict) and all(isinstance(inner, str) and "\n" not in inner for inner in value.values())
    return "\n".join(f"{name}={shlex.quote(inner)}" for name, inner in value.items()) if plain else flow(value)


def _env_read(text: str) -> Any:
    """`NAME=value` a line, as a shell takes it: `export` and comments behind `#` are left out."""
    if text.startswith("{"):
        return _flow_read(text)
    found: dict[str, str] = {}
    for line in text.splitlines():
        try:
            words = [word for word in shlex.split(line, comments=True) if word != "export"]
        except ValueError as error:
            raise ValueError(NOT_CLOSED) from error
        for word in words:
            name, sign, inner = word.partition("=")
            if not sign or not name:
                raise ValueError(F_("one NAME=value a line; `{word}` has no `=`").format(word=word[:60]))
            found[name] = inner
    return found or None


def _parallelism_shown(value: Any) -> str:
    if isinstance(value, dict):
        sizes = {key: inner for key, inner in value.items() if inner is not None}
        text = _sizes(sizes)
        return text if short.parallelism(text) == sizes else flow(value)
    return value if isinstance(value, str) else flow(value)


def _sizes(sizes: dict[str, Any]) -> str:
    if set(sizes) == {"note"} and isinstance(sizes["note"], str):
        return sizes["note"]
    dep = sizes.get("dp_attention") == "true" and sizes.get("dp") == sizes.get("ep")
    parts = [f"DEP{sizes['dp']}"] if dep else []
    left = {key: inner for key, inner in sizes.items() if not dep or key not in ("dp", "ep", "dp_attention")}
    return " ".join([*parts, *(f"{key.upper()}{inner}" for key, inner in left.items())])


def _parallelism_read(text: str) -> Any:
    return _flow_read(text) if text.startswith("{") else short.parallelism(text)


def _approximations_shown(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(item, dict) and set(item) == {"name", "on"} for item in value):
        text = ", ".join(f"{item['name']} {_on(item['on'])}" for item in value) or "none"
        known = [{**item, "on": _on(item["on"])} for item in value]
        if short.approximations(text) == known:
            return text
    return flow(value)


def _on(state: Any) -> str:
    lower = str(state).lower()
    return "on" if lower in YES else "off" if lower in NO else lower


def _approximations_read(text: str) -> Any:
    return _flow_read(text) if text.startswith("[") else short.approximations(text)


def _flow_read(text: str) -> Any:
    document = yaml_tree.parse(text, "field")
    if document.problems:
        raise ValueError(document.problems[0].message)
    return document.data


SHOW: dict[str, Callable[[Any], str]] = {
    "excludes": _list_shown,
    "launch.argv": _command_shown,
    "launch.env": _env_shown,
    "parallelism": _parallelism_shown,
    "approximations": _approximations_shown,
}
READ: dict[str, Callable[[str], Any]] = {
    "excludes": _list_read,
    "launch.argv": _command_read,
    "launch.env": _env_read,
    "parallelism": _parallelism_read,
    "approximations": _approximations_read,
}
