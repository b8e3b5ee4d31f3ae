"""A run in one process or several: each process sends its share, counts it after the run, and hands back rows.

CLOCK_MONOTONIC is one clock for all processes of a machine, so their stamps stand on one axis.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
import signal
from dataclasses import dataclass, field, replace
from time import monotonic_ns
from typing import TYPE_CHECKING, Any

from uvloop import new_event_loop

from runners.load.connect import Opener, Target
from runners.load.count import Counted, count
from runners.load.drive import Driver, watch
from runners.load.schedule import SECOND, Load, Open, Shot, arrivals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection as Pipe

    from runners.load.drive import Driven, Tell

MOST_FILES = 1 << 20
START_DELAY_NS = SECOND // 20  # from the word to start until the first request, so that all processes have heard it


@dataclass(frozen=True, slots=True)
class Job:
    """What one process sends: its shots, and their times where the load is open."""

    target: Target
    load: Load
    shots: Sequence[Shot]
    at_ns: Sequence[int] = ()
    timeout_s: float = 600.0


@dataclass(slots=True)
class Ran:
    """A whole run. `lags` are (time, lateness) in ns, one list a process; `cpu_ns` one number a process;
    `opened_ns` one number a connection of the pool."""

    rows: list[Counted] = field(default_factory=list)
    started_ns: int = 0
    ended_ns: int = 0
    lookup_ns: int = 0
    opened_ns: list[int] = field(default_factory=list)
    lags: list[list[tuple[int, int]]] = field(default_factory=list)
    cpu_ns: list[int] = field(default_factory=list)


def plan(target: Target, load: Load, shots: Sequence[Shot], timeout_s: float) -> Job:
    """The whole run as one job."""
    at_ns = arrivals(load, len(shots)) if isinstance(load, Open) else ()
    return Job(target, load, shots, at_ns, timeout_s)


def run(job: Job, processes: int, tell: Tell) -> Ran:
    """Do a job; `tell` hears about once a second how far it is, and ends it by raising. OSError: no connection at
    all."""
    if processes == 1:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            return runner.run(_part(job, monotonic_ns, tell))
    return _run_several(split(job, processes), tell)


def _raise_file_limit() -> None:
    """Allow this process as many open files as the machine lets it. A connection is one; 1,024 are a usual limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


async def _part(job: Job, start: Callable[[], int], tell: Tell) -> Ran:
    _raise_file_limit()
    opener = Opener(job.target)
    driver = Driver(opener, job.timeout_s)
    await driver.open(job.load, job.shots)
    driven = await _watched(driver, job, start(), tell)
    asked = {shot.index: shot.asked for shot in job.shots}
    rows = []
    for recording in driven.recordings:
        rows.append(count(recording, asked[recording.index]))
        recording.reads.clear()  # a long run's bytes are let go as they are counted
    return Ran(
        rows=rows,
        started_ns=driven.started_ns,
        ended_ns=driven.ended_ns,
        lookup_ns=opener.lookup_ns,
        opened_ns=driver.opened_ns,
        lags=[driven.lags],
        cpu_ns=[driven.cpu_ns],
    )


async def _watched(driver: Driver, job: Job, start_ns: int, tell: Tell) -> Driven:
    running = asyncio.create_task(driver.run(job.load, job.shots, job.at_ns, start_ns))
    watching = asyncio.create_task(watch(driver, tell))
    try:
        await asyncio.wait((running, watching), return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            await watching  # which raises
        return running.result()
    finally:
        for task in (running, watching):
            task.cancel()
        await asyncio.gather(running, watching, return_exceptions=True)


def split(job: Job, processes: int) -> list[Job]:
    """Shares of a job that end together: of a closed load by concurrency, of an open one by every n-th request."""
    load = job.load
    if isinstance(load, Open):
        return [
            replace(job, shots=job.shots[share::processes], at_ns=job.at_ns[share::processes])
            for share in range(processes)
        ]
    slots = [slot % processes for slot in range(load.concurrency)]
    owners: dict[int | None, int] = {}  # a session stays with one process
    shares: list[list[Shot]] = [[] for _ in range(processes)]
    for shot in job.shots:
        key = shot.index if shot.asked.session is None else -1 - shot.asked.session
        owner = owners.setdefault(key, slots[len(owners) % len(slots)])
        shares[owner].append(shot)
    return [
        replace(job, load=replace(load, concurrency=slots.count(share)), shots=shots)
        for share, shots in enumerate(shares)
        if shots
    ]


def _run_several(jobs: Sequence[Job], tell: Tell) -> Ran:
    context = multiprocessing.get_context("spawn")
    pipes: list[Pipe] = []
    workers = []
    try:
        for job in jobs:
            ours, theirs = context.Pipe()
            worker = context.Process(target=_worker, args=(job, theirs), daemon=True)
            worker.start()
            theirs.close()
            pipes.append(ours)
            workers.append(worker)
        return _gather(pipes, tell)
    except BaseException:  # an interrupt too: what is under way is of no use any more
        for worker in workers:
            worker.kill()
        raise
    finally:
        for worker in workers:
            worker.join(timeout=5)
            worker.kill()
            worker.join()


def _gather(pipes: list[Pipe], tell: Tell) -> Ran:
    for pipe in pipes:
        _expect(pipe, "ready")
    start = monotonic_ns() + START_DELAY_NS
    for pipe in pipes:
        pipe.send(start)
    whole = Ran(started_ns=start)
    done = [0] * len(pipes)
    silent: list[int | None] = [None] * len(pipes)
    waiting = dict(enumerate(pipes))
    while waiting:
        for place, pipe in list(waiting.items()):
            if not pipe.poll(0.1):
                continue
            said, value = _receive(pipe)
            if said == "told":
                done[place], silent[place] = value
                tell(sum(done), max((since for since in silent if since is not None), default=None))
            else:
                del waiting[place]
                silent[place] = None
                _add(whole, value)
    return whole


def _add(whole: Ran, part: Ran) -> None:
    whole.rows += part.rows
    whole.opened_ns += part.opened_ns
    whole.lags += part.lags
    whole.cpu_ns += part.cpu_ns
    whole.started_ns = part.started_ns
    whole.ended_ns = max(whole.ended_ns, part.ended_ns)
    whole.lookup_ns = max(whole.lookup_ns, part.lookup_ns)


def _receive(pipe: Pipe) -> tuple[str, Any]:
    try:
        said, value = pipe.recv()
    except EOFError:
        raise OSError("a load process died") from None
    if said == "failed":
        raise OSError(value)
    return said, value


def _expect(pipe: Pipe, word: str) -> None:
    said, _ = _receive(pipe)
    assert said == word, said


def _worker(job: Job, pipe: Pipe) -> None:
    def start() -> int:
        pipe.send(("ready", None))
        begun: int = pipe.recv()
        return begun

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to all; the first process ends the others
    try:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            ran = runner.run(_part(job, start, lambda *told: pipe.send(("told", told))))
    except OSError as error:
        pipe.send(("failed", str(error)))
    else:
        pipe.send(("ran", ran))
