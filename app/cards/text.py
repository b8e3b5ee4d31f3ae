"""What text a card may hold, whatever field it stands in: composed (NFC), printable, of sane length. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from app.language import F_

if TYPE_CHECKING:
    from app.yaml_tree import Document, Path

LONGEST = 2000
# Blocks whose texts are names that people filter by, or short terms.
NAMED = {"engine", "model", "hardware", "parallelism", "dtypes", "speculation", "metric", "result", "runs"}
LONGEST_NAME = 200
# They turn the order of what is shown round, so that a reader sees another command than a copy holds.
TURNING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
ENVIRONMENT = ("launch", "env")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def clean(document: Document) -> None:
    """Rewrite the tree's texts in their composed form; a text that cannot be kept is a problem and left out."""
    document.data = _cleaned(document, document.data, ())


def _cleaned(document: Document, value: Any, path: Path) -> Any:
    if isinstance(value, dict):
        for key in value:
            named = _text(document, key, (*path, key))
            if named and path == ENVIRONMENT and not VARIABLE.fullmatch(key):
                no_name = F_("is no name of a variable: letters, digits and `_`, no digit first")
                document.problem((*path, key), no_name)
        return {key: _cleaned(document, inner, (*path, key)) for key, inner in value.items()}
    if isinstance(value, list):
        return [_cleaned(document, inner, (*path, number)) for number, inner in enumerate(value)]
    return _text(document, value, path) if isinstance(value, str) else value


def _text(document: Document, text: str, path: Path) -> str | None:
    """The text as it is kept; None where it is refused, so that a broken text has one problem and not two."""
    longest = LONGEST_NAME if path[0] in NAMED else LONGEST
    if len(text) > longest:
        long = F_("has {number} characters; at most {number_most} fit here")
        document.problem(path, long.format(number=len(text), number_most=longest))
        return None
    if text.isascii() and text.isprintable():
        return text
    control = next((char for char in text if _controls(char)), None)
    if control is not None:
        found = F_("holds the control character {code}; remove it").format(code=f"U+{ord(control):04X}")
        document.problem(path, found)
        return None
    return unicodedata.normalize("NFC", text)


def _controls(char: str) -> bool:
    return char in TURNING or (unicodedata.category(char) == "Cc" and char not in "\n\t")
