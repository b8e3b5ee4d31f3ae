"""A short run whose every event is written down here, to show what each definition makes of the same stream. Pure.

Two streams: one sends several tokens in an event, as engines do with speculation or to a slow reader, and a first event
without text, as engines do for half a character; the other sends one token in each.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runners.load.count import count
from runners.load.schedule import Asked
from runners.load.stream import Recording
from runners.load.trace import from_rows

if TYPE_CHECKING:
    from runners.load.trace import Trace

MS = 1_000_000  # ns
PROMPT = 4
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Sent:
    """One event: when it arrives, how many tokens it carries, and its text."""

    at_ms: int
    tokens: int
    text: str


@dataclass(frozen=True, slots=True)
class Stream:
    sent_ms: int
    events: tuple[Sent, ...]
    ended_ms: int  # usage and [DONE]

    @property
    def tokens(self) -> int:
        return sum(event.tokens for event in self.events)


STREAMS = (
    Stream(0, (Sent(40, 1, ""), Sent(60, 2, "Two at"), Sent(80, 1, " a"), Sent(100, 4, " time, then four"),
               Sent(140, 2, " more.")), 150),
    Stream(10, (Sent(50, 1, "One"), Sent(70, 1, " by"), Sent(90, 1, " one"), Sent(110, 1, ".")), 112),
)  # fmt: skip


def example() -> Trace:
    """The run as the client would have recorded it."""
    rows = [count(_recorded(place, stream), Asked(stream.tokens, PROMPT)) for place, stream in enumerate(STREAMS)]
    return from_rows(rows, 0, {"endpoint": "completions", "asked": {"usage": True, "continuous": False}})


def _recorded(index: int, stream: Stream) -> Recording:
    stamps, reads, done = [], [], 0
    for place, event in enumerate(stream.events):
        finish = "length" if place == len(stream.events) - 1 else None
        ids = list(range(done, done + event.tokens))
        choice = {"index": 0, "text": event.text, "finish_reason": finish, "token_ids": ids}
        stamps.append(event.at_ms * MS)
        reads.append(_chunk({"choices": [choice]}))
        done += event.tokens
    usage = {"prompt_tokens": PROMPT, "completion_tokens": done, "total_tokens": PROMPT + done}
    stamps.append(stream.ended_ms * MS)
    reads.append(_chunk({"choices": [], "usage": usage}) + _framed(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    reads[0] = _HEAD + reads[0]
    return Recording(index, None, stream.sent_ms * MS, stamps, reads, stream.ended_ms * MS)


def _chunk(said: dict[str, object]) -> bytes:
    return _framed(b"data: " + json.dumps(said).encode() + b"\n\n")


def _framed(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)
