"""Why a request does not count: the kinds, each with its sentence. A failed request is infinitely slow, not dropped."""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "no_connection", "timeout", "too_large", "no_answer", "not_http", "status", "compressed", "not_a_stream",
    "error_in_stream", "broken_json", "truncated", "several_choices", "no_done", "after_done", "no_tokens", "no_usage",
    "counts_disagree", "short_output", "long_output", "finish_reason", "prompt_tokens",
]  # fmt: skip

MEANING: dict[Kind, str] = {
    "no_connection": "no connection could be opened",
    "timeout": "no end within the time limit",
    "too_large": "more bytes than any reply of the asked length can have",
    "no_answer": "the connection ended before a byte of the answer",
    "not_http": "the answer is not HTTP/1.1",
    "status": "the status is not 200",
    "compressed": "the answer is compressed although this was not asked for, so its events have no times of their own",
    "not_a_stream": "the answer is no event stream of chunks",
    "error_in_stream": "the stream reports an error",
    "broken_json": "an event's data is not the JSON of a chunk",
    "truncated": "the answer ended before its end",
    "several_choices": "a chunk holds another choice than the one asked for",
    "no_done": "the stream ended without [DONE]",
    "after_done": "tokens came after [DONE]",
    "no_tokens": "the stream ended without a token",
    "no_usage": "the server reported no usage, so nobody counted the tokens",
    "counts_disagree": "the server's counts of the output tokens disagree",
    "short_output": "fewer tokens than asked for, although the end of text was to be ignored",
    "long_output": "more tokens than asked for",
    "finish_reason": "the stream finished for another reason than its length",
    "prompt_tokens": "the server counted another number of prompt tokens than were sent",
}
