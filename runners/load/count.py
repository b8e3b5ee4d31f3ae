"""Counting: one recording -> one row of the trace. Pure; it runs after the measured time.

Tokens per event are taken from the first of these that the stream has, and the row says which: the token ids of each
event; the usage of each event (continuous usage); the usage at the end alone, where an event with output has an unknown
number of tokens. Whatever else the stream says about its tokens must agree, or the request fails.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from runners.load import chunks, sse
from runners.load.stream import Ns, Recording, Response, take_apart

if TYPE_CHECKING:
    from app.protocol.reasons import Kind
    from runners.load.schedule import Asked

Counting = Literal["token_ids", "continuous_usage", "final_usage"]
UNKNOWN = -1  # tokens of an event, or a usage, that the stream does not state


@dataclass(slots=True)
class Counted:
    """One request, counted. Times are CLOCK_MONOTONIC in ns; the event arrays have one entry a block of the stream."""

    index: int
    session: int | None
    turn: int
    scheduled_ns: int | None
    sent_ns: int | None
    ended_ns: int
    input_tokens: int | None
    asked_tokens: int
    first_byte_ns: int | None = None
    opened_ns: int | None = None
    tls_ns: int | None = None
    status: int | None = None
    failure: Kind | None = None
    message: str = ""
    finish_reason: str | None = None
    counting: Counting | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    text_length: int = 0
    output_sha256: str | None = None
    server_metrics: str | None = None
    event_ns: Ns = field(default_factory=lambda: np.zeros(0, np.int64))
    event_tokens: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    event_marks: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    event_usage: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))


@dataclass(slots=True)
class _Stream:
    """What the blocks of one body held. `ids`, `usage` and `marks` have an entry a block."""

    marks: list[int] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    usage: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    last_usage: chunks.Usage | None = None
    finish_reason: str | None = None
    several: bool = False
    trouble: tuple[Kind, str] | None = None
    metrics: dict[str, object] = field(default_factory=dict)


def count(recording: Recording, asked: Asked) -> Counted:
    """One request of a run, with the reason why it failed where it did."""
    row = Counted(
        index=recording.index,
        session=asked.session,
        turn=asked.turn,
        scheduled_ns=recording.scheduled_ns,
        sent_ns=recording.sent_ns,
        ended_ns=recording.ended_ns,
        input_tokens=asked.input_tokens,
        asked_tokens=asked.output_tokens,
        first_byte_ns=recording.stamps[0] if recording.stamps else None,
        opened_ns=recording.opened_ns,
        tls_ns=recording.tls_ns,
    )
    response = take_apart(b"".join(recording.reads), closed=recording.how == "closed")
    row.status = response.head.status if response.head else None
    stream, ends = _read(response.body if row.status == 200 else b"")
    row.event_ns = _times(recording, response, ends)
    _fill(row, stream)
    trouble = _transport_failure(recording, response, stream) or _stream_failure(recording, response, stream)
    trouble = trouble or _miscount(row) or _not_as_asked(row)
    if trouble:
        row.failure, row.message = trouble
    return row


def _times(recording: Recording, response: Response, ends: Ns) -> Ns:
    """The stamp of the read that brought the last byte of each block."""
    if not len(ends):
        return ends
    read_ends = np.cumsum(np.fromiter(map(len, recording.reads), np.int64, len(recording.reads)))
    stamps = np.array(recording.stamps, np.int64)
    times: Ns = stamps[np.searchsorted(read_ends, response.raw_offsets(ends), side="right")]
    return times


def _read(body: bytes) -> tuple[_Stream, Ns]:
    """What the blocks of a body hold, and where they end."""
    stream = _Stream()
    quick = sse.plain(body)
    if quick is not None and _read_plain(stream, quick[0]):
        return stream, quick[1]
    stream = _Stream()
    blocks = sse.blocks(body)
    for data, name, _, marks in blocks:
        found, ids, used = _read_block(stream, data, name)
        stream.marks.append(marks | found)
        stream.ids.append(ids)
        stream.usage.append(used)
    return stream, np.array([block.end for block in blocks], np.int64)


def _read_plain(stream: _Stream, data: list[bytes]) -> bool:
    """A stream of nothing but chunks with one [DONE] at its end, all decoded at once; False for any other."""
    if not data or data[-1] != sse.DONE:
        return False
    try:
        found = chunks.DECODE_LINES(b"\n".join(data[:-1]))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    if len(found) != len(data) - 1:
        return False
    for chunk in found:
        if chunks.is_error(chunk):
            return False
        marks, ids, used = _read_chunk(stream, chunk)
        stream.marks.append(marks)
        stream.ids.append(ids)
        stream.usage.append(used)
    stream.marks.append(chunks.DONE)
    stream.ids.append(UNKNOWN)
    stream.usage.append(UNKNOWN)
    return True


def _read_block(stream: _Stream, data: bytes | None, name: bytes) -> tuple[int, int, int]:
    """Flags, token ids and the usage's output tokens of one block of whatever kind."""
    if data is None or not data.strip():
        return 0, UNKNOWN, UNKNOWN
    if name == b"error":
        stream.trouble = stream.trouble or ("error_in_stream", chunks.described_error(data))
        return chunks.ERROR, UNKNOWN, UNKNOWN
    if data.strip() == sse.DONE:
        return chunks.DONE, UNKNOWN, UNKNOWN
    try:
        chunk = chunks.DECODE(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        stream.trouble = stream.trouble or ("broken_json", f"{error}: {chunks.shortened(data)}")
        return chunks.BROKEN, UNKNOWN, UNKNOWN
    if chunks.is_error(chunk):
        stream.trouble = stream.trouble or ("error_in_stream", chunks.described_error(data))
        return chunks.ERROR, UNKNOWN, UNKNOWN
    return _read_chunk(stream, chunk)


def _read_chunk(stream: _Stream, chunk: chunks.Chunk) -> tuple[int, int, int]:
    ids = used = UNKNOWN
    if chunk.usage is not None:
        stream.last_usage = chunk.usage
        used = UNKNOWN if chunk.usage.completion_tokens is None else chunk.usage.completion_tokens
    if chunk.choices:
        ids = _read_choice(stream, chunk.choices)
    if chunk.metrics:
        stream.metrics["metrics"] = chunk.metrics
    if chunk.sglext:
        stream.metrics["sglext"] = {name: value for name, value in chunk.sglext.items() if not name.endswith("_ids")}
    return chunks.marks_of(chunk), ids, used


def _read_choice(stream: _Stream, choices: list[chunks.Choice]) -> int:
    choice = choices[0]
    if len(choices) > 1 or choice.index:
        stream.several = True
    if choice.finish_reason:
        stream.finish_reason = choice.finish_reason
    delta = choice.delta
    text = choice.text if delta is None else (delta.reasoning or delta.reasoning_content or "") + (delta.content or "")
    if text:
        stream.texts.append(text)
    if choice.token_ids is None:
        return UNKNOWN
    stream.tokens += choice.token_ids
    return len(choice.token_ids)


def _fill(row: Counted, stream: _Stream) -> None:
    row.event_marks = np.array(stream.marks, np.int32)
    row.event_usage = np.array(stream.usage, np.int32)
    row.counting, row.event_tokens = _tokens(row.event_marks, np.array(stream.ids, np.int32), row.event_usage)
    row.finish_reason = stream.finish_reason
    text = "".join(stream.texts)
    row.text_length = len(text)
    if stream.tokens:
        row.output_sha256 = hashlib.sha256(np.array(stream.tokens, np.int64).tobytes()).hexdigest()
    elif text:
        row.output_sha256 = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    if stream.metrics:
        row.server_metrics = msgspec.json.encode(stream.metrics).decode()
    usage = stream.last_usage
    if usage is not None:
        details = usage.completion_tokens_details
        row.prompt_tokens = usage.prompt_tokens
        row.cached_tokens = usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else None
        row.reasoning_tokens = details.reasoning_tokens if details else usage.reasoning_tokens
    row.output_tokens = usage.completion_tokens if usage is not None else None
    if row.output_tokens is None and row.counting == "token_ids":
        row.output_tokens = int(row.event_tokens.sum())


def _tokens(
    marks: npt.NDArray[np.int32], ids: npt.NDArray[np.int32], usage: npt.NDArray[np.int32]
) -> tuple[Counting | None, npt.NDArray[np.int32]]:
    """How tokens were counted, and the tokens of each block: 0 for none, UNKNOWN for output of unknown length."""
    output = (marks & chunks.OUTPUT) != 0
    if (ids != UNKNOWN).any():
        return "token_ids", np.where(ids == UNKNOWN, 0, ids).astype(np.int32)
    choices = (marks & chunks.CHOICES) != 0
    stated = choices & (usage != UNKNOWN)
    if output.any() and not (output & ~stated).any():
        so_far = np.maximum.accumulate(np.where(stated, usage, 0))
        return "continuous_usage", np.where(choices, np.diff(so_far, prepend=0), 0).astype(np.int32)
    mode: Counting | None = "final_usage" if (usage != UNKNOWN).any() else None
    return mode, np.where(output, UNKNOWN, 0).astype(np.int32)


def _transport_failure(recording: Recording, response: Response, stream: _Stream) -> tuple[Kind, str] | None:
    head = response.head
    if recording.how in {"no_connection", "timeout", "too_large"}:
        kind: Kind = recording.how
        return kind, recording.detail
    if head is None:
        return ("not_http", response.fault) if recording.reads else ("no_answer", recording.detail)
    if head.status != 200:
        return "status", f"{head.status} {head.reason}: {chunks.described_error(response.body)}".rstrip(": ")
    if head.headers.get("content-encoding", "identity").lower() != "identity":
        return "compressed", head.headers["content-encoding"]
    if not any(mark & chunks.CHOICES for mark in stream.marks) and stream.trouble is None:
        kinds = head.headers.get("content-type", "no content type")
        if "event-stream" not in kinds:
            return "not_a_stream", f"{kinds}: {chunks.shortened(response.body)}"
    return None


def _stream_failure(recording: Recording, response: Response, stream: _Stream) -> tuple[Kind, str] | None:
    if stream.trouble:
        return stream.trouble
    if not response.complete or response.fault:
        return "truncated", f"{response.fault} {recording.detail}".strip()
    if stream.several:
        return "several_choices", ""
    done = [bool(mark & chunks.DONE) for mark in stream.marks]
    if not any(done):
        return "no_done", f"finish reason {stream.finish_reason or 'not stated'}"
    if any(mark & chunks.OUTPUT for mark in stream.marks[done.index(True) :]):
        return "after_done", ""
    return None


def _miscount(row: Counted) -> tuple[Kind, str] | None:
    """Nobody knows how many tokens there were."""
    if not (row.event_tokens != 0).any():
        return "no_tokens", f"usage says {row.output_tokens}" if row.output_tokens else ""
    stated = row.event_usage[row.event_usage != UNKNOWN]
    if not len(stated):
        return "no_usage", ""
    trouble = _disagreement(row, int(stated[-1]))
    return ("counts_disagree", trouble) if trouble else None


def _not_as_asked(row: Counted) -> tuple[Kind, str] | None:
    """What was measured is not what was asked for."""
    tokens = row.output_tokens or 0
    if tokens != row.asked_tokens:
        kind: Kind = "short_output" if tokens < row.asked_tokens else "long_output"
        return kind, f"{tokens} of {row.asked_tokens}, finish reason {row.finish_reason or 'not stated'}"
    if row.finish_reason != "length":
        return "finish_reason", row.finish_reason or "not stated"
    if row.input_tokens is not None and row.prompt_tokens != row.input_tokens:
        return "prompt_tokens", f"{row.prompt_tokens} instead of {row.input_tokens}"
    return None


def _disagreement(row: Counted, final: int) -> str | None:
    """Where two counts of one stream differ: event by event, and at the end."""
    if row.counting == "final_usage":
        events = int((row.event_tokens != 0).sum())
        return f"{events} events with output, but usage counts {final} tokens" if events > final else None
    so_far = np.cumsum(row.event_tokens)
    stated = row.event_usage != UNKNOWN
    differ = np.flatnonzero(stated & (so_far != row.event_usage))
    if not len(differ):
        return None
    first = int(differ[0])
    return f"events carried {so_far[first]} tokens where the server's usage says {row.event_usage[first]}"
