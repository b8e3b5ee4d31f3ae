"""A server's environment variables, built from nothing: those of the runner's own process are not inherited. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from runners.engines.table import Device, Engine

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True, slots=True)
class Site:
    """What the runner's owner says of this machine: the GPUs to use (all where None), where models are stored, and
    folders that engines find modules in beside their own."""

    gpus: tuple[int, ...] | None = None
    models: Path | None = None
    modules: tuple[Path, ...] = ()


def child(
    engine: Engine, device: Device, programs: Path, scratch: Path, site: Site, asked: Mapping[str, str]
) -> dict[str, str]:
    """All of it. `programs` is the environment's folder of programs, `scratch` a folder that is deleted afterwards."""
    found = {
        "PATH": f"{programs}:{SYSTEM_PATH}",
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",  # the last line before a crash reaches the log
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "DO_NOT_TRACK": "1",
        **engine.environment,
        **engine.device_environment.get(device, {}),
    }
    if site.gpus is not None:
        found["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, site.gpus))
    if site.models is not None:
        found["HF_HOME"] = str(site.models)
    if site.modules:
        found["PYTHONPATH"] = ":".join(map(str, site.modules))
    return found | dict(asked)
