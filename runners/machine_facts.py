"""What a machine is, for reports and for the app: system, processor, memory, GPUs, installed engines."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from app.protocol.lease import Capabilities, EngineHere, Gpu
from app.protocol.outcome import Machine, MeasuredGpu
from runners import gpu
from runners.engines import install

if TYPE_CHECKING:
    from runners.config import Config
    from runners.order import Order


def version() -> str:
    """Of Benchcard."""
    return metadata.version("benchcard")


def read(order: Order) -> Machine:
    """This machine as it is set now. GpuError: its GPUs cannot be asked."""
    return Machine(
        runner=order.runner,
        benchcard=version(),
        system=platform.platform(),
        processor=_processor(),
        cpus=_cpus(),
        memory_mib=_memory_mib(),
        gpus=tuple(
            MeasuredGpu(
                name=card.name,
                memory_mib=card.memory_mib,
                driver=card.driver,
                sm_clock_mhz=card.sm_clock_mhz,
                memory_clock_mhz=card.memory_clock_mhz,
                power_limit_w=card.power_limit_w,
            )
            for card in gpu.cards(order.gpus)
        ),
    )


def capabilities(config: Config) -> Capabilities:
    """What the app may send here, by this machine and by its owner's policy. GpuError as above."""
    policy = config.policy
    return Capabilities(
        gpus=tuple(
            Gpu(name=card.name, memory_mib=card.memory_mib, driver=card.driver) for card in gpu.cards(config.site.gpus)
        ),
        cpus=_cpus(),
        memory_mib=_memory_mib(),
        engines=tuple(
            EngineHere(
                name="vllm" if here.engine.name == "vllm" else "sglang", version=here.version, device=here.device
            )
            for here in install.listed()
            if policy.starts(here.engine.name, here.version)
        ),
        models=policy.models,
        attach=policy.attach,
        wall_s=policy.wall_s,
        approved=policy.approved,
        denied_flags=policy.denied_flags,
        max_gpus=policy.max_gpus,
        tools=tuple(sorted(config.site.tools)),
    )


def _cpus() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0))


def _memory_mib() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20


def _processor() -> str:
    """Its name as the kernel tells it, else its architecture."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
