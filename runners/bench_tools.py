"""Other load tools, asked for the load that Benchcard's own client sends: what is started for which tool. Pure.

Both tools are asked for prompts of their own random dataset, answers of exactly the asked length at temperature 0, and
no warm-up of their own: the server is warm, and its cache was emptied. Their options are those of vLLM 0.25 to 0.32 and
SGLang 0.5.17 to 0.5.23.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.protocol.plan import BenchTool

PACKAGES: dict[BenchTool, str] = {"vllm_bench": "vllm", "sglang_bench": "sglang"}  # that each is a part of


@dataclass(frozen=True, slots=True)
class Asked:
    """One run of a tool. `tokenizer` is a model's folder or id; `result` the file to write."""

    engine: Literal["vllm", "sglang"]
    url: str
    model: str
    tokenizer: str
    input_tokens: int
    output_tokens: int
    concurrency: int
    requests: int
    seed: int
    result: str


def arguments(tool: BenchTool, asked: Asked) -> list[str]:
    """What follows the tool's Python."""
    return COMMANDS[tool](asked)


def _vllm_bench(asked: Asked) -> list[str]:
    folder, _, name = asked.result.rpartition("/")
    where = ["--backend", "openai", "--base-url", asked.url, "--endpoint", "/v1/completions"]
    told = ["--percentile-metrics", "ttft,tpot,itl,e2el", "--metric-percentiles", "50,90,99"]
    return [
        *("-m", "vllm.entrypoints.cli.main", "bench", "serve"),
        *where,
        *_common(asked),
        *("--dataset-name", "random", "--random-range-ratio", "0"),
        *told,
        *("--ready-check-timeout-sec", "0", "--ignore-eos", "--temperature", "0"),
        *("--save-result", "--result-dir", folder, "--result-filename", name),
    ]


def _sglang_bench(asked: Asked) -> list[str]:
    """In the dialect that it uses for the engine by itself: SGLang's own, or vLLM's completions."""
    return [
        *("-m", "sglang.bench_serving", "--backend", asked.engine, "--base-url", asked.url),
        *_common(asked),
        *("--dataset-name", "random-ids", "--random-range-ratio", "1", "--warmup-requests", "0"),
        *("--output-file", asked.result),
    ]


def _common(asked: Asked) -> list[str]:
    return [
        *("--model", asked.model, "--tokenizer", asked.tokenizer, "--seed", str(asked.seed), "--disable-tqdm"),
        *("--random-input-len", str(asked.input_tokens), "--random-output-len", str(asked.output_tokens)),
        *("--num-prompts", str(asked.requests), "--max-concurrency", str(asked.concurrency)),
    ]


COMMANDS: dict[BenchTool, Callable[[Asked], list[str]]] = {"vllm_bench": _vllm_bench, "sglang_bench": _sglang_bench}
