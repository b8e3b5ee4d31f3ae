"""The request functions of the engines' own load tools on the streams of bench.client, as their benchmark calls them.

Runs in an engine's environment (`benchcard engine install`): `python engine_peers.py vllm|sglang URL STREAMS EVENTS`.
Prints one line of JSON: reads (events that the tool counted), cpu_us (from the first request to the last end),
gap_p99_ms (between two of them in one stream, as the tool itself records it).
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from argparse import Namespace
from importlib import import_module
from importlib.util import find_spec
from time import process_time_ns
from typing import Any
from unittest.mock import MagicMock

Gaps = list[list[float]]  # seconds, by stream
PROMPT = [5, 6, 7, 8, 9, 10, 11, 12]


async def with_vllm(url: str, streams: int, events: int) -> Gaps:
    """vllm/benchmarks/serve.py: one aiohttp session with a connection for each request in flight."""
    aiohttp: Any = import_module("aiohttp")
    tool: Any = import_module("vllm.benchmarks.lib.endpoint_request_func")
    asked = tool.RequestFuncInput(
        prompt=PROMPT, api_url=url, prompt_len=len(PROMPT), output_len=events, model="cadence", ignore_eos=True
    )
    connector = aiohttp.TCPConnector(
        limit=streams,
        limit_per_host=streams,
        ttl_dns_cache=300,
        use_dns_cache=True,
        keepalive_timeout=60,
        enable_cleanup_closed=True,
        force_close=False,
    )
    timeout = aiohttp.ClientTimeout(total=6 * 60 * 60)
    async with aiohttp.ClientSession(connector=connector, trust_env=True, timeout=timeout) as session:
        calls = (tool.async_request_openai_completions(asked, session) for _ in range(streams))
        return [output.itl for output in await asyncio.gather(*calls)]


async def with_sglang(url: str, streams: int, events: int) -> Gaps:
    """sglang/benchmark/serving.py: a session for each request."""
    if (
        "datasets" not in sys.modules and find_spec("datasets") is None
    ):  # which only loads prompts, and the pinned CPU build leaves out
        sys.modules["datasets"] = MagicMock()
    tool: Any = import_module("sglang.benchmark.serving")
    tool.set_global_args(Namespace(disable_stream=False, disable_ignore_eos=False, return_logprob=False, header=None))
    asked = tool.RequestFuncInput(
        prompt="5 6 7 8 9 10 11 12",
        api_url=url,
        prompt_len=len(PROMPT),
        output_len=events,
        model="cadence",
        lora_name="",
        image_data=None,
        extra_request_body={},
    )
    calls = (tool.async_request_openai_completions(asked) for _ in range(streams))
    return [output.itl for output in await asyncio.gather(*calls)]


def main() -> None:
    name, url, streams, events = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    run = {"vllm": with_vllm, "sglang": with_sglang}[name]
    asyncio.run(run(url.replace("/v1/", "/none/"), 1, 1))  # what is imported at the first request is no cost of reading
    gc.collect()
    start = process_time_ns()
    found = asyncio.run(run(url, streams, events))
    used = process_time_ns() - start
    gaps = sorted(gap for stream in found for gap in stream)
    if not gaps:
        sys.exit(f"{name} read no event")
    print(
        json.dumps(
            {"reads": len(gaps) + streams, "cpu_us": used // 1000, "gap_p99_ms": gaps[int(len(gaps) * 0.99)] * 1e3}
        )
    )


if __name__ == "__main__":
    main()
