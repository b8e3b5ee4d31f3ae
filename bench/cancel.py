"""How long a cancel takes: a job is cancelled in each phase of its attempt, on a real runner with a fake engine.

    python -m bench.cancel

Prints for each phase the seconds from the cancel to an empty process tree, with heartbeats that do not wait, and the
same with the longest that a heartbeat waits. Ends with 1 where that is more than 30 s, or where anything is left.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.jobs.states import BEAT
from tests.runners.fake_app import serving
from tests.runners.phases import FREE, PHASES, Machine

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_S = 30.0


@dataclass(frozen=True)
class Cancelled:
    """`seconds` until nothing of the attempt ran; MiB of the GPU in use when it was cancelled and when its job had
    ended in that `state`."""

    phase: str
    seconds: float
    state: str
    before_mib: list[int]
    after_mib: list[int]


def cancelled(folder: Path) -> Iterator[Cancelled]:
    """A job for each phase, one after the other at one runner."""
    machine = Machine(folder)
    app = machine.app
    with serving(app):
        machine.ready()
        with machine.runner():
            try:
                for phase in PHASES:
                    yield _cancel(machine, phase)
            finally:
                machine.release()


def _cancel(machine: Machine, phase: str) -> Cancelled:
    app, asked, beats = machine.app, machine.app.calls.count("lease"), len(machine.app.model.beats)
    app.wait(lambda: app.calls.count("lease") > asked)  # the runner is up, and has no job
    machine.submit(phase, phase)
    app.wait(lambda: machine.reached(phase, beats))
    told, before_mib = app.calls.count("beat"), machine.used()
    with app.changed:
        app.model.jobs[phase].cancel = True
    seconds = machine.emptied()
    app.wait(lambda: app.calls.count("beat") > told or app.ended(phase))
    machine.release()
    app.wait(lambda: app.ended(phase))
    return Cancelled(phase, seconds, app.model.jobs[phase].state, before_mib, machine.used())


def main() -> int:
    wrong = False
    print("phase        seconds   with the wait for a heartbeat")
    with tempfile.TemporaryDirectory() as folder:
        for found in cancelled(Path(folder)):
            most = found.seconds + BEAT.total_seconds()
            wrong = wrong or most > MOST_S or found.after_mib != FREE
            print(f"{found.phase:12} {found.seconds:7.1f}   {most:.1f}", flush=True)
    print("too slow, or the GPU is not free" if wrong else f"all within {MOST_S:g} s, and the GPU free each time")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
