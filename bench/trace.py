"""What a large trace costs: processor seconds of counting, writing, reading and analysing it, and peak memory.

`python -m bench.trace [--requests 1000] [--events 1000] [--rounds 3]`; what it means: bench/trace.md. In every round
one process counts and writes, and another reads and computes every number under every definition.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import statistics
import tempfile
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from runners.load import metrics, trace_file
from runners.load.count import count
from runners.load.schedule import Asked
from runners.load.stream import Recording
from runners.load.tools import TOOLS
from runners.load.trace import from_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection as Pipe

SEED = 20261130
GOAL_S, GOAL_MB = 3.0, 500.0
PROMPT = 1024
MS = 1_000_000  # ns
GAP_MS = 20.0
CONCURRENCY = 64
SIZES, SHARES = (1, 2, 3, 4), (0.5, 0.2, 0.2, 0.1)  # tokens of an event, as speculation makes them
STREAMS = 8  # different ones; the times of every request are its own
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
META = {"endpoint": "completions", "asked": {"usage": True, "continuous": True}, "counting": "token_ids"}
BEFORE = "counting"  # is done once, after the run; the goal is about the trace

Steps = dict[str, float]


def stream(sizes: list[int]) -> list[bytes]:
    """The reads of one reply: an event of so many tokens in each, usage and [DONE] in the last."""
    reads, so_far = [], 0
    for place, size in enumerate(sizes):
        so_far += size
        usage = {"prompt_tokens": PROMPT, "completion_tokens": so_far, "total_tokens": PROMPT + so_far}
        finish = "length" if place == len(sizes) - 1 else None
        choice = {"index": 0, "text": " word" * size, "finish_reason": finish, "token_ids": list(range(size))}
        reads.append(framed({"id": "cmpl-1", "object": "text_completion", "choices": [choice], "usage": usage}))
    reads[0] = HEAD + reads[0]
    reads[-1] += framed({"choices": [], "usage": usage}) + b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"
    return reads


def framed(said: dict[str, Any]) -> bytes:
    data = b"data: " + json.dumps(said).encode() + b"\n\n"
    return b"%x\r\n%s\r\n" % (len(data), data)


def count_and_write(file: Path, requests: int, events: int) -> Steps:
    """A run of recordings, each counted and let go of, as the client does; then the trace and its file."""
    draw = np.random.default_rng(SEED)
    sizes = [draw.choice(SIZES, events, p=SHARES).tolist() for _ in range(STREAMS)]
    replies = [stream(each) for each in sizes]
    rows = []
    counting = 0.0
    for index in range(requests):
        reply, tokens = replies[index % STREAMS], sum(sizes[index % STREAMS])
        sent = index // CONCURRENCY * int(events * GAP_MS * MS)
        stamps = sent + 200 * MS + np.cumsum(draw.gamma(4.0, GAP_MS * MS / 4, events)).astype(np.int64)
        recording = Recording(index, None, sent, stamps.tolist(), reply, int(stamps[-1]))
        before = process_time()
        rows.append(count(recording, Asked(tokens, PROMPT)))
        counting += process_time() - before
    assert not any(row.failure for row in rows)
    return {BEFORE: counting, "write": timed(lambda: trace_file.write(from_rows(rows, 0, META), file))}


def analyse(file: Path, *_: int) -> Steps:
    """Read the file, and every definition's numbers of it."""
    before = process_time()
    found = trace_file.read(file)
    steps = {"read": process_time() - before, "as benchcard": timed(lambda: metrics.measure(found))}
    for tool, report in TOOLS.items():
        steps[f"as {tool}"] = timed(lambda report=report: report(found))  # type: ignore[misc]
    return steps


def timed(step: Callable[[], object]) -> float:
    before = process_time()
    step()
    return process_time() - before


def _in_process(work: Callable[..., Steps], pipe: Pipe, *given: Any) -> None:
    pipe.send((work(*given), peak_mb()))


def peak_mb() -> float:
    """The most memory that this process has held, libraries included."""
    held = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert held is not None
    return int(held[1]) / 1024


def apart(work: Callable[..., Steps], *given: Any) -> tuple[Steps, float]:
    """Do it in a fresh process: its steps and its peak memory in MB."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_in_process, args=(work, theirs, *given))
    process.start()
    theirs.close()
    found: tuple[Steps, float] = ours.recv()
    process.join(60)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--events", type=int, default=1000, help="a request")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    rounds: list[Steps] = []
    peaks: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.parquet"
        for _ in range(given.rounds):
            steps: Steps = {}
            for name, work in (("counting and writing", count_and_write), ("reading and analysing", analyse)):
                found, peak = apart(work, file, given.requests, given.events)
                steps |= found
                peaks[name] = max(peaks.get(name, 0.0), peak)
            rounds.append(steps)
        size = file.stat().st_size / 1e6
    tell(rounds, peaks, f"{given.requests} requests of {given.events} events, a file of {size:.1f} MB")


def tell(rounds: list[Steps], peaks: dict[str, float], what: str) -> None:
    """Print the median of the rounds, its range, and what it is of the goal."""
    print(f"{what}; processor seconds, median of {len(rounds)} rounds (range)")
    for step in rounds[0]:
        print(f"  {step:20} {spread([found[step] for found in rounds])}")
    wholes = [sum(taken for step, taken in found.items() if step != BEFORE) for found in rounds]
    print(f"  {'all but counting':20} {spread(wholes)}: {statistics.median(wholes) / GOAL_S:.2f} of the goal")
    for name, peak in peaks.items():
        print(f"  {name}: at most {peak:.0f} MB, {peak / GOAL_MB:.2f} of the goal")


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):6.2f} ({min(values):.2f} to {max(values):.2f})"


if __name__ == "__main__":
    main()
