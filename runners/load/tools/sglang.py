"""sglang.bench_serving 0.5.23, the OpenAI backends (sglang/benchmark/serving.py: async_request_openai_completions,
async_request_openai_chat_completions, calculate_metrics). Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runners.load import chunks
from runners.load.count import UNKNOWN
from runners.load.tools import view
from runners.load.tools.view import Report, Seen, Stream, Value
from runners.load.tools.vllm import STATISTICS

if TYPE_CHECKING:
    import numpy.typing as npt

    from runners.load.trace import Trace

NAME = "sglang"
VERSION = "SGLang 0.5.23"
SOURCE = "sglang/benchmark/serving.py"
DEPARTS = {
    "ttft": f"{view.FIRST_TEXT} Opening a connection is in it, and a reply without text counts as 0.",
    "tpot": "The window runs from the first text to the last line, [DONE], and n is the number of tokens asked for, "
    "less one for the first event.",
    "event_gap": view.TEXT_GAPS,
    "e2e_latency": "The last line, [DONE], ends it, and opening a connection is in it.",
    "request_throughput": view.TO_THE_END,
    "output_throughput": f"{view.TO_THE_END} Tokens are those asked for, whatever came.",
    "total_throughput": f"{view.TO_THE_END} Tokens are those asked for, whatever came.",
    "failed": "They are left out of all latencies, and their time stays in the throughput. An early end counts with "
    "all the tokens that were asked for.",
}


def unreadable(stream: Stream, there: npt.NDArray[np.bool_]) -> bool:
    """It takes every line that is not empty for `data: ` and JSON; completions also want a choice in every chunk."""
    lines = stream.has(view.COMMENT | view.FIELDS | chunks.BROKEN) | (
        stream.has(view.NO_SPACE) & stream.has(chunks.CHOICES | chunks.USAGE | chunks.ERROR | chunks.DONE)
    )
    if (lines & there).any():
        return True
    bare = stream.has(chunks.ERROR) | (stream.has(chunks.USAGE) & ~stream.has(chunks.CHOICES))
    return not stream.chat and bool((bare & there).any())


def see(stream: Stream) -> Seen | None:
    """It sends no stream_options, so the usage at the end that Benchcard asked for would not be there."""
    usage_only = stream.has(chunks.USAGE) & ~stream.has(chunks.CHOICES)
    there = ~usage_only if stream.usage_asked else np.ones_like(usage_only)
    if stream.transport_failed or not there.any() or unreadable(stream, there):
        return None
    text = stream.has(chunks.TEXT | chunks.REASONING) & there
    stated = np.maximum(stream.riding, stream.trailing) if stream.chat else np.where(text, stream.riding, UNKNOWN)
    stated = stated[there & (stated != UNKNOWN)]
    tokens = int(stated[-1]) if len(stated) and not stream.usage_asked else stream.asked
    return view.taken(stream, stream.sent - stream.connect, text, int(stream.times[there][-1]), tokens)


def report(trace: Trace) -> Report:
    found = view.streams(trace)
    good, failed = view.seen_by(see, found)
    ttft = np.array([0.0 if seen.first is None else seen.ttft for seen in good])
    lists = {
        "ttft": (ttft, "ttft", "first text - request start, connect included; 0 without text"),
        "tpot": (view.known([view.per_token(seen) for seen in good]), "tpot", "(last line - TTFT) / (n - 1)"),
        "itl": (view.pooled(good), "event_gap", "gap between two events with text"),
        "e2e_latency": (view.known([seen.latency for seen in good]), "e2e_latency", "last line - request start"),
    }
    seconds = view.whole(found)
    tokens = sum(seen.tokens for seen in good)
    total = tokens + sum(seen.prompt for seen in good)
    values = [
        *view.in_ms(lists, STATISTICS, "{statistic}_{name}_ms"),
        Value("request_throughput", view.rate(len(good), seconds), "req/s", "request_throughput", "completed / time"),
        Value("output_throughput", view.rate(tokens, seconds), "tok/s", "output_throughput", "sum of n / time"),
        Value("total_throughput", view.rate(total, seconds), "tok/s", "total_throughput", "all tokens / time"),
    ]
    notes = (
        "n is the number of tokens asked for, unless the server sends usage with the text unasked",
        "its own time also holds a GET of /server_info, which no trace can show",
        "ITL is given per event, as where the server tells no accept length",
    )
    return Report(NAME, VERSION, SOURCE, len(good), failed, tuple(values), notes, DEPARTS)
