"""The processes below one, and the processor time that each has used, as the kernel tells it in /proc."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")  # per second of processor time
_PARENT, _USER, _SYSTEM = 1, 11, 12  # places in a process's `stat`, counted from its state


def below(root: int) -> list[int]:
    """All descendants of a process, zombies left out."""
    parents: dict[int, list[int]] = {}
    dead: set[int] = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            fields = _stat(int(entry.name))
            parents.setdefault(int(fields[_PARENT]), []).append(int(entry.name))
            if fields[0] in "ZX":
                dead.add(int(entry.name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        children = parents.get(waiting.pop(), [])
        waiting += children
        found += [pid for pid in children if pid not in dead]
    return found


def used_s(root: int) -> dict[int, float]:
    """Seconds of processor time of each descendant; what ended meanwhile is left out."""
    found = {}
    for pid in below(root):
        with contextlib.suppress(OSError):
            fields = _stat(pid)
            found[pid] = (int(fields[_USER]) + int(fields[_SYSTEM])) / TICKS
    return found


def _stat(pid: int) -> list[str]:
    """The fields behind the name, which may itself hold spaces and brackets."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
