"""The words of a claim: what it measures, against what, under which conditions. Pure: a row -> short texts.

Nothing is judged here; a word that is missing in the source becomes "not stated", never a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.axes import AXES
from app.claims.wording import number, with_unit
from app.language import N_, _
from app.protocol.english import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from app.claims.schema import Acceptance, Baseline, Claim, Conditions

NOT_STATED = N_("not stated")
DOT = " · "
TIMES = "\N{MULTIPLICATION SIGN}"

SCOPES = {
    "kernel": N_("one kernel"),
    "path": N_("a chain of kernels"),
    "layer": N_("one layer"),
    "forward_pass": N_("one forward pass"),
    "phase": N_("one phase"),
    "end_to_end": N_("end to end"),
    "capacity": N_("capacity"),
}
STATED_IN = {
    "text": N_("text"),
    "table": N_("table"),
    "chart": N_("chart"),
    "caption": N_("caption"),
    "data_file": N_("data file"),
    "threshold": N_("threshold of a test"),
    "derived": N_("derived"),
    "measured": N_("measured"),
}
ACCEPTANCE = {
    "none": N_("no speculation"),
    "measured": N_("measured"),
    "simulated": N_("simulated"),
    "synthetic": N_("synthetic, 100 %"),
    "not_stated": NOT_STATED,
}
BASELINES = {
    "own_earlier_build": N_("its own earlier build"),
    "feature_off": N_("the same build with one thing off"),
    "other_engine": N_("another engine"),
    "other_hardware": N_("other hardware"),
    "other_configuration": N_("the same build, set up otherwise"),
    "other_model": N_("another model"),
    "estimate": N_("an estimate, not a measurement"),
    "not_stated": NOT_STATED,
    "none": N_("nothing; the number stands by itself"),
}
# Values of conditions that are words of the record, not names.
WEIGHTS = {"real": N_("real"), "dummy": N_("random numbers")}
SETTINGS = (N_("off"), N_("on"), N_("none"), N_("cleared"), N_("warm"))
# What a column of the table says of the axes with the longest names.
SHORT_AXES = {
    "per_gpu_at_limit": N_("throughput/GPU at a limit"),
    "undefined_per_gpu": N_("tok/s per GPU, output or total not stated"),
    "kv_break_even": N_("context from which an FP8 KV cache pays"),
}
# These name their scope themselves.
SCOPED_AXES = {"kernel_time", "layer_time", "decode_step_time"}


def measures(claim: Claim, *, shortly: bool = False) -> str:
    """What the number says: its axis in words, how it is expressed, and its scope where it is less than the whole."""
    axis = axis_of(claim, shortly=shortly)
    if claim.axis != "not_defined":
        axis = {"ratio": _("ratio of {axis}").format(axis=axis), "change": _("change in {axis}").format(axis=axis)}.get(
            claim.kind, axis
        )
    whole = claim.scope in ("end_to_end", "capacity", "phase") or claim.axis in SCOPED_AXES
    return axis if whole else f"{axis}, {_(SCOPES[claim.scope])}"


def axis_of(claim: Claim, *, shortly: bool = False) -> str:
    """The axis of one number; where it is taken at a limit and none is stated, that is said."""
    axis = _(SHORT_AXES[claim.axis]) if shortly and claim.axis in SHORT_AXES else axis_name(claim.axis)
    return (
        _("{axis} (not stated)").format(axis=axis)
        if claim.axis == "per_gpu_at_limit" and claim.conditions.limit is None
        else axis
    )


def fact_words(field: str, value: object) -> str:
    """A condition as a reader takes it: weights that are called dummy are random numbers."""
    if value in WEIGHTS and field.endswith("model.weights"):
        return _(WEIGHTS[str(value)])
    if value in SETTINGS:
        return _(str(value))
    return _(NOT_STATED) if value is None else str(value)


def axis_name(key: str) -> str:
    """Without the unit that it ends in, which stands beside the number; an unknown key stands for itself."""
    return _(AXES[key].name).partition(" (")[0] if key in AXES else key


def against(baseline: Baseline) -> str:
    """What the number is set against, with the baseline's own number where it is printed."""
    said = baseline.text or _(BASELINES[baseline.kind])
    return f"{said} ({printed(baseline.value, baseline.unit)})" if baseline.value is not None else said


def printed(value: Decimal, unit: str | None) -> str:
    return with_unit(number(value), unit) if unit else number(value)


def conditions(claim: Claim) -> str:
    """The stated conditions of a row in one line; only a missing GPU is named here, the claim's page names the rest."""
    forced = claim.acceptance.kind in ("simulated", "synthetic")
    said = _("acceptance {acceptance}").format(acceptance=acceptance(claim.acceptance)) if forced else ""
    return DOT.join(part for part in (*_conditions(claim.conditions), said) if part)


def _conditions(given: Conditions) -> Iterator[str]:
    yield gpus(given)
    if given.parallelism:
        yield given.parallelism
    work = given.workload
    if work.name:
        yield work.name
    if work.input_tokens or work.output_tokens:
        ways = ((work.input_tokens, _("{tokens} in")), (work.output_tokens, _("{tokens} out")))
        yield ", ".join(way.format(tokens=tokens) for tokens, way in ways if tokens)
    if given.load.concurrency or given.load.batch:
        yield (
            _("concurrency {concurrency}").format(concurrency=given.load.concurrency)
            if given.load.concurrency
            else _("batch {batch}").format(batch=given.load.batch)
        )
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
        return _("{accelerator} (GPU count not stated)").format(accelerator=hardware.accelerator)
    return (
        _("{count} (kind not stated)").format(count=counted(hardware.count, "GPU"))
        if hardware.count
        else _("GPU not stated")
    )


def acceptance(given: Acceptance) -> str:
    """ "simulated 5.5 of at most 6": a simulation is named by what it was set to."""
    words = _(ACCEPTANCE[given.kind])
    length = given.target or given.length
    if length is not None:
        words += f" {number(length)}"
    return (
        _("{words} of at most {ceiling}").format(words=words, ceiling=number(given.ceiling))
        if given.ceiling is not None
        else words
    )
