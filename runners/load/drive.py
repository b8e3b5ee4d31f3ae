"""One process's part of a run: sends planned requests over its connections, keeps what comes back, counts nothing."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import dataclass, field
from time import monotonic_ns, process_time_ns
from typing import TYPE_CHECKING

from runners.load.schedule import SECOND, Open, Sessions
from runners.load.stream import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from runners.load.connect import Connection, Opener
    from runners.load.schedule import Load, Shot

    # Hears how many requests have ended, and since when (ns) the server has been silent (`Driver.silent_since`).
    Tell = Callable[[int, int | None], None]

LOOK_S = 1.0  # between two looks at how far a run is
LAG_PERIOD = 0.01  # seconds between two looks at how late the event loop is
ROOM = 1 << 20  # bytes that an answer may have ...
ROOM_PER_TOKEN = 1 << 14  # ... and per token asked for


@dataclass(slots=True)
class Driven:
    """What a process recorded. `lags` are (time, lateness of a timer set for LAG_PERIOD) in ns; `cpu_ns` is its own."""

    recordings: list[Recording] = field(default_factory=list)
    lags: list[tuple[int, int]] = field(default_factory=list)
    started_ns: int = 0
    ended_ns: int = 0
    cpu_ns: int = 0


class LagProbe:
    """Measures the client: how late the event loop wakes when it asked to be woken."""

    def __init__(self) -> None:
        self.lags: list[tuple[int, int]] = []
        self._loop = asyncio.get_running_loop()
        self._due = 0
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._due = monotonic_ns() + int(LAG_PERIOD * SECOND)
        self._handle = self._loop.call_later(LAG_PERIOD, self._tick)

    def _tick(self) -> None:
        now = monotonic_ns()
        self.lags.append((now, max(0, now - self._due)))
        self.start()

    def stop(self) -> None:
        """Stop, and note a lateness that is not over yet."""
        if self._handle is not None:
            self._handle.cancel()
            late = monotonic_ns() - self._due
            if late > 0:
                self.lags.append((monotonic_ns(), late))


class Driver:
    """Sends shots in the shape of a load. `done` grows while it runs."""

    def __init__(self, opener: Opener, timeout_s: float) -> None:
        self.done = 0
        self.opened_ns: list[int] = []  # what opening each connection of the pool took, TLS included
        self._opener = opener
        self._timeout_s = timeout_s
        self._driven = Driven()
        self._idle: list[Connection] = []
        self._flying: dict[int, tuple[int, Recording]] = {}  # by index, with the moment from which each waits
        self._heard_ns = 0  # the last sign of life in a request that has ended
        self._silent_ns: int | None = None

    async def open(self, load: Load, shots: Sequence[Shot]) -> None:
        """Open the connections that the load needs, before the run. OSError says why there are none."""
        await self._opener.look_up()
        number = min(len(shots), int(load.rate * 2) + 8) if isinstance(load, Open) else load.concurrency
        self._idle = await self._opener.open_many(min(number, len(shots)))
        self.opened_ns = [connection.opened_ns + (connection.tls_ns or 0) for connection in self._idle]

    async def run(self, load: Load, shots: Sequence[Shot], at_ns: Sequence[int], start_ns: int) -> Driven:
        """Send all shots from `start_ns` on (`at_ns` are the offsets of an open loop) and wait for every end.

        The garbage collector rests meanwhile: a collection over a million kept reads would stop the loop.
        """
        await asyncio.sleep(max(0, start_ns - monotonic_ns()) / SECOND)
        probe = LagProbe()
        gc.disable()
        cpu = process_time_ns()
        self._driven.started_ns = start_ns
        probe.start()
        try:
            if isinstance(load, Open):
                await self._open_loop(shots, at_ns, start_ns)
            else:
                groups = _sessions(shots) if isinstance(load, Sessions) else ([shot] for shot in shots)
                await self._closed_loop(groups)
        finally:
            probe.stop()
            gc.enable()
            self._driven.ended_ns = monotonic_ns()
            self._driven.cpu_ns = process_time_ns() - cpu
            self._driven.lags = probe.lags
            self.close()
        return self._driven

    async def _closed_loop(self, groups: Iterator[list[Shot]]) -> None:
        async def worker(connection: Connection | None) -> None:
            try:
                for group in groups:
                    for shot in group:
                        if shot.asked.wait_ns:
                            await asyncio.sleep(shot.asked.wait_ns / SECOND)
                        connection = await self._exchange(shot, connection, None)
            finally:
                if connection is not None:
                    connection.abandon()

        await asyncio.gather(*(worker(connection) for connection in self._idle))

    async def _open_loop(self, shots: Sequence[Shot], at_ns: Sequence[int], start_ns: int) -> None:
        async def one(shot: Shot, due: int) -> None:
            connection = self._idle.pop() if self._idle else None
            connection = await self._exchange(shot, connection, due)
            if connection is not None and connection.usable:
                self._idle.append(connection)

        tasks = []
        for shot, offset in zip(shots, at_ns, strict=True):
            due = start_ns + offset
            while (wait := due - monotonic_ns()) > 0:  # the loop's timers may wake half a millisecond early
                await asyncio.sleep(wait / SECOND)
            tasks.append(asyncio.create_task(one(shot, due)))
        await asyncio.gather(*tasks)

    async def _exchange(self, shot: Shot, connection: Connection | None, due: int | None) -> Connection | None:
        """Send one shot; returns the connection for the next one. Nothing is ever sent twice."""
        recording = Recording(shot.index, scheduled_ns=due)
        self._driven.recordings.append(recording)
        self._flying[shot.index] = (monotonic_ns(), recording)
        if connection is None or not connection.usable:
            connection = await self._reopen(recording)
        if connection is not None:
            await self._answered(shot, connection, recording)
        del self._flying[shot.index]
        self._heard_ns = max(self._heard_ns, _last_sign(recording))
        self.done += 1
        return connection

    async def _answered(self, shot: Shot, connection: Connection, recording: Recording) -> None:
        ended = connection.send(shot.body, recording, ROOM + ROOM_PER_TOKEN * shot.asked.output_tokens)
        limit = f"{self._timeout_s:g} s"
        timer = asyncio.get_running_loop().call_later(self._timeout_s, connection.finish, "timeout", limit)
        try:
            await ended
        except asyncio.CancelledError:  # the run is given up
            connection.abandon()
            raise
        finally:
            timer.cancel()

    async def _reopen(self, recording: Recording) -> Connection | None:
        try:
            connection = await self._opener.open()
        except (OSError, TimeoutError) as error:
            recording.how, recording.detail = "no_connection", str(error) or type(error).__name__
            recording.ended_ns = monotonic_ns()
            return None
        recording.opened_ns, recording.tls_ns = connection.opened_ns, connection.tls_ns
        return connection

    def silent_since(self) -> int | None:
        """From when on every request in flight has been without a byte, in ns; None where none is in flight. That one
        request reached its time limit and another took its place is no sign of life."""
        if not self._flying:
            self._silent_ns = None
            return None
        waiting = list(self._flying.values())
        heard = max(self._heard_ns, *(_last_sign(recording) for _, recording in waiting))
        self._silent_ns = max(heard, min(began for began, _ in waiting) if self._silent_ns is None else self._silent_ns)
        return self._silent_ns

    def close(self) -> None:
        """Close every connection that lies idle."""
        for connection in self._idle:
            connection.abandon()
        self._idle.clear()


def _sessions(shots: Sequence[Shot]) -> Iterator[list[Shot]]:
    """The shots of each session together, sessions in the order of their first turns."""
    groups: dict[int | None, list[Shot]] = {}
    for shot in shots:
        groups.setdefault(shot.asked.session, []).append(shot)
    return iter(groups.values())


def _last_sign(recording: Recording) -> int:
    """When the server last did something for a request, in ns; 0 where it never has."""
    if recording.ended_ns and recording.how not in {"timeout", "no_connection"}:
        return recording.ended_ns
    return recording.stamps[-1] if recording.stamps else 0


async def watch(driver: Driver, tell: Tell) -> None:
    """Tell where the run stands about once a second, until cancelled; what `tell` raises ends it."""
    while True:
        await asyncio.sleep(LOOK_S)
        tell(driver.done, driver.silent_since())
