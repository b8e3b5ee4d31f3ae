"""Shapes and sizes that somebody stated, for filling a tool's form: each with where it stands. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.language import N_, _, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.catalogue.models import ModelWeights
    from app.tools.schema import Tool


@dataclass(frozen=True)
class Preset:
    """`values` go over what is typed, field by field. `said` is where they stand and what to mind; `url` leads there,
    "" where nothing here does. `claim`: the tool reads the numbers from this claim instead."""

    name: str
    values: Mapping[str, str]
    said: str
    url: str = ""
    group: str = ""
    claim: str = ""


def _shape(input_tokens: int, output_tokens: int, hit_rate: int = 0, turns: int = 1) -> dict[str, str]:
    return {
        "input_tokens": f"{input_tokens}",
        "output_tokens": f"{output_tokens}",
        "prefix_hit_rate": f"{hit_rate}",
        "turns": f"{turns}",
    }


WORKLOADS = (
    Preset(
        "AgentX",
        _shape(142000, 444, 96, 43),
        N_("Medians of coding-agent sessions, hit rate “above 96 %”: vLLM x AgentX, 2026-09-08."),
        "/sources/vllm-2026-09-08-agentx",
    ),
    Preset(
        "random 4K/1K",
        _shape(4096, 1024),
        N_("Uniform random ids, cache cleared: SGLang’s kernel post and those who repeated it."),
        "/sources/sglang-deepseek-v41-flash-kernels",
    ),
    Preset(
        "8K/1K", _shape(8192, 1024), N_("SGLang’s cookbook, cache cleared."), "/sources/sglang-cookbook-granite-4.2"
    ),
    Preset("1K/1K", _shape(1024, 1024), N_("InferenceX’s short shape, cache off."), "/sources/inferencex-issue-828"),
)

# vLLM's own start-up log in a public report: 35.55 GiB = 39.50 GiB x 0.90, 14.96 GiB weights, 0.10 GiB non-torch,
# 9.37 GiB peak activations, 11.12 GiB left; "maximum concurrency for 8192 tokens per request: 11.12x".
LOGGED = Preset(
    N_("the start-up log of an 8B model"),
    {
        "engine": "vllm",
        "memory": "39.50 GiB",
        "share": "0.90",
        "weights": "14.96 GiB",
        "overhead": "9.47 GiB",
        "kv": "gqa",
        "layers": "32",
        "kv_heads": "8",
        "head_dim": "128",
        "element_bytes": "2",
        "context": "8192",
        "tp": "1",
    },
    N_("Meta-Llama-3-8B on one A100 of 40 GB. The log in vLLM issue 12330 prints 11.12x itself."),
    "https://github.com/vllm-project/vllm/issues/12330",
    N_("A whole example"),
)
_WITHOUT = {"layers": "", "kv_heads": "", "head_dim": "", "latent_dim": "", "element_bytes": "", "bytes_per_token": ""}
SIZES = (
    Preset(
        N_("DeepSeek-V4.1-Flash: 890 bytes"),
        {**_WITHOUT, "kv": "entered", "bytes_per_token": "890"},
        N_(
            "A logical size, (288 + 68) x (3/2 + 1), from the model’s technical report. SGLang’s post warns "
            "that what it allocates differs."
        ),
        "/sources/sglang-deepseek-v41-flash-kernels",
        N_("KV cache of one token"),
    ),
    Preset(
        N_("DeepSeek-V3 and R1: latent, bf16"),
        {**_WITHOUT, "kv": "mla", "layers": "61", "latent_dim": "576", "element_bytes": "2"},
        N_("70,272 bytes: 61 layers of 512 compressed and 64 RoPE values, by config_671B.json."),
        "https://github.com/deepseek-ai/DeepSeek-V3/blob/main/inference/configs/config_671B.json",
        N_("KV cache of one token"),
    ),
)
SPECULATION = (
    Preset(
        N_("853.49 against 223.50 tok/s"),
        {"at": "3.17"},
        N_(
            "SGLang, one code with DSpark on and off, acceptance simulated; at 3.17, which others measured on "
            "real text."
        ),
        claim="sglang-v41-step-15",
    ),
    Preset(
        "873.63 tok/s",
        {"at": "3.51"},
        N_("SGLang’s headline at simulated 5.505; at 3.51, what AgentX’s rule sets for this model."),
        claim="sglang-v41-step-16",
    ),
    Preset("370 tok/s", {}, N_("vLLM on Kimi K3, acceptance measured at 4.49."), claim="vllm-k3-dspark-370"),
)


def of_models(known: Mapping[str, ModelWeights]) -> tuple[Preset, ...]:
    """The models whose KV shape is listed, in bf16."""
    found = []
    for model in known.values():
        if model.kv is None:
            continue
        shape = model.kv
        values = {"layers": f"{shape.layers}", "kv_heads": f"{shape.kv_heads}", "head_dim": f"{shape.head_dim}"}
        size = 2 * shape.layers * shape.kv_heads * shape.head_dim * 2
        said = _("{size} bytes in bf16").format(size=number(size))
        filled = {**_WITHOUT, "kv": "gqa", "element_bytes": "2", **values}
        found.append(Preset(model.id, filled, said, group=_("KV cache of one token")))
    return tuple(found)


def presets(tool: Tool, models: Mapping[str, ModelWeights]) -> tuple[Preset, ...]:
    """The first is the worked example of a form that is still empty."""
    if tool == "workload":
        return WORKLOADS
    return (LOGGED, *SIZES, *of_models(models)) if tool == "capacity" else SPECULATION
