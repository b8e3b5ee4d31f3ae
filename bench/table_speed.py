"""Speed of our table beside Datasette's: the same rows, columns, filters and load, in one run, as ratios.

`python -m bench.table_speed [--claims 10000 100000] [--seconds 4] [--rounds 3]`; what it means: bench/README.md.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from bench.generate import build
from bench.load import CONNECTIONS, Outcome, drive, fetch

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PEER = ROOT / "bench" / ".venv"
ROWS = 50
FACETS = ("engine", "model", "axis")
FILTERS = [("hardware", gpu) for gpu in ("GB300", "GB200", "B300", "B200", "H200", "H100", "MI355X")]
WAIT = 200  # tries of a tenth of a second until a server answers


@dataclass(frozen=True)
class Server:
    name: str
    port: int
    process: int
    pages: list[str]
    lists: list[str]

    def paths(self, what: str) -> list[str]:
        return self.pages if what == "page" else self.lists

    def memory(self) -> str:
        """Megabytes in use now and at most."""
        status = Path(f"/proc/{self.process}/status")
        if not status.exists():
            return "not measured here"
        found = dict(re.findall(r"(VmRSS|VmHWM):\s+(\d+) kB", status.read_text()))
        return f"{int(found['VmRSS']) / 1024:.0f} MB, at most {int(found['VmHWM']) / 1024:.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of the table beside Datasette's, as ratios within one run.")
    parser.add_argument("--claims", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3, help="of ours, theirs, ours, theirs ...")
    given = parser.parse_args()
    install_peer()
    for count in given.claims:
        with tempfile.TemporaryDirectory(prefix="benchcard-bench-") as folder, ExitStack() as stack:
            print(f"\n{count:,} claims: generating ...", flush=True)
            build(Path(folder), count)
            servers = [stack.enter_context(ours(Path(folder))), stack.enter_context(datasette(Path(folder)))]
            compare(servers, given.seconds, given.rounds)


def install_peer() -> None:
    """Datasette in an environment of its own, from the hashed lock file, once."""
    if not (PEER / "bin" / "datasette").exists():
        lock = str(ROOT / ".ci" / "requirements-bench.txt")
        subprocess.run([sys.executable, "-m", "venv", str(PEER)], check=True)
        subprocess.run([PEER / "bin" / "pip", "install", "--quiet", "--require-hashes", "-r", lock], check=True)


@contextmanager
def ours(folder: Path) -> Iterator[Server]:
    port = free_port()
    environment = {**os.environ, "BENCHCARD_DATA": str(folder), "PORT": str(port), "HOST": "127.0.0.1"}
    queries = [urlencode([each]) for each in FILTERS]
    pages = [f"/?{query}" for query in queries]
    lists = [f"/api/v1/claims?{query}&limit={ROWS}" for query in queries]
    with running([sys.executable, "-m", "bench.server"], environment) as process:
        yield wait_for(Server("Benchcard", port, process, pages, lists))


@contextmanager
def datasette(folder: Path) -> Iterator[Server]:
    port = free_port()
    facets = [("_facet", name) for name in FACETS]
    pages = ["/claims/claims?" + urlencode([each, *facets, ("_size", ROWS), ("_sort", "rank")]) for each in FILTERS]
    lists = ["/claims/claims.json?" + urlencode([each, ("_size", ROWS), ("_sort", "rank")]) for each in FILTERS]
    # Immutable: Datasette may then count once and for all, which is its fastest way of serving.
    arguments = [str(PEER / "bin" / "datasette"), "serve", "-i", str(folder / "claims.db"), "-p", str(port)]
    with running(arguments, dict(os.environ)) as process:
        yield wait_for(Server("Datasette", port, process, pages, lists))


@contextmanager
def running(arguments: list[str], environment: dict[str, str]) -> Iterator[int]:
    process = subprocess.Popen(
        arguments, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(20)


def wait_for(server: Server) -> Server:
    async def answers() -> None:
        for _ in range(WAIT):
            try:
                await fetch(server.port, server.lists[0])
            except OSError:
                await asyncio.sleep(0.1)
            else:
                return
        sys.exit(f"{server.name} does not answer")

    asyncio.run(answers())
    return server


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def compare(servers: list[Server], seconds: float, rounds: int) -> None:
    print(f"{CONNECTIONS} connections, {rounds} rounds of {seconds:g} s each, {len(FILTERS)} filters in rotation")
    for what in ("page", "JSON"):
        found: dict[str, list[Outcome]] = {server.name: [] for server in servers}
        for server in servers:  # every filter once, so that nobody's first answer counts
            asyncio.run(drive(server.port, server.paths(what), 1.0))
        for _ in range(rounds):
            for server in servers:
                found[server.name].append(asyncio.run(drive(server.port, server.paths(what), seconds)))
        report(what, found)
    for server in servers:
        print(f"  memory  {server.name:10} {server.memory()}")
    html = asyncio.run(fetch(servers[0].port, servers[0].pages[0]))
    print(
        f"  HTML    {servers[0].name:10} {len(html) / 1024:.0f} KB, {len(gzip.compress(html)) / 1024:.1f} KB with gzip"
    )


def report(what: str, found: dict[str, list[Outcome]]) -> None:
    rates = {name: statistics.median(outcome.rate for outcome in outcomes) for name, outcomes in found.items()}
    for name, outcomes in found.items():
        p50, p99 = (statistics.median(outcome.quantile(share) for outcome in outcomes) for share in (0.5, 0.99))
        size = statistics.mean(size for outcome in outcomes for size in outcome.wire_bytes) / 1024
        spread = f"{min(o.rate for o in outcomes):.1f} to {max(o.rate for o in outcomes):.1f}"
        print(
            f"  {what:7} {name:10} {rates[name]:8.1f} requests/s ({spread})"
            f"  p50 {p50:6.1f} ms  p99 {p99:6.1f} ms  {size:6.1f} KB on the wire"
        )
    ours_, theirs = rates.values()
    print(f"  {what:7} ratio      {ours_ / theirs:8.1f}x")


if __name__ == "__main__":
    main()
