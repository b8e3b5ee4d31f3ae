"""InferenceX main of 2026-08, fixed sequence lengths (utils/bench_serving/backend_request_func.py and
benchmark_serving.py for what is seen, utils/process_result.py for interactivity). Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runners.load import chunks
from runners.load.count import UNKNOWN
from runners.load.tools import view
from runners.load.tools.view import Report, Seen, Stream, Value
from runners.load.tools.vllm import totals

if TYPE_CHECKING:
    from runners.load.trace import Trace

NAME = "inferencex"
VERSION = "InferenceX main, 2026-08"
SOURCE = "utils/bench_serving/backend_request_func.py, utils/process_result.py"
STATISTICS = {"mean": -1.0, "median": 50.0, "p90": 90.0, "p99": 99.0}
DEPARTS = {
    "ttft": "The first event with a choice counts, also one without a token; opening a connection is in it.",
    "tpot": f"{view.FIRST_IS_ONE} It may carry none: any event with a choice opens the window, and in chat the usage "
    "closes it. n is 0 where usage rides on a choice.",
    "event_gap": "Every event with a choice counts, also one without a token.",
    "e2e_latency": "The last event with a choice ends it, in chat the usage; opening a connection is in it.",
    "interactivity_p90_slow": view.OWN_TPOT,
    "decode_rate": "It is 1000 / the statistic of TPOT; the axis takes the statistic of each request's own rate.",
    "request_throughput": view.TO_THE_END,
    "output_throughput": f"{view.TO_THE_END} n is 0 where usage rides on a choice.",
    "total_throughput": f"{view.TO_THE_END} n is 0 where usage rides on a choice.",
    "failed": "They are left out of all latencies, and their time stays in the throughput. An error in the stream, an "
    "early end or a missing [DONE] is not noticed.",
}


def unreadable(stream: Stream) -> bool:
    """Until [DONE], it takes every line that is not empty for `data: ` and JSON."""
    data = stream.has(chunks.CHOICES | chunks.USAGE | chunks.ERROR | chunks.DONE)
    lines = stream.has(view.COMMENT | view.FIELDS | chunks.BROKEN) | (stream.has(view.NO_SPACE) & data)
    return bool(lines.any())


def see(stream: Stream) -> Seen | None:
    """Any choice is a token event, empty or not; in chat every chunk, the usage at the end too, moves the end."""
    chosen = stream.has(chunks.CHOICES)
    if stream.transport_failed or unreadable(stream) or not (chosen.any() or stream.chat):
        return None
    stated = stream.trailing[stream.trailing != UNKNOWN]
    moves = stream.times[stream.has(chunks.CHOICES | chunks.USAGE | chunks.ERROR)]
    end = int(moves[-1]) if stream.chat and len(moves) else None
    return view.taken(stream, stream.sent - stream.connect, chosen, end, int(stated[-1]) if len(stated) else 0)


def report(trace: Trace) -> Report:
    found = view.streams(trace)
    good, failed = view.seen_by(see, found)
    tpot = view.known([view.per_token(seen) for seen in good])
    lists = {
        "ttft": (view.known([seen.ttft for seen in good]), "ttft", "first choice - request start, connect included"),
        "tpot": (tpot, "tpot", "(latency - TTFT) / (n - 1); n is 0 where usage rides on a choice"),
        "itl": (view.pooled(good), "event_gap", "gap between two chunks"),
        "e2el": (view.known([seen.latency for seen in good]), "e2e_latency", "last chunk - request start"),
    }
    values = view.in_ms(lists, STATISTICS, "{statistic}_{name}_ms")
    for statistic, percent in STATISTICS.items():
        value = view.mean(tpot / view.MS) if percent < 0 else view.linear(tpot / view.MS, percent)
        inverse = 1000 / value if value else None
        formula = f"1000 / {statistic} of TPOT in ms: the slow tail"
        axis = "interactivity_p90_slow" if statistic == "p90" else "decode_rate"
        values.append(Value(f"{statistic}_intvty", inverse, "tok/s/user", axis, formula))
    values += totals(good, view.whole(found))
    notes = ("its results file gives the times in seconds; more than 5 % failed requests end its run",)
    return Report(NAME, VERSION, SOURCE, len(good), failed, tuple(values), notes, DEPARTS)
