"""The words of a claim: what it measures, against what, under which conditions. Pure: a row -> short texts.

Nothing is judged here; a word that is missing in the source becomes "not stated", never a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.axes import AXES
from app.claims.wording import number, with_unit
from app.protocol.english import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from app.claims.schema import Acceptance, Baseline, Claim, Conditions

NOT_STATED = "not stated"
DOT = " · "
TIMES = "\N{MULTIPLICATION SIGN}"

SCOPES = {
    "kernel": "one kernel",
    "path": "a chain of kernels",
    "layer": "one layer",
    "forward_pass": "one forward pass",
    "phase": "one phase",
    "end_to_end": "end to end",
    "capacity": "capacity",
}
STATED_IN = {
    "text": "text",
    "table": "table",
    "chart": "chart",
    "caption": "caption",
    "data_file": "data file",
    "threshold": "threshold of a test",
    "derived": "derived",
    "measured": "measured",
}
ACCEPTANCE = {
    "none": "no speculation",
    "measured": "measured",
    "simulated": "simulated",
    "synthetic": "synthetic, 100 %",
    "not_stated": NOT_STATED,
}
BASELINES = {
    "own_earlier_build": "its own earlier build",
    "feature_off": "the same build with one thing off",
    "other_engine": "another engine",
    "other_hardware": "other hardware",
    "other_configuration": "the same build, set up otherwise",
    "other_model": "another model",
    "estimate": "an estimate, not a measurement",
    "not_stated": NOT_STATED,
    "none": "nothing; the number stands by itself",
}
# An axis's name without the unit that it ends in: the unit stands beside the number.
AXIS_NAMES = {axis.key: axis.name.partition(" (")[0] for axis in AXES.values()}
# What a column of the table says of the axes with the longest names.
SHORT_AXES = {
    "per_gpu_at_limit": "throughput/GPU at a limit",
    "undefined_per_gpu": "tok/s per GPU, output or total not stated",
    "kv_break_even": "context from which an FP8 KV cache pays",
}
# These name their scope themselves.
SCOPED_AXES = {"kernel_time", "layer_time", "decode_step_time"}


def measures(claim: Claim, *, shortly: bool = False) -> str:
    """What the number says: its axis in words, how it is expressed, and its scope where it is less than the whole."""
    axis = axis_of(claim, shortly=shortly)
    if claim.axis != "not_defined":
        axis = {"ratio": f"ratio of {axis}", "change": f"change in {axis}"}.get(claim.kind, axis)
    whole = claim.scope in ("end_to_end", "capacity", "phase") or claim.axis in SCOPED_AXES
    return axis if whole else f"{axis}, {SCOPES[claim.scope]}"


def axis_of(claim: Claim, *, shortly: bool = False) -> str:
    """The axis of one number; where it is taken at a limit and none is stated, that is said."""
    axis = SHORT_AXES.get(claim.axis, axis_name(claim.axis)) if shortly else axis_name(claim.axis)
    return f"{axis} (not stated)" if claim.axis == "per_gpu_at_limit" and claim.conditions.limit is None else axis


def fact_words(field: str, value: object) -> str:
    """A condition as a reader takes it: weights that are called dummy are random numbers."""
    if value == "dummy" and field.endswith("model.weights"):
        return "random numbers"
    return NOT_STATED if value is None else str(value)


def axis_name(key: str) -> str:
    return AXIS_NAMES.get(key, key)


def against(baseline: Baseline) -> str:
    """What the number is set against, with the baseline's own number where it is printed."""
    said = baseline.text or BASELINES[baseline.kind]
    return f"{said} ({printed(baseline.value, baseline.unit)})" if baseline.value is not None else said


def printed(value: Decimal, unit: str | None) -> str:
    return with_unit(number(value), unit) if unit else number(value)


def conditions(claim: Claim) -> str:
    """The stated conditions of a row in one line; only a missing GPU is named here, the claim's page names the rest."""
    forced = claim.acceptance.kind in ("simulated", "synthetic")
    said = f"acceptance {acceptance(claim.acceptance)}" if forced else ""
    return DOT.join(part for part in (*_conditions(claim.conditions), said) if part)


def _conditions(given: Conditions) -> Iterator[str]:
    yield gpus(given)
    if given.parallelism:
        yield given.parallelism
    work = given.workload
    if work.name:
        yield work.name
    if work.input_tokens or work.output_tokens:
        yield ", ".join(
            f"{tokens} {way}" for tokens, way in ((work.input_tokens, "in"), (work.output_tokens, "out")) if tokens
        )
    if given.load.concurrency or given.load.batch:
        yield f"concurrency {given.load.concurrency}" if given.load.concurrency else f"batch {given.load.batch}"
    if given.speculation.method and given.speculation.method != "off":
        yield given.speculation.method
    if given.limit:
        yield given.limit


def gpus(given: Conditions) -> str:
    """ "4x GB300", or what of it is stated."""
    hardware = given.hardware
    if hardware.accelerator and hardware.count:
        return f"{hardware.count}{TIMES} {hardware.accelerator}"
    if hardware.accelerator:
        return f"{hardware.accelerator} (GPU count not stated)"
    return f"{counted(hardware.count, 'GPU')} (kind not stated)" if hardware.count else "GPU not stated"


def acceptance(given: Acceptance) -> str:
    """ "simulated 5.5 of at most 6": a simulation is named by what it was set to."""
    words = ACCEPTANCE[given.kind]
    length = given.target or given.length
    if length is not None:
        words += f" {number(length)}"
    return f"{words} of at most {number(given.ceiling)}" if given.ceiling is not None else words
