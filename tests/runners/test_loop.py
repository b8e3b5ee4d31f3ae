"""The runner's loop, client and disk against a real HTTP server that fails in every way, with a scripted executor."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from app.protocol.lease import Capabilities
from app.protocol.outcome import Outcome
from runners import calls, delivery
from runners.client import Client
from runners.events import Me, Progress, Terminated
from runners.executor import Ran, Stop
from runners.loop import Loop, fresh
from runners.spool import LOG, PARTS, Spool, SpoolError
from tests.runners.fake_app import FAULTS, PATIENCE_S, TOKEN, FakeApp, serving
from tests.runners.model_app import ModelApp
from tests.runners.plans import plan
from tests.runners.test_machine import ME_REQUEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.protocol.lease import Assignment
    from runners.executor import Say

CALLS = ("lease", "start", "beat", "log", "part", "finish")
WORDS = b"".join(b"line %06d\n" % number for number in range(40_000))  # more than one chunk
PART = os.urandom(300_000)


class Scripted:
    """An executor that writes its log and its trace, and waits where it is told to."""

    def __init__(self, wait: bool = False) -> None:
        self.begun = threading.Event()
        self.go = threading.Event()
        self.runs = 0
        if not wait:
            self.go.set()

    def run(self, _: Assignment, folder: Path, say: Say, stop: Stop) -> Ran:
        self.runs += 1
        with (folder / LOG).open("wb") as log:
            log.write(WORDS[:7])
            log.flush()
            say(Progress("measuring", 1, 2, "first"), 7)
            self.begun.set()
            while not self.go.wait(0.01) and not stop.asked():
                pass
            log.write(WORDS[7:])
        if stop.asked():
            reason = stop.reason
            assert reason is not None
            return Ran(
                Outcome(state="cancelled")
                if reason == "cancelled"
                else Outcome(state="failed", failure=reason, message=reason)
            )
        (folder / PARTS / "t.parquet").write_bytes(PART)
        return Ran(Outcome(state="succeeded"))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "FIRST_S", 0.02)
    monkeypatch.setattr(delivery, "LOG_EVERY_S", 0.02)


@contextmanager
def app_of(lease_s: float = 90.0) -> Iterator[FakeApp]:
    app = FakeApp(ModelApp(lease_s, wait_s=0.05, beat_s=0.05))
    app.model.add("j1", plan())
    with serving(app):
        yield app


async def running(
    app: FakeApp, folder: Path, executor: Scripted, during: Callable[[], None], *, call_s: float = 0.5
) -> tuple[int, list[str]]:
    """One runner until `during`, in a thread, is through; then it is asked to stop."""
    said: list[str] = []
    spool = Spool(folder)
    me = Me("box", fresh(), "0.1.0", Capabilities(cpus=2, memory_mib=1024, wall_s=60.0))
    loop = Loop(me, Client(app.url, TOKEN, spool, call_s), spool, executor, said.append)
    try:
        task = asyncio.create_task(loop.run())
        watching = asyncio.create_task(asyncio.to_thread(during))
        await asyncio.wait({task, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            os.kill(os.getpid(), signal.SIGTERM)
        status = await asyncio.wait_for(task, PATIENCE_S)
        await watching
        return status, said
    finally:
        spool.close()


def run(
    app: FakeApp, folder: Path, executor: Scripted, during: Callable[[], None], **more: float
) -> tuple[int, list[str]]:
    return asyncio.run(running(app, folder, executor, during, **more))


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "attempts").iterdir())


def test_a_job_is_executed_and_all_of_it_is_at_the_app(tmp_path: Path) -> None:
    with app_of() as app:
        status, said = run(app, tmp_path, Scripted(), lambda: app.wait(app.ended))
    assert (status, app.model.jobs["j1"].results) == (0, [1])
    assert bytes(app.model.logs["j1", 1]) == WORDS
    assert app.model.parts["j1", 1, "t.parquet"] == PART
    assert kept(tmp_path) == []
    assert "job j1 (attempt 1): the app has it" in said
    digests = [headers["Content-Digest"] for headers in app.seen if "Content-Digest" in headers]
    assert len(digests) == 1
    assert digests[0].startswith("sha-256=:")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_of_every_call_ends_with_one_result_or_with_all_of_it_on_disk(
    call: str, fault: str, tmp_path: Path
) -> None:
    executor = Scripted(wait=True)
    with app_of(lease_s=3.0) as app:
        app.faults[call] = [fault]

        def during() -> None:
            app.wait(lambda: "beat" in app.calls or refused(app, call, fault))
            executor.go.set()
            app.wait(lambda: app.ended() or refused(app, call, fault))

        status, _ = run(app, tmp_path, executor, during)
    if refused(app, call, fault):
        assert status == 4
        return
    job = app.model.jobs["j1"]
    assert (job.state, len(job.results)) == ("succeeded", 1)
    assert bytes(app.model.logs["j1", job.epoch]) == WORDS
    assert kept(tmp_path) == []
    assert not (tmp_path / "refused").exists()


def refused(app: FakeApp, call: str, fault: str) -> bool:
    """A token that was never taken ends the runner, and so does a newer process of its name."""
    return call == "lease" and fault in {"401", "409"} and "lease" in app.calls


def test_an_app_that_restarts_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    executor = Scripted(wait=True)
    app = FakeApp(ModelApp(wait_s=0.05, beat_s=0.05))
    app.model.add("j1", plan())
    with serving(app):
        port = int(app.url.rpartition(":")[2])
    app.over.clear()

    def first() -> None:
        with serving(app, port):
            app.wait(lambda: app.calls.count("beat") > 1)
        app.over.clear()
        executor.go.set()
        with serving(app, port):
            app.wait(app.ended)

    run(app, tmp_path, executor, first)
    assert (app.model.jobs["j1"].results, executor.runs) == ([1], 1)


def test_a_finished_attempt_is_sent_by_the_next_process_before_it_asks_for_work(tmp_path: Path) -> None:
    with app_of() as app:
        app.faults["finish"] = ["503 page"] * 1000
        executor = Scripted()
        status, said = run(app, tmp_path, executor, lambda: app.wait(lambda: "finish" in app.calls))
        assert (status, kept(tmp_path)) == (0, ["j1-1"])
        assert any("kept on disk" in line for line in said)
        app.faults.clear()
        app.calls.clear()
        run(app, tmp_path, executor, lambda: app.wait(app.ended))
        assert (app.model.jobs["j1"].results, executor.runs) == ([1], 1)
        assert "lease" not in app.calls[: app.calls.index("finish")]
    assert kept(tmp_path) == []


def test_a_cancel_is_delivered_and_the_partial_log_is_kept(tmp_path: Path) -> None:
    executor = Scripted(wait=True)
    with app_of() as app:

        def during() -> None:
            executor.begun.wait(PATIENCE_S)
            app.model.jobs["j1"].cancel = True
            app.wait(app.ended)

        run(app, tmp_path, executor, during)
    assert app.model.jobs["j1"].state == "cancelled"
    assert bytes(app.model.logs["j1", 1]) == WORDS


def test_two_signals_stop_the_job_and_the_end_says_so(tmp_path: Path) -> None:
    executor = Scripted(wait=True)
    with app_of() as app:

        def during() -> None:
            executor.begun.wait(PATIENCE_S)
            os.kill(os.getpid(), signal.SIGTERM)

        run(app, tmp_path, executor, during)
    assert app.model.ends["j1", 1].outcome.failure == "runner_stopped"


def test_a_full_disk_is_told_to_the_app(tmp_path: Path) -> None:
    class Full(Scripted):
        def run(self, *_: object) -> Ran:
            raise OSError(28, "No space left on device")

    with app_of() as app:
        run(app, tmp_path, Full(), lambda: app.wait(lambda: bool(app.model.ends)))
    assert app.model.ends["j1", 1].outcome.failure == "disk_full"


def test_a_mistake_of_our_own_is_an_end_and_not_a_silence(tmp_path: Path) -> None:
    class Wrong(Scripted):
        def run(self, *_: object) -> Ran:
            raise KeyError("oh")

    with app_of() as app:
        run(app, tmp_path, Wrong(), lambda: app.wait(app.ended))
    assert app.model.ends["j1", 1].outcome.failure == "runner_error"


def test_a_machine_that_may_not_measure_asks_on_with_its_reason_until_it_is_cleared(tmp_path: Path) -> None:
    class Dirty(Scripted):
        def run(self, assignment: Assignment, folder: Path, say: Say, stop: Stop) -> Ran:
            ran = super().run(assignment, folder, say, stop)
            failure = Outcome(state="failed", failure="gpu_not_free", message="memory")
            return Ran(failure, quarantine="memory") if self.runs == 1 else ran

    executor = Dirty()
    with app_of() as app:

        def during() -> None:
            app.wait(lambda: any(request.quarantine for request in app.model.requests))
            (tmp_path / "quarantine.txt").unlink()
            app.wait(app.ended)

        run(app, tmp_path, executor, during)
    assert (app.model.jobs["j1"].results, executor.runs) == ([2], 2)


def test_ten_starts_and_stops_five_times_leave_nothing(tmp_path: Path) -> None:
    """Runners of ten folders at once, stopped as soon as they have asked once, or before."""

    async def one(app: FakeApp, folder: Path) -> None:
        spool = Spool(folder)
        me = Me(folder.name, fresh(), "0.1.0", Capabilities(cpus=2, memory_mib=1024, wall_s=60.0))
        loop = Loop(me, Client(app.url, TOKEN, spool), spool, Scripted(), lambda _: None)
        loop._events.put_nowait(Terminated())
        assert await loop.run() == 0
        spool.close()

    async def all_of(app: FakeApp) -> None:
        await asyncio.gather(*(one(app, tmp_path / f"r{number}") for number in range(10)))

    before = threading.active_count()
    with serving(FakeApp()) as app:
        for _ in range(5):
            asyncio.run(all_of(app))
    assert len([request for request in app.model.requests if request.draining]) == 50
    assert threading.active_count() == before


def test_what_the_app_never_takes_is_kept_out_of_the_way(tmp_path: Path) -> None:
    with app_of(lease_s=3.0) as app:
        app.faults["part"] = ["422"] * 4
        run(app, tmp_path, Scripted(), lambda: app.wait(app.ended))
    assert app.model.jobs["j1"].results == [2]
    assert sorted(path.name for path in (tmp_path / "refused/j1-1").iterdir()) == [
        "assignment.json", "attempt.log", "finish.json", "parts", "why.txt",
    ]  # fmt: skip


def test_a_second_process_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    held = Spool(tmp_path)
    with pytest.raises(SpoolError, match="another runner uses this data folder"):
        Spool(tmp_path)
    held.close()
    Spool(tmp_path).close()


def test_an_attempt_that_was_cut_off_gets_its_end_from_the_next_process(tmp_path: Path) -> None:
    with app_of() as app:
        spool = Spool(tmp_path)
        assignment = app.model.lease(ME_REQUEST, time.monotonic()).assignment  # to a process that was then killed
        assert assignment is not None
        (spool.begin(assignment) / LOG).write_bytes(WORDS[:70])
        spool.close()
        executor = Scripted()
        run(app, tmp_path, executor, lambda: app.wait(app.ended))
    assert app.model.ends["j1", 1].outcome.failure == "runner_lost"
    assert bytes(app.model.logs["j1", 1]) == WORDS[:70]
    assert app.model.jobs["j1"].results == [2]
