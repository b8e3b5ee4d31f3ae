"""The processes below one, and the processor time that each has used, as the kernel tells it in /proc."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")  # per second of processor time
_STATE, _PARENT, _USER, _SYSTEM = 0, 1, 11, 12  # places in a process's `stat`, counted from its state


def below(root: int) -> list[int]:
    """All descendants of a process, zombies left out."""
    return _below(root, _all())


def used_s(root: int) -> dict[int, float]:
    """Seconds of processor time of each descendant."""
    found = _all()
    return {pid: (int(found[pid][_USER]) + int(found[pid][_SYSTEM])) / TICKS for pid in _below(root, found)}


def _all() -> dict[int, list[str]]:
    """Every process with the fields of its `stat` behind the name, which may itself hold spaces and brackets."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            found[int(entry.name)] = (entry / "stat").read_text().rpartition(")")[2].split()
    return found


def _below(root: int, processes: dict[int, list[str]]) -> list[int]:
    children: dict[int, list[int]] = {}
    for pid, fields in processes.items():
        children.setdefault(int(fields[_PARENT]), []).append(pid)
    found: list[int] = []
    waiting = [root]
    while waiting:
        own = children.get(waiting.pop(), [])
        waiting += own
        found += [pid for pid in own if processes[pid][_STATE] not in "ZX"]
    return found
