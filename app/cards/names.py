"""A card's own spellings -> the ones that the catalogue uses, so that cards and claims share facets and compare. Pure.

Only spellings change here, never facts: what is not known stays as its author wrote it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.cards.schema import Parallelism

ENGINES = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "tensorrt-llm": "TensorRT-LLM",
    "trt-llm": "TensorRT-LLM",
    "trtllm": "TensorRT-LLM",
}
METHODS = {"dspark": "DSpark", "mtp": "MTP", "eagle": "EAGLE", "eagle3": "EAGLE3", "eagle-2": "EAGLE-2", "off": "off"}
WEIGHTS = {"bfloat16": "bf16", "float16": "fp16", "bf16": "bf16", "fp16": "fp16", "fp8": "fp8"}
WEIGHTS |= {"fp4": "FP4", "nvfp4": "NVFP4", "mxfp4": "MXFP4"}
KV = {**WEIGHTS, "nvfp4": "nvfp4"}
TOOLS = dict.fromkeys(("vllm bench", "vllm bench serve", "vllm-bench", "benchmark_serving.py"), "vllm bench serve")
TOOLS |= dict.fromkeys(("sglang bench_serving", "sglang.bench_serving", "bench_serving"), "sglang bench_serving")
GPUS = (
    *("GB300", "GB200", "B300", "B200", "H200", "H100", "H20", "A100", "L40S", "L40", "L4", "T4", "RTX PRO 6000"),
    *("MI300X", "MI325X", "MI355X"),
)
CPU = re.compile(
    r"\bcpus?\b|\bxeon\b|\bepyc\b|\bryzen\b|\bthreadripper\b|\bopteron\b|\bneoverse\b|\bgraviton\b|\bcore\W*(?:\(tm\)|i\d|ultra)"
    r"|\bx86_64\b|\baarch64\b",
    re.IGNORECASE,
)
CPU_NOISE = re.compile(r"\((?:r|tm)\)|@.*|\b(?:cpus?|processor|\d+-core|cores?)\b|[^a-z0-9.+-]")
VENDOR = re.compile(r"^(?:nvidia|amd(?: instinct)?)\s+", re.IGNORECASE)

# Families whose models route tokens to experts. Only for these does `ep: 1` say how the experts are split: on a dense
# model it says nothing, and tools write it there too.
EXPERTS = re.compile(
    r"DeepSeek-(?:V[2-9]|R1)|Kimi|MiniMax-M|gpt-oss|Mixtral|GLM-(?:4\.[5-9]|[5-9])|Llama-4|-A\d+(?:\.\d+)?B|MoE", re.I
)
P90_LIMIT = re.compile(r"p90_interactivity\s*(>=?)\s*(\d+(?:\.\d+)?)\s*tok/s(?:/user)?")
CACHE_STATE = re.compile(
    r"(cleared|off|warm)(?: (?:before|between|for) (?:each|every|all) (?:run|repeat|request)s?)?", re.IGNORECASE
)
# `random` alone is a data set of the load tools, which do not draw each id by itself.
RANDOM_IDS = re.compile(r"(?:uniform(?:ly)? )?random (?:token )?ids", re.IGNORECASE)


def tool(name: str | None) -> str | None:
    return TOOLS.get(name.casefold(), name) if name else name


def engine(name: str | None) -> str | None:
    return ENGINES.get(name.casefold(), name) if name else name


def model(name: str | None) -> str | None:
    """Without the owner: `deepseek-ai/DeepSeek-V4.1-Flash` and a local folder are both known by their last part."""
    return (name.rstrip("/").rpartition("/")[2] or name) if name else name


def gpu(name: str | None) -> str | None:
    """`NVIDIA H200` and `h200` are H200; a variant (`H100 NVL`) stays a variant."""
    if not name:
        return name
    bare = VENDOR.sub("", name)
    return next((known for known in GPUS if known.casefold() == bare.casefold()), bare)


def is_cpu(name: str | None) -> bool:
    """Whether what is named as the accelerator is a processor: `CPU`, or the name of one."""
    return bool(name) and gpu(name) not in GPUS and CPU.search(name or "") is not None


def same_cpu(stated: str, processor: str) -> bool:
    """Whether a card means this processor: by its name, or by none ("CPU" alone)."""
    one, two = (" ".join(CPU_NOISE.sub(" ", text.casefold()).split()) for text in (stated, processor))
    return not one or one == two


def method(name: str | None) -> str | None:
    return METHODS.get(name.casefold(), name) if name else name


def dtype(name: str | None, spellings: dict[str, str]) -> str | None:
    return spellings.get(name.casefold(), name) if name else name


def prefix_cache(state: str | None) -> str | None:
    """The three states as the catalogue spells them; a hit rate stays as it is written."""
    match = CACHE_STATE.fullmatch(state.strip()) if state else None
    return match[1].lower() if match else state


def dataset(prompts: str | None) -> str | None:
    """Token ids drawn at random, as the catalogue spells them; with anything said beside it stays as it is written."""
    return "uniform random token ids" if prompts and RANDOM_IDS.fullmatch(prompts.strip()) else prompts


def limit(constraint: str | None) -> str | None:
    """`p90_interactivity > 50 tok/s` as posts write it."""
    return P90_LIMIT.sub(r"P90 interactivity \1 \2 tok/s/user", constraint) if constraint else constraint


def parallelism(layout: Parallelism | None, model_id: str | None) -> str | None:
    """`TP4`, `attention TP4, MoE EP4`, `DEP2`, `TP8 + DP2`; the author's own words where no size is given."""
    if layout is None:
        return None
    if layout.dp_attention and layout.dp:
        main = _attention_by_data(layout)
    elif layout.tp and layout.ep and layout.ep > 1:
        main = f"attention TP{layout.tp}, MoE EP{layout.ep}"
    elif layout.tp and layout.ep == 1 and EXPERTS.search(model_id or ""):
        main = f"attention TP{layout.tp}, MoE TP{layout.tp}"
    else:
        main = f"TP{layout.tp}" if layout.tp else f"EP{layout.ep}" if layout.ep else ""
    parts = [main] if main else []
    if layout.dp and layout.dp > 1 and not layout.dp_attention:
        parts.append(f"DP{layout.dp}")
    for size, kind in ((layout.pp, "PP"), (layout.pcp, "PCP"), (layout.dcp, "DCP")):
        if size and size > 1:
            parts.append(f"{kind}{size}")
    return " + ".join(parts) or layout.note


def _attention_by_data(layout: Parallelism) -> str:
    """Attention runs on `dp` groups; DEP2 where the experts are split over the same GPUs."""
    if layout.dp == layout.ep and layout.tp in (None, 1, layout.dp):
        return f"DEP{layout.dp}"
    return f"attention DP{layout.dp}" + (f", MoE EP{layout.ep}" if layout.ep and layout.ep > 1 else "")
