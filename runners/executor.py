"""Where an attempt runs: behind one small interface, of which `Local` is the one implementation so far.

`Local` does the work in a process of its own (runners/attempt.py) under the supervisor, so that heartbeats never
disturb the client that measures, and nothing survives whichever process is killed. What it checks itself, before and
after: the policy of this machine, that its GPUs are free, the time limit, and that the GPUs are free again.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pydantic import ValidationError

from app.protocol.outcome import Outcome
from runners import gpu, log
from runners.events import Progress
from runners.order import OUTCOME, PROGRESS, Order, write_order
from runners.outcomes import failed, of_disk
from runners.process import Process, ProcessError
from runners.spool import LOG

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.protocol.lease import Assignment
    from app.protocol.outcome import Failure
    from runners.config import Config
    from runners.events import Reason
    from runners.process import Stopped

    Say = Callable[[Progress, int], None]  # and the size of the log so far

POLL_S = 0.5
GRACE_S = 10.0  # from SIGTERM to SIGKILL of all that an attempt has started
FOREIGN_MIB = 1024  # on a GPU that is free for a measurement: its driver's own share, and nobody's model
KEPT = ("PATH", "HOME", "XDG_CACHE_HOME", "LANG", "TMPDIR", "LD_LIBRARY_PATH")  # never the token
_LAST_LINES = 5
_STOPPED: dict[str, str] = {
    "runner_stopped": "the runner was stopped by its owner",
    "runner_lost": "the lease could not be renewed",
    "wall_limit": "the time limit of the job was reached",
}


class Stop:
    """Asks an attempt to end; the first reason counts."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self.reason: Reason | None = None

    def ask(self, reason: Reason) -> None:
        self.reason = self.reason or reason
        self._asked.set()

    def asked(self) -> bool:
        return self._asked.is_set()


@dataclass(frozen=True, slots=True)
class Ran:
    """How it ended. Its parts and its log lie in the folder, `dropped` bytes of the log left out. `quarantine` says why
    this machine may measure nothing until its owner has looked at it."""

    outcome: Outcome
    dropped: int = 0
    quarantine: str | None = None


class Executor(Protocol):
    def run(self, assignment: Assignment, folder: Path, say: Say, stop: Stop) -> Ran:
        """Execute the plan in the folder and return when nothing of it is left. Never raises."""
        ...


class Local:
    """On this machine."""

    def __init__(self, config: Config) -> None:
        self._config = config

    def run(self, assignment: Assignment, folder: Path, say: Say, stop: Stop) -> Ran:
        try:
            return self._run(assignment, folder, say, stop)
        except gpu.GpuError as error:
            return _unusable(f"the GPUs cannot be asked whether they are free: {error}")
        except ProcessError as error:
            return Ran(failed("supervisor_lost", str(error)))
        except OSError as error:
            return Ran(of_disk(error))

    def _run(self, assignment: Assignment, folder: Path, say: Say, stop: Stop) -> Ran:
        if stop.asked():
            return Ran(_stopped(str(stop.reason)))
        refused = self._config.policy.plan_refusals(assignment.plan, assignment.approved)
        if refused:
            return Ran(failed("not_allowed", "\n".join(refused)))
        gpus = self._config.site.gpus
        needs_gpus = any(side.launch is not None and side.launch.gpus for side in assignment.plan.sides)
        before = self._free(gpus) if needs_gpus else None
        if isinstance(before, str):
            return _unusable(before)
        ran = self._watched(assignment, folder, say, stop)
        back = gpu.given_back(before, gpus=gpus)
        if back is not None and not back.back:
            return _unusable(f"GPU memory did not come back: {back.before} MiB before, {back.after} MiB after", ran)
        return ran

    def _free(self, gpus: tuple[int, ...] | None) -> list[int] | str | None:
        """The memory in use on each GPU, or why they are not free. What just ended gets a minute to let go."""
        used = gpu.used_mib(gpus)
        if used is None:
            return None
        found = gpu.given_back([FOREIGN_MIB - gpu.SLACK_MIB] * len(used), gpus=gpus)
        assert found is not None
        return found.after if found.back else f"others use the GPUs: {found.after} MiB are in use before the start"

    def _watched(self, assignment: Assignment, folder: Path, say: Say, stop: Stop) -> Ran:
        write_order(folder, Order.of(assignment.plan, self._config))
        argv = [sys.executable, "-I", "-m", "runners.attempt", str(folder)]
        env = {name: os.environ[name] for name in KEPT if name in os.environ}
        log_file = folder / LOG
        until = time.monotonic() + min(assignment.plan.wall_s, self._config.policy.wall_s)
        process = Process(argv, env, log_file, folder)
        try:
            while process.running(wait_s=POLL_S) and not stop.asked() and time.monotonic() < until:
                say(_progress(folder), log_file.stat().st_size)
            why = str(stop.reason) if stop.asked() else "wall_limit"
            running = process.running()
        finally:
            stopped = process.stop(GRACE_S)
        return _judged(folder, stopped, log_file, why if running else None)


def _judged(folder: Path, stopped: Stopped, log_file: Path, why: str | None) -> Ran:
    """What came of it: its own word where it had one, else why it was ended, else its last lines."""
    try:
        outcome = Outcome.model_validate_json((folder / OUTCOME).read_bytes())
    except (OSError, ValidationError):
        lines = " / ".join(log.last_lines(log_file, _LAST_LINES))
        unasked = failed("runner_error", f"the measuring process ended with code {stopped.code}: {lines}")
        outcome = _stopped(why) if why else unasked
    ran = Ran(outcome, stopped.dropped)
    return _unusable(f"processes that nothing ends: {stopped.survivors}", ran) if stopped.survivors else ran


def _progress(folder: Path) -> Progress:
    try:
        return Progress(**json.loads((folder / PROGRESS).read_text()))
    except (OSError, ValueError):
        return Progress("preparing")


def _stopped(why: str) -> Outcome:
    if why == "cancelled":
        return Outcome(state="cancelled", message="cancelled while it was under way")
    failure: Failure = (
        "wall_limit" if why == "wall_limit" else "runner_lost" if why == "runner_lost" else "runner_stopped"
    )
    return failed(failure, _STOPPED[failure])


def _unusable(reason: str, ran: Ran | None = None) -> Ran:
    """The machine needs its owner; what an attempt has measured before is in its parts all the same."""
    return Ran(failed("gpu_not_free", reason), ran.dropped if ran else 0, reason)
