"""Other HTTP clients on the streams of bench.client, each reading as cheaply as it can: stamp and keep, parse nothing.

Runs in bench/.venv: `python stream_peers.py aiohttp|aiohttp+uvloop|httpx URL STREAMS < request body`. Prints one line
of JSON: reads, bytes, cpu_us (from the first request to the last end), gap_p99_ms (between two reads of one stream).
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from importlib import import_module
from itertools import pairwise
from time import monotonic_ns, process_time_ns
from typing import Any

Read = tuple[list[int], int]  # stamps, bytes


async def with_aiohttp(url: str, streams: int, body: bytes) -> list[Read]:
    aiohttp: Any = import_module("aiohttp")
    headers = {"Content-Type": "application/json"}

    async def one(session: Any) -> Read:
        stamps, size = [], 0
        async with session.post(url, data=body, headers=headers) as response:
            async for data in response.content.iter_any():
                stamps.append(monotonic_ns())
                size += len(data)
        return stamps, size

    timeout = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout) as session:
        return list(await asyncio.gather(*(one(session) for _ in range(streams))))


async def with_httpx(url: str, streams: int, body: bytes) -> list[Read]:
    httpx: Any = import_module("httpx")
    headers = {"Content-Type": "application/json"}

    async def one(client: Any) -> Read:
        stamps, size = [], 0
        async with client.stream("POST", url, content=body, headers=headers) as response:
            async for data in response.aiter_raw():
                stamps.append(monotonic_ns())
                size += len(data)
        return stamps, size

    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(limits=limits, timeout=None, trust_env=False) as client:
        return list(await asyncio.gather(*(one(client) for _ in range(streams))))


def main() -> None:
    name, url, streams = sys.argv[1], sys.argv[2], int(sys.argv[3])
    body = sys.stdin.buffer.read()
    read = with_httpx if name == "httpx" else with_aiohttp
    factory = import_module("uvloop").new_event_loop if name.endswith("+uvloop") else None
    with asyncio.Runner(loop_factory=factory) as runner:
        gc.disable()
        start = process_time_ns()
        found = runner.run(read(url, streams, body))
        used = process_time_ns() - start
    gaps = sorted(later - sooner for stamps, _ in found for sooner, later in pairwise(stamps))
    reads, size = sum(len(stamps) for stamps, _ in found), sum(size for _, size in found)
    gap = gaps[int(len(gaps) * 0.99)] / 1e6
    print(json.dumps({"reads": reads, "bytes": size, "cpu_us": used // 1000, "gap_p99_ms": gap}))


if __name__ == "__main__":
    main()
