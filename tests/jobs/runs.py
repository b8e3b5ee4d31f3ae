"""Reports with traces whose numbers can be told in advance: every stream has the same TTFT and TPOT."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from app.protocol.launch import Launch
from app.protocol.outcome import Machine, MeasuredGpu, Report, RunReport, SideReport
from app.protocol.plan import Plan, Point, Side, Workload
from runners.load import chunks, trace_file
from runners.load.count import Counted
from runners.load.trace import from_rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.protocol.plan import SideName

MS = 1_000_000
CLIENT = {"processes": 1, "lag_p99_ms": 0.5, "lag_worst_ms": 1.0, "lag_share": 0.0, "cpu_share": 0.1}
LAUNCH = Launch(
    engine="vllm", version="0.33.0", model="meta-llama/Llama-3.1-8B", weights="dummy", gpus=1,
    flags={"dtype": "bfloat16"}, env={},
)  # fmt: skip
INPUT, OUTPUT = 8, 11


def plan(points: Sequence[int] = (2,), repeats: int = 3, sides: int = 1, **launch: Any) -> Plan:
    """A plan of 4 requests a point; with two sides the second has an FP8 KV cache."""
    first = LAUNCH.model_copy(update=launch)
    flags = {**first.flags, "kv-cache-dtype": "fp8"}
    second = Side(name="b", label="FP8 KV cache", launch=first.model_copy(update={"flags": flags}))
    return Plan(
        kind="ab" if sides == 2 else "sweep" if len(points) > 1 else "point",
        sides=(Side(name="a", label="as it is", launch=first), *((second,) if sides == 2 else ())),
        workload=Workload(input_tokens=INPUT, output_tokens=OUTPUT, seed=7, prefix_cache="cleared"),
        points=tuple(Point(concurrency=count, requests=max(4, count)) for count in points),
        repeats=repeats,
    )


def write_trace(
    file: Path,
    requests: int,
    streams: int,
    ttft_ms: float,
    tpot_ms: float,
    *,
    failed: int = 0,
    output: int = OUTPUT,
    changed: int = 0,
    **meta: Any,
) -> None:
    """A run in which `streams` requests are always under way, one after the other on each. `...-N.parquet` is the
    repeat N. The first `changed` requests have another, shorter output. What it says of itself can be changed by
    `meta`."""
    long_ms = ttft_ms + (output - 1) * tpot_ms
    rows = []
    for index in range(requests):
        start = (index // streams) * long_ms
        times = [int((start + ttft_ms + place * tpot_ms) * MS) for place in range(output)]
        rows.append(_row(index, int(start * MS), times, failed=index < failed))
        text = f"output {index}{', changed' if index < changed else ''}"
        rows[-1].text_length, rows[-1].output_sha256 = len(text), hashlib.sha256(text.encode()).hexdigest()
    work = {"input_tokens": INPUT, "output_tokens": output, "turns": 1, "prefix_tokens": 0, "think_s": 0.0}
    repeat = file.stem.rpartition("-")[2]
    given = {"client": CLIENT, "counting": "token_ids", "endpoint": "completions", "seed": 7, "workload": work}
    given |= {"load": {"kind": "closed", "concurrency": streams}, "repeat": int(repeat) if repeat.isdigit() else 1}
    given |= {"asked": {"usage": True, "continuous": True}, **meta}
    file.parent.mkdir(parents=True, exist_ok=True)
    trace_file.write(from_rows(rows, 0, given), file)


def _row(index: int, sent_ns: int, times: list[int], *, failed: bool) -> Counted:
    output = len(times)
    row = Counted(index, None, 0, None, sent_ns, times[-1], INPUT, output)
    if failed:
        row.failure, row.message = "timeout", "nothing came"
        return row
    row.first_byte_ns, row.status, row.finish_reason, row.counting = times[0], 200, "length", "token_ids"
    row.prompt_tokens, row.cached_tokens, row.output_tokens = INPUT, 0, output
    row.event_ns = np.array(times, np.int64)
    row.event_tokens = np.ones(output, np.int32)
    row.event_marks = np.full(output, chunks.CHOICES | chunks.TEXT, np.int32)
    row.event_usage = np.arange(1, output + 1, dtype=np.int32)
    return row


def attempt(
    folder: Path,
    of: Plan,
    tpot_ms: dict[str, float] | None = None,
    ttft_ms: float = 20.0,
    gpus: Sequence[str] = ("NVIDIA H200",),
) -> tuple[Report, dict[str, Path]]:
    """A report with its traces. Repeats differ by 0.1 % a repeat; TPOT is per side, 10 ms where none is given."""
    runs, traces = [], {}
    for place, point in enumerate(of.points):
        for repeat in range(1, of.repeats + 1):
            for side in of.sides:
                name = f"{side.name}-{place}-{repeat}.parquet"
                tpot = (tpot_ms or {}).get(side.name, 10.0) * (1 + repeat / 1000)
                output = of.workload.output_tokens
                streams, seed = point.concurrency or 1, of.workload.seed + place
                asked = {"usage": True, "continuous": point.counting == "each_event"}
                said: dict[str, Any] = {"seed": seed, "asked": asked, "model": f"served-{side.name}"}
                if side.attach:
                    said |= {"url": f"http://{side.attach.address}", "model": side.attach.model}
                write_trace(folder / name, point.requests, streams, ttft_ms, tpot, output=output, **said)
                runs.append(RunReport(side=side.name, point=place, repeat=repeat, trace=name))
                traces[name] = folder / name
    sides = tuple(_side(side.name, side.launch) for side in of.sides)
    machine = Machine(
        runner="box", benchcard="0.1.0", system="Debian 12", processor="AMD EPYC", cpus=16, memory_mib=128000,
        gpus=tuple(MeasuredGpu(name=name, memory_mib=143771, driver="570.1") for name in gpus),
    )  # fmt: skip
    return Report(plan=of, machine=machine, sides=sides, runs=tuple(runs)), traces


def _side(name: SideName, launch: Launch | None) -> SideReport:
    version = launch.version if launch else None
    return SideReport(
        side=name,
        argv=("vllm", "serve", "--api-key=***"),
        env={"LANG": "C.UTF-8", "VLLM_PLUGINS": ""},
        engine_version=version,
    )


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
