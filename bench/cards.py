"""Recording cards under load: `python -m bench.cards [--seconds 20] [--rate 100]`.

20 writers send cards to a server as `benchcard serve` runs it, on a schedule that does not wait for answers: a post's
time counts from when it was due. Goals: p99 of 250 ms at 100 posts a second, and every acknowledged card found again,
as a card and as a row of the claims table. Then the same with a reader who asks for the table twice a second, which
makes the server build its index anew each time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import uvloop

from bench.table_speed import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

WRITERS = 20
GOAL_MS = 250
COMMAND = [sys.executable, "-c", "import sys; from app.cli import main; sys.exit(main())"]
CARD = """\
title: "{title}"
engine: {{name: vllm, version: 0.33.0}}
model: {{id: meta-llama/Llama-3.1-8B, weights: real}}
hardware: {{accelerator: H200, count: 1}}
parallelism: {{tp: 1}}
dtypes: {{weights: bf16, kv: bf16}}
speculation: off
approximations: none
workload: {{input_tokens: 1024, output_tokens: 1024, dataset: ShareGPT, seed: 42, chat_template: true, temperature: 0,
  ignore_eos: true, prefix_cache: cleared, concurrency: {concurrency}}}
runs: {{count: 6, warmup_discarded: 1, statistic: median}}
metric: {{axis: output_throughput}}
result: {{value: {value}, unit: tok/s}}
launch: {{argv: [vllm, serve, meta-llama/Llama-3.1-8B, --max-num-seqs=256]}}
"""


@dataclass
class Outcome:
    latencies_ms: list[float] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    reads_ms: list[float] = field(default_factory=list)
    seconds: float = 0.0
    cpu: float = 0.0


@dataclass(frozen=True)
class Server:
    address: str
    token: str
    process: int

    def cpu(self) -> float:
        """Seconds of processor time used so far."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving() -> Iterator[Server]:
    """A server of its own with the shipped catalogue, and a token for it."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        settings = {**os.environ, "BENCHCARD_DATA": folder, "PORT": str(port)}
        made = [*COMMAND, "token", "create", "--scope", "submit", "--name", "bench"]
        token = subprocess.run(made, env=settings, capture_output=True, text=True, check=True).stdout.strip()
        with Path(folder, "log").open("w") as log:
            process = subprocess.Popen([*COMMAND, "serve"], env=settings, stderr=log)
        try:
            _wait(f"http://127.0.0.1:{port}/healthz")
            yield Server(f"http://127.0.0.1:{port}", token, process.pid)
        finally:
            process.terminate()
            try:
                process.wait(60)
            finally:
                process.kill()


def _wait(address: str) -> None:
    for _ in range(600):
        try:
            httpx.get(address).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    sys.exit("the server did not start")


class Wire:
    """One writer's connection, kept open. Bare, since a costly client takes the server's processor on a small machine:
    httpx spends 4 to 5 ms a post."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> tuple[int, bytes]:
        """Status and body. The server's answers all have a length."""
        if self._ends is None:
            host, port = self.server.address.removeprefix("http://").split(":")
            self._ends = await asyncio.open_connection(host, int(port), limit=1 << 24)
        reader, writer = self._ends
        lines = [f"{method} {path} HTTP/1.1", "Host: bench", f"Authorization: Bearer {self.server.token}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, f"Content-Length: {len(body)}", "\r\n"]).encode() + body)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        return int(head[9:12]), await reader.readexactly(length)


async def write(server: Server, rate: float, seconds: float, *, reading: bool) -> Outcome:
    """Every post at its due time, whether or not the one before it was answered."""
    outcome = Outcome()
    posts = int(rate * seconds)
    start, before = time.perf_counter(), server.cpu()

    async def writer(number: int) -> None:
        wire = Wire(server)
        for post in range(number, posts, WRITERS):
            due = start + post / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            await _post(wire, outcome, post, due)

    async def reader() -> None:
        wire = Wire(server)
        for read in range(int(seconds * 2)):
            await asyncio.sleep(max(0.0, start + read / 2 - time.perf_counter()))
            begun = time.perf_counter()
            status, _ = await wire.send("GET", "/api/v1/claims?limit=50", {"Accept-Encoding": "gzip"})
            outcome.reads_ms.append((time.perf_counter() - begun) * 1000)
            if status != 200:
                sys.exit(f"the table answered {status}")

    async with asyncio.TaskGroup() as group:
        for number in range(WRITERS):
            group.create_task(writer(number))
        if reading:
            group.create_task(reader())
    outcome.seconds, outcome.cpu = time.perf_counter() - start, server.cpu() - before
    return outcome


async def _post(wire: Wire, outcome: Outcome, post: int, due: float) -> None:
    text = CARD.format(title=f"post {post}", concurrency=post % 256 + 1, value=1000 + post)
    headers = {"Content-Type": "application/yaml", "Idempotency-Key": f"{due}-{post}"}
    status, answer = await wire.send("POST", "/api/v1/cards", headers, text.encode())
    outcome.latencies_ms.append((time.perf_counter() - due) * 1000)
    if status == 201:
        outcome.acknowledged.append(json.loads(answer)["id"])
    else:
        outcome.refused.append(f"{status} {answer[:100]!r}")


def found(server: Server, path: str) -> set[str]:
    """Every id of a list."""
    ids: set[str] = set()
    cursor: str | None = None
    while True:
        params = {"limit": "500"} | ({"cursor": cursor} if cursor else {})
        page = httpx.get(f"{server.address}{path}", params=params, timeout=60).raise_for_status().json()
        ids |= {item["id"] for item in page["items"]}
        cursor = page["next"]
        if cursor is None:
            return ids


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def report(name: str, outcome: Outcome, lost: int, rate: float) -> bool:
    p50, p99 = quantile(outcome.latencies_ms, 0.5), quantile(outcome.latencies_ms, 0.99)
    good = p99 <= GOAL_MS and not lost and not outcome.refused
    made = len(outcome.acknowledged)
    print(
        f"{name}: {made} cards, {made / outcome.seconds:.0f}/s of {rate:.0f}/s; "
        f"p50 {p50:.0f} ms, p99 {p99:.0f} ms (goal {GOAL_MS}), most {max(outcome.latencies_ms):.0f} ms; "
        f"{outcome.cpu / len(outcome.latencies_ms) * 1000:.1f} ms of processor a post; "
        f"refused {len(outcome.refused)}, lost {lost}: {'good' if good else 'NOT MET'}"
    )
    if outcome.refused:
        print(f"  first refusal: {outcome.refused[0]}")
    if outcome.reads_ms:
        reads = (quantile(outcome.reads_ms, 0.5), quantile(outcome.reads_ms, 0.99))
        print(f"  reader: p50 {reads[0]:.0f} ms, p99 {reads[1]:.0f} ms")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description="Recording cards under load.")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each part")
    parser.add_argument("--rate", type=float, default=100.0, help="posts a second, of all writers together")
    given = parser.parse_args()
    results = []
    acknowledged: set[str] = set()
    with serving() as server:
        for name, reading in (("writers alone", False), ("with a reader", True)):
            outcome = uvloop.run(write(server, given.rate, given.seconds, reading=reading))
            acknowledged |= set(outcome.acknowledged)
            kept = found(server, "/api/v1/cards") & found(server, "/api/v1/claims")
            results.append(report(name, outcome, len(acknowledged - kept), given.rate))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
