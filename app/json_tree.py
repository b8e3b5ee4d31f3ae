"""JSON as scripts send it, read as strictly as YAML is: a tree of strings in which every value knows its place.

Gives the same `Document` as app.yaml_tree, so that one schema and one set of sentences serves both. What other
readers let pass is a problem here: duplicate keys, NaN and Infinity, half a surrogate pair, control characters.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Any, NoReturn

from app.language import F_
from app.yaml_tree import DEEPEST, LONGEST_KEY, Document, Path, Place

BLANK = re.compile(r"[ \t\r\n]*")
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
WORD = re.compile(r"[A-Za-z0-9_.+-]+")
RUN = re.compile(r'[^"\\\x00-\x1f]*')
HEX = re.compile(r"[0-9a-fA-F]{4}")
NAMES = {"true": "true", "false": "false", "null": None}
ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
MISSING_HALF = "\N{REPLACEMENT CHARACTER}"


class _NotJsonError(Exception):
    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at


def parse(text: str, file: str) -> Document:
    """Read one JSON text. All problems found are in the result; `data` is None where there is no tree at all."""
    document = Document(file)
    reader = _Reader(document, text)
    try:
        document.data = reader.read()
    except _NotJsonError as error:
        document.data = None
        document.problem((), F_("this is not JSON: {why}").format(why=error), reader.place(error.at))
    return document


class _Reader:
    def __init__(self, document: Document, text: str) -> None:
        self.document = document
        self.text = text
        self.at = 0
        self.lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def place(self, at: int) -> Place:
        line = bisect_right(self.lines, at)
        return Place(line, at - self.lines[line - 1] + 1)

    def read(self) -> Any:
        self._blank()
        value = self._value(())
        self._blank()
        if self.at < len(self.text):
            self._stop(F_("something follows the end of the value"))
        return value

    def _stop(self, message: str) -> NoReturn:
        raise _NotJsonError(self.at, message)

    def _blank(self) -> str:
        """Go to the next character that means something; returns it, "" at the end."""
        match = BLANK.match(self.text, self.at)
        assert match
        self.at = match.end()
        return self.text[self.at : self.at + 1]

    def _value(self, path: Path) -> Any:
        if len(path) > DEEPEST:
            self._stop(F_("nested deeper than {number} levels").format(number=DEEPEST))
        self.document.places[path] = self.place(self.at)
        first = self.text[self.at : self.at + 1]
        if first == "{":
            return self._object(path)
        if first == "[":
            return self._array(path)
        if first == '"':
            return self._string(path)
        return self._word()

    def _word(self) -> str | None:
        if number := NUMBER.match(self.text, self.at):
            following = self.text[number.end() : number.end() + 1]
            if not WORD.match(following):
                self.at = number.end()
                return number[0]
        word = WORD.match(self.text, self.at)
        if word is None:
            self._stop(F_("a value is expected here"))
        if word[0] not in NAMES:
            self._stop(F_("`{word}` is no JSON value; text stands in double quotes").format(word=word[0][:40]))
        self.at = word.end()
        return NAMES[word[0]]

    def _array(self, path: Path) -> list[Any]:
        items: list[Any] = []
        self.at += 1
        if self._blank() == "]":
            self.at += 1
            return items
        while True:
            self._blank()
            items.append(self._value((*path, len(items))))
            if self._ends("]"):
                return items

    def _object(self, path: Path) -> dict[str, Any]:
        items: dict[str, Any] = {}
        self.at += 1
        if self._blank() == "}":
            self.at += 1
            return items
        while True:
            if self._blank() != '"':
                self._stop(F_("a key in double quotes is expected here"))
            start = self.at
            key = self._string(path)
            if self._blank() != ":":
                self._stop(F_("a colon is expected here"))
            self.at += 1
            self._blank()
            value = self._value((*path, key))
            if key in items:
                twice = F_("`{key}` stands twice; keep one").format(key=key[:LONGEST_KEY])
                self.document.problem(path, twice, self.place(start))
            items[key] = value
            if self._ends("}"):
                return items

    def _ends(self, closing: str) -> bool:
        found = self._blank()
        if found not in (",", closing) or not found:
            self._stop(F_("a comma or `{closing}` is expected here").format(closing=closing))
        self.at += 1
        return found == closing

    def _string(self, path: Path) -> str:
        parts: list[str] = []
        self.at += 1
        while True:
            run = RUN.match(self.text, self.at)
            assert run
            parts.append(run[0])
            self.at = run.end()
            stop = self.text[self.at : self.at + 1]
            if stop == '"':
                self.at += 1
                return "".join(parts)
            if stop != "\\":
                self._stop("this text does not end" if not stop else "a control character must be escaped in text")
            parts.append(self._escape(path))

    def _escape(self, path: Path) -> str:
        start = self.at
        kind = self.text[start + 1 : start + 2]
        if kind in ESCAPES:
            self.at += 2
            return ESCAPES[kind]
        code = self._unit(start)
        if code is None:
            self._stop("`\\` begins no escape here")
        self.at = start + 6
        if 0xD800 <= code < 0xDC00:
            low = self._unit(self.at)
            if low is not None and 0xDC00 <= low < 0xE000:
                self.at += 6
                return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
        if 0xD800 <= code < 0xE000:
            self.document.problem(path, F_("this is not text: half of a surrogate pair stands here"), self.place(start))
            return MISSING_HALF
        return chr(code)

    def _unit(self, at: int) -> int | None:
        """The code of `\\uXXXX` at `at`, None where there is none."""
        digits = HEX.match(self.text, at + 2) if self.text.startswith("\\u", at) else None
        return int(digits[0], 16) if digits else None


class _TwiceError(ValueError):
    """A key that an object has already."""


def twice(data: bytes | str) -> str | None:
    """The first key that stands twice in one object: readers differ in which of its values counts, so one text would
    stand for two launches. None where there is none, and for what is no JSON."""
    try:
        json.loads(data, object_pairs_hook=_each_once)
    except _TwiceError as error:
        return str(error)
    except (ValueError, RecursionError):
        return None  # the model tells what is wrong
    return None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return found
