"""No process of a server survives: stopped, dead by itself, or with its runner killed. Real processes, Linux."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from runners import process
from runners.process import Process, ProcessError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# A server with five kinds of descendants: in its group, deaf to SIGTERM, in another session, a daemon that lost its
# parent, and one in a new session with an empty environment. Each writes its pid, and waits.
TREE = """
import os, signal, subprocess, sys
def note(kind):
    with open("pids", "a") as file: file.write(f"{kind} {os.getpid()}\\n")
def sleeper(kind, deaf=False):
    if deaf: signal.signal(signal.SIGTERM, signal.SIG_IGN)
    note(kind)
    while True: signal.pause()
def child(kind, **how):
    if os.fork() == 0:
        if how.get("session"): os.setsid()
        if how.get("orphan") and os.fork(): os._exit(0)
        sleeper(kind, how.get("deaf", False))
child("group"); child("deaf", deaf=True); child("session", session=True); child("daemon", session=True, orphan=True)
BARE = "import os, signal; open('pids', 'a').write(f'bare {os.getpid()}' + chr(10)); signal.pause()"
subprocess.Popen([sys.executable, "-c", BARE], env={}, start_new_session=True)
note("server")
print("tree is up", flush=True)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
signal.pause()
"""
KINDS = {"group", "deaf", "session", "daemon", "bare", "server"}


def test_a_supervisor_that_neither_starts_nor_ends_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = tmp_path / "python"
    silent.write_text("#!/bin/sh\nexec sleep 600\n")
    silent.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(silent))
    monkeypatch.setattr(process, "START_S", 0.1)
    monkeypatch.setattr(process, "REPORT_S", 0.1)
    with pytest.raises(ProcessError, match="server: not started within"):
        Process(["server"], {}, tmp_path / "log", tmp_path)


def pids(folder: Path) -> dict[str, int]:
    """Of all six, once they have all written theirs."""
    for _ in range(400):
        lines = (folder / "pids").read_text().splitlines() if (folder / "pids").exists() else []
        found = {kind: int(pid) for kind, _, pid in (line.partition(" ") for line in lines)}
        if set(found) == KINDS:
            return found
        select.select([], [], [], 0.05)
    raise AssertionError(f"only {sorted(found)} came up")


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def gone(found: dict[str, int]) -> bool:
    for _ in range(300):
        if not any(map(alive, found.values())):
            return True
        select.select([], [], [], 0.05)
    return False


def started(folder: Path, program: str) -> Process:
    return Process([sys.executable, "-c", program], {"PATH": os.environ["PATH"]}, folder / "log", folder)


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[tuple[Process, dict[str, int]]]:
    process = started(tmp_path, TREE)
    yield process, pids(tmp_path)
    with contextlib.suppress(ProcessError):
        process.stop(0)


def test_stop_ends_every_kind_of_descendant(tree: tuple[Process, dict[str, int]]) -> None:
    process, found = tree
    assert process.running()
    stopped = process.stop(grace_s=0.5)
    assert (stopped.code, stopped.survivors) == (7, [])
    assert not [kind for kind, pid in found.items() if alive(pid)]
    assert process.stop() == stopped


def test_what_a_dead_server_leaves_is_ended_too(tree: tuple[Process, dict[str, int]]) -> None:
    process, found = tree
    os.kill(found["server"], signal.SIGKILL)
    assert not process.running(wait_s=20)
    assert process.code == -signal.SIGKILL
    assert process.stop(0).survivors == []
    assert gone(found)


RUNNER = """
import os, signal, sys
from pathlib import Path
from runners.process import Process
folder = Path(sys.argv[1])
Process([sys.executable, "-c", sys.argv[2]], {"PATH": os.environ["PATH"]}, folder / "log", folder)
signal.pause()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_survives_a_killed_runner(how: signal.Signals, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", RUNNER, str(tmp_path), TREE]) as runner:
        found = pids(tmp_path)
        runner.send_signal(how)
    assert gone(found)


def test_an_early_exit_is_heard_at_once_with_the_last_words(tmp_path: Path) -> None:
    process = started(tmp_path, "import sys; print('loading', flush=True); sys.exit('no such flag: --fast')")
    assert not process.running(wait_s=20)
    assert process.code == 1
    assert process.last_lines() == ["loading", "no such flag: --fast"]
    assert process.stop().survivors == []


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProcessError, match="No such file"):
        Process(["/nowhere/python"], {}, tmp_path / "log", tmp_path)


def test_the_environment_is_the_given_one_alone(tmp_path: Path) -> None:
    program = "import os; print(sorted(set(os.environ) - {'LC_CTYPE'}))"  # which Python sets for itself
    process = Process([sys.executable, "-c", program], {"ONLY": "this"}, tmp_path / "log", tmp_path)
    assert not process.running(wait_s=20)
    assert process.last_lines() == ["['ONLY']"]
    process.stop()
