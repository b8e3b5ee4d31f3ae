"""Makes tests/importers/data: real outputs of real load tools.

They are run against a real vLLM on this machine's CPU, started by the project's own adapter with the tiny model of
tests/engines: once plain, once with n-gram speculation. Only what such a server does not do, fail and stop early on
demand, comes from the scripted server beside this file; those outputs have `faulty` in their names.

    python -m tests.importers.make_fixtures FOLDER [--tools NAME ...] [--servers NAME ...]

Each tool is installed at its pinned version into an environment of its own under FOLDER, because their requirements
exclude each other; one that is there is used as it is. Several GB and half an hour, most of it downloads and imports.

What a tool wrote is kept byte for byte, but for these, which `cleaned` replaces: folders of this machine, the port, the
server's random key, its random name (tiny-qwen3), and the processor and kernel that vLLM describes to
sglang.bench_serving. The times are of a small, busy machine and mean nothing; the tests ask for fields, units, counts
and warnings.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import socket
import subprocess
import tempfile
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runners.engines import install
from tests.engines import stories
from tests.importers.scripted_server import ScriptedServer
from tests.importers.tool_runs import RUNS, Tool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

DATA = Path(__file__).parent / "data"
MODEL = "tiny-qwen3"
CHAT = "{% for m in messages %}{{ m['content'] }}{% endfor %}"
TORCH = "torch==2.13.0+cpu"
SGLANG = str(install.PINS / "sglang-0.5.23-cpu.txt")
PACKAGES: dict[str, tuple[tuple[str, ...], ...]] = {
    "aiperf": (("aiperf==0.13.0",),),
    "guidellm": (("guidellm==0.8.1", TORCH),),
    "genai-bench": (("genai-bench==0.0.5", TORCH),),
    "inference-perf": (("inference-perf==0.7.0",),),
    "sglang": (("--no-deps", "--requirement", SGLANG), ("datasets==5.2.0", "--constraint", SGLANG)),
}
PYTHON = {"inference-perf": "python3.12"}
DESCRIBED = re.compile(r'"(cpu_info|python_platform)": "(?:[^"\\]|\\.)*"')
SERVERS_OWN = re.compile(rf"{re.escape(tempfile.gettempdir())}/benchcard-\w+")  # the adapter's scratch folder
PLACES = re.compile(r"(?<![\w.-])/(?:tmp|home|root|work|opt|usr|var|mnt|Users)/\S*")


def installed(tool: str, folder: Path) -> Path:
    """The environment of a tool; vLLM's bench is a part of the engine."""
    if tool == "vllm":
        return stories.installed("vllm").folder
    where = folder / tool
    if not where.exists():
        subprocess.run([PYTHON.get(tool, "python3.11"), "-m", "venv", str(where)], check=True)
        for packages in PACKAGES[tool]:
            subprocess.run([str(where / "bin/pip"), "install", "--quiet", *packages], check=True)
    return where


def cleaned(text: str, replacements: Mapping[str, str]) -> str:
    """Without anything of this machine. SystemExit: something is left that nobody thought of."""
    for found, put in sorted(replacements.items(), key=lambda pair: -len(pair[0])):
        text = text.replace(found, put)
    text = SERVERS_OWN.sub("scratch", text)
    text = DESCRIBED.sub(r'"\1": "left out"', text)
    left = PLACES.findall(text) + re.findall(rf"\b{re.escape(socket.gethostname())}\b", text)
    if left:
        raise SystemExit(f"names of this machine would be kept: {sorted(set(left))}")
    return text


def keep(replacements: Mapping[str, str], source: Path, name: str) -> None:
    (DATA / name).write_text(cleaned(source.read_text(), replacements))


def write_tokenizer(folder: Path) -> None:
    """A byte-level tokenizer without merges: one token a byte, so that client and scripted server count alike."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    alphabet = [chr(byte) for byte in printable] + [chr(256 + index) for index in range(256 - len(printable))]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    end = {"id": 256, "content": "<end>", "special": True}
    end |= dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    model = {"type": "BPE", "vocab": {char: index for index, char in enumerate(alphabet)}, "merges": []}
    parts = {"version": "1.0", "added_tokens": [end], "pre_tokenizer": level, "decoder": level, "model": model}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<end>", "model_max_length": 100_000}
    config = {"model_type": "gpt2", "vocab_size": 257, "bos_token_id": 256, "eos_token_id": 256}
    folder.mkdir()
    (folder / "tokenizer.json").write_text(json.dumps(parts))
    (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "chat_template": CHAT}))
    (folder / "config.json").write_text(json.dumps(config))


@asynccontextmanager
async def scripted(scratch: Path) -> AsyncIterator[partial[Tool]]:
    tokenizer = scratch / "tokenizer"
    write_tokenizer(tokenizer)
    async with ScriptedServer() as url:
        yield partial(Tool, url=url, model="faulty", api_key="none", tokenizer=tokenizer)


@asynccontextmanager
async def real(kind: str, scratch: Path) -> AsyncIterator[partial[Tool]]:
    model = stories.tiny(scratch / "model")
    speculation = stories.SPECULATION["vllm"] if kind == "ngram" else None
    with stories.serve("vllm", model, scratch / "server", speculation, {"chat-template": CHAT}) as server:
        server.wait_ready(stories.READY_S)
        own = server.own
        yield partial(Tool, url=server.url, model=own.served_name, api_key=own.api_key, tokenizer=model)


def replacements(scratch: Path, environment: Path, asked: Mapping[str, Any]) -> dict[str, str]:
    """What `cleaned` takes out: folders, and what was random of this server."""
    found = {
        str(asked["tokenizer"]): MODEL,
        str(scratch): "scratch",
        str(environment): "environment",
        str(environment.resolve()): "environment",
    }
    found |= {asked["url"]: "http://127.0.0.1:8000", asked["model"]: MODEL}
    return found | ({asked["api_key"]: "key"} if asked["api_key"] != "none" else {})


async def make(tools: Mapping[str, Path], servers: list[str]) -> None:
    for kind in servers:
        with tempfile.TemporaryDirectory(prefix="fixtures-", ignore_cleanup_errors=True) as temporary:
            scratch = Path(temporary)
            async with scripted(scratch) if kind == "scripted" else real(kind, scratch) as against:
                for name in [name for name in RUNS[kind] if name in tools]:
                    folder = scratch / name
                    folder.mkdir()
                    named = replacements(scratch, tools[name], against.keywords)
                    await RUNS[kind][name](against(installed=tools[name], folder=folder, keep=partial(keep, named)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the tools are installed, outside the repository")
    names = [*PACKAGES, "vllm"]
    parser.add_argument("--tools", nargs="+", choices=names, default=names)
    parser.add_argument("--servers", nargs="+", choices=[*RUNS], default=[*RUNS])
    asked = parser.parse_args()
    folder = asked.folder.absolute()
    folder.mkdir(exist_ok=True)
    asyncio.run(make({name: installed(name, folder) for name in asked.tools}, asked.servers))


if __name__ == "__main__":
    main()
