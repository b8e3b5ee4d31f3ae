"""What this machine puts into the places of a server's command and environment. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from app.protocol.engines.start import Given


@dataclass(frozen=True, slots=True)
class Site:
    """What the runner's owner says of this machine: the GPUs to use (all where None), where models are stored, and
    folders that engines find modules in beside their own."""

    gpus: tuple[int, ...] | None = None
    models: Path | None = None
    modules: tuple[Path, ...] = ()


def given(site: Site, programs: Path, scratch: Path) -> Given:
    """`programs` is the environment's folder of programs, `scratch` a folder that is deleted afterwards."""
    found: Given = {"PROGRAMS": str(programs), "SCRATCH": str(scratch)}
    if site.gpus is not None:
        found["GPUS"] = ",".join(map(str, site.gpus))
    if site.models is not None:
        found["MODELS"] = str(site.models)
    if site.modules:
        found["MODULES"] = ":".join(map(str, site.modules))
    return found
