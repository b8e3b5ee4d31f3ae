"""A server of a known cadence, to measure clients with: every stream gets one event of one token each interval.

It runs in a process of its own, stamps each of its writes, and hands the stamps back: what a client makes of the
cadence is set against what was really sent, not against what was meant to be.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from time import monotonic_ns
from typing import TYPE_CHECKING, cast

import numpy as np
from uvloop import new_event_loop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection as Pipe
    from multiprocessing.context import SpawnProcess

    from runners.load.stream import Ns

PHASES = 20  # groups into which the streams of an interval are spread, at most ...
STEP_S = 0.0005  # ... and at least this far apart
EVENT_BYTES = 350  # of an event with ids and usage, as engines send them
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Cadence:
    """`events` events a stream, one each `interval_s`. `core` pins the server to a processor core."""

    interval_s: float
    events: int
    core: int | None = None


def events_of(cadence: Cadence, prompt_tokens: int) -> list[bytes]:
    """The writes of one stream: its events as chunks, and the end of the body with the last."""
    writes = []
    for number in range(1, cadence.events + 1):
        usage = {"prompt_tokens": prompt_tokens, "completion_tokens": number, "total_tokens": prompt_tokens + number}
        finish = "length" if number == cadence.events else None
        choice = {"index": 0, "text": " a", "logprobs": None, "finish_reason": finish, "token_ids": [number]}
        chunk = {"id": "", "object": "text_completion", "model": "cadence", "choices": [choice], "usage": usage}
        short = EVENT_BYTES - len(json.dumps(chunk)) - len("data: \n\n")
        writes.append(_chunk(b"data: " + json.dumps({**chunk, "id": "x" * max(0, short)}).encode() + b"\n\n"))
    last = {"id": "", "object": "text_completion", "model": "cadence", "choices": [], "usage": usage}
    writes[-1] += _chunk(b"data: " + json.dumps(last).encode() + b"\n\n") + _chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"
    return writes


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


class _Stream(asyncio.Protocol):
    """One connection: whatever request comes, it becomes a stream."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self._request = b""
        self._left = 0
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._request += data
        head, blank, body = self._request.partition(b"\r\n\r\n")
        if blank and len(body) >= _length(head):
            self._request = b""
            self._server.begin(self, len(json.loads(body).get("prompt", ())))


def _length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


class _Server:
    """All streams of one process. A group of streams is written at each tick."""

    def __init__(self, cadence: Cadence) -> None:
        self._cadence = cadence
        self._writes: dict[int, list[bytes]] = {}
        phases = max(1, min(PHASES, int(cadence.interval_s / STEP_S)))
        self._groups: list[dict[_Stream, tuple[list[bytes], list[int]]]] = [{} for _ in range(phases)]
        self._next_group = 0
        self.stamps: list[list[int]] = []

    def begin(self, stream: _Stream, prompt_tokens: int) -> None:
        writes = self._writes.get(prompt_tokens) or self._writes.setdefault(
            prompt_tokens, events_of(self._cadence, prompt_tokens)
        )
        assert stream.transport is not None
        stream.transport.write(_HEAD)
        stamps: list[int] = []
        self.stamps.append(stamps)
        self._groups[self._next_group][stream] = (writes, stamps)
        self._next_group = (self._next_group + 1) % len(self._groups)

    async def tick(self) -> None:
        """Write to one group after the other, each at its own time of the interval."""
        step = int(self._cadence.interval_s * 1e9 / len(self._groups))
        due = monotonic_ns()
        while True:
            for group in self._groups:
                due += step
                while (wait := due - monotonic_ns()) > 0:
                    await asyncio.sleep(wait / 1e9)
                self._write(group)

    def _write(self, group: dict[_Stream, tuple[list[bytes], list[int]]]) -> None:
        over = []
        for stream, (writes, stamps) in group.items():
            assert stream.transport is not None
            stamps.append(monotonic_ns())
            stream.transport.write(writes[len(stamps) - 1])
            if len(stamps) == len(writes):
                over.append(stream)
        for stream in over:
            del group[stream]


async def _run(cadence: Cadence, pipe: Pipe) -> None:
    server = _Server(cadence)
    loop = asyncio.get_running_loop()
    port = pipe.recv()
    listener = await loop.create_server(lambda: _Stream(server), "127.0.0.1", port, backlog=1024, reuse_port=True)
    ticking = asyncio.create_task(server.tick())
    stopped = asyncio.Event()
    loop.add_reader(pipe.fileno(), stopped.set)
    pipe.send(listener.sockets[0].getsockname()[1])
    await stopped.wait()
    loop.remove_reader(pipe.fileno())
    os.set_blocking(pipe.fileno(), True)  # which the loop had taken from it
    ticking.cancel()
    listener.close()
    pipe.recv()
    pipe.send([np.array(stamps, np.int64) for stamps in server.stamps])


def _process(cadence: Cadence, pipe: Pipe) -> None:
    if cadence.core is not None:
        os.sched_setaffinity(0, {cadence.core})
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(_run(cadence, pipe))


class Running:
    """A server under way: `url`, and `stop` for the stamps of its writes, one array a stream."""

    def __init__(self, url: str, pipes: Sequence[Pipe]) -> None:
        self.url = url
        self._pipes = pipes

    def stop(self) -> list[Ns]:
        stamps: list[Ns] = []
        for pipe in self._pipes:
            pipe.send("stop")
            stamps += pipe.recv()
        return stamps


@contextmanager
def serving(cadence: Cadence, workers: int = 1) -> Iterator[Running]:
    """Start a server; it is ended with the block. With several workers the kernel spreads connections over them, so
    that a client of several processes meets a server that is no slower than it."""
    context = multiprocessing.get_context("spawn")
    with ExitStack() as over:
        pipes: list[Pipe] = []
        port = 0
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_process, args=(cadence, theirs), daemon=True)
            process.start()
            theirs.close()
            over.callback(_end, process, ours)
            ours.send(port)
            port = ours.recv()
            pipes.append(ours)
        yield Running(f"http://127.0.0.1:{port}", pipes)


def _end(process: SpawnProcess, pipe: Pipe) -> None:
    pipe.close()
    process.terminate()
    process.join()
