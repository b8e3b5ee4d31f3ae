"""inference-perf 0.7.0 and main of 2026-08 with use_server_output_tokens (inference_perf/apis/streaming_parser.py for
what is seen, inference_perf/reportgen/base.py for the statistics). Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from runners.load import chunks
from runners.load.tools import view
from runners.load.tools.view import Report, Seen, Stream, Value

if TYPE_CHECKING:
    from runners.load.trace import Trace

NAME = "inference-perf"
VERSION = "inference-perf main, 2026-08"
SOURCE = "inference_perf/reportgen/base.py, inference_perf/apis/streaming_parser.py"
STATISTICS = {"mean": -1.0, "median": 50.0, "p90": 90.0, "p99": 99.0}


def see(stream: Stream) -> Seen | None:
    """Only the transport fails a request. Blocks end at LF LF and want `data: `; the unreadable is passed over."""
    if stream.transport_failed:
        return None
    text = stream.has(chunks.TEXT) & ~stream.has(view.CR | view.NO_SPACE)
    seen = view.taken(stream, stream.sent, text, stream.ended, stream.counted)
    # Every further token of a chunk brings a gap of 0, and the first event's too.
    inside = np.zeros(int(np.maximum(np.abs(stream.tokens[text]) - 1, 0).sum()))
    return replace(seen, gaps=np.concatenate((seen.gaps, inside)))


def decode_time(stream: Stream) -> float:
    times = stream.times[stream.has(chunks.TEXT) & ~stream.has(view.CR | view.NO_SPACE)]
    return float(times[-1] - times[0]) if len(times) else float("nan")


def report(trace: Trace) -> Report:
    found = view.streams(trace)
    pairs = [(stream, seen) for stream in found if (seen := see(stream)) is not None]
    good = [seen for _, seen in pairs]
    streamed = [(stream, seen) for stream, seen in pairs if len(seen.gaps)]
    lists = {
        "time_to_first_token": (view.known([seen.ttft for _, seen in streamed]), "ttft", "first text - start"),
        "time_per_output_token": (
            view.known([decode_time(stream) / (seen.tokens - 1) for stream, seen in streamed if seen.tokens > 1]),
            "tpot",
            "(last text - first text) / (n - 1)",
        ),
        "inter_token_latency": (view.pooled(good), "token_itl", "gap before each token; 0 inside a chunk"),
        "normalized_time_per_output_token": (
            view.known([seen.latency / seen.tokens for seen in good if seen.tokens]),
            "interactivity_e2e",
            "(end - start) / n",
        ),
        "request_latency": (view.known([seen.latency for seen in good]), "e2e_latency", "end of the stream - start"),
    }
    values = view.in_ms(lists, STATISTICS, "{name} {statistic}")
    seconds = view.whole(found)
    tokens = view.rate(sum(seen.tokens for seen in good), seconds)
    values += [
        Value("output_tokens_per_sec", tokens, "tok/s", "output_throughput", "sum of n / time, failures included"),
        Value("requests_per_sec", view.rate(len(good), seconds), "req/s", "request_throughput", "successes / time"),
    ]
    notes = (
        "its report gives seconds; without use_server_output_tokens n comes from tokenising the text again",
        "tokens of a chunk are the server's here, where it tokenises each chunk again",
    )
    return Report(NAME, VERSION, SOURCE, len(good), len(found) - len(good), tuple(values), notes)
