"""The thin edge around the machine: one event loop that makes the calls, runs the executor in a thread, keeps the disk.

It decides nothing. Every event goes to the machine, and what the machine wants is done here.
"""

from __future__ import annotations

import asyncio
import secrets
import signal
import time
from typing import TYPE_CHECKING, Any

from runners.calls import Held
from runners.events import (
    Answered,
    Ask,
    Begin,
    Ended,
    Exit,
    Forget,
    Halt,
    LogGrew,
    Note,
    Quarantined,
    SetAside,
    Terminated,
    Tick,
)
from runners.executor import Ran, Stop
from runners.machine import Machine
from runners.outcomes import failed, of_disk

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from app.protocol.lease import Assignment
    from runners.calls import Call
    from runners.client import Client
    from runners.events import Action, Event, Me, Progress
    from runners.executor import Executor
    from runners.spool import Spool

SIGNALS = (signal.SIGTERM, signal.SIGINT)


def now() -> float:
    """Seconds on a clock that never goes back, and goes on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def fresh() -> str:
    """A request id that nobody else has."""
    return secrets.token_urlsafe(18)


class Loop:
    """One run of the runner."""

    def __init__(self, me: Me, client: Client, spool: Spool, executor: Executor, say: Callable[[str], None]) -> None:
        self._client, self._spool, self._executor, self._say = client, spool, executor, say
        self._machine = Machine(me, spool.left(fresh), dice=lambda: secrets.randbelow(1000) / 1000, fresh=fresh)
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stop = Stop()
        self._exit: Exit | None = None
        self._broken: BaseException | None = None

    async def run(self) -> int:
        """Until it is stopped; returns the exit status."""
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._events.put_nowait, Terminated())
        self._feed(Quarantined(self._spool.quarantine))
        try:
            while self._exit is None:
                event = await self._next()
                if self._broken is not None:
                    raise self._broken
                if isinstance(event, Tick):  # the owner may have cleared it since the last time
                    self._feed(Quarantined(self._spool.quarantine))
                else:
                    self._feed(event)
        finally:
            self._stop.ask("runner_stopped")
            calls = [task for task in self._tasks if task.get_name() == "call"]
            for task in calls:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self._client.close()
        self._say(self._exit.why)
        return self._exit.status

    def end_now(self) -> None:
        """As two signals do: with the job that it has."""
        for _ in range(2):
            self._events.put_nowait(Terminated())

    async def _next(self) -> Event:
        due = self._machine.due
        try:
            async with asyncio.timeout(None if due is None else max(0.0, due - now())):
                return await self._events.get()
        except TimeoutError:
            return Tick()

    def _feed(self, event: Event) -> None:
        for action in self._machine.handle(event, now()):
            self._do(action)
            if self._exit is not None:
                return

    def _do(self, action: Action) -> None:
        match action:
            case Ask(call):
                self._start(self._call(call), "call")
            case Begin(assignment):
                self._stop = Stop()
                self._say(f"job {assignment.job_id}: begun")
                self._start(self._execute(assignment, self._stop), "attempt")
            case Halt(reason):
                self._stop.ask(reason)
            case Forget(held):
                self._say(f"job {held}: the app has it")
                self._spool.forget(held)
            case SetAside(held, why):
                self._say(f"job {held}: the app will not take it ({why}); it is kept in refused/")
                self._spool.set_aside(held, why)
            case Note(text):
                self._say(text)
            case Exit():
                self._exit = action

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A mistake of our own ends the runner: what is on disk is sent by the next one."""
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._broken = task.exception()
            self._events.put_nowait(Tick())

    async def _call(self, call: Call) -> None:
        sent_at = now()
        answer = await self._client.ask(call)
        self._events.put_nowait(Answered(call, answer, sent_at))

    async def _execute(self, assignment: Assignment, stop: Stop) -> None:
        loop = asyncio.get_running_loop()

        def say(progress: Progress, log_size: int) -> None:
            loop.call_soon_threadsafe(self._events.put_nowait, progress)
            loop.call_soon_threadsafe(self._events.put_nowait, LogGrew(log_size))

        held = Held(assignment.job_id, assignment.epoch)
        ran = await asyncio.to_thread(self._attempt, assignment, say, stop)
        finish = await asyncio.to_thread(self._spool.finish, held, fresh(), ran.outcome, ran.dropped)
        outcome = finish.outcome
        self._say(f"job {held}: {outcome.state}{f', {outcome.failure}: {outcome.message}' if outcome.failure else ''}")
        if ran.quarantine:
            self._say(f"in quarantine until `benchcard runner clear-quarantine`: {ran.quarantine}")
            self._spool.set_quarantine(ran.quarantine)
            self._events.put_nowait(Quarantined(ran.quarantine))
        self._events.put_nowait(Ended(held, finish))

    def _attempt(self, assignment: Assignment, say: Callable[[Progress, int], None], stop: Stop) -> Ran:
        try:
            return self._executor.run(assignment, self._spool.begin(assignment), say, stop)
        except OSError as error:
            return Ran(of_disk(error))
        except Exception as error:  # a mistake of our own must not leave the job without an end
            return Ran(failed("runner_error", f"{type(error).__name__}: {error}"))
