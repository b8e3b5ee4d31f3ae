"""The streams of /v1/chat/completions on which load clients go wrong, each with its known truth."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from runners.load import metrics
from tests.runners.load.script import DONE, TOKEN, TTFT, N, Write, counted, delta, event, traced, usage

ROLE: Write = (5, delta(role="assistant", content=""))


def said(
    number: int = N, *, size: int = 1, finish: str = "length", ids: bool = True, first: float = TTFT
) -> list[Write]:
    """A reply of so many chunks, `size` tokens in each, with their ids where the server gives them."""
    writes: list[Write] = [ROLE]
    for place in range(number):
        choice: dict[str, Any] = {"index": 0, "delta": {"content": "x" * size}, "finish_reason": None}
        choice["finish_reason"] = finish if place == number - 1 else None
        if ids:
            choice["token_ids"] = list(range(size))
        writes.append((first + place * TOKEN * size, event({"object": "chat.completion.chunk", "choices": [choice]})))
    return writes


def ended(writes: list[Write], tokens: int) -> list[Write]:
    at = writes[-1][0]
    return [*writes, (at, usage(tokens)), (at, DONE)]


def tpot(writes: list[Write], tokens: int = N) -> float:
    found = metrics.measure(traced(writes, tokens=tokens)).tpot_ms
    assert found is not None
    return found.median


@pytest.mark.parametrize("ids", [True, False])
def test_the_first_token_is_the_first_content_not_the_role(ids: bool) -> None:
    found = metrics.measure(traced(ended(said(ids=ids), N)))
    assert found.failed == 0
    assert found.ttft_ms is not None
    assert found.ttft_ms.median == TTFT
    assert tpot(ended(said(ids=ids), N)) == pytest.approx(10)


def test_several_tokens_a_chunk_are_counted_as_tokens() -> None:
    assert tpot(ended(said(10, size=3), 30), 30) == pytest.approx(10)


@pytest.mark.parametrize("tokens", [1, 5])
def test_an_early_stop_is_a_failure_at_the_first_token_too(tokens: int) -> None:
    row = counted(ended(said(tokens, finish="stop"), tokens))
    assert (row.failure, row.output_tokens) == ("short_output", tokens)


def test_a_tool_call_is_output_and_ends_a_reply_that_was_to_be_text() -> None:
    call = [{"index": 0, "function": {"name": "look", "arguments": "{"}}]
    writes: list[Write] = [ROLE, *((TTFT + i * TOKEN, delta(tool_calls=call)) for i in range(N - 1))]
    row = counted(ended([*writes, (600, delta("tool_calls", tool_calls=call))], N))
    assert int((row.event_tokens != 0).sum()) == N
    assert (row.failure, row.message) == ("finish_reason", "tool_calls")


def test_an_error_after_some_content_fails_the_request() -> None:
    row = counted([*said()[:6], (300, event({"error": {"message": "engine died"}})), (300, DONE)])
    assert (row.failure, row.message) == ("error_in_stream", "engine died")


def test_a_late_usage_and_done_close_nothing() -> None:
    writes = said()
    assert tpot([*writes, (900, usage(N)), (1200, DONE)]) == pytest.approx(10)


def test_a_chunk_of_a_known_usage_and_no_choice_in_the_middle_is_no_token() -> None:
    writes = said()
    assert tpot(ended([*writes[:8], (writes[7][0], usage(7)), *writes[8:]], N)) == pytest.approx(10)


def test_text_is_kept_by_its_hash_byte_for_byte() -> None:
    whole = "a \u00e9\U0001f999\u2028 b  "
    words: list[Write] = [
        (TTFT + i, event({"choices": [{"index": 0, "delta": {"content": letter}, "finish_reason": None}]}))
        for i, letter in enumerate(whole)
    ]
    data = json.dumps({"choices": [{"index": 0, "delta": {"content": "."}, "finish_reason": "length"}]})
    row = counted(ended([*words, (400, b"data: " + data.encode() + b"\n\n")], len(whole) + 1), tokens=len(whole) + 1)
    assert row.failure is None
    assert row.output_sha256 == hashlib.sha256((whole + ".").encode()).hexdigest()
