"""A server under its supervisor, as the runner sees it: start, look whether it lives, stop, and what was left."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from runners import log

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

START_S = 30.0  # for the supervisor itself; the server's own start has a limit of its own
REPORT_S = 70.0  # after the grace: a supervisor reports what it could not kill within a minute


class ProcessError(Exception):
    """The server's program could not be started, or its supervisor is gone."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """How a server ended: its exit code, negative for a signal, and the processes that would not die."""

    code: int | None
    survivors: list[int] = field(default_factory=list)
    dropped: int = 0  # bytes that its log left out


class Process:
    """One server. Everything below its supervisor is gone when `stop` returns no survivors, and also when this process
    is killed with SIGKILL."""

    def __init__(
        self, argv: Sequence[str], env: Mapping[str, str], log_file: Path, folder: Path, echo: str = ""
    ) -> None:
        """Start in `folder`, with `env` as the whole environment. With `echo`, what it prints also goes to this
        process's standard error, each line under that word. ProcessError: no such program."""
        self.log_file = log_file
        self.code: int | None = None
        self._survivors: list[int] | None = None
        self._dropped = 0
        self._heard = b""
        command = [sys.executable, "-I", "-m", "runners.supervisor", str(os.getpid()), str(log_file), echo, *argv]
        self._supervisor = subprocess.Popen(  # noqa: S603 - argv items, no shell; what may be in them is the recipe's business
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(env),
            cwd=folder,
            start_new_session=True,
            bufsize=0,
        )
        said = self._wait_for("started", START_S)
        if said is None:
            self._close()
            raise ProcessError(f"{argv[0]}: not started within {START_S:g} s")
        self.pid = int(str(said["pid"]))
        self.supervisor = self._supervisor.pid

    def running(self, wait_s: float = 0.0) -> bool:
        """Whether the server lives; waits up to that long for its end, and hears of it at once."""
        if self.code is None and self._survivors is None:
            self._wait_for("exited", wait_s)
        return self.code is None and self._survivors is None

    def last_lines(self, number: int = 40) -> list[str]:
        return log.last_lines(self.log_file, number)

    def stop(self, grace_s: float = 15.0) -> Stopped:
        """SIGTERM, after the grace SIGKILL to all that is left; returns when it is over."""
        if self._survivors is None:
            try:
                assert self._supervisor.stdin is not None
                self._supervisor.stdin.write(f"stop {grace_s}\n".encode())
            except BrokenPipeError:
                pass  # over already: what it said is still to be read
            if self._wait_for("gone", grace_s + REPORT_S) is None:
                raise ProcessError(f"the supervisor of {self.pid} does not answer")
        self._close()
        return Stopped(self.code, self._survivors or [], self._dropped)

    def _close(self) -> None:
        for pipe in (self._supervisor.stdin, self._supervisor.stdout):
            assert pipe is not None
            pipe.close()
        try:  # the end of its input ends it
            self._supervisor.wait(REPORT_S)
        except subprocess.TimeoutExpired:
            self._supervisor.kill()
            self._supervisor.wait(REPORT_S)

    def _wait_for(self, event: str, seconds: float) -> dict[str, object] | None:
        """Read what the supervisor says until that event; None when it does not come in time."""
        assert self._supervisor.stdout is not None
        until = time.monotonic() + seconds
        while True:
            while b"\n" in self._heard:
                line, _, self._heard = self._heard.partition(b"\n")
                said = self._take(json.loads(line))
                if said["event"] == event:
                    return said
            left = max(0.0, until - time.monotonic())
            if not select.select([self._supervisor.stdout], [], [], left)[0]:
                return None
            data = os.read(self._supervisor.stdout.fileno(), 1 << 16)
            if not data:
                self._close()
                raise ProcessError("the supervisor is gone")
            self._heard += data

    def _take(self, said: dict[str, object]) -> dict[str, object]:
        if said["event"] == "exited":
            self.code = int(str(said["code"]))
        elif said["event"] == "gone":
            self._survivors = [int(pid) for pid in said["survivors"]] if isinstance(said["survivors"], list) else []
            self._dropped = int(str(said["dropped"]))
        elif said["event"] == "failed":
            self._close()
            raise ProcessError(str(said["message"]))
        return said
