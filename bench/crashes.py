"""What is acknowledged is kept: workers ask for jobs and do them while the server is killed (-9) again and again.

    python -m bench.crashes [--kills 40] [--workers 4]

A kill takes one to two seconds, 40 of them a minute or two: servers are forked from one that has imported everything.
Every call is sent again, as it was, until it is answered, like a runner's over a bad network. What was answered is
written down here, outside of the server; at last all of it must be found there, each job with exactly one result.
Prints what was done and ends with 1 where anything is missing.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from app.accounts.store import add_token
from app.accounts.tokens import new_token
from app.clock import SystemClock
from app.db import Database
from app.jobs.logs import Logs
from app.jobs.measured import Measurements
from app.jobs.queries import JobFilter, Jobs
from app.protocol.lease import Capabilities
from app.protocol.outcome import REPORT, Machine, Report
from app.randomness import SystemRandomness
from app.results.files import Files
from bench.leases import ADDRESS, a_plan

PAUSE_S = 0.05  # before a call is sent again
CALL_S = 10.0
START_S = 180.0  # the first start imports everything, on a busy machine for a minute
STALL_S = 300.0  # without one answer: then it is the server that is broken, and not the network
UP_S = 1.0  # at most, from the first answer of a server to its end
MACHINE = Machine(runner="r", benchcard="bench", system="s", processor="p", cpus=1, memory_mib=1)


@dataclass
class Acknowledged:
    """What the server said that it has."""

    jobs: set[str] = field(default_factory=set)
    logs: dict[tuple[str, int], bytes] = field(default_factory=dict)
    parts: dict[tuple[str, int], str] = field(default_factory=dict)  # digest of the report
    ends: dict[tuple[str, int], str] = field(default_factory=dict)
    repeated: int = 0  # calls that were sent more than once
    answered: int = 0
    wrong: list[str] = field(default_factory=list)


class Worker(threading.Thread):
    """One runner that also asks for the jobs; it stops when no more are to be asked for and none is left."""

    def __init__(self, name: str, address: str, token: str, told: Acknowledged, enough: threading.Event) -> None:
        super().__init__(name=name, daemon=True)  # a server that does not come back ends the bench
        self.told, self.enough = told, enough
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=address, headers=headers, timeout=CALL_S)
        self._boot = str(uuid4())

    def run(self) -> None:
        try:
            while self._round():
                pass
        except Exception as error:
            self.told.wrong.append(f"{self.name}: {error!r}")
        finally:
            self._http.close()

    def _round(self) -> bool:
        if not self.enough.is_set():
            body = {"plan": a_plan().model_dump(mode="json")}
            made = self._send("POST", "/api/v1/jobs", json=body, headers={"Idempotency-Key": str(uuid4())})
            self.told.jobs.add(made.json()["id"])
        has = Capabilities(cpus=1, memory_mib=1, attach=(ADDRESS,), wall_s=86400.0).model_dump(mode="json")
        asked = {"runner": self.name, "boot_id": self._boot, "request_id": str(uuid4()), "version": "1"}
        given = self._send("POST", "/api/v1/runner/lease", json=asked | {"capabilities": has}).json()["assignment"]
        if given is not None:
            self._attempt(given["job_id"], given["epoch"])
        return given is not None or not self.enough.is_set()

    def _attempt(self, job: str, epoch: int) -> None:
        """Start, three pieces of log, the report, the end. A lease that was lost meanwhile is let go."""
        at = f"/api/v1/runner/jobs/{job}"
        if self._send("POST", f"{at}/start", json={"epoch": epoch, "request_id": str(uuid4())}).status_code == 409:
            return
        log = b""
        for number in range(3):
            piece = f"{number} {uuid4()}\n".encode()
            self._send("PUT", f"{at}/log?epoch={epoch}&offset={len(log)}", content=piece)
            log += piece
            self.told.logs[job, epoch] = log
        report = Report(plan=a_plan(), machine=MACHINE, sides=(), runs=()).model_dump_json().encode()
        digest = hashlib.sha256(report)
        headers = {"Content-Digest": f"sha-256=:{base64.b64encode(digest.digest()).decode()}:"}
        self._send("PUT", f"{at}/parts/{REPORT}?epoch={epoch}", content=report, headers=headers)
        self.told.parts[job, epoch] = digest.hexdigest()
        end = {
            "epoch": epoch,
            "request_id": str(uuid4()),
            "outcome": {"state": "succeeded"},
            "parts": {REPORT: digest.hexdigest()},
            "log": {"size": len(log), "sha256": hashlib.sha256(log).hexdigest()},
        }
        answer = self._send("POST", f"{at}/finish", json=end)
        if answer.status_code == 200:
            self.told.ends[job, epoch] = answer.json()["state"]

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The answer, however often it takes. Raises RuntimeError for one that is neither a yes nor a lost lease."""
        tries, until = 0, time.monotonic() + STALL_S
        while time.monotonic() < until:
            tries += 1
            try:
                answer = self._http.request(method, path, **options)
            except httpx.TransportError:
                time.sleep(PAUSE_S)
                continue
            self.told.answered += 1
            self.told.repeated += tries > 1
            if answer.is_success or (answer.status_code == 409 and "lease_lost" in answer.text):
                return answer
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        raise RuntimeError(f"{method} {path}: no answer within {STALL_S:g} s")


class Server:
    """`benchcard serve`'s server on a folder of its own, killed and started again as told. Use it inside `with`."""

    def __init__(self, data: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self._environment = {**os.environ, "BENCHCARD_DATA": str(data), "PORT": str(self.port)}

    def __enter__(self) -> Server:
        command = [sys.executable, "-m", "bench.server", "--on-demand"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, env=self._environment, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._process.communicate(timeout=START_S)  # the end of its input ends it, and the server
        finally:
            self._process.kill()

    def start(self) -> None:
        """Returns once it answers."""
        self._say("start")
        until = time.monotonic() + START_S
        while True:
            try:
                httpx.get(f"{self.address}/healthz", timeout=CALL_S)
                return
            except httpx.TransportError:
                if time.monotonic() > until:
                    raise RuntimeError("the server did not start") from None
                time.sleep(PAUSE_S)

    def kill(self) -> None:
        self._say("kill")

    def _say(self, command: str) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()
        if self._process.stdout.readline() != "done\n":
            raise RuntimeError(f"the server's parent could not {command} it")


def crash(data: Path, kills: int, workers: int, seed: int = 0) -> tuple[Acknowledged, list[str]]:
    """What was acknowledged, and everything that is wrong with it afterwards."""
    database = Database(f"sqlite:///{data / 'benchcard.db'}")
    database.migrate()
    token, now = new_token(SystemRandomness()), SystemClock().now()
    database.write(lambda session: add_token(session, token, "bench", ("submit", "runner"), now))
    told = Acknowledged()
    with Server(data) as server:
        _under_load(server, token, told, kills, workers, random.Random(seed))
    wrong = [*told.wrong, *missing(database, data, told)]
    database.close()
    return told, wrong


def _under_load(server: Server, token: str, told: Acknowledged, kills: int, workers: int, dice: random.Random) -> None:
    """Kill the server while workers work; at last let them end what they began."""
    enough = threading.Event()
    threads = [Worker(f"r{number}", server.address, token, told, enough) for number in range(workers)]
    server.start()
    for thread in threads:
        thread.start()
    for _ in range(kills):
        before, until = told.answered, time.monotonic() + STALL_S
        while told.answered == before and any(thread.is_alive() for thread in threads) and time.monotonic() < until:
            time.sleep(PAUSE_S)
        time.sleep(dice.uniform(0, UP_S))
        server.kill()
        server.start()
    enough.set()
    for thread in threads:
        thread.join(STALL_S)
    # Who lost three leases in a row, which a slow machine's starts can do, is in quarantine: a last one does the rest.
    last = Worker("last", server.address, token, told, enough)
    last.start()
    last.join(STALL_S)
    running = [thread for thread in (*threads, last) if thread.is_alive()]
    told.wrong += [f"{thread.name} has not ended after {STALL_S:g} s" for thread in running]


def missing(database: Database, data: Path, told: Acknowledged) -> list[str]:
    """Every acknowledged thing that is not there, and every job that has not exactly one result."""
    logs, wrong = Logs(data / "logs"), []
    jobs, files = Jobs(database, logs, SystemClock()), Files(data / "files")
    known = {row.id: row for row in _all(jobs)}
    wrong += [f"job {job} is missing" for job in told.jobs - known.keys()]
    for job, row in known.items():
        attempts = {item.epoch: item for item in jobs.job(job).attempts}
        results = sum(item.is_result for item in attempts.values())
        if (row.state, results) != ("succeeded", 1):
            wrong.append(f"job {job} is {row.state} and has {results} results")
        for epoch, item in attempts.items():
            if not jobs.log(job, 0, epoch).data.startswith(told.logs.get((job, epoch), b"")):
                wrong.append(f"the log of {job}, attempt {epoch}, lacks what was acknowledged")
            digest = told.parts.get((job, epoch))
            if digest and (digest not in {part.sha256 for part in item.parts} or not _sound(files, digest)):
                wrong.append(f"the report of {job}, attempt {epoch}, is missing")
            if (job, epoch) in told.ends and item.finish is None:
                wrong.append(f"the end of {job}, attempt {epoch}, is missing")
    measured = Counter(item.job_id for item in Measurements(database).page(limit=500).items)
    wrong += [f"job {job} has {count} measurements" for job, count in measured.items() if count > 1]
    with database.read() as session:
        wrong += [
            text for text in session.connection().exec_driver_sql("PRAGMA integrity_check").scalars() if text != "ok"
        ]
    return wrong


def _all(jobs: Jobs) -> list[Any]:
    rows: list[Any] = []
    cursor = None
    while True:
        page = jobs.page(JobFilter(), cursor, 500)
        rows += page.items
        cursor = page.next
        if cursor is None:
            return rows


def _sound(files: Files, digest: str) -> bool:
    path = files.path(digest)
    return path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == digest


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--workers", type=int, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        told, wrong = crash(Path(folder), given.kills, given.workers)
        took = time.perf_counter() - began
    pieces = sum(log.count(b"\n") for log in told.logs.values())
    print(f"{given.kills} kills in {took:.0f} s: {len(told.jobs)} jobs, {pieces} pieces of log, ", end="")
    print(f"{len(told.parts)} parts, {len(told.ends)} ends acknowledged; {told.repeated} calls sent again")
    print("\n".join(wrong) or "nothing is missing, every job has one result")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
