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
from app.claims.schema import Text as ClaimText
from app.language import F_, N_

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
    ("title", N_("Title"), N_("What was measured, in a few words; made from the other fields where it is left out."),
     "Decode rate with DSpark, random prompts"),
    ("engine.name", N_("Engine"), N_("The serving engine that ran."), "vllm"),
    ("engine.version", N_("Engine version"), N_("The exact release: `pip show vllm` prints it."), "0.33.0"),
    ("engine.commit", N_("Engine commit"), N_("The git commit, where no release was measured."), "835c390"),
    ("model.id", N_("Model"), N_("The model as its hub names it, owner included."), "deepseek-ai/DeepSeek-V4.1-Flash"),
    ("model.revision", N_("Model revision"), N_("The hub's commit of the weights."), "a1b2c3d"),
    ("model.weights", N_("Weights"),
     N_("Whether the model's own weights were loaded, or random ones (`--load-format dummy`)."), "real"),
    ("hardware.accelerator", N_("GPU"), N_("One GPU's name."), "GB300"),
    ("hardware.count", N_("Number of GPUs"), N_("GPUs that this number was measured on, all of them together."), "4"),
    ("hardware.interconnect", N_("Interconnect"), N_("How the GPUs reach each other."), "NVLink 5"),
    ("hardware.host", N_("Host"), N_("CPU, memory or machine around the GPUs."), "one NVL72 tray, Grace"),
    ("parallelism.tp", N_("Tensor parallel"), N_("GPUs that share each layer."), "4"),
    ("parallelism.pp", N_("Pipeline parallel"), N_("Stages of layers."), "1"),
    ("parallelism.dp", N_("Data parallel"), N_("Copies of the model, or of attention with `dp_attention`."), "2"),
    ("parallelism.ep", N_("Expert parallel"), N_("GPUs that experts are split over; 1 where TP splits each expert."),
     "4"),
    ("parallelism.pcp", N_("Prefill context parallel"), N_("GPUs that share a prompt."), "2"),
    ("parallelism.dcp", N_("Decode context parallel"), N_("GPUs that share a request's KV cache."), "2"),
    ("parallelism.dp_attention", N_("Attention by data"),
     N_("Whether attention is data-parallel on the same GPUs (DEP)."), "true"),
    ("parallelism.note", N_("Parallelism in words"), N_("Where no size fits."), "prefill TP2, decode DEP8"),
    ("dtypes.weights", N_("Weight type"), N_("The type that the weights are kept in."), "fp8"),
    ("dtypes.kv", N_("KV cache type"), N_("The type of the KV cache (`--kv-cache-dtype`)."), "fp8"),
    ("speculation.method", N_("Speculation"), N_("The method, or `off`."), "dspark"),
    ("speculation.draft_tokens", N_("Draft tokens"), N_("Tokens drafted in each verify step."), "5"),
    ("speculation.acceptance", N_("Acceptance"),
     N_("measured on real text; simulated (set to a length by a flag); synthetic (all drafts accepted)."), "measured"),
    ("speculation.accept_length", N_("Acceptance length"),
     N_("Tokens that a verify step yields, the target's own counted: 1 to draft tokens + 1."), "3.17", "tokens/step"),
    ("approximations[].name", N_("Approximation"), N_("What changes the output for speed."), "swa-bounded-replay"),
    ("approximations[].on", N_("on or off"), N_("Whether it was on."), "true"),
    ("workload.name", N_("Benchmark"), N_("A named benchmark or trace."), "AgentX"),
    ("workload.input_tokens", N_("Input tokens"), N_("Of one request; with its statistic where lengths differ."),
     "4096", "tokens"),
    ("workload.output_tokens", N_("Output tokens"), N_("Of one request; with its statistic where lengths differ."),
     "1024", "tokens"),
    ("workload.dataset", N_("Prompts"), N_("Where the prompts come from."), "uniform random token ids"),
    ("workload.seed", N_("Seed"), N_("The seed of the prompts."), "42"),
    ("workload.chat_template", N_("Chat template"), N_("Whether prompts went through the model's chat template."),
     "true"),
    ("workload.temperature", N_("Temperature"), N_("Of sampling; 0 is greedy."), "0"),
    ("workload.ignore_eos", N_("ignore_eos"), N_("Whether output always ran to its full length."), "true"),
    ("workload.prefix_cache", N_("Prefix cache"), N_("cleared before each run, off, or warm (with the hit rate)."),
     "cleared before each run"),
    ("workload.concurrency", N_("Concurrency"), N_("Requests in flight at once."), "1"),
    ("workload.rate", N_("Request rate"), N_("Requests sent per second."), "2.5", "requests/s"),
    ("workload.sessions", N_("Sessions"), N_("Conversations at once, in an agentic trace."), "64"),
    ("workload.turns", N_("Turns"), N_("Turns of one conversation."), "12"),
    ("runs.count", N_("Runs"), N_("Measured runs, warm-up not counted."), "6"),
    ("runs.warmup_discarded", N_("Warm-up runs"), N_("Runs thrown away before."), "1"),
    ("runs.statistic", N_("Statistic"), N_("What the number is of the runs or requests."), "median"),
    ("runs.tool", N_("Load tool"), N_("What sent the requests and measured: tools count tokens and times differently."),
     "vllm bench serve"),
    ("metric.axis", N_("What the number measures"), N_("One of the axes; each has a definition."), "decode_rate"),
    ("metric.constraint", N_("Limit"), N_("A condition that the number was taken under."),
     "p90_interactivity > 50 tok/s"),
    ("result.value", N_("Result"), N_("The number, with every digit as you have it."), "873.63"),
    ("result.unit", N_("Unit"), N_("One of the axis's units."), "tok/s"),
    ("result.spread", N_("Spread"), N_("How far the runs lie apart."), "870.1 to 875.9"),
    ("result.measured_at", N_("Measured on"), N_("The day."), "2026-10-07"),
    ("also[].axis", N_("Axis"), N_("What a further number of the same run measures."), "ttft"),
    ("also[].statistic", N_("Statistic"), N_("What it is of the requests."), "median"),
    ("also[].value", N_("Value"), N_("The further number."), "41.2"),
    ("also[].unit", N_("Unit"), N_("One of its axis's units."), "ms"),
    ("excludes", N_("What is left out"), N_("What the number does not count, one entry each."), "full prefill"),
    ("quality.checked", N_("Quality checked"), N_("Whether the output was checked at these very settings."), "true"),
    ("quality.how", N_("How it was checked"), N_("The evaluation and its score."), "GSM8K 95.1 against 95.3 without"),
    ("launch.argv", N_("Launch command"), N_("The server's command, one word each."), "[vllm, serve, ORG/MODEL]"),
    ("launch.env", N_("Environment"), N_("Variables that the server was started with."), "{VLLM_USE_V1: 1}"),
    ("raw[].name", N_("Raw file"), N_("The name of a result file."), "result.json"),
    ("raw[].sha256", N_("Its SHA-256"), N_("The digest of the file, 64 hex digits."), "e3b0c442..."),
    ("repeats", N_("Repeats"), N_("The id of the claim that was measured again; its page's address ends in it."),
     "sglang-v41-step-16"),
    ("source", N_("Published at"), N_("The address of the post or file, where the number is not your own."),
     "https://example.org/post"),
    ("note", N_("Note"), N_("Anything else that a reader must know."), "GPU clocks were not locked."),
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
LISTS = {"approximations": N_("Approximations"), "also": N_("Also measured"), "raw": N_("Raw files")}
ENVIRONMENT = "launch.env."
VERBS = ("is ", "has ", "needs ", "must ", "still ", "says ", "holds ")

_KINDS: tuple[tuple[Any, str], ...] = (
    (schema.Measured, N_("number, every digit kept")),
    (schema.Count, N_("whole number, 1 or more")),
    (schema.Tally, N_("whole number, 0 or more")),
    (schema.Seed, N_("whole number")),
    (schema.Digest, N_("64 hex digits")),
    (schema.Text, N_("text")),
    (schema.Method, N_("text")),
    (ClaimText, N_("text")),
    (schema.MetricKey, N_("axis key")),
    (schema.ClaimId, N_("claim id")),
    (bool, N_("yes or no")),
    (schema.Day, N_("date: year-month-day")),
)


def label(path: str) -> str:
    """What people call a field, a list of blocks or one variable of the environment; a key that nobody knows as it is
    spelt."""
    if path.startswith(ENVIRONMENT):
        return F_("Environment: {name}").format(name=path.removeprefix(ENVIRONMENT))
    if path in FIELDS:
        return FIELDS[path].label
    return LISTS.get(path, path if path in Card.model_fields or not path else f"`{path}`")


def joint(field: str, message: str) -> str | None:
    """What stands between a field's name and a finding's message; None where the message names the thing itself."""
    name = label(field)
    if field and message.startswith(VERBS):
        return " "
    named = name.casefold() in message.casefold() or message.casefold().startswith(name.casefold().partition(" ")[0])
    return None if not field or named else ": "


def sentence(field: str, message: str) -> str:
    """A finding's message with its field's name, as one sentence; a message that names the thing itself is enough."""
    between = joint(field, message)
    return message if between is None else f"{label(field)}{between}{message}"


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
            yield (
                path,
                F_("list of {said}").format(said=kind) if is_list else kind,
                block.model_fields[name].is_required(),
            )


def kind_of(hint: Any) -> str:
    """A field's type as people say it."""
    if get_origin(hint) is Literal:
        return " | ".join(get_args(hint))
    if get_origin(hint) is dict:
        return N_("names with values")
    return next(words for known, words in _KINDS if hint == known)


def _bare(hint: Any) -> tuple[Any, bool]:
    """The type without "or not stated", and whether it stands for a list of them."""
    options = [option for option in get_args(hint) if option is not NoneType]
    if NoneType in get_args(hint):
        hint = options[0]
    return (get_args(hint)[0], True) if get_origin(hint) is tuple else (hint, False)
