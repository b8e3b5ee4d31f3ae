"""The process that executes one plan: `python -m runners.attempt FOLDER`, started by the runner under a supervisor.

It starts the servers, measures every point of every side in order, and leaves traces and report.json in `parts/` and
how it ended in `outcome.json`. SIGTERM makes it end its servers and leave no outcome: the runner knows why it asked.
"""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from app.protocol.engines.recipe import RecipeError
from app.protocol.outcome import REPORT, Outcome, Report
from runners import machine_facts, order
from runners.engines.control import ControlError, HungError
from runners.engines.install import InstallError
from runners.engines.server import LaunchError
from runners.events import Progress
from runners.gpu import GpuError
from runners.measure import MeasureError
from runners.outcomes import failed, of_disk
from runners.process import ProcessError
from runners.sides import CannotError, MissingError, Sides
from runners.spool import PARTS
from runners.tool_runs import NoToolError

if TYPE_CHECKING:
    from app.protocol.lease import Phase
    from app.protocol.outcome import Failure
    from runners.order import Order

FAILURES: dict[type[Exception], Failure] = {
    RecipeError: "bad_flag",
    CannotError: "cannot_run_here",
    MissingError: "not_here",
    NoToolError: "not_here",
    InstallError: "not_here",
    MeasureError: "no_answer",
    ControlError: "no_answer",
    HungError: "hung",
    ProcessError: "supervisor_lost",
    GpuError: "gpu_not_free",
}


class StoppedError(BaseException):
    """SIGTERM came. Like KeyboardInterrupt it is no Exception, so that nothing takes it for a failure of its own."""


class Teller:
    """Says where the attempt stands: to the runner by a file, to readers of the log by lines."""

    def __init__(self, folder: Path, total: int) -> None:
        self._file = folder / order.PROGRESS
        self._now = Progress("preparing", 0, total)

    def phase(self, phase: Phase, note: str) -> None:
        self._tell(Progress(phase, self._now.done, self._now.total, note))

    def step(self) -> None:
        """One more step is done."""
        self._tell(Progress(self._now.phase, self._now.done + 1, self._now.total, self._now.note))

    def say(self, line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    def _tell(self, now: Progress) -> None:
        if now.note != self._now.note:
            self.say(now.note)
        self._now = now
        made = self._file.with_suffix(".new")
        with contextlib.suppress(OSError):  # a full disk is the business of what must be kept
            made.write_text(json.dumps(asdict(now)))
            made.rename(self._file)


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    signal.signal(signal.SIGTERM, _stop)
    given = order.read_order(folder)
    try:
        outcome = _ended(given, folder)
    except StoppedError:
        return 1
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    made = folder / f".{order.OUTCOME}"
    made.write_text(outcome.model_dump_json())
    made.rename(folder / order.OUTCOME)
    return 0


def _stop(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise StoppedError


def _ended(given: Order, folder: Path) -> Outcome:
    try:
        return _execute(given, folder)
    except LaunchError as error:
        return failed(error.failure.kind, str(error))
    except tuple(FAILURES) as error:
        return failed(next(name for kind, name in FAILURES.items() if isinstance(error, kind)), str(error))
    except OSError as error:
        return of_disk(error)


def _execute(given: Order, folder: Path) -> Outcome:
    plan = given.plan
    teller = Teller(folder, len(plan.sides) * len(plan.points) * plan.repeats * (1 + len(plan.tools)))
    facts = machine_facts.read(given)
    sides = Sides(given, folder, teller)
    try:
        sides.run()
    finally:
        _report(
            folder / PARTS,
            Report(
                plan=plan,
                machine=facts,
                sides=sides.reports(),
                runs=tuple(sides.runs),
                tool_runs=tuple(sides.tool_runs),
                notes=tuple(sides.notes),
            ),
        )
    return Outcome(state="succeeded")


def _report(parts: Path, report: Report) -> None:
    made = parts.parent / f".{REPORT}"
    made.write_text(report.model_dump_json())
    made.rename(parts / REPORT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
