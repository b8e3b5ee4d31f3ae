"""What each field of a card means, with an example: the one list behind the form and /cards/schema. Pure.

Types, limits and spellings are not repeated here: they are read from the schema itself (`kind_of`).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from app.cards import schema
from app.cards.schema import Card
from app.claims.schema import AxisKey, Slug
from app.claims.schema import Text as ClaimText

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class FieldDoc:
    """`path` as a card writes it; `[]` stands for each entry of a list."""

    path: str
    label: str
    says: str
    example: str
    unit: str = ""


_TABLE: tuple[tuple[str, ...], ...] = (
    ("title", "Title", "What was measured, in a few words; made from the other fields where it is left out.",
     "Decode rate with DSpark, random prompts"),
    ("engine.name", "Engine", "The serving engine that ran.", "vllm"),
    ("engine.version", "Engine version", "The exact release: `pip show vllm` prints it.", "0.33.0"),
    ("engine.commit", "Engine commit", "The git commit, where no release was measured.", "835c390"),
    ("model.id", "Model", "The model as its hub names it, owner included.", "deepseek-ai/DeepSeek-V4.1-Flash"),
    ("model.revision", "Model revision", "The hub's commit of the weights.", "a1b2c3d"),
    ("model.weights", "Weights", "Whether the model's own weights were loaded, or random ones (`--load-format dummy`).",
     "real"),
    ("hardware.accelerator", "GPU", "One GPU's name.", "GB300"),
    ("hardware.count", "Number of GPUs", "GPUs that this number was measured on, all of them together.", "4"),
    ("hardware.interconnect", "Interconnect", "How the GPUs reach each other.", "NVLink 5"),
    ("hardware.host", "Host", "CPU, memory or machine around the GPUs.", "one NVL72 tray, Grace"),
    ("parallelism.tp", "Tensor parallel", "GPUs that share each layer.", "4"),
    ("parallelism.pp", "Pipeline parallel", "Stages of layers.", "1"),
    ("parallelism.dp", "Data parallel", "Copies of the model, or of attention with `dp_attention`.", "2"),
    ("parallelism.ep", "Expert parallel", "GPUs that experts are split over; 1 where TP splits each expert.", "4"),
    ("parallelism.pcp", "Prefill context parallel", "GPUs that share a prompt.", "2"),
    ("parallelism.dcp", "Decode context parallel", "GPUs that share a request's KV cache.", "2"),
    ("parallelism.dp_attention", "Attention by data", "Whether attention is data-parallel on the same GPUs (DEP).",
     "true"),
    ("parallelism.note", "Parallelism in words", "Where no size fits.", "prefill TP2, decode DEP8"),
    ("dtypes.weights", "Weight type", "The type that the weights are kept in.", "fp8"),
    ("dtypes.kv", "KV cache type", "The type of the KV cache (`--kv-cache-dtype`).", "fp8"),
    ("speculation.method", "Speculation", "The method, or `off`.", "dspark"),
    ("speculation.draft_tokens", "Draft tokens", "Tokens drafted in each verify step.", "5"),
    ("speculation.acceptance", "Acceptance",
     "measured on real text; simulated (set to a length by a flag); synthetic (all drafts accepted).", "measured"),
    ("speculation.accept_length", "Acceptance length",
     "Tokens that a verify step yields, the target's own counted: 1 to draft tokens + 1.", "3.17", "tokens/step"),
    ("approximations[].name", "Approximation", "What changes the output for speed.", "swa-bounded-replay"),
    ("approximations[].on", "on or off", "Whether it was on.", "true"),
    ("workload.name", "Benchmark", "A named benchmark or trace.", "AgentX"),
    ("workload.input_tokens", "Input tokens", "Of one request; with its statistic where lengths differ.", "4096",
     "tokens"),
    ("workload.output_tokens", "Output tokens", "Of one request; with its statistic where lengths differ.", "1024",
     "tokens"),
    ("workload.dataset", "Prompts", "Where the prompts come from.", "uniform random token ids"),
    ("workload.seed", "Seed", "The seed of the prompts.", "42"),
    ("workload.chat_template", "Chat template", "Whether prompts went through the model's chat template.", "true"),
    ("workload.temperature", "Temperature", "Of sampling; 0 is greedy.", "0"),
    ("workload.ignore_eos", "ignore_eos", "Whether output always ran to its full length.", "true"),
    ("workload.prefix_cache", "Prefix cache", "cleared before each run, off, or warm (with the hit rate).",
     "cleared before each run"),
    ("workload.concurrency", "Concurrency", "Requests in flight at once.", "1"),
    ("workload.rate", "Request rate", "Requests sent per second.", "2.5", "requests/s"),
    ("workload.sessions", "Sessions", "Conversations at once, in an agentic trace.", "64"),
    ("workload.turns", "Turns", "Turns of one conversation.", "12"),
    ("runs.count", "Runs", "Measured runs, warm-up not counted.", "6"),
    ("runs.warmup_discarded", "Warm-up runs", "Runs thrown away before.", "1"),
    ("runs.statistic", "Statistic", "What the number is of the runs or requests.", "median"),
    ("metric.axis", "What the number measures", "One of the axes; each has a definition.", "decode_rate"),
    ("metric.constraint", "Limit", "A condition that the number was taken under.", "p90_interactivity > 50 tok/s"),
    ("result.value", "Result", "The number, with every digit as you have it.", "873.63"),
    ("result.unit", "Unit", "One of the axis's units.", "tok/s"),
    ("result.spread", "Spread", "How far the runs lie apart.", "870.1 to 875.9"),
    ("result.measured_at", "Measured on", "The day.", "2026-10-07"),
    ("also[].axis", "Axis", "What a further number of the same run measures.", "ttft"),
    ("also[].statistic", "Statistic", "What it is of the requests.", "median"),
    ("also[].value", "Value", "The further number.", "41.2"),
    ("also[].unit", "Unit", "One of its axis's units.", "ms"),
    ("excludes", "What is left out", "What the number does not count, one entry each.", "full prefill"),
    ("quality.checked", "Quality checked", "Whether the output was checked at these very settings.", "true"),
    ("quality.how", "How it was checked", "The evaluation and its score.", "GSM8K 95.1 against 95.3 without"),
    ("launch.argv", "Launch command", "The server's command, one word each.", "[vllm, serve, ORG/MODEL]"),
    ("launch.env", "Environment", "Variables that the server was started with.", "{VLLM_USE_V1: 1}"),
    ("raw[].name", "Raw file", "The name of a result file.", "result.json"),
    ("raw[].sha256", "Its SHA-256", "The digest of the file, 64 hex digits.", "e3b0c442..."),
    ("repeats", "Repeats", "The id of the claim that was measured again; its page's address ends in it.",
     "sglang-v41-step-16"),
    ("source", "Published at", "The address of the post or file, where the number is not your own.",
     "https://example.org/post"),
    ("note", "Note", "Anything else that a reader must know.", "GPU clocks were not locked."),
)  # fmt: skip
FIELDS: dict[str, FieldDoc] = {entry[0]: FieldDoc(*entry) for entry in _TABLE}

# Where a short form may stand instead of the whole block, with what people may write there.
SHORT_FORMS: dict[str, tuple[str, ...]] = {
    "engine": ("vllm 0.33.0", "sglang@835c390"),
    "model": ("deepseek-ai/DeepSeek-V4.1-Flash",),
    "hardware": ("4x GB300", "H200"),
    "parallelism": ("TP4", "DEP2", "TP8/EP8", "TP4 PP2"),
    "kv_dtype": ("fp8",),
    "speculation": ("off", "dspark"),
    "approximations": ("none", "swa-bounded-replay on, other off"),
    "runs": ("6",),
    "metric": ("decode tokens/s", "TPGS at P90 interactivity above 50 tok/s", "ttft"),
    "excludes": ("full prefill",),
    "quality": ("yes", "no"),
    "quality_checked": ("yes", "no"),
}

# Lists of small blocks, as one statement each (app.cards.diff).
LISTS = {"approximations": "Approximations", "also": "Also measured", "raw": "Raw files"}
ENVIRONMENT = "launch.env."
VERBS = ("is ", "has ", "needs ", "must ", "still ", "says ", "holds ")

_KINDS: tuple[tuple[Any, str], ...] = (
    (schema.Measured, "number, every digit kept"),
    (schema.Count, "whole number, 1 or more"),
    (schema.Tally, "whole number, 0 or more"),
    (schema.Seed, "whole number"),
    (schema.Digest, "64 hex digits"),
    (schema.Text, "text"),
    (ClaimText, "text"),
    (AxisKey, "axis key"),
    (Slug, "claim id"),
    (bool, "yes or no"),
    (schema.Day, "date: year-month-day"),
)


def label(path: str) -> str:
    """What people call a field, a list of blocks or one variable of the environment."""
    if path.startswith(ENVIRONMENT):
        return f"Environment: {path.removeprefix(ENVIRONMENT)}"
    return FIELDS[path].label if path in FIELDS else LISTS.get(path, path.replace("_", " ").replace(".", " "))


def sentence(field: str, message: str) -> str:
    """A finding's message with its field's name, as one sentence; a message that names the thing itself is enough."""
    name = label(field)
    if field and message.startswith(VERBS):
        return f"{name} {message}"
    named = name.casefold() in message.casefold() or message.casefold().startswith(name.casefold().partition(" ")[0])
    return message if not field or named else f"{name}: {message}"


def leaves(block: type[BaseModel] = Card, prefix: str = "") -> Iterator[tuple[str, str, bool]]:
    """Every field of the schema: path, kind of value, and whether its block cannot stand without it."""
    for name, hint in get_type_hints(block, include_extras=True).items():
        if name not in block.model_fields:
            continue
        inner, is_list = _bare(hint)
        path = f"{prefix}{name}"
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from leaves(inner, f"{path}[]." if is_list else f"{path}.")
        else:
            kind = kind_of(inner)
            yield path, f"list of {kind}" if is_list else kind, block.model_fields[name].is_required()


def kind_of(hint: Any) -> str:
    """A field's type as people say it."""
    if get_origin(hint) is Literal:
        return " | ".join(get_args(hint))
    if get_origin(hint) is dict:
        return "names with values"
    return next(words for known, words in _KINDS if hint == known)


def _bare(hint: Any) -> tuple[Any, bool]:
    """The type without "or not stated", and whether it stands for a list of them."""
    options = [option for option in get_args(hint) if option is not NoneType]
    if NoneType in get_args(hint):
        hint = options[0]
    return (get_args(hint)[0], True) if get_origin(hint) is tuple else (hint, False)
