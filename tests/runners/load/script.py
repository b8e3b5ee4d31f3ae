"""Streams written down: what a server writes and when, and the recording that a perfect client would make of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from runners.load import trace
from runners.load.count import Counted, count
from runners.load.schedule import Asked
from runners.load.stream import Ending, Recording

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runners.load.trace import Trace

MS = 1_000_000
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
LAST_CHUNK = b"0\r\n\r\n"
DONE = b"data: [DONE]\n\n"
TTFT, TOKEN = 200, 10  # ms, of the base scenario
N = 31

Write = tuple[float, bytes]  # ms after sending, bytes of the body


def event(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def usage_of(tokens: int, prompt: int = 8) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": tokens, "total_tokens": prompt + tokens}


def piece(
    tokens: int = 1,
    *,
    text: str | None = None,
    ids: bool = False,
    so_far: int | None = None,
    finish: str | None = None,
) -> bytes:
    """A completions chunk; with `ids` its token ids, with `so_far` the usage up to it."""
    choice: dict[str, Any] = {"index": 0, "text": "a" * tokens if text is None else text, "finish_reason": finish}
    if ids:
        choice["token_ids"] = list(range(tokens))
    value: dict[str, Any] = {"id": "cmpl-1", "object": "text_completion", "choices": [choice]}
    if so_far is not None:
        value["usage"] = usage_of(so_far)
    return event(value)


def delta(finish: str | None = None, **fields: Any) -> bytes:
    """A chat chunk with these fields in its delta."""
    choice = {"index": 0, "delta": fields, "finish_reason": finish}
    return event({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})


def usage(tokens: int, prompt: int = 8) -> bytes:
    return event({"id": "cmpl-1", "object": "text_completion", "choices": [], "usage": usage_of(tokens, prompt)})


def stream(sizes: Sequence[int], gap: float, *, first: float = TTFT, ids: bool = True) -> list[Write]:
    """Events of so many tokens each, `gap` ms apart, then usage and [DONE] with the last one."""
    writes: list[Write] = []
    so_far = 0
    for place, size in enumerate(sizes):
        so_far += size
        finish = "length" if place == len(sizes) - 1 else None
        writes.append((first + place * gap, piece(size, ids=ids, so_far=so_far if ids else None, finish=finish)))
    end = writes[-1][0]
    return [*writes, (end, usage(so_far)), (end, DONE)]


def base(*, ids: bool = True) -> list[Write]:
    """31 tokens, the first after 200 ms, then one each 10 ms."""
    return stream([1] * N, TOKEN, ids=ids)


def chunked(writes: Iterable[Write], head: bytes = HEAD) -> list[Write]:
    """The writes as a chunked response, its end written with the last of them."""
    framed = [(at, f"{len(data):x}\r\n".encode() + data + b"\r\n") for at, data in writes]
    at, data = framed[-1] if framed else (0.0, b"")
    framed[-1:] = [(at, data + LAST_CHUNK)]
    return [(0.0, head), *framed]


def recording(raw: Iterable[Write], *, index: int = 0, sent_ms: float = 0, how: Ending = "complete") -> Recording:
    """A recording whose reads are the writes, stamped with their planned times."""
    made = Recording(index, sent_ns=int(sent_ms * MS), how=how)
    for at, data in raw:
        made.stamps.append(int((sent_ms + at) * MS))
        made.reads.append(data)
    made.ended_ns = made.stamps[-1] if made.stamps else made.sent_ns or 0
    return made


def counted(writes: Iterable[Write], *, tokens: int = N, prompt: int | None = 8, index: int = 0) -> Counted:
    """A stream of body writes, counted against what was asked for."""
    return count(recording(chunked(writes), index=index), Asked(tokens, prompt))


def traced(*streams: Iterable[Write], tokens: int = N, prompt: int | None = None, **meta: Any) -> Trace:
    """A run whose requests were all sent at 0 and answered by these streams."""
    rows = [counted(writes, tokens=tokens, prompt=prompt, index=index) for index, writes in enumerate(streams)]
    return trace.from_rows(rows, 0, meta)
