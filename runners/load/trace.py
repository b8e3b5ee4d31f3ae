"""The trace of one run in memory: one row a request, its events beside it. Pure; trace_file.py keeps it.

Columns, their units and meanings are NUMBERS, WORDS and EVENTS below. Times are nanoseconds from the start of the run
on CLOCK_MONOTONIC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runners.load.count import Counted

Ints = npt.NDArray[np.int64]

MISSING = int(np.iinfo(np.int64).min)  # null, in memory

NUMBERS: dict[str, tuple[str, str]] = {
    "index": ("", "place of the request in the run, from 0"),
    "session": ("", "the conversation that the request is a turn of"),
    "turn": ("", "place of the turn in its session, from 0"),
    "scheduled_ns": ("ns", "when an open loop wanted it sent"),
    "sent_ns": ("ns", "when its bytes were written to an open connection"),
    "first_byte_ns": ("ns", "arrival of the first byte of the answer"),
    "ended_ns": ("ns", "when the exchange was over"),
    "opened_ns": ("ns", "time that opening a TCP connection took, where the request could not use a pooled one"),
    "tls_ns": ("ns", "time that the TLS handshake of that connection took"),
    "status": ("", "HTTP status"),
    "input_tokens": ("tokens", "prompt tokens as sent; null where the prompt was text"),
    "asked_tokens": ("tokens", "output tokens asked for"),
    "prompt_tokens": ("tokens", "prompt tokens as the server counted them"),
    "cached_tokens": ("tokens", "prompt tokens that the server took from its prefix cache"),
    "output_tokens": ("tokens", "output tokens: the server's usage, else the number of token ids"),
    "reasoning_tokens": ("tokens", "output tokens that the server calls reasoning"),
    "text_length": ("characters", "length of the text that came"),
}
WORDS: dict[str, tuple[str, str]] = {
    "failure": ("", "why the request does not count, as a kind; null where it counts"),
    "message": ("", "what was said or seen when it failed"),
    "finish_reason": ("", "the stream's finish reason"),
    "counting": ("", "how tokens per event were counted: token_ids, continuous_usage or final_usage"),
    "output_sha256": ("", "SHA-256 of the token ids as little-endian int64, or of the text where there are no ids"),
    "server_metrics": ("", "what the server said about this request beside usage (metrics, sglext), as JSON"),
}
EVENTS: dict[str, tuple[str, str]] = {
    "event_ns": ("ns", "arrival of the byte with which the event was over, as the stamp of its socket read"),
    "event_tokens": ("tokens", "output tokens in the event; null for output of unknown length"),
    "event_marks": (
        "bits",
        "1 choice, 2 text, 4 reasoning, 8 tool call, 16 text field (perhaps empty), 32 role, 64 usage, "
        "128 finish reason, 256 [DONE], 512 error, 1024 broken JSON, 2048 CR line ends, 4096 no space after data:, "
        "8192 comment, 16384 several or other fields, 32768 reasoning in reasoning_content",
    ),
    "event_usage": ("tokens", "output tokens so far, as the usage in this event says"),
}
_TIMES = ("scheduled_ns", "sent_ns", "first_byte_ns", "ended_ns")


@dataclass(slots=True)
class Trace:
    """A run in memory: request columns, event columns, and `offsets[i]:offsets[i + 1]` as the events of request i."""

    meta: dict[str, Any]
    numbers: dict[str, Ints]
    words: dict[str, list[str | None]]
    offsets: Ints
    event_ns: Ints
    event_tokens: npt.NDArray[np.int32]
    event_marks: npt.NDArray[np.int32]
    event_usage: npt.NDArray[np.int32]
    ok: npt.NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self.ok = np.array([failure is None for failure in self.words["failure"]], np.bool_)

    def __len__(self) -> int:
        return len(self.ok)

    def events(self, request: int) -> slice:
        """Where the events of a request stand in the event columns."""
        return slice(int(self.offsets[request]), int(self.offsets[request + 1]))


def from_rows(rows: Sequence[Counted], started_ns: int, meta: dict[str, Any]) -> Trace:
    """The trace of counted requests, in the order of their indices; times become offsets from `started_ns`."""
    ordered = sorted(rows, key=lambda row: row.index)
    numbers = {name: _numbers([getattr(row, name) for row in ordered]) for name in NUMBERS}
    for name in _TIMES:
        known = numbers[name] != MISSING
        numbers[name][known] -= started_ns
    lengths = [len(row.event_ns) for row in ordered]
    return Trace(
        meta,
        numbers,
        {name: [getattr(row, name) for row in ordered] for name in WORDS},
        np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.int64),
        _joined([row.event_ns for row in ordered], np.int64) - started_ns,
        _joined([row.event_tokens for row in ordered], np.int32),
        _joined([row.event_marks for row in ordered], np.int32),
        _joined([row.event_usage for row in ordered], np.int32),
    )


def _numbers(values: list[int | None]) -> Ints:
    return np.array([MISSING if value is None else value for value in values], np.int64)


def _joined(parts: list[Any], kind: type[np.int64 | np.int32]) -> Any:
    return np.concatenate(parts).astype(kind, copy=False) if parts else np.zeros(0, kind)
