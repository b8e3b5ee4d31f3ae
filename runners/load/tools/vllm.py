"""vllm bench serve 0.33.0, the openai and openai-chat backends (vllm/benchmarks/lib/endpoint_request_func.py for what
is seen, calculate_metrics in vllm/benchmarks/serve.py for the statistics). Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runners.load import chunks
from runners.load.count import UNKNOWN
from runners.load.tools import view
from runners.load.tools.view import Report, Seen, Stream, Value

if TYPE_CHECKING:
    import numpy.typing as npt

    from runners.load.trace import Trace

NAME = "vllm"
VERSION = "vLLM 0.33.0"
SOURCE = "vllm/benchmarks/serve.py, vllm/benchmarks/lib/endpoint_request_func.py"
DEPARTS = {
    "ttft": "The first event with a choice counts, also one without a token.",
    "tpot": f"{view.FIRST_IS_ONE} It may carry none: any event with a choice opens and closes the window.",
    "event_gap": "Every event with a choice counts, also one without a token.",
    "e2e_latency": "The last event with a choice ends it, also one without a token.",
    "request_throughput": view.TO_THE_END,
    "output_throughput": view.TO_THE_END,
    "total_throughput": view.TO_THE_END,
    "failed": "They are left out of all latencies, and their time stays in the throughput. An error in the stream, an "
    "early end or a missing [DONE] is not noticed.",
}


def content(stream: Stream) -> npt.NDArray[np.bool_]:
    """Completions: any choice, empty or not. Chat: content, reasoning (not reasoning_content), tool calls, or an empty
    content without a role. A block that a comment starts is passed over with its data."""
    if not stream.chat:
        return stream.has(chunks.CHOICES) & ~stream.has(view.COMMENT)
    named = stream.has(chunks.TEXT | chunks.TOOL) | (stream.has(chunks.REASONING) & ~stream.has(chunks.OLD_REASONING))
    empty = stream.has(chunks.FIELD) & ~stream.has(chunks.TEXT | chunks.ROLE)
    return (named | empty) & ~stream.has(view.COMMENT)


def unreadable(stream: Stream) -> bool:
    """Its reader splits at LF LF, or takes a whole read that is one JSON, and wants `data: `."""
    data = stream.has(chunks.CHOICES | chunks.USAGE | chunks.ERROR | chunks.DONE)
    if (data & stream.has(view.NO_SPACE | view.FIELDS)).any() or stream.has(chunks.BROKEN).any():
        return True
    several = bool((np.diff(stream.times) == 0).any())
    return bool(stream.has(view.CR).any()) and several


def see(stream: Stream) -> Seen | None:
    chosen = content(stream)
    if stream.transport_failed or unreadable(stream) or not chosen.any():
        return None
    after = stream.trailing[stream.trailing != UNKNOWN]
    tokens = int(after[-1]) if len(after) else 0
    return view.taken(stream, stream.sent, chosen, None, tokens or stream.counted or 1)


def report(trace: Trace) -> Report:
    found = view.streams(trace)
    good, failed = view.seen_by(see, found)
    lists = {
        "ttft": (view.known([seen.ttft for seen in good]), "ttft", "first event - request start"),
        "tpot": (view.known([view.per_token(seen) for seen in good]), "tpot", "(latency - TTFT) / (n - 1)"),
        "itl": (view.pooled(good), "event_gap", "gap between two events"),
        "e2el": (view.known([seen.latency for seen in good]), "e2e_latency", "last event - request start"),
    }
    values = view.in_ms(lists, STATISTICS, "{statistic}_{name}_ms") + totals(good, view.whole(found))
    note = "n is the usage at the end; where usage rides on a choice only, its tokenizer's count of the text"
    return Report(NAME, VERSION, SOURCE, len(good), failed, tuple(values), (note,), DEPARTS)


STATISTICS = {"mean": -1.0, "median": 50.0, "p99": 99.0}


def totals(good: list[Seen], seconds: float) -> list[Value]:
    """The throughputs, named as vLLM and the tools that descend from it name them."""
    tokens = sum(seen.tokens for seen in good)
    total = tokens + sum(seen.prompt for seen in good)
    return [
        Value("request_throughput", view.rate(len(good), seconds), "req/s", "request_throughput", "completed / time"),
        Value("output_throughput", view.rate(tokens, seconds), "tok/s", "output_throughput", "sum of n / time"),
        Value("total_token_throughput", view.rate(total, seconds), "tok/s", "total_throughput", "all tokens / time"),
    ]
