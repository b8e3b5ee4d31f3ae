"""genai-bench 0.0.5 and main of 2026-07, OpenAI chat (genai_bench/user/openai_user.py for what is seen,
genai_bench/metrics/{request_metrics_collector,aggregated_metrics_collector}.py for the statistics). Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runners.load import chunks
from runners.load.tools import view
from runners.load.tools.view import Report, Seen, Stream, Value

if TYPE_CHECKING:
    from runners.load.trace import Trace

NAME = "genai-bench"
VERSION = "genai-bench main, 2026-07"
SOURCE = "genai_bench/metrics/request_metrics_collector.py, genai_bench/metrics/aggregated_metrics_collector.py"
STATISTICS = {"mean": -1.0, "p50": 50.0, "p90": 90.0, "p99": 99.0}
SHORTEST = 1e6  # ns: a decode time below it gives no TPOT
DEPARTS = {
    "ttft": f"{view.FIRST_TEXT} Opening a connection is in it.",
    "tpot": "The window runs from the first text to the usage, so the wait for it is shared among the tokens, of "
    "which n - 1 count.",
    "e2e_latency": "The usage at the end, or [DONE], ends it, and opening a connection is in it.",
    "interactivity_p90_fast": view.OWN_TPOT,
    "decode_rate": view.OWN_TPOT,
    "output_throughput": view.TO_THE_END,
    "request_throughput": view.TO_THE_END,
    "failed": "They are left out of all latencies, and their time stays in the throughput. An early end or a missing "
    "[DONE] is not noticed.",
}


def see(stream: Stream) -> Seen | None:
    """It reads until the usage after a finish reason, or [DONE]; an error in the stream fails the request."""
    text = stream.has(chunks.TEXT | chunks.REASONING)
    if stream.transport_failed or stream.has(chunks.ERROR | chunks.BROKEN).any() or not text.any():
        return None
    finished = np.maximum.accumulate(stream.has(chunks.FINISH))
    over = (finished & stream.has(chunks.USAGE) & ~stream.has(chunks.CHOICES)) | stream.has(chunks.DONE)
    over |= stream.has(chunks.FINISH) & (stream.riding >= 0)
    ends = stream.times[over]
    end = int(ends[0]) if len(ends) else stream.ended
    return view.taken(stream, stream.sent - stream.connect, text, end, stream.counted)


def report(trace: Trace) -> Report:
    found = view.streams(trace)
    good, failed = view.seen_by(see, found)
    tpot = view.known([view.per_token(seen) for seen in good if seen.latency - seen.ttft >= SHORTEST])
    lists = {
        "ttft": (view.known([seen.ttft for seen in good]), "ttft", "first content - request start, connect included"),
        "tpot": (tpot, "tpot", "(e2e_latency - TTFT) / (n - 1)"),
        "e2e_latency": (view.known([seen.latency for seen in good]), "e2e_latency", "after usage - request start"),
    }
    values = view.in_ms(lists, STATISTICS, "stats.{name}.{statistic}")
    speeds = 1e9 / tpot
    for statistic, percent in STATISTICS.items():
        value = view.mean(speeds) if percent < 0 else view.linear(speeds, percent)
        axis = "interactivity_p90_fast" if statistic == "p90" else "decode_rate"
        name = f"stats.output_inference_speed.{statistic}"
        values.append(Value(name, value, "tok/s", axis, "1 / TPOT of each request, then the statistic"))
    seconds = view.whole(found)
    tokens = view.rate(sum(seen.tokens for seen in good), seconds)
    name = "mean_output_throughput_tokens_per_s"
    values += [
        Value(name, tokens, "tok/s", "output_throughput", "sum of n / time of the iteration"),
        Value("requests_per_second", view.rate(len(good), seconds), "req/s", "request_throughput", "completed / time"),
    ]
    notes = ("it measures chat only and gives seconds unless told otherwise",)
    return Report(NAME, VERSION, SOURCE, len(good), failed, tuple(values), notes, DEPARTS)
