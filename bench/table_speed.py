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
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from bench.generate import GPUS, build
from bench.load import CONNECTIONS, Outcome, drive, fetch

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PEER = ROOT / "bench" / ".venv"
ROWS = 50
FACETS = ("engine", "model", "axis")
FEW = [("hardware", gpu) for gpu in GPUS if gpu]
EVERY = (
    "engine",
    "model",
    "hardware",
    "axis",
    "kind",
    "scope",
    "acceptance",
    "stated_in",
)  # facets of both, value by value
WAIT = 200  # tries of a tenth of a second until a server answers

Filter = tuple[str, str]


@dataclass(frozen=True)
class Server:
    name: str
    port: int
    process: int
    paths: dict[str, list[str]]  # by what is measured: one address a filter

    def cpu(self) -> float:
        """Seconds of processor time used so far; 0 where the system does not tell."""
        stat = Path(f"/proc/{self.process}/stat")
        if not stat.exists():
            return 0.0
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

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
            many = every_filter(Path(folder))
            servers = [stack.enter_context(serve(Path(folder), many)) for serve in (ours, datasette)]
            compare(servers, given.seconds, given.rounds)


def install_peer() -> None:
    """Datasette in an environment of its own, from the hashed lock file, once."""
    if not (PEER / "bin" / "datasette").exists():
        lock = str(ROOT / ".ci" / "requirements-bench.txt")
        subprocess.run([sys.executable, "-m", "venv", str(PEER)], check=True)
        subprocess.run([PEER / "bin" / "pip", "install", "--quiet", "--require-hashes", "-r", lock], check=True)


@contextmanager
def ours(folder: Path, many: list[Filter]) -> Iterator[Server]:
    port = free_port()
    environment = {**os.environ, "BENCHCARD_DATA": str(folder), "PORT": str(port)}
    page, listed = "/?{}", f"/api/v1/claims?{{}}&limit={ROWS}"
    with running([sys.executable, "-m", "bench.server"], environment) as process:
        yield wait_for(Server("Benchcard", port, process, addresses(page, listed, many)))


@contextmanager
def datasette(folder: Path, many: list[Filter]) -> Iterator[Server]:
    port = free_port()
    asked = f"?{{}}&_size={ROWS}&_sort=rank"
    page = f"/claims/claims{asked}&{urlencode([('_facet', name) for name in FACETS])}"
    # Immutable: Datasette may then count once and for all, which is its fastest way of serving.
    # Its limit of a second for a query is lifted, because on a busy machine it would refuse instead of answering.
    arguments = [str(PEER / "bin" / "datasette"), "serve", "-i", str(folder / "claims.db"), "-p", str(port)]
    with running([*arguments, "--setting", "sql_time_limit_ms", "60000"], dict(os.environ)) as process:
        yield wait_for(Server("Datasette", port, process, addresses(page, f"/claims/claims.json{asked}", many)))


def addresses(page: str, listed: str, many: list[Filter]) -> dict[str, list[str]]:
    few = [urlencode([each]) for each in FEW]
    return {
        "page": [page.format(query) for query in few],
        "page, any filter": [page.format(urlencode([each])) for each in many],
        "JSON": [listed.format(query) for query in few],
    }


def every_filter(folder: Path) -> list[Filter]:
    """Every value of every facet alone, in an order that never asks for the same rows twice in a row."""
    with closing(sqlite3.connect(folder / "claims.db")) as connection:
        return [
            (facet, value)
            for facet in EVERY
            for (value,) in connection.execute(
                f"SELECT DISTINCT {facet} FROM claims WHERE {facet} IS NOT NULL ORDER BY 1"
            )
        ]


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
                await fetch(server.port, server.paths["JSON"][0])
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
    print(f"{CONNECTIONS} connections, {rounds} rounds of {seconds:g} s for each in turn")
    for what, addresses_of_one in servers[0].paths.items():
        found: dict[str, list[Outcome]] = {server.name: [] for server in servers}
        for server in servers:  # a first second that does not count
            asyncio.run(drive(server.port, server.paths[what], 1.0))
        for _ in range(rounds):
            for server in servers:
                found[server.name].append(measure(server, what, seconds))
        report(f"{what}, {len(addresses_of_one)} filters in rotation", found)
    print("  memory")
    for server in servers:
        print(f"    {server.name:10} {server.memory()}")
    html = asyncio.run(fetch(servers[0].port, servers[0].paths["page"][0]))
    print(
        f"  HTML of one page: {len(html) / 1024:.0f} KB, {len(gzip.compress(html)) / 1024:.1f} KB with gzip at its best"
    )


def measure(server: Server, what: str, seconds: float) -> Outcome:
    before = server.cpu()
    outcome = asyncio.run(drive(server.port, server.paths[what], seconds))
    outcome.cpu = server.cpu() - before
    return outcome


def report(what: str, found: dict[str, list[Outcome]]) -> None:
    print(f"  {what}")
    rates = {name: statistics.median(outcome.rate for outcome in outcomes) for name, outcomes in found.items()}
    costs = {name: cost(outcomes) for name, outcomes in found.items()}
    for name, outcomes in found.items():
        p50, p99 = (statistics.median(outcome.quantile(share) for outcome in outcomes) for share in (0.5, 0.99))
        size = statistics.mean(size for outcome in outcomes for size in outcome.wire_bytes) / 1024
        spread = f"{min(o.rate for o in outcomes):.1f} to {max(o.rate for o in outcomes):.1f}"
        print(
            f"    {name:10} {rates[name]:8.1f} requests/s ({spread})  p50 {p50:6.1f} ms  p99 {p99:6.1f} ms"
            f"  processor {costs[name]:5.1f} ms  {size:5.1f} KB on the wire"
        )
    (mine, theirs), (my_cost, their_cost) = rates.values(), costs.values()
    by_processor = f"; by processor time {their_cost / my_cost:.1f}x" if my_cost else ""
    print(f"    ratio      {mine / theirs:8.1f}x{by_processor}")


def cost(outcomes: list[Outcome]) -> float:
    """Milliseconds of processor time a request: what a busy machine changes least."""
    return sum(outcome.cpu for outcome in outcomes) / sum(len(outcome.latencies) for outcome in outcomes) * 1000


if __name__ == "__main__":
    main()
