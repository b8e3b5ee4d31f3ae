"""How fast jobs are given out, and whether ever twice: processes that drain one queue at once.

    python -m bench.leases [--jobs 2000] [--processes 8] [--folder FOLDER]

On SQLite in a fresh folder inside FOLDER, synced like the real one. Prints leases/s over all processes, the 99th
percentile of one lease as its process sees it, and ends with 1 where a job was given out twice or a call failed.

Every lease is on the disk before it is told, so the disk sets the pace: beside ours stands the bare statement that
takes a row, by as many processes on the same disk with the same settings. In /dev/shm both are free of the disk.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from app.cards.store import Writer
from app.clock import SystemClock
from app.db import PRAGMAS, Database, sqlite_module
from app.jobs.leases import lease
from app.jobs.store import UPDATE, NewJob, submit
from app.protocol.lease import Capabilities, LeaseRequest
from app.protocol.plan import Attach, Plan, Point, Side, Workload
from app.randomness import SystemRandomness

if TYPE_CHECKING:
    import datetime as dt
    import sqlite3
    from collections.abc import Callable
    from multiprocessing.queues import Queue
    from multiprocessing.synchronize import Barrier

    from sqlmodel import Session

    from app.protocol.lease import Assignment

ADDRESS = "bench.test:9000"
LONGEST_S = 600.0  # until every process has said what it took
BARE = """UPDATE job SET state = 'leased', runner = ?, until = ? WHERE id =
(SELECT id FROM job WHERE state = 'queued' ORDER BY rank, id LIMIT 1) RETURNING id"""


@dataclass(frozen=True)
class Drained:
    """What one process took: ids, and how long each call was in s."""

    jobs: list[str]
    calls_s: list[float]
    error: str | None = None


@dataclass(frozen=True)
class Race:
    jobs: int
    doubled: int
    errors: list[str]
    leases_per_s: float
    p99_s: float


def a_plan() -> Plan:
    load = Workload(input_tokens=8, output_tokens=8, seed=1, prefix_cache="cleared")
    side = Side(name="a", label="as it is", attach=Attach(address=ADDRESS, model="m"))
    return Plan(kind="attach", sides=(side,), workload=load, points=(Point(concurrency=1, requests=1),))


def race(url: str, jobs: int, processes: int) -> Race:
    """Fill the migrated database's queue and let that many processes drain it."""
    _fill(url, jobs)
    return _raced(_drain, url, processes)


def bare_race(file: Path, jobs: int, processes: int) -> Race:
    """The same of the least that a lease on this disk can be: one statement on one table, by the driver alone."""
    with closing(_opened(file)) as connection:
        connection.execute(
            "CREATE TABLE job (id INTEGER PRIMARY KEY, rank INTEGER, state TEXT, runner TEXT, until REAL)"
        )
        connection.execute("CREATE INDEX queued ON job (state, rank, id)")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO job (rank, state) VALUES (0, ?)", [("queued",)] * jobs)
        connection.execute("COMMIT")
    return _raced(_drain_bare, str(file), processes)


def _raced(drain: Callable[[str, int, Barrier, Queue[Drained]], None], target: str, processes: int) -> Race:
    context = multiprocessing.get_context("spawn")
    results: Queue[Drained] = context.Queue()
    barrier = context.Barrier(processes + 1, timeout=LONGEST_S)
    workers = [context.Process(target=drain, args=(target, number, barrier, results)) for number in range(processes)]
    for worker in workers:
        worker.start()
    barrier.wait()
    began = time.perf_counter()
    drained = [results.get(timeout=LONGEST_S) for _ in workers]
    took = time.perf_counter() - began
    for worker in workers:
        worker.join(LONGEST_S)
    taken = Counter(job for item in drained for job in item.jobs)
    calls = [call for item in drained for call in item.calls_s]
    p99 = statistics.quantiles(calls, n=100)[98] if len(calls) > 1 else 0.0
    errors = [item.error for item in drained if item.error]
    return Race(len(taken), sum(count - 1 for count in taken.values()), errors, len(taken) / took, p99)


def _fill(url: str, jobs: int) -> None:
    database, plan, by = Database(url), a_plan(), Writer("bench", "bench")
    now, randomness = SystemClock().now(), SystemRandomness()
    database.write(
        lambda session: [submit(session, NewJob(plan), by, now, randomness, second=False) for _ in range(jobs)]
    )
    database.close()


def _drain(url: str, number: int, barrier: Barrier, results: Queue[Drained]) -> None:
    database, jobs, calls = Database(url), [], []
    has = Capabilities(cpus=1, memory_mib=1, attach=(ADDRESS,), wall_s=86400.0)
    boot, error = str(uuid4()), None
    barrier.wait()
    try:
        while True:
            request = LeaseRequest(
                runner=f"r{number}", boot_id=boot, request_id=str(uuid4()), version="1", capabilities=has
            )
            began = time.perf_counter()
            now = SystemClock().now()
            given = database.write(partial(_taken, request=request, now=now))
            calls.append(time.perf_counter() - began)
            if given is None:
                break
            jobs.append(given.job_id)
    except Exception as failure:
        error = repr(failure)
    database.close()
    results.put(Drained(jobs, calls, error))


def _taken(session: Session, request: LeaseRequest, now: dt.datetime) -> Assignment | None:
    """Take a job and end it at once: a process is given no second one before."""
    given = lease(session, request, "bench", now, second=False).assignment
    if given is not None:
        UPDATE.run(session, {"job": given.job_id, "state": "succeeded", "lease_until": None})
    return given


def _drain_bare(file: str, number: int, barrier: Barrier, results: Queue[Drained]) -> None:
    jobs: list[str] = []
    calls: list[float] = []
    with closing(_opened(Path(file))) as connection:
        barrier.wait()
        while True:
            began = time.perf_counter()
            given = connection.execute(BARE, (f"r{number}", began)).fetchall()
            calls.append(time.perf_counter() - began)
            if not given:
                break
            jobs.append(str(given[0][0]))
    results.put(Drained(jobs, calls))


def _opened(file: Path) -> sqlite3.Connection:
    """As app.db opens it."""
    connection: sqlite3.Connection = sqlite_module().connect(file, isolation_level=None, timeout=LONGEST_S)
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    return connection


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--folder", type=Path, help="on which disk; the system's folder for such files if left out")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        url = f"sqlite:///{Path(folder) / 'benchcard.db'}"
        database = Database(url)
        database.migrate()
        database.close()
        found = race(url, given.jobs, given.processes)
        bare = bare_race(Path(folder) / "bare.db", given.jobs, given.processes)
    print(f"{given.jobs} jobs by {given.processes} processes")
    for name, run in (("Benchcard", found), ("the bare statement", bare)):
        print(f"{name}: {run.leases_per_s:.0f} leases/s, p99 {run.p99_s * 1000:.1f} ms, ", end="")
        print(f"{run.doubled} doubled, {len(run.errors)} errors")
    print(f"ratio {found.leases_per_s / bare.leases_per_s:.2f}")
    return int(bool(found.doubled or found.errors or found.jobs != given.jobs))


if __name__ == "__main__":
    sys.exit(main())
