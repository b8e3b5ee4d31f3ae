"""The shape of a metric definition, and the load tools that every definition is set beside. Types, no axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.language import N_

Direction = Literal["higher", "lower", "none"]
Unit = Literal[
    "tok/s", "tok/s/user", "tok/s/GPU", "tok/s/node", "req/s",
    "s", "ms", "us", "ms/token",
    "tokens", "tokens/step", "bytes/token", "GiB", "%", "x",
]  # fmt: skip
Meaning = Literal[
    "same",  # the same count, window and formula, apart from the streams or settings that the note names
    "differs",  # a number of that name or next to it, with another count, window, tail or formula
    "absent",  # no such number
]

VERSIONING = N_(
    "An axis has a version: it rises by one when a change of formula, count, window, tail or percentile method could "
    "give one and the same trace another value; better wording does not raise it, and a number keeps the version it "
    "was taken under."
)

# Every tool with the source that its names and formulas were read in.
TOOLS: dict[str, str] = {
    "vllm bench": "vLLM 0.33.0",
    "sglang bench_serving": "SGLang 0.5.23",
    "guidellm": "guidellm 0.8.1",
    "aiperf": "aiperf 0.13.0",
    "inference-perf": "inference-perf main, 2026-08",
    "genai-bench": "genai-bench main, 2026-07",
    "InferenceX": "InferenceX main, 2026-08",
}

# Groups of condition fields (app/claims/conditions.py) without which a number on the axis cannot be judged.
SERVING = frozenset(
    {
        "engine", "model", "hardware", "host", "parallelism", "dtypes", "speculation", "approximations", "execution",
        "workload", "lengths", "output", "sampling", "cache", "load", "client", "statistic",
    }
)  # fmt: skip
PER_GPU = SERVING | {"limit"}  # a throughput that somebody may have taken under a limit on each user's speed
PREFILL = SERVING - {"speculation", "output", "sampling"}
KERNEL = frozenset({"engine", "model", "hardware", "lengths", "statistic"})
CAPACITY = frozenset({"engine", "model", "hardware", "parallelism", "dtypes"})


@dataclass(frozen=True)
class ToolName:
    """What one load tool calls this axis, or what it means by the same or the nearest name."""

    tool: str
    name: str
    meaning: Meaning
    note: str


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One metric definition.

    `tail` says which tail is the slow one and how a percentile is taken, before or after an inversion. `denominator`
    is what the number is divided by, and which GPUs count where it is per GPU. `window` names the event that opens
    the measured time and the event that closes it. `version` follows VERSIONING. `memory_limited` marks a rate of
    one stream in tok/s, which reading the weights bounds from above (lint R10); the times are left out because the
    bound would have to be turned round for them, and because two events can arrive together.
    """

    key: str
    name: str
    definition: str
    formula: str
    units: tuple[Unit, ...]
    direction: Direction
    tail: str
    numerator: str
    denominator: str
    window: str
    matters: frozenset[str]
    tools: tuple[ToolName, ...]
    source: str
    version: int = 1
    memory_limited: bool = False


Said = tuple[str, Meaning, str]  # name, meaning, note

ABSENT: Said = ("none", "absent", N_("Reports no such number."))


def named(
    *,
    vllm: Said = ABSENT,
    sglang: Said = ABSENT,
    guidellm: Said = ABSENT,
    aiperf: Said = ABSENT,
    inference_perf: Said = ABSENT,
    genai_bench: Said = ABSENT,
    inferencex: Said = ABSENT,
) -> tuple[ToolName, ...]:
    """One entry per tool, in the order of TOOLS; a tool that is not given has no such number."""
    said = (vllm, sglang, guidellm, aiperf, inference_perf, genai_bench, inferencex)
    return tuple(ToolName(tool, *entry) for tool, entry in zip(TOOLS, said, strict=True))


OUTSIDE_LOAD_TOOLS = N_("Outside what a load tool sees: it needs a profiler, an engine's log or arithmetic.")
NOT_DEFINED = N_("A place for published numbers without a definition, which a tool's number is not.")


def absent_everywhere(note: str) -> tuple[ToolName, ...]:
    """The entries of an axis that no tool reports, for one and the same reason."""
    return tuple(ToolName(tool, "none", "absent", note) for tool in TOOLS)


# Sentences that many axes share.
SLOW_IS_HIGH = N_(
    "The slow tail is the upper one, so P90 and P99 are the slow requests. Percentile over requests, linear between "
    "the two nearest ranks; a failed request counts as infinitely slow."
)
ONE_PER_RUN = N_(
    "One number per run, so no percentile inside it; over repeated runs the slow side is the low one, and the median "
    "is given with the spread."
)
RUN_WINDOW = N_(
    "Opens when the bytes of the first measured request are written, closes at the last token event of the last "
    "measured request; warm-up requests are out of both the count and the time, the time of failed ones stays in."
)
WHOLE_RUN = N_("Seconds of the run; all GPUs of the deployment together, no division by GPUs.")
