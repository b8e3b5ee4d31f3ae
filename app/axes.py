"""The axis registry: the only list of what a number can measure. Pure data.

An axis is a metric definition. Two numbers may be set against each other only on one axis in one version: when a
definition changes, `version` goes up and older numbers keep theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Direction = Literal["higher", "lower", "none"]
Meaning = Literal["same", "differs", "absent"]

# Groups of condition fields (app/claims/conditions.py) without which a number on the axis cannot be judged.
SERVING = frozenset(
    {
        "engine", "model", "hardware", "parallelism", "dtypes", "speculation", "approximations", "execution",
        "workload", "lengths", "output", "sampling", "cache", "load", "limit", "statistic",
    }
)  # fmt: skip
PREFILL = SERVING - {"speculation", "output", "sampling"}
KERNEL = frozenset({"engine", "model", "hardware", "lengths", "statistic"})
CAPACITY = frozenset({"engine", "model", "hardware", "parallelism", "dtypes"})


@dataclass(frozen=True)
class ToolName:
    """What one load tool calls this axis, or what it means by the same name."""

    tool: str
    name: str
    meaning: Meaning
    note: str


@dataclass(frozen=True)
class Axis:
    """One metric definition. `window` says which event opens it and which closes it."""

    key: str
    name: str
    definition: str
    formula: str
    units: tuple[str, ...]
    direction: Direction
    tail: str
    numerator: str
    denominator: str
    window: str
    matters: frozenset[str]
    tools: tuple[ToolName, ...] = ()
    version: int = 1
    source: str = ""
    memory_limited: bool = field(default=False)  # one stream: bounded by weight reads (lint R10)


def _axis(key: str, units: tuple[str, ...], direction: Direction, matters: frozenset[str], **text: str) -> Axis:
    blank = dict.fromkeys(("name", "definition", "formula", "tail", "numerator", "denominator", "window"), "")
    return Axis(key=key, units=units, direction=direction, matters=matters, **{**blank, **text})  # type: ignore[arg-type]


AXES: dict[str, Axis] = {
    axis.key: axis
    for axis in (
        _axis("decode_rate", ("tok/s",), "higher", SERVING, name="decode rate of one stream"),
        _axis("tpot", ("ms",), "lower", SERVING, name="TPOT"),
        _axis("event_gap", ("ms",), "lower", SERVING, name="event gap"),
        _axis("token_itl", ("ms",), "lower", SERVING, name="token ITL"),
        _axis("ttft", ("ms",), "lower", PREFILL, name="TTFT"),
        _axis("e2e_latency", ("ms", "s"), "lower", SERVING, name="end-to-end latency"),
        _axis("output_throughput", ("tok/s",), "higher", SERVING, name="output throughput"),
        _axis("total_throughput", ("tok/s",), "higher", SERVING, name="total throughput (input + output)"),
        _axis("output_per_gpu", ("tok/s/GPU",), "higher", SERVING, name="output tok/s/GPU"),
        _axis("total_per_gpu", ("tok/s/GPU",), "higher", SERVING, name="total tok/s/GPU (input + output + cached)"),
        _axis("undefined_per_gpu", ("tok/s/GPU",), "higher", SERVING, name="tok/s/GPU, output or total not stated"),
        _axis("per_gpu_at_limit", ("tok/s/GPU",), "higher", SERVING, name="throughput per GPU at an interactivity limit"),
        _axis("interactivity_p90_slow", ("tok/s/user",), "higher", SERVING, name="P90 interactivity (slow tail)"),
        _axis("interactivity_p90_fast", ("tok/s/user",), "higher", SERVING, name="P90 interactivity (fast tail)"),
        _axis("interactivity_e2e", ("tok/s/user",), "higher", SERVING, name="end-to-end normalised interactivity"),
        _axis("request_throughput", ("req/s",), "higher", SERVING, name="request throughput"),
        _axis("run_duration", ("s",), "lower", SERVING, name="duration of the run"),
        _axis("prefill_throughput", ("tok/s",), "higher", PREFILL, name="prefill throughput"),
        _axis("prefill_per_gpu", ("tok/s/GPU", "tok/s/node"), "higher", PREFILL, name="prefill tok/s/GPU"),
        _axis("decode_per_gpu", ("tok/s/GPU", "tok/s/node"), "higher", SERVING, name="decode-phase tok/s/GPU"),
        _axis("prefill_time", ("ms", "s"), "lower", PREFILL, name="prefill computation time"),
        _axis("decode_step_time", ("ms",), "lower", SERVING, name="time of one decode step"),
        _axis("kernel_time", ("ms", "us"), "lower", KERNEL, name="kernel time"),
        _axis("layer_time", ("ms", "us"), "lower", KERNEL, name="layer time"),
        _axis("acceptance_length_vllm", ("tokens/step",), "higher", SERVING, name="acceptance length (vLLM)"),
        _axis("acceptance_length_sglang", ("tokens/step",), "higher", SERVING, name="acceptance length (SGLang)"),
        _axis("acceptance_rate", ("%",), "higher", SERVING, name="acceptance rate"),
        _axis("kv_bytes_per_token", ("bytes/token", "GiB"), "lower", CAPACITY, name="KV bytes per token"),
        _axis("kv_capacity", ("tokens", "%"), "higher", CAPACITY, name="KV cache capacity"),
        _axis("itl_slope", ("ms/token",), "lower", SERVING, name="ITL growth per context token"),
        _axis("itl_intercept", ("ms",), "lower", SERVING, name="ITL at zero context"),
        _axis("kv_break_even", ("tokens",), "lower", SERVING, name="context length at which FP8 KV pays"),
        _axis("not_defined", ("x", "tok/s", "tok/s/GPU"), "none", SERVING, name="not defined by the source"),
    )
}
