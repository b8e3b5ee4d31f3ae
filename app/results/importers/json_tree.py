"""JSON of unknown size and origin -> trees small enough to keep. Pure.

A detailed result file is nearly all per-request lists. They are checked (msgspec walks over them) but not built:
what is too large to be a figure becomes `Unread`. Numbers stay as written, as Decimal. The text may hold several
documents, one after the other, as the tools' append modes leave them.
"""

from __future__ import annotations

import codecs
import heapq
import itertools
import json
import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import msgspec

from app.language import F_
from app.results.importers.schema import ImportProblem

if TYPE_CHECKING:
    from collections.abc import Iterator

WHOLE = 256 * 1024  # bytes that are built at once without looking inside first
BUDGET = 4 * 1024 * 1024  # bytes of one file that are built in all; a byte of JSON becomes up to 60 of objects
PASSED_OVER = re.compile(r"benchmarks\[\d+\]\.requests")
CHUNK = 1024 * 1024  # bytes that are looked at at once
MOST_KEYS = 20_000  # of one object
MOST_DOCUMENTS = 2_000
MOST_PROBLEMS = 50
LONGEST_NUMBER = 60

# Python's json module writes these three, which are no JSON. They are put in JSON's terms at the same length, so that
# places in the file stay right, and taken back when the number is read.
NOT_JSON = re.compile(rb"(?:-?Infinity|NaN)(?=\s*+[,}\]])")
IN_JSON = {b"Infinity": b"1e999999", b"-Infinity": b"-1e999999", b"NaN": b'"\x7f"'}
MOST_NOT_JSON = 100_000
QUOTES = re.compile(rb'\\.|"', re.DOTALL)
SPACE = re.compile(rb"[ \t\r\n]*+")
INFINITE = "1e999999"
NAN = "\x7f"

Tree = dict[str, Any]


@dataclass(frozen=True)
class Unread:
    """A part that was checked and passed over."""

    raw: msgspec.Raw


@dataclass(frozen=True)
class JsonDocument:
    """One document of the text; `line` is where it begins. `tree` is an object, or a list of objects."""

    tree: Tree | list[Any]
    line: int


class _RefusedError(Exception):
    """A document that is JSON but cannot be taken; ends the reading of that document only."""

    def __init__(self, message: str, path: str = "", twice: str = "") -> None:
        super().__init__(message)
        self.path = path or None
        self.twice = twice  # the key that stands twice, if that is why

    def problem(self, text: bytes, at: int, end: int) -> ImportProblem:
        """Its place: the second of the two keys where no third one makes that a guess, else the document's line."""
        key = json.dumps(self.twice, ensure_ascii=False).encode("utf-8", "replace")
        found = [match.start() for match in re.finditer(re.escape(key), text[at:end])] if self.twice else []
        place = _at(text, at + found[1] if len(found) == 2 else at, str(self))
        return place.model_copy(update={"path": self.path})


class _Name:
    """A key as msgspec hands it over; two equal keys stay apart, so that a duplicate is seen."""

    def __init__(self, text: str) -> None:
        self.text = text


@dataclass
class _Budget:
    left: int = BUDGET

    def spend(self, size: int, path: str) -> None:
        self.left -= size
        if self.left < 0:
            limit = f"{BUDGET // 1024 // 1024} MB"
            raise _RefusedError(
                F_("holds more than {number_limit} outside its per-request lists; no result file does").format(
                    number_limit=limit
                ),
                path,
            )


def documents(data: bytes) -> tuple[list[JsonDocument], list[ImportProblem]]:
    """Every document that can be read, and a problem for each that cannot."""
    text = _in_json_terms(data)
    found: list[JsonDocument] = []
    problems: list[ImportProblem] = []
    budget = _Budget()
    at, line = _skip_space(text, 0), 1
    counted = 0  # bytes whose lines are counted already
    while at < len(text) and len(problems) < MOST_PROBLEMS:
        line += text.count(b"\n", counted, at)
        counted = at
        if len(found) == MOST_DOCUMENTS:
            problems.append(
                ImportProblem(
                    message=F_("only the first {number} results are read").format(number=MOST_DOCUMENTS), line=line
                )
            )
            break
        end, problem = _extent(text, at)
        if problem is not None:
            problems.append(problem)
            at = _next_line_with_object(text, at)
            continue
        torn = _no_text(text, at, end)
        if torn is not None:
            problems.append(_at(text, torn, F_("this is not UTF-8 text")))
            at = _skip_space(text, end)
            continue
        try:
            found.append(JsonDocument(_build(text[at:end], budget), line))
        except _RefusedError as refusal:
            problems.append(refusal.problem(text, at, end))
        at = _skip_space(text, end)
    return found, problems


def _extent(text: bytes, at: int) -> tuple[int, ImportProblem | None]:
    """Where the document at `at` ends, or what is wrong with it."""
    piece = memoryview(text)[at:] if at else text
    try:
        msgspec.json.decode(piece, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        match = re.search(r"\(byte (\d+)\)", str(error))
        offset = at + int(match[1]) if match else len(text)
        if "trailing characters" in str(error):  # counted after the first of them was read
            return offset - 1, None
        said = re.sub(r"^JSON is malformed: | \(byte \d+\)$", "", str(error))
        said = (
            F_("the file ends in the middle of a value")
            if "truncated" in said
            else F_("this is not JSON: {why}").format(why=said)
        )
        return at, _at(text, offset, said)
    except RecursionError:
        return at, _at(text, at, F_("nested too deeply for a result file"))
    return len(text), None


def _no_text(text: bytes, at: int, end: int) -> int | None:
    """The first byte that is no UTF-8; msgspec lets such bytes pass, and json would take half a surrogate pair."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(at, end, CHUNK):
        pending = len(decoder.getstate()[0])  # bytes of a character that the chunk before cut
        try:
            decoder.decode(text[start : min(start + CHUNK, end)], final=start + CHUNK >= end)
        except UnicodeDecodeError as error:
            return start - pending + error.start
    return None


def _build(text: bytes, budget: _Budget) -> Tree | list[Any]:
    tree = _grow(msgspec.Raw(text), budget, "", whole=len(text) <= WHOLE)
    if not isinstance(tree, dict | list):
        raise _RefusedError(F_("a result file holds an object or a list of objects"))
    return tree


def _grow(raw: msgspec.Raw, budget: _Budget, path: str, *, whole: bool) -> Any:
    """Small parts are built; of a large one the object levels and `benchmarks` are, its lists are passed over."""
    size = memoryview(raw).nbytes
    if PASSED_OVER.fullmatch(path):
        return Unread(raw)
    if whole or size <= WHOLE:
        budget.spend(size, path)
        return _parse(bytes(raw), path)
    first = bytes(memoryview(raw)[:1])
    if first == b"{":
        lead = f"{path}." if path else ""
        return {key: _grow(part, budget, lead + key, whole=False) for key, part in _pairs(raw, path)}
    if first == b"[" and path in ("", "benchmarks"):
        return [_grow(part, budget, f"{path}[{index}]", whole=False) for index, part in enumerate(_objects(raw, path))]
    return Unread(raw)


def _pairs(raw: msgspec.Raw, path: str) -> Iterator[tuple[str, msgspec.Raw]]:
    keys = 0

    def named(_: type, text: str) -> _Name:
        nonlocal keys
        keys += 1
        if keys > MOST_KEYS:
            raise ValueError(F_("an object with more than {number} keys").format(number=MOST_KEYS))
        return _Name(text)

    try:
        pairs = msgspec.json.decode(raw, type=dict[_Name, msgspec.Raw], dec_hook=named)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise _RefusedError(str(error), path) from None
    seen = set()
    for name, part in pairs.items():
        if name.text in seen:
            raise _RefusedError(_twice(name.text), path, name.text)
        seen.add(name.text)
        yield name.text, part


def _objects(raw: msgspec.Raw, path: str) -> list[msgspec.Raw]:
    """The entries of a list of objects, after a count: a list of a million empty objects is refused, not built."""
    entries = 0

    class Counted(msgspec.Struct):  # keeps nothing of the object that it stands for
        def __post_init__(self) -> None:
            nonlocal entries
            entries += 1
            if entries > MOST_DOCUMENTS:
                raise ValueError(F_("a list of more than {number} results").format(number=MOST_DOCUMENTS))

    try:
        msgspec.json.decode(raw, type=list[Counted])
        return msgspec.json.decode(raw, type=list[msgspec.Raw])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise _RefusedError(str(error), path) from None


def _twice(key: str) -> str:
    return F_("`{key}` stands twice in one object; which one counts is not known").format(key=key[:100])


def _parse(text: bytes, path: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> Tree:
        tree = dict(pairs)
        if len(tree) < len(pairs):
            twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
            raise _RefusedError(_twice(twice), path, twice)
        return tree

    try:
        return json.loads(text.decode(), object_pairs_hook=unique, parse_float=number, parse_int=number)
    except RecursionError:
        raise _RefusedError(F_("nested too deeply for a result file"), path) from None
    except ValueError as error:  # msgspec let it pass, json does not
        raise _RefusedError(F_("this is not JSON: {why}").format(why=error), path) from None


def number(text: str) -> Decimal:
    """A number as written; what no measurement writes (thousands of digits) is not a number."""
    if text.lstrip("-") == INFINITE:
        return Decimal("-Infinity" if text.startswith("-") else "Infinity")
    try:
        return Decimal(text) if len(text) <= LONGEST_NUMBER else Decimal("NaN")
    except InvalidOperation:  # an exponent beyond what Decimal holds
        return Decimal("NaN")


def _in_json_terms(data: bytes) -> bytes:
    """The text with every bare NaN and Infinity replaced; those inside a string stay. The rest is left to msgspec."""
    if b"Infinity" not in data and b"NaN" not in data:
        return data
    text = bytearray(data)
    at, inside = 0, False
    found = heapq.merge(_bare(data, b"Infinity"), _bare(data, b"NaN"), key=lambda match: match.start())
    for match in itertools.islice(found, MOST_NOT_JSON):
        inside ^= _odd_quotes(data[at : match.start()])
        at = match.start()
        if not inside:
            text[at : match.end()] = IN_JSON[match[0]]
    return bytes(text)


def _bare(data: bytes, word: bytes) -> Iterator[re.Match[bytes]]:
    """Where a word stands as a value would. Plain search first: a regular expression takes 20 times as long."""
    at = data.find(word)
    while at >= 0:
        start = at - 1 if at and data[at - 1 : at] == b"-" else at
        match = NOT_JSON.match(data, start)
        if match:
            yield match
        at = data.find(word, at + len(word))


def _odd_quotes(part: bytes) -> bool:
    """Whether a string that began before this part ends in it, or one that begins in it does not."""
    if b"\\" not in part:
        return part.count(b'"') % 2 == 1
    return QUOTES.findall(part).count(b'"') % 2 == 1


def _skip_space(text: bytes, at: int) -> int:
    match = SPACE.match(text, at)
    return match.end() if match else at


def _next_line_with_object(text: bytes, at: int) -> int:
    """After a broken document: the next line that begins one, so that a cut line does not take the others along."""
    found = text.find(b"\n{", at)
    return len(text) if found < 0 else found + 1


def _at(text: bytes, offset: int, message: str) -> ImportProblem:
    """A problem at a byte, as line and column in characters."""
    offset = min(offset, len(text))
    start = text.rfind(b"\n", 0, offset) + 1
    column = len(text[start:offset].decode("utf-8", "replace")) + 1
    return ImportProblem(message=message, line=text.count(b"\n", 0, offset) + 1, column=column)
