"""How many streams our load client sees rightly at 50 events a second each, with one process and with two.

`python -m bench.ceiling [--each 50] [--processes 1,2]`: the number of streams is doubled until the client's check
(runners/load/selfcheck.py: P99 event gap within 1.5x of the sent one, mean TPOT within 0.5 %) fails twice in a row, and
then halved in upon until the last number that passed and the first that failed are a twentieth apart. More events a
second on the same streams would be no measure: several then come with one read, and cost less each.
The scripted server has as many processes as the client; both need a processor core each.
"""

from __future__ import annotations

import argparse
import math
import os
import sys

from runners.load.selfcheck import DELIVERED, Check, check

FIRST, MOST = 256, 16_384
APART = 1.05  # of the first number that failed over the last that passed


def seen(streams: int, each: float, processes: int) -> Check | None:
    """The check that passed, of two tries; None where neither did, or where the server did not keep up."""
    for _ in range(2):
        found = check(streams, streams * each, processes)
        if found.sent_events_s >= DELIVERED * found.events_s and not found.reasons:
            return found
    return None


def ceiling(each: float, processes: int) -> int:
    """The last number of streams that was seen rightly; 0 where none was."""
    best, asked, failed = 0, FIRST, MOST
    while asked < failed:
        found = seen(asked, each, processes)
        print(_told(asked, processes, found), file=sys.stderr)
        if found is None:
            failed = asked
        else:
            best = asked
        if best and failed / best <= APART:
            break
        asked = round(math.sqrt(best * failed)) if best and failed < MOST else asked * 2
    return best


def _told(streams: int, processes: int, found: Check | None) -> str:
    if found is None:
        return f"  {processes} process(es), {streams:,} streams: not seen rightly"
    return (
        f"  {processes} process(es), {streams:,} streams, {found.sent_events_s:,.0f} events/s: P99 gap "
        f"{found.gap_seen_ms:.1f} ms seen, {found.gap_sent_ms:.1f} ms sent; TPOT {found.tpot_error:.2%} off"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=float, default=50.0, help="events a second of a stream")
    parser.add_argument("--processes", default="1,2")
    given = parser.parse_args()
    print(f"{given.each:g} events/s a stream, {os.cpu_count()} processor cores, load average {os.getloadavg()[0]:.1f}")
    first = None
    for processes in map(int, given.processes.split(",")):
        found = ceiling(given.each, processes)
        first = first or found
        times = f", {found / first:.2f}x the first" if first else ""
        print(f"{processes} process(es): {found:,} streams, {found * given.each:,.0f} events/s{times}")


if __name__ == "__main__":
    main()
