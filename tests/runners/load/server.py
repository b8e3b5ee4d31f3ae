"""A real server on a loopback port that says what a test wrote down, byte for byte. It runs in a thread of its own."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from tests.runners.load.script import DONE, HEAD, LAST_CHUNK, piece, usage

if TYPE_CHECKING:
    from pathlib import Path

LIMIT_S = 60  # that its own beginning or end may take
After = Literal["keep", "close", "reset", "hang"]


@dataclass(frozen=True)
class Answer:
    """The writes of one response, `held` until that is set, and what becomes of the connection after them."""

    writes: Sequence[bytes]
    after: After = "keep"
    held: threading.Event | None = None


@dataclass
class Asked:
    """One request as the server got it. `order` is its place among all, `connection` the number of its connection."""

    path: str
    head: bytes
    body: dict[str, Any]
    order: int
    connection: int


Script = Callable[[Asked], Answer]
Control = Callable[[str, str], tuple[int, str] | None]  # method and path -> status and body; None: no answer ever


@dataclass
class Server:
    """`with Server(script) as url:`; `requests` grows, `most` is the largest number in flight at once."""

    script: Script
    certificate: Path | None = None  # with its key in one file; None speaks without TLS
    control: Control = lambda *_: (404, "")  # every request that is no completion
    requests: list[Asked] = field(default_factory=list)
    connections: int = 0
    most: int = 0
    _busy: int = 0
    _ready: threading.Event = field(default_factory=threading.Event)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _loop: asyncio.AbstractEventLoop | None = None
    _port: int = 0
    _listener: asyncio.Server | None = None

    def __enter__(self) -> str:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(LIMIT_S), "the scripted server does not listen"
        return f"{'https' if self.certificate else 'http'}://127.0.0.1:{self._port}"

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(LIMIT_S)
        assert not self._thread.is_alive(), "the scripted server does not end"

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        context = None
        if self.certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.certificate)
        self._listener = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=512, ssl=context)
        self._port = self._listener.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        number = self.connections
        try:
            while await self._answer(reader, writer, number):
                pass
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: int) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        lengths = (line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-le"))
        length = int(next(lengths, b"0"))
        if not length:
            method, path, _ = head.split(b" ", 2)
            told = self.control(method.decode(), path.decode())
            if told is None:
                return await self._stop.wait()
            status, said = told
            writer.write(b"HTTP/1.1 %d x\r\nContent-Length: %d\r\n\r\n%s" % (status, len(said), said.encode()))
            await writer.drain()
            return True
        body = json.loads(await reader.readexactly(length))
        asked = Asked(head.split(b" ")[1].decode(), head, body, len(self.requests), connection)
        self.requests.append(asked)
        self._busy += 1
        self.most = max(self.most, self._busy)
        answer = self.script(asked)
        if answer.held is not None:
            await asyncio.to_thread(answer.held.wait, LIMIT_S)
        for data in answer.writes:
            await asyncio.sleep(0)
            writer.write(data)
            await writer.drain()
        if answer.after == "hang":
            await self._stop.wait()
        self._busy -= 1
        if answer.after == "reset":
            raw: socket.socket = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        return answer.after == "keep"

    def refuse(self) -> None:
        """Accept no further connections."""
        assert self._listener is not None
        self._listener.close()


def framed(parts: Sequence[bytes]) -> list[bytes]:
    """The parts as chunks, without a head or an end."""
    return [b"%x\r\n%s\r\n" % (len(part), part) for part in parts]


def tokens_of(asked: Asked, size: int = 1, prompt: int | None = None) -> list[bytes]:
    """What an obedient server streams: the asked tokens with their ids, `size` an event, then usage and [DONE]."""
    wanted = asked.body["max_tokens"]
    exact = "return_token_ids" in asked.body
    given = asked.body.get("prompt")
    counted = len(given) if isinstance(given, list) else 12
    parts = []
    for start in range(0, wanted, size):
        done = min(start + size, wanted)
        finish = "length" if done == wanted else None
        so_far = done if exact else None
        parts.append(piece(done - start, ids=exact, so_far=None if so_far is None else so_far, finish=finish))
    return [*parts, usage(wanted, counted if prompt is None else prompt), DONE]


def obedient(asked: Asked) -> Answer:
    return Answer([HEAD, *framed(tokens_of(asked)), LAST_CHUNK])
