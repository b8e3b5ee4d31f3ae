"""What one request recorded, and the HTTP/1.1 response in it. Pure: bytes and stamps in, body and stamps out.

While a run is on, a connection only asks this file where a response ends. The body is taken apart after the run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

Ns = npt.NDArray[np.int64]
Ending = Literal["complete", "closed", "reset", "timeout", "too_large", "no_connection"]

HEAD_LIMIT = 64 * 1024
_HEAD_END = b"\r\n\r\n"
_STATUS = re.compile(rb"HTTP/1\.([01]) (\d{3})(?: ([^\r\n]*))?\r\n")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?")
_LAST_CHUNK = b"\r\n0\r\n\r\n"


@dataclass(slots=True)
class Recording:
    """One request as it happened. Times are CLOCK_MONOTONIC in nanoseconds; `reads[i]` arrived at `stamps[i]`.

    `sent_ns` is None where no connection could be had. `opened_ns` and `tls_ns` are what this request's own connection
    took to open, where it was not one of the pool's. `how` is how the exchange ended, `detail` the system's words.
    """

    index: int
    scheduled_ns: int | None = None
    sent_ns: int | None = None
    stamps: list[int] = field(default_factory=list)
    reads: list[bytes] = field(default_factory=list)
    ended_ns: int = 0
    how: Ending = "complete"
    detail: str = ""
    opened_ns: int | None = None
    tls_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """Status line and header of a response. `length` is the body's, None for a chunked one or one that a close ends."""

    status: int
    reason: str
    headers: dict[str, str]
    body_at: int
    chunked: bool
    length: int | None
    close: bool


@dataclass(frozen=True, slots=True)
class Response:
    """A response taken apart. `fault` says what was wrong with it as HTTP; `complete` that its end was seen."""

    head: Head | None
    body: bytes
    complete: bool
    fault: str
    starts: Ns  # offset in the body at which each piece starts ...
    raw_starts: Ns  # ... and where that piece stands in the bytes as read

    def raw_offsets(self, offsets: Ns) -> Ns:
        """Where bytes of the body stand in the bytes as read."""
        piece = np.searchsorted(self.starts, offsets, side="right") - 1
        return self.raw_starts[piece] + offsets - self.starts[piece]


def read_head(raw: bytes) -> Head | str | None:
    """The head at the start of `raw`, a fault in words, or None where it has not come whole. 1xx are passed over."""
    position = 0
    while True:
        end = raw.find(_HEAD_END, position)
        if end < 0:
            return _not_yet(raw, position)
        match = _STATUS.match(raw, position, end + 2)
        if match is None:
            return "the answer does not start like HTTP/1.1"
        status = int(match[2])
        if status >= 200:
            headers = _headers(raw[match.end() : end])
            return _framing(status, (match[3] or b"").decode("latin-1"), headers, end + 4, match[1] == b"0")
        position = end + 4


def _not_yet(raw: bytes, position: int) -> str | None:
    begun = raw[position : position + 5]
    if not b"HTTP/".startswith(begun):
        return "the answer does not start like HTTP/1.1"
    return f"no end of the header within {HEAD_LIMIT} bytes" if len(raw) - position > HEAD_LIMIT else None


def _headers(lines: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in lines.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        if colon:
            found[name.decode("latin-1").strip().lower()] = value.decode("latin-1").strip()
    return found


def _framing(status: int, reason: str, headers: dict[str, str], body_at: int, old: bool) -> Head | str:
    connection = headers.get("connection", "").lower()
    close = "close" in connection or (old and "keep-alive" not in connection)
    chunked = headers.get("transfer-encoding", "").lower().endswith("chunked")
    length: int | None = None
    if status in {204, 304}:
        length = 0
    elif not chunked and "content-length" in headers:
        if not headers["content-length"].isdecimal():
            return "the content-length is not a number"
        length = int(headers["content-length"])
    return Head(status, reason, headers, body_at, chunked, length, close or not (chunked or length is not None))


def looks_finished(tail: bytes) -> bool:
    """Whether a chunked body that ends in `tail` is over, judged by its last seven bytes alone.

    A chunk whose own text is a line `0` and a blank line, read up to exactly there, looks the same. Such a response is
    found incomplete when it is counted, and fails; nothing else is mistaken.
    """
    return tail.endswith(_LAST_CHUNK)


class ChunkWalk:
    """Steps over a chunked body as its bytes come, for the ends that `looks_finished` does not know: trailers, chunk
    extensions. `broken` is set where a chunk has no size, so that no end will come."""

    def __init__(self) -> None:
        self.broken = False
        self._skip = 0  # bytes of the present chunk that are still to come
        self._rest = b""  # a size line that has not come whole

    def finished(self, fresh: bytes) -> bool:
        """Whether the last chunk and its trailer have come, with these bytes after those given before."""
        data = self._rest + fresh
        position = self._skip
        while position < len(data):
            line_end = data.find(b"\r\n", position)
            if line_end < 0:
                break
            match = _SIZE.fullmatch(data, position, line_end)
            if match is None:
                self.broken = True
                return False
            size = int(match[1], 16)
            if size == 0:
                if data.startswith(b"\r\n", line_end + 2) or data.find(_HEAD_END, line_end) >= 0:
                    return True
                break
            position = line_end + 4 + size
        self._rest = data[position:]
        self._skip = max(0, position - len(data))
        return False


def take_apart(raw: bytes, closed: bool) -> Response:
    """The response in `raw`; `closed` says that the server closed the connection after it in an orderly way."""
    head = read_head(raw)
    if not isinstance(head, Head):
        nothing = np.zeros(1, np.int64)
        fault = head or ("" if not raw else "the connection ended within the header")
        return Response(None, b"", False, fault, nothing, nothing)
    if head.chunked:
        return _unchunk(raw, head)
    body = raw[head.body_at :]
    complete, fault = closed, ""
    if head.length is not None:
        complete = len(body) >= head.length
        fault = "bytes came after the end of the response" if len(body) > head.length else ""
        body = body[: head.length]
    if not complete:
        fault = f"the body ended after {len(body)} bytes" + ("" if head.length is None else f" of {head.length}")
    return Response(head, body, complete, fault, np.zeros(1, np.int64), np.array([head.body_at], np.int64))


def _unchunk(raw: bytes, head: Head) -> Response:
    return _split_chunks(raw, head) or _walk_chunks(raw, head)


def _split_chunks(raw: bytes, head: Head) -> Response | None:
    """A complete body without extensions, trailer or CRLF in its data, which splitting at CRLF takes apart at once."""
    parts = raw[head.body_at :].split(b"\r\n")
    if len(parts) % 2 == 0 or parts[-3:] != [b"0", b"", b""]:
        return None
    sizes, pieces = parts[:-3:2], parts[1:-3:2]
    digits = b"".join(sizes).translate(None, b"0123456789abcdefABCDEF")
    if digits or b"" in sizes:
        return None
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    if [int(size, 16) for size in sizes] != lengths.tolist() or 0 in lengths:
        return None
    ends = np.cumsum(lengths)
    # Before a piece stand the pieces before it, with a size line and two line ends each, and its own size line.
    framing = np.fromiter(map(len, sizes), np.int64, len(sizes)) + 2
    raw_starts = head.body_at + np.cumsum(framing) + (ends - lengths) + 2 * np.arange(len(pieces))
    return Response(head, b"".join(pieces), True, "", *_places(ends - lengths, raw_starts, head.body_at))


def _places(starts: Ns, raw_starts: Ns, body_at: int) -> tuple[Ns, Ns]:
    return (starts, raw_starts) if len(starts) else (np.zeros(1, np.int64), np.array([body_at], np.int64))


def _walk_chunks(raw: bytes, head: Head) -> Response:
    pieces: list[bytes] = []
    starts: list[int] = []
    raw_starts: list[int] = []
    position, length = head.body_at, 0
    fault, complete = "the chunked body ended before its last chunk", False
    while True:
        line_end = raw.find(b"\r\n", position)
        if line_end < 0:
            break
        match = _SIZE.fullmatch(raw, position, line_end)
        if match is None:
            fault = "a chunk has no size"
            break
        size = int(match[1], 16)
        if size == 0:
            complete, fault = _after_last_chunk(raw, line_end)
            break
        piece = raw[line_end + 2 : line_end + 2 + size]
        pieces.append(piece)
        starts.append(length)
        raw_starts.append(line_end + 2)
        length += len(piece)
        position = line_end + 4 + size
        if position > len(raw):
            break
        if not raw.startswith(b"\r\n", position - 2):
            fault = "a chunk is longer than its size"
            break
    places = _places(np.array(starts, np.int64), np.array(raw_starts, np.int64), head.body_at)
    return Response(head, b"".join(pieces), complete, fault, *places)


def _after_last_chunk(raw: bytes, line_end: int) -> tuple[bool, str]:
    if raw.startswith(b"\r\n", line_end + 2):
        end = line_end + 4
    else:
        trailer = raw.find(_HEAD_END, line_end)
        if trailer < 0:
            return False, "the body ended within its trailer"
        end = trailer + 4
    return True, "" if end == len(raw) else "bytes came after the end of the response"
