"""The arguments of `measure` -> the points that it measures. Reads the server's key from the environment."""

from __future__ import annotations

import os
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from runners import arguments
from runners.load.plan import Workload
from runners.load.prompts import COMMON, LOWEST, Vocabulary
from runners.load.schedule import Closed, Load, Open, Sessions, Shape
from runners.measure import Options

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

# Arguments that belong to one kind of load alone, by that kind's argument.
OWN = {"rate": ("arrivals", "burstiness"), "sessions": ("turns", "prefix_tokens", "think")}


def points(given: argparse.Namespace) -> list[Options]:
    """One point, or those of a sweep in the order given. ValueError says which argument is wrong."""
    for kind, names in OWN.items():
        for name in names:
            if getattr(given, name) is not None and getattr(given, kind) is None:
                raise ValueError(f"--{name.replace('_', '-')} has a meaning with --{kind} only")
    seed = secrets.randbelow(2**32) if given.seed is None else given.seed
    loads = _loads(given, seed)
    values = given.concurrency or given.rate or given.sessions
    if len(set(values)) < len(values):
        raise ValueError(f"a point is named twice: {', '.join(f'{value:g}' for value in values)}")
    if len(given.requests) not in {1, len(loads)}:
        raise ValueError(
            f"--requests has {len(given.requests)} numbers for {len(loads)} points: give one for all, or each"
        )
    requests = given.requests if len(given.requests) > 1 else given.requests * len(loads)
    first = _options(given, loads[0], requests[0], seed)
    if len(loads) == 1:
        return [first]
    return [
        replace(first, load=load, requests=number, traces=_file(given.trace, load))
        for load, number in zip(loads, requests, strict=True)
    ]


def _loads(given: argparse.Namespace, seed: int) -> list[Load]:
    if given.concurrency:
        return [Closed(number) for number in given.concurrency]
    if given.sessions:
        if given.turns is None:
            raise ValueError("--sessions needs --turns, the requests of one session")
        return [Sessions(number) for number in given.sessions]
    shape: Shape = given.arrivals or "poisson"
    if (shape == "gamma") != (given.burstiness is not None):
        raise ValueError("--arrivals gamma and --burstiness need each other")
    more: dict[str, Any] = {} if given.burstiness is None else {"burstiness": given.burstiness}
    return [Open(rate, shape, seed=seed % 2**64, **more) for rate in given.rate]


def _workload(given: argparse.Namespace) -> Workload:
    turns = 1 if given.turns is None else given.turns
    return Workload(given.input_tokens, given.output_tokens, turns, given.prefix_tokens or 0, given.think or 0.0)


def _options(given: argparse.Namespace, load: Load, requests: int, seed: int) -> Options:
    return Options(
        url=given.url,
        model=given.model,
        workload=_workload(given),
        load=load,
        requests=requests,
        runs=given.runs,
        processes=given.processes,
        vocabulary=COMMON if given.vocabulary is None else Vocabulary(LOWEST, given.vocabulary),
        api_key=os.environ.get(arguments.API_KEY),
        timeout_s=given.timeout,
        traces=given.trace,
        observer_check=given.observer_check,
        usage_at_end=given.usage_at_end,
        metrics_url=given.metrics_url,
        flush_cache=given.flush_cache,
        seed=seed,
    )


def _file(trace: Path | None, load: Load) -> Path | None:
    """The trace of a point, named after it."""
    if trace is None:
        return None
    tag = f"r{load.rate:g}" if isinstance(load, Open) else f"{type(load).__name__[0].lower()}{load.concurrency}"
    return trace.with_name(f"{trace.stem}-{tag}{trace.suffix or '.parquet'}")
