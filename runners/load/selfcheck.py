"""Whether this client on this machine can see what it is to measure: a run against a server of known cadence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runners.load import metrics, plan, processes, trace, verdict
from runners.load.cadence import Cadence, serving
from runners.load.connect import read_url
from runners.load.plan import Source, Workload
from runners.load.schedule import Closed
from runners.load.statistics import percentile
from runners.load.wire import Dialect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runners.load.stream import Ns
    from runners.load.verdict import Client, Reason

MS = 1e6
SECONDS = 2.0  # of a check
LONGEST_S = 0.2  # between two events of a stream, whatever the rate: a check has to show gaps enough
TRIES = 2
DELIVERED = 0.9  # share of the asked events a second that the scripted server itself must reach to be a check
GAP_FACTOR = 1.5  # P99 of the event gaps, as seen over as sent
TPOT_ERROR = 0.005


@dataclass(frozen=True, slots=True)
class Check:
    """What was asked of the client and what it saw. Gaps in ms at P99, TPOT as a share of the true one."""

    events_s: float
    sent_events_s: float
    gap_sent_ms: float
    gap_seen_ms: float
    tpot_error: float
    client: Client

    @property
    def reasons(self) -> list[Reason]:
        """Why a point of that many events a second cannot be measured with this client; none where it can be."""
        if self.sent_events_s < DELIVERED * self.events_s:
            return []  # the scripted server was the slower one: nothing is known against the client
        if self.gap_seen_ms <= GAP_FACTOR * self.gap_sent_ms and self.tpot_error <= TPOT_ERROR:
            return []
        message = (
            f"at {self.events_s:,.0f} events/s this client sees a P99 event gap of {self.gap_seen_ms:.1f} ms where "
            f"{self.gap_sent_ms:.1f} ms were sent, and a TPOT {self.tpot_error:.1%} off"
        )
        return [verdict.Reason("above_client_ceiling", message)]


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What this client can see on this machine. `events_s` is the busiest point of a sweep at which it passed, None
    where it passed at none; `checks` are all that were made, the busiest first."""

    events_s: float | None
    checks: tuple[Check, ...]

    def reasons(self, events_s: float) -> list[Reason]:
        """Why a point of that many events a second is refused; none where it is not."""
        if not self.checks or (self.events_s is not None and events_s <= self.events_s):
            return []
        return [check.reasons for check in self.checks if check.reasons][-1]


def ceiling(points: Sequence[tuple[int, float]], client_processes: int) -> Ceiling:
    """Check the client at the streams and events a second of each point, the busiest first, until it passes.

    A check that fails is made once more: a moment's disturbance is no ceiling.
    """
    checks: list[Check] = []
    for streams, events_s in sorted(points, key=lambda point: point[1], reverse=True):
        for _ in range(TRIES):
            checks.append(check(streams, events_s, client_processes))
            if not checks[-1].reasons:
                return Ceiling(events_s, tuple(checks))
    return Ceiling(None, tuple(checks))


def check(streams: int, events_s: float, client_processes: int, core: int | None = None) -> Check:
    """Measure a scripted server that sends `events_s` events a second over that many streams."""
    interval_s = min(streams / events_s, LONGEST_S)
    events_s = streams / interval_s
    cadence = Cadence(interval_s, max(3, int(SECONDS / interval_s)), core)
    with serving(cadence, client_processes) as server:
        target = read_url(server.url)
        work = Workload(4, cadence.events)
        shots = plan.requests(target, Dialect("cadence"), work, range(streams), Source(0))
        job = processes.plan(target, Closed(streams), shots, 60.0)
        ran = processes.run(job, min(client_processes, streams), _silent)
        sent = server.stop()
    found = trace.from_rows(ran.rows, ran.started_ns, {})
    numbers = metrics.measure(found)
    spans = np.array([times[-1] - times[0] for times in sent]) / MS / (cadence.events - 1)
    seen = numbers.tpot_ms.mean if numbers.tpot_ms else float("inf")
    return Check(
        events_s=events_s,
        sent_events_s=_rate(sent, interval_s),
        gap_sent_ms=_p99_gap(sent),
        gap_seen_ms=numbers.event_gap_ms.p99 if numbers.event_gap_ms else float("inf"),
        tpot_error=abs(seen - float(spans.mean())) / float(spans.mean()),
        client=verdict.client_of(ran.lags, ran.cpu_ns, ran.ended_ns - ran.started_ns),
    )


def _silent(*_: object) -> None:
    """A check has no progress worth telling."""


def _p99_gap(sent: list[Ns]) -> float:
    return percentile(np.sort(np.concatenate([np.diff(times) for times in sent]) / MS), 99)


def _rate(sent: list[Ns], interval_s: float) -> float:
    """Events a second while all streams ran, from the mean gap."""
    gap_s = float(np.concatenate([np.diff(times) for times in sent]).mean()) / 1e9
    return len(sent) / max(gap_s, interval_s)
