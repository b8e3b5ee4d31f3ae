"""Server-sent events: the bytes of one whole body -> its blocks. Pure; it knows no JSON and no clock.

The grammar is that of the HTML standard (9.2.6, interpreting an event stream): lines end with CRLF, LF or CR and with
nothing else, one leading byte order mark is dropped, one space after the colon is dropped, `data` lines of one block
are joined by LF, a line that starts with a colon is a comment, a block without a blank line after it is dropped. One
thing is kept beyond it: a last `data: [DONE]` that no blank line follows, as some servers leave it out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from runners.load.stream import Ns

# How a block was written. Readers differ in what they survive, so a trace keeps it.
CR = 1 << 11  # a line of it ended with CR or CRLF
NO_SPACE = 1 << 12  # `data:` without a space after the colon
COMMENT = 1 << 13  # it held a comment line
FIELDS = 1 << 14  # it held several data lines, or an event, id, retry or unknown field

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\n|\r")
DONE = b"[DONE]"


class Block(NamedTuple):
    """One block up to its blank line.

    `data` is None where it had no data line (a comment, a lone event name). `end` is the offset in the body of the byte
    with which the block was over: the first byte of the line end of its blank line.
    """

    data: bytes | None
    name: bytes
    end: int
    marks: int


def plain(body: bytes) -> tuple[list[bytes], Ns] | None:
    """Data and end of every block of a body in which each is one `data: ` line and LF; None for any other body.

    Nearly every stream is like this, and it is read several times faster than block by block.
    """
    parts = body.split(b"\n\n")
    if parts.pop() or b"\r" in body or body.count(b"\n") != 2 * len(parts):
        return None
    if body.startswith(b"data: ") + body.count(b"\n\ndata: ") != len(parts):
        return None
    return [part[6:] for part in parts], np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)) + 2) - 1


def blocks(body: bytes) -> list[Block]:
    """All blocks of a body, in order."""
    start = len(_BOM) if body.startswith(_BOM) else 0
    if b"\r" not in body:
        return _uniform(body, start, b"\n", 0)
    pairs = body.count(b"\r\n")
    if pairs == body.count(b"\r") == body.count(b"\n"):
        return _uniform(body, start, b"\r\n", CR)
    return _mixed(body, start)


def _uniform(body: bytes, start: int, line_end: bytes, marks: int) -> list[Block]:
    """Where every line ends alike, blocks are found by splitting at blank lines."""
    found = []
    blank = line_end * 2
    position = start
    parts = body[start:].split(blank)
    tail = parts.pop()
    for part in parts:
        end = position + len(part) + len(line_end)
        position = end + len(line_end)
        if part.startswith(b"data: ") and line_end not in part:
            found.append(Block(part[6:], b"", end, marks))
        elif part.strip(line_end):
            found.append(_block(part.split(line_end), end, marks))
    if tail:
        found.extend(_unfinished(tail.split(line_end), len(body) - 1, marks))
    return found


def _mixed(body: bytes, start: int) -> list[Block]:
    found = []
    lines: list[bytes] = []
    marks = 0
    for match in _LINE_END.finditer(body, start):
        line = body[start : match.start()]
        start = match.end()
        marks |= CR if match.group() != b"\n" else 0
        if line:
            lines.append(line)
            continue
        if lines:
            found.append(_block(lines, match.start(), marks))
        lines, marks = [], 0
    if lines or start < len(body):
        found.extend(_unfinished([*lines, body[start:]], len(body) - 1, marks))
    return found


def _unfinished(lines: list[bytes], end: int, marks: int) -> list[Block]:
    """A block that the body ended in is dropped, except the mark of the end itself."""
    block = _block(lines, end, marks)
    return [block] if block.data is not None and block.data.strip() == DONE else []


def _block(lines: list[bytes], end: int, marks: int) -> Block:
    data: list[bytes] = []
    name = b""
    for line in lines:
        if not line:
            continue
        field, colon, value = line.partition(b":")
        if colon and not field:
            marks |= COMMENT
            continue
        if field != b"data":
            marks |= FIELDS
            name = value.removeprefix(b" ") if field == b"event" else name
            continue
        if colon and not value.startswith(b" "):
            marks |= NO_SPACE
        data.append(value.removeprefix(b" "))
    if len(data) > 1:
        marks |= FIELDS
    return Block(b"\n".join(data) if data else None, name, end, marks)
