"""inference-perf 0.7.0 and main of 2026-08 with use_server_output_tokens (inference_perf/apis/streaming_parser.py for
what is seen, inference_perf/reportgen/base.py for the statistics). Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from runners.load import chunks
from runners.load.count import UNKNOWN
from runners.load.tools import view
from runners.load.tools.view import Report, Seen, Stream, Value

if TYPE_CHECKING:
    import numpy.typing as npt

    from runners.load.trace import Trace

NAME = "inference-perf"
VERSION = "inference-perf main, 2026-08"
SOURCE = "inference_perf/reportgen/base.py, inference_perf/apis/streaming_parser.py"
STATISTICS = {"mean": -1.0, "median": 50.0, "p90": 90.0, "p99": 99.0}
DEPARTS = {
    "ttft": f"{view.FIRST_TEXT} Requests whose tokens came in one event, and reasoning, are left out.",
    "tpot": "The window runs from the first text to the last, while n - 1 counts tokens before it and with it too.",
    "token_itl": "All tokens of an event have its time, so every further one of them has a gap of 0; the axis shares "
    "the gap among them.",
    "interactivity_e2e": "It is a mean time in ms up to the end of the stream; the axis is a rate, of which it takes "
    "the slow tail.",
    "e2e_latency": "The end of the stream ends it, after usage and [DONE].",
    "output_throughput": view.TO_THE_END,
    "request_throughput": view.TO_THE_END,
    "failed": "Only a broken connection or a status fails a request; what the stream says, or an early end, is not "
    "noticed.",
}


def readable(stream: Stream) -> npt.NDArray[np.bool_]:
    """Blocks end at LF LF and want `data: `; what cannot be read is passed over."""
    return ~stream.has(view.CR | view.NO_SPACE | chunks.BROKEN)


def see(stream: Stream) -> Seen | None:
    """Only the transport fails a request."""
    if stream.transport_failed:
        return None
    text = stream.has(chunks.TEXT) & readable(stream)
    usage = np.maximum(stream.riding, stream.trailing)[readable(stream)]
    stated = usage[usage != UNKNOWN]
    made = int(np.abs(stream.tokens[text]).sum())
    seen = view.taken(stream, stream.sent, text, stream.ended, int(stated[-1]) if len(stated) else made)
    # Every token of a chunk has the chunk's time, so each further one brings a gap of 0, in the first event too.
    return replace(seen, gaps=np.concatenate((seen.gaps, np.zeros(max(0, made - int(text.sum()))))))


def decode_time(stream: Stream) -> float:
    times = stream.times[stream.has(chunks.TEXT) & readable(stream)]
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
            np.array([seen.latency / seen.tokens if seen.tokens else 0.0 for seen in good]),
            "interactivity_e2e",
            "(end - start) / n, 0 without tokens",
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
    return Report(NAME, VERSION, SOURCE, len(good), len(found) - len(good), tuple(values), notes, DEPARTS)
