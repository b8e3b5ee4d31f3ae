"""Several loads on one server as one measurement: every point warmed up, the client checked, repeats interleaved.

Repeat 1 of every point comes before repeat 2 of any, so that what changes with time (a warming machine, a neighbour)
touches all points alike. A point that cannot be measured stays in the result with its reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from runners.engines.control import HungError
from runners.load import selfcheck
from runners.load.schedule import spoken
from runners.load.verdict import Reason
from runners.measure import MeasureError, begin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runners.load.selfcheck import Ceiling
    from runners.load.wire import Dialect
    from runners.measure import Options, Result, Session


@dataclass(frozen=True, slots=True)
class Point:
    """One load. `result` is None where no run of it was made; `stopped` says why runs of it are missing."""

    options: Options
    result: Result | None
    stopped: list[Reason]

    @property
    def valid(self) -> bool:
        return self.result is not None and self.result.valid and not self.stopped


@dataclass(frozen=True, slots=True)
class Sweep:
    """All points in the order in which they were given. `ceiling` is None where no warm-up brought an event."""

    dialect: Dialect
    points: list[Point]
    notes: list[str]
    ceiling: Ceiling | None

    @property
    def valid(self) -> bool:
        return all(point.valid for point in self.points)


@dataclass(slots=True)
class _Open:
    """A point under way; nothing more is sent for it once it has stopped."""

    session: Session
    stopped: list[Reason] = field(default_factory=list)

    def attempt(self, step: Callable[[], None]) -> None:
        """Do a step; a server that cannot be reached, or hangs, ends this point, not the sweep."""
        if self.stopped:
            return
        try:
            step()
        except (MeasureError, HungError) as error:
            self.stopped.append(Reason("not_measured", str(error)))

    def point(self) -> Point:
        return Point(self.session.options, self.session.result() if self.session.runs else None, self.stopped)


def sweep(options: Sequence[Options], say: Callable[[str], None]) -> Sweep:
    """Measure the points, which differ in their loads alone. MeasureError: no server, or none of any use."""
    first = begin(options[0], say)
    points = [_Open(first.at(each)) for each in options]
    for point in points:
        point.attempt(point.session.warm_up)
    ceiling = _ceiling(points, say)
    for number in range(1, options[0].runs + 1):
        for point in points:
            point.attempt(partial(point.session.round, number))
    notes = [*first.notes, *first.witness.notes]
    return Sweep(first.dialect, [point.point() for point in points], notes, ceiling)


def _ceiling(points: Sequence[_Open], say: Callable[[str], None]) -> Ceiling | None:
    """Measure the client before the runs, and stop the points above what it can see."""
    warm = [point for point in points if not point.stopped and point.session.events_s]
    if not warm:
        return None
    most = max(warm, key=lambda point: point.session.events_s).session
    say(f"checking the client at {most.events_s:,.0f} events/s, as in {spoken(most.options.load)}")
    offered = [(point.session.streams, point.session.events_s) for point in warm]
    ceiling = selfcheck.ceiling(offered, most.options.processes)
    for point in warm:
        point.stopped += ceiling.reasons(point.session.events_s)
    return ceiling
