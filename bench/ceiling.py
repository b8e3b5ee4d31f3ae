"""How many stream events a second our load client sees rightly, with one process and with two.

`python -m bench.ceiling [--streams 1024] [--processes 1,2]`: the rate is raised by a tenth until the client's check
(runners/load/selfcheck.py: P99 event gap within 1.5x of the sent one, mean TPOT within 0.5 %) fails twice in a row.
The scripted server has as many processes as the client; both need a processor core each.
"""

from __future__ import annotations

import argparse
import os
import sys

from runners.load.selfcheck import DELIVERED, Check, check

FIRST, STEP, MOST = 20_000.0, 1.1, 2_000_000.0


def seen(streams: int, events_s: float, processes: int) -> Check | None:
    """The check that passed, of two tries; None where neither did, or where the server did not keep up."""
    for _ in range(2):
        found = check(streams, events_s, processes)
        if found.sent_events_s >= DELIVERED * events_s and not found.reasons:
            return found
    return None


def ceiling(streams: int, processes: int) -> float:
    """Events a second of the last rate that was seen rightly."""
    events_s, best = FIRST * processes, 0.0
    while events_s < MOST:
        found = seen(streams, events_s, processes)
        if found is None:
            return best
        best = found.sent_events_s
        print(
            f"  {processes} process(es) at {best:,.0f} events/s: P99 gap {found.gap_seen_ms:.1f} ms seen, "
            f"{found.gap_sent_ms:.1f} ms sent; TPOT {found.tpot_error:.2%} off",
            file=sys.stderr,
        )
        events_s *= STEP
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=1024)
    parser.add_argument("--processes", default="1,2")
    given = parser.parse_args()
    wanted = [int(item) for item in given.processes.split(",")]
    print(f"{given.streams} streams, {os.cpu_count()} processor cores, load average {os.getloadavg()[0]:.1f}")
    first = None
    for processes in wanted:
        found = ceiling(given.streams, processes)
        first = first or found
        print(f"{processes} process(es): {found:,.0f} events/s, {found / first:.2f}x the first" if first else "none")


if __name__ == "__main__":
    main()
