"""The form's fields, grouped as people think of a measurement, with what helps to fill each. Pure data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.axes import AXES
from app.axes.interactivity import INTERACTIVITY
from app.axes.latency import LATENCY
from app.axes.phases import PHASES
from app.axes.speculation_and_memory import SPECULATION_AND_MEMORY
from app.axes.throughput import THROUGHPUT
from app.axes.waits import WAITS
from app.cards.fields import FIELDS, FieldDoc
from app.cards.names import METHODS, WEIGHTS
from app.language import N_, _

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Group:
    """`key` fields stand open; the rest is folded under `more`."""

    id: str
    heading: str
    key: tuple[str, ...]
    more: str
    rest: tuple[str, ...]


GROUPS = (
    Group(
        "ran",
        N_("What ran"),
        ("engine.name", "engine.version", "engine.commit", "model.id", "speculation.method"),
        N_("Weights, types, acceptance, approximations"),
        (
            "model.revision",
            "model.weights",
            "dtypes.weights",
            "dtypes.kv",
            "speculation.draft_tokens",
            "speculation.acceptance",
            "speculation.accept_length",
            "approximations",
        ),
    ),
    Group(
        "on",
        N_("On what"),
        ("hardware.accelerator", "hardware.count", "parallelism"),
        N_("Interconnect and host"),
        ("hardware.interconnect", "hardware.host"),
    ),
    Group(
        "loaded",
        N_("How it was loaded"),
        ("workload.input_tokens", "workload.output_tokens", "workload.concurrency"),
        N_("Prompts, sampling, prefix cache, other kinds of load"),
        (
            "workload.name",
            "workload.dataset",
            "workload.seed",
            "workload.chat_template",
            "workload.prefix_cache",
            "workload.temperature",
            "workload.ignore_eos",
            "workload.rate",
            "workload.sessions",
            "workload.turns",
        ),
    ),
    Group(
        "out",
        N_("What came out"),
        ("metric.axis", "result.value", "result.unit"),
        N_("Limit, runs, load tool, spread, date"),
        (
            "metric.constraint",
            "runs.count",
            "runs.warmup_discarded",
            "runs.statistic",
            "runs.tool",
            "result.spread",
            "result.measured_at",
        ),
    ),
    Group(
        "left",
        N_("What is left out, and what backs it"),
        ("source", "excludes"),
        N_("Quality, launch command, the claim that it repeats, title and note"),
        ("quality.checked", "quality.how", "launch.argv", "launch.env", "repeats", "title", "note"),
    ),
)

# Inputs for a whole block; everything else is documented with the schema.
BLOCKS = {
    "parallelism": FieldDoc(
        "parallelism",
        N_("Parallelism"),
        N_("In short: TP4, TP8/EP8, or DEP2 (attention data-parallel, experts split)."),
        "TP4",
    ),
    "approximations": FieldDoc(
        "approximations",
        N_("Approximations"),
        N_("What changes the output for speed, each on or off; none if none."),
        "none",
    ),
}
# What the form says instead of the schema, where it can be more to the point.
HELP = {
    "engine.version": N_("The exact release, or its commit."),
    "speculation.method": N_("The method, or off. Left empty, readers must ask."),
    "workload.concurrency": N_("Requests in flight at once. For a request rate or sessions, open the fields below."),
    "workload.input_tokens": N_("Of one request. Where lengths differ, say the statistic: median 142000."),
    "workload.output_tokens": N_("Of one request, likewise."),
    "hardware.count": N_("All GPUs that this number was measured on."),
    "result.value": N_("Every digit as you have it. Leave it empty to record a plan."),
    "excludes": N_("What the number does not count, one a line."),
    "source": N_("The address of the post or file, if the number is not your own."),
    "launch.argv": N_("Paste the server's command as a shell takes it. It is shown, never run from here."),
    "launch.env": N_("NAME=value, one a line."),
    "repeats": N_("The id at the end of a claim's address, if you measured that claim again."),
}
# Without these a card is refused (app/cards/rules.py REQUIRED), or says nothing.
NEEDED = {"engine.name", "model.id", "hardware.accelerator", "metric.axis", "workload.concurrency"}
LONG = {"excludes": 2, "launch.argv": 4, "launch.env": 2, "note": 3}  # rows
NUMERIC = {
    "hardware.count",
    "workload.concurrency",
    "workload.sessions",
    "workload.turns",
    "runs.count",
    "runs.warmup_discarded",
    "speculation.draft_tokens",
}
DECIMAL = {"result.value", "workload.rate", "workload.temperature", "speculation.accept_length"}
WIDE = {"model.id", "title", "source", "quality.how", "metric.constraint"}
CHOICES: dict[str, tuple[tuple[str, str], ...]] = {
    "model.weights": (("real", N_("real")), ("dummy", N_("dummy (random weights)"))),
    "speculation.acceptance": (
        ("measured", N_("measured on real text")),
        ("simulated", N_("simulated: set to a length")),
        ("synthetic", N_("synthetic: every draft accepted")),
    ),
}
YES_OR_NO = (("true", N_("yes")), ("false", N_("no")))
CHOICES |= dict.fromkeys(("workload.chat_template", "workload.ignore_eos", "quality.checked"), YES_OR_NO)
SUGGESTED: dict[str, tuple[str, ...]] = {
    "speculation.method": tuple(METHODS),
    "dtypes.weights": tuple(WEIGHTS),
    "dtypes.kv": tuple(WEIGHTS),
    "parallelism": ("TP1", "TP2", "TP4", "TP8", "DEP2", "DEP8", "TP8/EP8"),
    "approximations": ("none", "swa-bounded-replay on"),
    "workload.prefix_cache": ("cleared before each run", "off", "warm"),
    "workload.dataset": ("random token ids", "ShareGPT", "SPEED-Bench"),
    "runs.tool": ("vllm bench serve", "sglang bench_serving", "guidellm", "aiperf", "genai-bench", "inference-perf"),
    "runs.statistic": ("median", "mean", "P90", "P99"),
    "result.unit": tuple(dict.fromkeys(unit for axis in AXES.values() for unit in axis.units)),
    "metric.constraint": ("p90_interactivity > 50 tok/s",),
}
AXIS_GROUPS = (
    (N_("Time and speed of one request"), (*LATENCY, *WAITS)),
    (N_("Throughput"), THROUGHPUT),
    (N_("Speed that each user sees"), INTERACTIVITY),
    (N_("Phases and parts"), PHASES),
    (N_("Speculation and memory"), SPECULATION_AND_MEMORY),
)


def doc(path: str) -> FieldDoc:
    return BLOCKS.get(path) or FIELDS[path]


def suggestions(known: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """What each field's list offers; `known` are values that other records have (app.claims)."""
    return {**SUGGESTED, **{path: tuple(values) for path, values in known.items()}}


def units_hint(axis: str) -> str:
    """Which unit an axis takes, as the help of the unit's field."""
    found = AXES.get(axis)
    return (
        _("Takes {units}.").format(units=_(" or ").join(found.units))
        if found
        else _("Choose what the number measures first.")
    )


def axis_hint(axis: str) -> str:
    found = AXES.get(axis)
    return _(found.definition if found else N_("The definition stands here once you choose."))
