"""The small files of a bundle, read as strictly as what people send: no key twice, no number that JSON has not, no text
that is none. Every problem is told with its place."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from app import json_tree
from app.protocol.english import refusal
from app.results.bundle import MOST_SMALL, BundleError, Problem

if TYPE_CHECKING:
    from pathlib import Path

M = TypeVar("M", bound=BaseModel)
Json = dict[str, Any]
HALF = re.compile(r"\\u[dD][89a-fA-F]")  # may begin half of a surrogate pair
MOST_PROBLEMS = 20


def read_object(folder: Path, name: str) -> Json:
    """A file that holds one JSON object. Raises BundleError."""
    text = _text(folder, name)
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_float=_finite, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise _refused(name, _told(text, name) or [f"is no JSON: {error}"]) from error
    if HALF.search(text) and (told := _told(text, name)):
        raise _refused(name, told)
    if not isinstance(found, dict):
        raise _refused(name, ["is no JSON object"])
    return found


def read_model(folder: Path, name: str, kind: type[M]) -> M:
    """The same as a model. Raises BundleError."""
    read_object(folder, name)
    try:
        return kind.model_validate_json((folder / name).read_bytes())
    except ValidationError as error:
        raise _refused(
            name, [f"{'.'.join(map(str, item['loc']))}: {refusal(item)}" for item in error.errors()]
        ) from error


def _text(folder: Path, name: str) -> str:
    if (folder / name).stat().st_size > MOST_SMALL:
        raise _refused(name, ["is larger than any such file"])
    try:
        return (folder / name).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refused(name, [f"is no JSON: byte {error.start} is not UTF-8"]) from error


def _told(text: str, name: str) -> list[str]:
    """Slow, so only asked where something is wrong, or may be."""
    problems = json_tree.parse(text, name).problems
    return [f"line {item.place.line}, column {item.place.column}: {item.message}" for item in problems]


def _refused(name: str, messages: list[str]) -> BundleError:
    return BundleError([Problem(name, message) for message in messages[:MOST_PROBLEMS]])


def _once(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is larger than any number here")
    return number


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")
