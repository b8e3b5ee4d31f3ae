"""aiperf 0.13.0 with --use-server-token-count (aiperf/metrics/types/*.py; aiperf/transports/sse_utils.py and
aiperf/endpoints for what is seen). Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runners.load import chunks, sse
from runners.load.tools import view
from runners.load.tools.view import Report, Seen, Stream, Value

if TYPE_CHECKING:
    from runners.load.trace import Trace

NAME = "aiperf"
VERSION = "aiperf 0.13.0"
SOURCE = "aiperf/metrics/types/{ttft,inter_token_latency,inter_chunk_latency,output_token_throughput}_metric(s).py"
STATISTICS = {"avg": -1.0, "p50": 50.0, "p90": 90.0, "p99": 99.0}
DEPARTS = {
    "ttft": view.FIRST_TEXT,
    "tpot": "The window runs from the first text to the last, while n - 1 counts tokens before it and with it too.",
    "event_gap": view.TEXT_GAPS,
    "e2e_latency": "The last event with text ends it, also where tokens without text came after it.",
    "interactivity_p90_fast": view.OWN_TPOT,
    "decode_rate": view.OWN_TPOT,
    "interactivity_e2e": view.PER_REQUEST_MEAN,
    "output_throughput": "The span ends with the last text of the successful requests.",
    "request_throughput": "The span ends with the last text of the successful requests.",
    "failed": "They are left out of all numbers, their time too. An error that stands in the data, an early end or a "
    "missing [DONE] is not noticed.",
}


def see(stream: Stream) -> Seen | None:
    """Content, reasoning and tool calls count; an event named error fails the request, an error in data does not."""
    chosen = stream.has(chunks.OUTPUT)
    named_error = stream.has(chunks.ERROR) & stream.has(sse.FIELDS)
    if stream.transport_failed or named_error.any() or not chosen.any():
        return None
    return view.taken(stream, stream.sent, chosen, None, stream.counted)


def report(trace: Trace) -> Report:
    good, failed = view.seen_by(see, view.streams(trace))
    itl = view.known([view.per_token(seen) for seen in good])
    lists = {
        "time_to_first_token": (view.known([seen.ttft for seen in good]), "ttft", "first content - request start"),
        "inter_token_latency": (itl, "tpot", "(request latency - TTFT) / (n - 1), one value a request"),
        "inter_chunk_latency": (view.pooled(good), "event_gap", "gap between two chunks with content"),
        "request_latency": (view.known([seen.latency for seen in good]), "e2e_latency", "last content - start"),
    }
    values = view.in_ms(lists, STATISTICS, "{name} {statistic}")
    rates = 1e9 / itl[itl > 0]
    for statistic, percent in STATISTICS.items():
        value = view.mean(rates) if percent < 0 else view.linear(rates, percent)
        formula = "1 / ITL of each request, then the statistic: p90 is the fast tail"
        axis = "interactivity_p90_fast" if statistic == "p90" else "decode_rate"
        values.append(Value(f"output_token_throughput_per_user {statistic}", value, "tok/s/user", axis, formula))
    seconds = view.span(good)
    tokens = sum(seen.tokens for seen in good)
    per_user = np.array([seen.tokens / seen.latency * view.S for seen in good if seen.latency > 0])
    values += [
        Value("e2e_output_token_throughput avg", view.mean(per_user), "tok/s/user", "interactivity_e2e", "n / latency"),
        Value("output_token_throughput", view.rate(tokens, seconds), "tok/s", "output_throughput", "sum of n / span"),
        Value("request_throughput", view.rate(len(good), seconds), "req/s", "request_throughput", "requests / span"),
    ]
    notes = ("without --use-server-token-count n is its own tokenizer's count of the text",)
    return Report(NAME, VERSION, SOURCE, len(good), failed, tuple(values), notes, DEPARTS)
