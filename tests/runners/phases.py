"""A real runner held in any phase of an attempt, on a machine whose GPU is taken for as long as an engine lives."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from app.protocol.lease import Phase
from tests.runners.fake_app import TOKEN, FakeApp
from tests.runners.fake_site import install, written
from tests.runners.model_app import ModelApp
from tests.runners.plans import launch, plan
from tests.runners.whole import runner

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from app.protocol.plan import Plan

PHASES: tuple[Phase, ...] = get_args(Phase)
# The fake engine's model that stays in a phase; in the others something else does: `nvidia-smi`, and the app itself.
STAYING: dict[str, str] = {"starting": "never", "warming": "hangs", "measuring": "stays", "stopping": "lingers"}
WITH_ENGINE = tuple(STAYING)
FREE, TAKEN = [4], [90000]  # MiB of the GPU
GONE_S = 60.0  # that is waited for the end of what must end
SMI = """#!/bin/sh
# A GPU in use while an engine lives. Asked for its name by an attempt that shall stay where it is, it does not answer.
here=$(dirname "$0")
case "$*" in
*name*) [ -e "$here/stay" ] && touch "$here/stays" && exec sleep 600
    echo 'NVIDIA H200, 143771, 575.1, 1980, 3201, [N/A]' ;;
*) grep -qsa "$here/cache[/]benchcard" /proc/[0-9]*/cmdline && echo 90000 || echo 4 ;;
esac
"""


@dataclass
class Machine:
    """One machine with a runner's configuration, and the app that the runner asks."""

    folder: Path
    app: FakeApp = field(default_factory=lambda: FakeApp(ModelApp(wait_s=0.1, beat_s=0.1)))

    def ready(self) -> None:
        """Once the app has an address."""
        install(self.folder / "cache", "cuda")
        (self.folder / "nvidia-smi").write_text(SMI)
        (self.folder / "nvidia-smi").chmod(0o755)
        written(self.folder, self.app.url, TOKEN, gpus="gpus = [0]")

    def runner(self) -> AbstractContextManager[subprocess.Popen[str]]:
        path = f"{self.folder}:{os.environ['PATH']}"
        return runner(self.folder / "runner.toml", XDG_CACHE_HOME=str(self.folder / "cache"), PATH=path)

    def submit(self, name: str, phase: str) -> None:
        """A job that stays in that phase, for a runner that has asked for work already."""
        if phase == "preparing":
            (self.folder / "stay").touch()
        with self.app.changed:
            if phase == "uploading":
                self.app.released.clear()
                self.app.faults["part"] = ["hold"]
            self.app.model.add(name, on_gpu(STAYING.get(phase, "good")))

    def release(self) -> None:
        """Nothing of the machine or the app holds a job any more."""
        (self.folder / "stay").unlink(missing_ok=True)
        (self.folder / "stays").unlink(missing_ok=True)
        self.app.released.set()

    def reached(self, phase: str, since: int = 0) -> bool:
        """Whether an attempt stays in that phase, by the heartbeats from that one on."""
        if phase == "preparing" and not (self.folder / "stays").exists():
            return False
        if phase == "starting" and self.used() != TAKEN:
            return False  # it is told before the engine is there
        return any(beat.phase == phase for beat in self.app.model.beats[since:])

    def used(self) -> list[int]:
        """Memory in use, as a runner here is told."""
        said = subprocess.run([self.folder / "nvidia-smi", "--query-gpu=memory.used"], capture_output=True, check=True)
        return [int(said.stdout)]

    def left(self) -> list[str]:
        """What runs of an attempt: engine, supervisors, the measuring process, whatever these have started."""
        attempts, found = str(self.folder / "runner" / "attempts"), []
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if attempts in words or str((entry / "cwd").readlink()).startswith(attempts):
                    found.append(words)
        return found

    def emptied(self) -> float:
        """Wait until nothing of an attempt runs; returns after how many seconds that was."""
        begun = time.monotonic()
        while left := self.left():
            assert time.monotonic() < begun + GONE_S, f"still there after {GONE_S:g} s: {left}"
            select.select([], [], [], 0.05)
        return time.monotonic() - begun


def on_gpu(model: str) -> Plan:
    wanted = plan(model)
    (side,) = wanted.sides
    return wanted.model_copy(update={"sides": (side.model_copy(update={"launch": launch(model, gpus=1)}),)})
