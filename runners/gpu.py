"""GPU memory, as `nvidia-smi` tells it: before a server starts, and whether it is back after its end."""

from __future__ import annotations

import shutil
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SLACK_MIB = 256  # what a driver may keep for itself
BACK_S = 60.0  # an unkillable process of a dead server is a matter for the machine's owner after that
ASK_S = 15.0


class GpuError(Exception):
    """`nvidia-smi` is there and does not answer as it should."""


@dataclass(frozen=True, slots=True)
class Back:
    """Memory in use in MiB, one number a GPU, before the start and after the end; `back` where it was given back."""

    before: list[int]
    after: list[int]

    @property
    def back(self) -> bool:
        return len(self.before) == len(self.after) and all(
            now <= then + SLACK_MIB for then, now in zip(self.before, self.after, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Card:
    """A GPU as it is set now; None is not stated."""

    name: str
    memory_mib: int
    driver: str | None
    sm_clock_mhz: int | None
    memory_clock_mhz: int | None
    power_limit_w: float | None


def used_mib(gpus: Sequence[int] | None = None) -> list[int] | None:
    """Of each of these GPUs, of all where None; None where there is none, or no
    `nvidia-smi`. GpuError: it is there but
    fails or hangs."""
    said = _query("memory.used", gpus)
    return None if said is None else [_whole(row[0]) for row in said]


def cards(gpus: Sequence[int] | None = None) -> list[Card]:
    """These GPUs, all where None. GpuError as above."""
    asked = "name,memory.total,driver_version,clocks.sm,clocks.mem,power.limit"
    return [
        Card(name, _whole(memory), driver or None, _clock(sm), _clock(mem), _stated(power))
        for name, memory, driver, sm, mem, power in _query(asked, gpus) or []
    ]


def _query(asked: str, gpus: Sequence[int] | None) -> list[list[str]] | None:
    program = shutil.which("nvidia-smi")
    if program is None or (gpus is not None and not gpus):
        return None
    chosen = [] if gpus is None else [f"--id={','.join(map(str, gpus))}"]
    command = [program, *chosen, f"--query-gpu={asked}", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=ASK_S, check=True).stdout  # noqa: S603
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        raise GpuError(f"nvidia-smi: {error}") from error
    rows = [[cell.strip() for cell in line.split(",")] for line in said.splitlines() if line.strip()]
    if any(len(row) != asked.count(",") + 1 for row in rows):
        raise GpuError(f"nvidia-smi answers in another form: {said[:200]!r}")
    return rows


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise GpuError(f"nvidia-smi: {error}") from error


def _stated(text: str) -> float | None:
    """`[N/A]` and the like are not stated."""
    try:
        return float(text)
    except ValueError:
        return None


def _clock(text: str) -> int | None:
    found = _stated(text)
    return None if found is None else int(found)


def given_back(
    before: list[int] | None, limit_s: float | None = None, gpus: Sequence[int] | None = None
) -> Back | None:
    """Wait until the memory in use is what it was; None where there is no GPU."""
    if before is None:
        return None
    until = time.monotonic() + (BACK_S if limit_s is None else limit_s)
    while True:
        found = Back(before, used_mib(gpus) or [])
        if found.back or time.monotonic() >= until:
            return found
        time.sleep(0.5)
