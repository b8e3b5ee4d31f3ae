"""What each load tool is asked to do, against which server, and which of its files are kept (see make_fixtures.py)."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.engines import stories

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    Maker = Callable[["Tool"], Awaitable[None]]

INPUT, OUTPUT, SEED = 32, 16, 7
SPECULATED = 128  # output tokens where guesses are to be right: greedy text must first begin to repeat itself
LIMIT_S = 600  # importing an engine takes minutes on a busy machine


@dataclass(frozen=True)
class Tool:
    """One tool, installed under `installed`, run in `folder` against one server; `keep` stores a file of its output."""

    installed: Path
    folder: Path
    url: str
    model: str
    api_key: str
    tokenizer: Path
    keep: Callable[[Path, str], None]

    async def run(self, *command: str | Path, into: Path | None = None, **variables: str) -> None:
        """Its home and temporary folder are the folder above, which is deleted in the end: aiperf leaves mapped files
        there. What it says is shown only where it fails."""
        scratch = str(self.folder.parent)
        environment = os.environ | {
            "HOME": scratch,
            "TMPDIR": scratch,
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "OPENAI_API_KEY": self.api_key,
            "VLLM_HOST_IP": "127.0.0.1",
        }
        process = await asyncio.create_subprocess_exec(
            *map(str, command),
            cwd=into or self.folder,
            env=environment | variables,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            said, _ = await asyncio.wait_for(process.communicate(), LIMIT_S)
        except TimeoutError:
            process.kill()
            raise SystemExit(f"{command[0]} ran longer than {LIMIT_S} s") from None
        if process.returncode:
            raise SystemExit(f"{command[0]} ended with {process.returncode}:\n{said.decode()[-3000:]}")


async def _aiperf(tool: Tool, out: str, endpoint: str, output: int, *more: str) -> Path:
    where = ("--url", tool.url, "--api-key", tool.api_key, "--endpoint-type", endpoint, "--streaming")
    load = ("--concurrency", "4", "--request-count", "16", "--isl", str(INPUT), "--osl", str(output))
    rest = ("--tokenizer", tool.tokenizer, "--random-seed", str(SEED), "--ui", "none", "--no-gpu-telemetry")
    aiperf = (tool.installed / "bin/aiperf", "profile", "-m", tool.model, *where, *load, *rest)
    extra = ("--extra-inputs", "ignore_eos:true", "--output-artifact-dir", out)
    # offline it takes the tokenizer's folder for the name of a repository, and fails
    await tool.run(*aiperf, *extra, *more, HF_HUB_OFFLINE="", TRANSFORMERS_OFFLINE="")
    return tool.folder / out


async def aiperf_plain(tool: Tool) -> None:
    out = await _aiperf(tool, "out", "completions", OUTPUT, "--use-server-token-count", "--num-profile-runs", "2")
    tool.keep(out / "profile_runs/run_0001/profile_export_aiperf.json", "aiperf_plain.json")
    tool.keep(out / "aggregate/profile_export_aiperf_aggregate.json", "aiperf_aggregate.json")


async def aiperf_ngram(tool: Tool) -> None:
    more = ("--use-server-token-count", "--extra-inputs", "temperature:0")
    out = await _aiperf(tool, "out", "completions", SPECULATED, *more)
    tool.keep(out / "profile_export_aiperf.json", "aiperf_ngram.json")


async def aiperf_faulty(tool: Tool) -> None:
    out = await _aiperf(tool, "out", "chat", OUTPUT)
    tool.keep(out / "profile_export_aiperf.json", "aiperf_faulty_chat.json")


async def _guidellm(tool: Tool, name: str, requests: int, *profile: str) -> None:
    backend = f"kind=openai_http,target={tool.url},model={tool.model},request_format=/v1/completions"
    data = f"kind=synthetic_text,prompt_tokens={INPUT},output_tokens={OUTPUT}"
    asked = ("--tokenizer", f"kind=huggingface_auto,model={tool.tokenizer}", "--data", data)
    ends = ("--constraint", f"kind=max_requests,count={requests}", "--metrics", "kind=generative,sample_size=1")
    output = ("--output", "kind=json,path=out.json", "--disable-console")
    guidellm = (tool.installed / "bin/guidellm", "run", "--backend", f"{backend},api_key={tool.api_key}")
    await tool.run(*guidellm, *asked, *ends, *output, "--profile", *profile)
    tool.keep(tool.folder / "out.json", name)


async def guidellm_plain(tool: Tool) -> None:
    await _guidellm(tool, "guidellm_sweep.json", 16, "kind=sweep,sweep_size=2,max_concurrency=4")


async def guidellm_faulty(tool: Tool) -> None:
    await _guidellm(tool, "guidellm_faulty_rate.json", 12, "kind=constant,rate=40")


async def inference_perf_plain(tool: Tool) -> None:
    def length(tokens: int) -> dict[str, int]:
        return {"min": tokens, "max": tokens, "mean": tokens, "std_dev": 0, "total_count": 60}

    stages = [{"rate": 2, "duration": 4}, {"rate": 4, "duration": 2}]
    server = {"type": "vllm", "model_name": tool.model, "base_url": tool.url, "ignore_eos": True}
    config = {
        "api": {"type": "completion", "streaming": True},
        "data": {"type": "random", "input_distribution": length(INPUT), "output_distribution": length(OUTPUT)},
        "load": {"type": "constant", "stages": stages, "num_workers": 1},
        "server": {**server, "api_key": tool.api_key},
        "tokenizer": {"pretrained_model_name_or_path": str(tool.tokenizer)},
        "report": {"request_lifecycle": {"summary": True, "per_stage": True, "per_request": False}},
        "storage": {"local_storage": {"path": "out"}},
    }
    (tool.folder / "config.yaml").write_text(json.dumps(config))
    await tool.run(tool.installed / "bin/inference-perf", "-c", "config.yaml")
    for name in ("stage_0_lifecycle_metrics.json", "summary_lifecycle_metrics.json"):
        tool.keep(tool.folder / "out" / name, f"inference_perf_{name}")


async def genai_bench_plain(tool: Tool) -> None:
    server = ("--api-backend", "openai", "--api-base", tool.url, "--api-key", tool.api_key)
    model = ("--api-model-name", tool.model, "--model-tokenizer", tool.tokenizer, "--model", tool.model)
    # each of its options is checked by those before it, so their order matters
    task = ("--task", "text-to-text", "--traffic-scenario", f"D({INPUT},{OUTPUT})")
    load = ("--num-concurrency", "4", "--max-time-per-run", "1")
    rest = ("--max-requests-per-run", "12", "--server-engine", "vLLM")
    genai_bench = (tool.installed / "bin/genai-bench", "benchmark", *server, *model, *task, *load, *rest)
    for unit in ("s", "ms"):
        base = tool.folder / unit
        base.mkdir()
        await tool.run(*genai_bench, "--metrics-time-unit", unit, "--experiment-base-dir", base)
        tool.keep(next(base.glob("*/D*.json")), f"genai_bench_{unit}.json")
    tool.keep(next(base.glob("*/experiment_metadata.json")), "genai_bench_experiment_metadata.json")


async def _vllm(tool: Tool, out: str, output: int, *more: str) -> Path:
    where = ("--backend", "openai", "--base-url", tool.url, "--endpoint", "/v1/completions", "--model", tool.model)
    load = ("--dataset-name", "random", "--random-input-len", str(INPUT), "--random-output-len", str(output))
    rest = ("--num-prompts", "16", "--seed", str(SEED), "--tokenizer", tool.tokenizer, "--disable-tqdm")
    bench = (tool.installed / "bin/python", "-m", "vllm.entrypoints.cli.main", "bench", "serve", *where, *load, *rest)
    await tool.run(*bench, "--save-result", "--result-dir", ".", "--result-filename", out, *more)
    return tool.folder / out


async def vllm_plain(tool: Tool) -> None:
    for limit in ("2", "4"):
        asked = ("--percentile-metrics", "ttft,tpot,itl,e2el", "--metric-percentiles", "50,90,99", "--ignore-eos")
        kept = ("--append-result", "--save-detailed", "--metadata", "hardware=none")
        out = await _vllm(tool, "out.json", OUTPUT, "--max-concurrency", limit, *asked, *kept)
    tool.keep(out, "vllm_appended.json")


async def vllm_ngram(tool: Tool) -> None:
    asked = ("--max-concurrency", "4", "--temperature", "0", "--ignore-eos")
    tool.keep(await _vllm(tool, "out.json", SPECULATED, "--save-detailed", *asked), "vllm_ngram_detailed.json")


async def vllm_faulty(tool: Tool) -> None:
    tool.keep(await _vllm(tool, "out.json", OUTPUT, "--request-rate", "20"), "vllm_faulty_rate.json")


async def _sglang(tool: Tool, backend: str, name: str, *ways: tuple[str, ...]) -> None:
    where = ("--backend", backend, "--base-url", tool.url, "--tokenizer", tool.tokenizer, "--model", tool.model)
    load = ("--dataset-name", "random-ids", "--random-input-len", str(INPUT), "--random-output-len", str(OUTPUT))
    rest = ("--random-range-ratio", "1", "--num-prompts", "12", "--seed", str(SEED), "--output-file", "out.jsonl")
    bench = (tool.installed / "bin/python", "-m", "sglang.bench_serving", *where, *load, *rest, "--disable-tqdm")
    for way in ways:
        await tool.run(*bench, *way, PYTHONPATH=str(stories.HERE / "sglang_cpu"))
    tool.keep(tool.folder / "out.jsonl", name)


async def sglang_plain(tool: Tool) -> None:
    await _sglang(tool, "vllm", "sglang_vllm.jsonl", ("--max-concurrency", "4"))


async def sglang_faulty(tool: Tool) -> None:
    ways = (("--max-concurrency", "2"), ("--request-rate", "20", "--output-details"))
    await _sglang(tool, "sglang-oai", "sglang_faulty.jsonl", *ways)


RUNS: dict[str, dict[str, Maker]] = {
    "scripted": {
        "aiperf": aiperf_faulty,
        "guidellm": guidellm_faulty,
        "vllm": vllm_faulty,
        "sglang": sglang_faulty,
    },
    "plain": {
        "aiperf": aiperf_plain,
        "guidellm": guidellm_plain,
        "inference-perf": inference_perf_plain,
        "genai-bench": genai_bench_plain,
        "vllm": vllm_plain,
        "sglang": sglang_plain,
    },
    "ngram": {"aiperf": aiperf_ngram, "vllm": vllm_ngram},
}
