"""The process between the runner and a server: it sees to it that nothing of the server survives.

It runs as its own program (`python -m runners.supervisor`, Linux only), imports the standard library alone, and does
four things: it adopts every descendant of the server (child subreaper), writes what they print to a bounded log, tells
the runner at once when the server exits, and ends them all when the runner asks, closes its end, or is gone.

On its input it hears lines: `stop SECONDS` (SIGTERM, then SIGKILL after that grace) and the end of the input, which
means that the runner is gone. On its output it says lines of JSON: `started`, `exited` and, as the last one, `gone`.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from runners.log import BoundedLog, Echo
from runners.processes_below import below

_SUBREAPER, _DEATH_SIGNAL = 36, 1  # PR_SET_CHILD_SUBREAPER and PR_SET_PDEATHSIG of prctl(2)
TICK_S = 0.2  # between two looks at whether the runner still lives
GONE_GRACE_S = 1.0  # that a server gets after SIGTERM when its runner is gone
UNKILLABLE_S = 60.0  # after SIGKILL; what is alive then sits in the kernel, mostly in a GPU's driver


class Supervisor:
    """One server and all that it starts."""

    def __init__(self, argv: list[str], log: BoundedLog, runner: int, echo: str = "") -> None:
        self._log = log
        self._echo = Echo(echo, _pass_on) if echo else None
        self._runner = runner
        self._heard = b""
        self._stop_at: float | None = None  # when SIGKILL follows, once SIGTERM was sent
        self._status: int | None = None
        _prctl(_SUBREAPER, 1)
        self._woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self._begin_stop(GONE_GRACE_S))
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._output, output = os.pipe2(os.O_CLOEXEC)
        self._server = subprocess.Popen(  # noqa: S603 - argv items, no shell
            argv,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=lambda: _prctl(_DEATH_SIGNAL, signal.SIGKILL),  # noqa: PLW1509 - this process has one thread
        )
        os.close(output)
        _say("started", pid=self._server.pid)

    def run(self) -> None:
        """Until no descendant is left."""
        watched = [0, self._woken, self._output]
        while self._status is None or below(os.getpid()):
            ready, _, _ = select.select(watched, [], [], TICK_S)
            if self._woken in ready:
                os.read(self._woken, 512)
            if self._output in ready and not self._keep_output():
                watched.remove(self._output)
            if 0 in ready and not self._hear():
                watched.remove(0)
            if os.getppid() != self._runner:
                self._begin_stop(GONE_GRACE_S)
            self._reap()
            if self._stop_at is not None and time.monotonic() >= self._stop_at and not self._kill_all():
                break
        self._drain()
        if self._echo:
            self._echo.close()
        _say("gone", survivors=below(os.getpid()), dropped=self._log.close())

    def _keep_output(self) -> bool:
        data = os.read(self._output, 1 << 16)
        self._log.write(data)
        if self._echo:
            self._echo(data)
        return bool(data)

    def _drain(self) -> None:
        while select.select([self._output], [], [], 0)[0] and self._keep_output():
            pass

    def _hear(self) -> bool:
        data = os.read(0, 4096)
        self._heard += data
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            self._begin_stop(float(line.split()[1]))
        if not data:
            self._begin_stop(GONE_GRACE_S)
        return bool(data)

    def _begin_stop(self, grace_s: float) -> None:
        """SIGTERM to the server, once. Its own processes are its to end: it would take their deaths for crashes."""
        if self._stop_at is not None:
            return
        self._stop_at = time.monotonic() + grace_s
        if self._status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._server.pid, signal.SIGTERM)

    def _reap(self) -> None:
        """Collect every process that ended, and tell the runner of the server itself."""
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = found
                if pid == self._server.pid:
                    self._status = os.waitstatus_to_exitcode(status)
                    self._drain()  # its last words are in the log before the runner hears of its end
                    _say("exited", code=self._status)
                    self._stop_at = self._stop_at or time.monotonic() + GONE_GRACE_S  # what it left gets that long

    def _kill_all(self) -> bool:
        """SIGKILL to all descendants; False when they do not go for a minute."""
        for pid in below(os.getpid()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        assert self._stop_at is not None
        return time.monotonic() < self._stop_at + UNKILLABLE_S


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def _pass_on(data: bytes) -> None:
    """To the runner's own output, which may be gone."""
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(2, data) :]


def _say(event: str, **fields: object) -> None:
    """A line to the runner, which may be gone."""
    with contextlib.suppress(BrokenPipeError):
        os.write(1, json.dumps({"event": event, **fields}).encode() + b"\n")


def main(arguments: list[str]) -> int:
    """`RUNNER_PID LOG ECHO ARGV...`; an empty ECHO passes nothing on"""
    runner, log, echo, *argv = arguments
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        supervisor = Supervisor(argv, BoundedLog(Path(log)), int(runner), echo)
    except OSError as error:
        _say("failed", message=str(error))
        return 1
    supervisor.run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
