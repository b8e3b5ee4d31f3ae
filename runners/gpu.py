"""GPU memory, as `nvidia-smi` tells it: before a server starts, and whether it is back after its end."""

from __future__ import annotations

import shutil
import subprocess
import time
from dataclasses import dataclass

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


def used_mib() -> list[int] | None:
    """Of each GPU; None on a machine without `nvidia-smi`. GpuError: it is there but fails or hangs."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    command = [program, "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=ASK_S, check=True).stdout  # noqa: S603
        return [int(line) for line in said.split()]
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        raise GpuError(f"nvidia-smi: {error}") from error


def given_back(before: list[int] | None, limit_s: float = BACK_S) -> Back | None:
    """Wait until the memory in use is what it was; None where there is no GPU."""
    if before is None:
        return None
    until = time.monotonic() + limit_s
    while True:
        found = Back(before, used_mib() or [])
        if found.back or time.monotonic() >= until:
            return found
        time.sleep(0.5)
