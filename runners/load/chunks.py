"""The JSON of one stream event: what it carries, as flags and counts. Pure; it judges nothing.

It reads the chunks of /v1/completions and /v1/chat/completions as vLLM, SGLang and their like send them.
"""

from __future__ import annotations

from typing import Any

import msgspec

# What an event carried. The bits from CR on belong to sse.py: how it was written.
CHOICES = 1 << 0  # a choice
TEXT = 1 << 1  # text or content that is not empty
REASONING = 1 << 2  # reasoning of either field name, not empty
TOOL = 1 << 3  # a tool or function call
FIELD = 1 << 4  # the text or content field was there, empty or not
ROLE = 1 << 5  # a role, as in the opening chunk of a chat
USAGE = 1 << 6  # a usage object
FINISH = 1 << 7  # a finish reason
DONE = 1 << 8  # [DONE]
ERROR = 1 << 9  # an error object, or an event named error
BROKEN = 1 << 10  # data that is no JSON object

OLD_REASONING = 1 << 15  # the reasoning stood in `reasoning_content`, not in `reasoning`

OUTPUT = TEXT | REASONING | TOOL


class Details(msgspec.Struct, gc=False):
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class Usage(msgspec.Struct, gc=False):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: Details | None = None
    completion_tokens_details: Details | None = None
    reasoning_tokens: int | None = None


class Delta(msgspec.Struct, gc=False):
    role: str | None = None
    content: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[Any] | None = None
    function_call: dict[str, Any] | None = None


class Choice(msgspec.Struct, gc=False):
    index: int = 0
    text: str | None = None
    delta: Delta | None = None
    finish_reason: str | None = None
    token_ids: list[int] | None = None


class Chunk(msgspec.Struct, gc=False):
    """One chunk. `error`, `metrics` (vLLM) and `sglext` (SGLang) are kept as they came."""

    choices: list[Choice] | None = None
    usage: Usage | None = None
    error: Any = None
    object: str | None = None
    message: Any = None
    metrics: dict[str, Any] | None = None
    sglext: dict[str, Any] | None = None


_DECODER = msgspec.json.Decoder(Chunk)
DECODE = _DECODER.decode
DECODE_LINES = _DECODER.decode_lines
_LOOSE = msgspec.json.Decoder().decode


def described_error(data: bytes) -> str:
    """The words of an error in an event, or of data that no chunk could be read from."""
    try:
        value = _LOOSE(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return shortened(data)
    if isinstance(value, dict):
        error = value.get("error") or value
        if isinstance(error, dict) and error.get("message"):
            return str(error["message"])[:300]
        return str(error)[:300]
    return shortened(data)


def shortened(data: bytes) -> str:
    """The first words of a body, for a message."""
    text = data[:200].decode("utf-8", "replace")
    return " ".join(text.split())


def is_error(chunk: Chunk) -> bool:
    """Whether a chunk reports a failure: `{"error": ...}`, or vLLM's older `{"object": "error", ...}`."""
    return bool(chunk.error) or (chunk.object == "error" and chunk.choices is None)


def marks_of(chunk: Chunk) -> int:
    """The flags of a chunk that is no error."""
    marks = USAGE if chunk.usage is not None else 0
    if not chunk.choices:
        return marks
    choice = chunk.choices[0]
    marks |= CHOICES
    if choice.finish_reason:
        marks |= FINISH
    if choice.text is not None:
        marks |= FIELD | TEXT if choice.text else FIELD
    return marks if choice.delta is None else marks | _delta_marks(choice.delta)


def _delta_marks(delta: Delta) -> int:
    marks = 0
    if delta.content is not None:
        marks |= FIELD | TEXT if delta.content else FIELD
    if delta.role is not None:
        marks |= ROLE
    if delta.reasoning:
        marks |= REASONING
    elif delta.reasoning_content:
        marks |= REASONING | OLD_REASONING
    if delta.tool_calls or delta.function_call:
        marks |= TOOL
    return marks
