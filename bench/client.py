"""What reading a stream event costs our load client, beside aiohttp, httpx and a C epoll reader, in one run, as ratios.

`python -m bench.client [--streams 1024] [--rate 50] [--seconds 3] [--rounds 3]`; what it means: bench/client.md. The
server and the client under test sit on one processor core each; the clients take turns, each on a server of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.table_speed import PEER, ROOT
from runners.engines.install import listed
from runners.load import metrics, plan, processes, trace
from runners.load.cadence import Cadence, serving
from runners.load.connect import read_url
from runners.load.plan import Source, Workload
from runners.load.schedule import Closed
from runners.load.statistics import percentile
from runners.load.wire import Dialect

if TYPE_CHECKING:
    from collections.abc import Callable

    from runners.engines.install import Installed
    from runners.load.connect import Target
    from runners.load.schedule import Shot
    from runners.load.stream import Ns

SERVER_CORE, CLIENT_CORE = 0, 1
PEERS = ("aiohttp", "aiohttp+uvloop", "httpx")
FLOOR, OURS = "C epoll", "benchcard"


@dataclass(frozen=True)
class Turn:
    """One client's turn. CPU is its own, in us, from the first request to the last end; P99 gaps in ms."""

    events: int
    reads: int
    cpu_us: float
    gap_ms: float | None
    sent_gap_ms: float
    tpot_error: float | None = None

    @property
    def cpu_per_event(self) -> float:
        return self.cpu_us / self.events


@dataclass(frozen=True)
class Field:
    """What every client reads, and the compiled floor."""

    streams: int
    cadence: Cadence
    floor: Path

    @property
    def events(self) -> int:
        return self.streams * self.cadence.events


def pinned() -> None:
    os.sched_setaffinity(0, {CLIENT_CORE})


def install_peers() -> None:
    """The peers in bench/.venv, from the hashed lock file, where they are not there yet."""
    python = str(PEER / "bin" / "python")
    if (
        Path(python).exists()
        and not subprocess.run([python, "-c", "import aiohttp, httpx, uvloop"], check=False).returncode
    ):
        return
    lock = str(ROOT / ".ci" / "requirements-bench.txt")
    subprocess.run([sys.executable, "-m", "venv", str(PEER)], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock], check=True)


def compile_floor(folder: Path) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise SystemExit("the floor needs a C compiler (cc)")
    made = folder / "floor"
    subprocess.run([compiler, "-O2", "-o", str(made), str(ROOT / "bench" / "floor.c")], check=True)
    return made


def shots_for(target: Target, field: Field) -> list[Shot]:
    work = Workload(8, field.cadence.events)
    return plan.requests(target, Dialect("cadence"), work, range(field.streams), Source(0))


def outside(command: list[str], given: bytes, env: dict[str, str] | None = None) -> dict[str, Any]:
    done = subprocess.run(command, input=given, capture_output=True, check=False, preexec_fn=pinned, env=env)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr.decode()[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def floor_turn(field: Field) -> Turn:
    with serving(field.cadence) as server:
        target = read_url(server.url)
        request = shots_for(target, field)[0].body
        found = outside([str(field.floor), str(target.port), str(field.streams)], request)
        return Turn(field.events, found["reads"], found["cpu_us"], None, p99(server.stop()))


def peer_turn(name: str, field: Field) -> Turn:
    with serving(field.cadence) as server:
        body = shots_for(read_url(server.url), field)[0].body.partition(b"\r\n\r\n")[2]
        python = str(PEER / "bin" / "python")
        script = str(ROOT / "bench" / "stream_peers.py")
        found = outside([python, script, name, f"{server.url}/v1/completions", str(field.streams)], body)
        return Turn(field.events, found["reads"], found["cpu_us"], found["gap_p99_ms"], p99(server.stop()))


def engine_turn(engine: Installed, field: Field) -> Turn:
    with serving(field.cadence) as server:
        script, url = str(ROOT / "bench" / "engine_peers.py"), f"{server.url}/v1/completions"
        command = [str(engine.python), script, engine.engine.name, url, str(field.streams), str(field.cadence.events)]
        # The stand-in lets SGLang's package be imported where its CPU kernels are missing; its load tool needs none.
        found = outside(command, b"", {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "engines" / "sglang_cpu")})
        return Turn(field.events, found["reads"], found["cpu_us"], found["gap_p99_ms"], p99(server.stop()))


def our_turn(field: Field) -> Turn:
    """In this process, on the client's core; counting comes after the measured time, as in any run of ours."""
    pinned()
    with serving(field.cadence) as server:
        target = read_url(server.url)
        job = processes.plan(target, Closed(field.streams), shots_for(target, field), 120.0)
        ran = processes.run(job, 1, lambda *_: None)
        sent = server.stop()
    found = metrics.measure(trace.from_rows(ran.rows, ran.started_ns, {}))
    if found.failed or found.event_gap_ms is None or found.tpot_ms is None:
        raise SystemExit(f"{found.failed} streams were not read rightly")
    truth = float(np.mean([(times[-1] - times[0]) / (len(times) - 1) for times in sent])) / 1e6
    return Turn(
        field.events,
        field.events,
        ran.cpu_ns[0] / 1000,
        found.event_gap_ms.p99,
        p99(sent),
        abs(found.tpot_ms.mean - truth) / truth,
    )


def p99(sent: list[Ns]) -> float:
    return percentile(np.sort(np.concatenate([np.diff(times) for times in sent])), 99) / 1e6


def report(turns: dict[str, list[Turn]]) -> None:
    cost = {name: statistics.median(turn.cpu_per_event for turn in found) for name, found in turns.items()}
    print(f"{'':16} {'us/event':>9} {'x floor':>8} {'x ours':>7} {'P99 gap seen : sent, ms':>26} {'TPOT error':>11}")
    for name, found in turns.items():
        gaps = [turn.gap_ms for turn in found if turn.gap_ms is not None]
        sent = statistics.median(turn.sent_gap_ms for turn in found)
        seen = f"{statistics.median(gaps):.1f} : {sent:.1f}" if gaps else f"- : {sent:.1f}"
        errors = [turn.tpot_error for turn in found if turn.tpot_error is not None]
        error = f"{statistics.median(errors):.2%}" if errors else ""
        ratios = f"{cost[name] / cost[FLOOR]:8.2f} {cost[name] / cost[OURS]:7.2f}"
        spread = f"{min(t.cpu_per_event for t in found):.1f}-{max(t.cpu_per_event for t in found):.1f}"
        print(f"{name:16} {cost[name]:9.2f} {ratios} {seen:>26} {error:>11}   ({spread})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=50.0, help="events a second and stream")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if (os.cpu_count() or 1) < 2:
        raise SystemExit("two processor cores are needed: one for the server, one for the client")
    install_peers()
    turns: dict[str, list[Turn]] = defaultdict(list)
    clients: dict[str, Callable[[Field], Turn]] = {FLOOR: floor_turn, OURS: our_turn}
    clients |= {name: partial(peer_turn, name) for name in PEERS}
    clients |= {f"{one.engine.name} {one.version}": partial(engine_turn, one) for one in listed()}
    with tempfile.TemporaryDirectory() as folder:
        cadence = Cadence(1 / given.rate, int(given.rate * given.seconds), SERVER_CORE)
        field = Field(given.streams, cadence, compile_floor(Path(folder)))
        for _ in range(given.rounds):
            for name, turn in clients.items():
                print(f"  {name} ...", file=sys.stderr)
                turns[name].append(turn(field))
    print(f"{given.streams} streams, {given.rate:g} events/s each; load average {os.getloadavg()[0]:.1f}")
    report(turns)


if __name__ == "__main__":
    main()
