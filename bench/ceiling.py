"""How many stream events a second our load client sees rightly, with one process and with two.

`python -m bench.ceiling [--streams 1024] [--processes 1,2]`: the rate is doubled until the client's check
(runners/load/selfcheck.py: P99 event gap within 1.5x of the sent one, mean TPOT within 0.5 %) fails twice in a row, and
then halved in upon until the last rate that passed and the first that failed are a twentieth apart.
The scripted server has as many processes as the client; both need a processor core each.
"""

from __future__ import annotations

import argparse
import math
import os
import sys

from runners.load.selfcheck import DELIVERED, Check, check

FIRST, MOST = 20_000.0, 4_000_000.0
APART = 1.05  # of the first rate that failed over the last that passed


def seen(streams: int, events_s: float, processes: int) -> Check | None:
    """The check that passed, of two tries; None where neither did, or where the server did not keep up."""
    for _ in range(2):
        found = check(streams, events_s, processes)
        if found.sent_events_s >= DELIVERED * events_s and not found.reasons:
            return found
    return None


def ceiling(streams: int, processes: int) -> float:
    """Events a second of the last rate that was seen rightly; 0 where none was."""
    best, told, asked, failed = 0.0, 0.0, FIRST, MOST
    while asked < failed:
        found = seen(streams, asked, processes)
        if found is None:
            failed = asked
            print(f"  {processes} process(es) at {asked:,.0f} events/s: not seen rightly", file=sys.stderr)
        else:
            best, told = asked, found.sent_events_s
            print(_told(found, processes), file=sys.stderr)
        if best and failed / best <= APART:
            break
        asked = math.sqrt(best * failed) if best and failed < MOST else asked * 2
    return told


def _told(found: Check, processes: int) -> str:
    return (
        f"  {processes} process(es) at {found.sent_events_s:,.0f} events/s: P99 gap {found.gap_seen_ms:.1f} ms seen, "
        f"{found.gap_sent_ms:.1f} ms sent; TPOT {found.tpot_error:.2%} off"
    )


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
