"""Connections to one server: opened before the run, kept alive, and read as cheaply as a socket can be.

While a response arrives, all that happens at a read is a stamp of CLOCK_MONOTONIC, the bytes put away, and a look at
their last bytes for the end of the response. Everything else waits until the run is over.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from dataclasses import dataclass
from time import monotonic_ns
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from runners.load.stream import ChunkWalk, Head, Recording, looks_finished, read_head

if TYPE_CHECKING:
    from runners.load.stream import Ending

_BLANK_LINE = b"\r\n\r\n"
_SHORT = 7  # a read below this may hold a part of the last chunk only
AT_ONCE = 64  # connections opened together: below the usual accept backlog, or a SYN is lost and repeated after 1 s
CONNECT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Target:
    """A server: where it is, and the path before `/completions`."""

    host: str
    port: int
    path: str
    tls: bool

    @property
    def host_header(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"{name}:{self.port}"

    @property
    def root(self) -> str:
        """The URL that a server's other endpoints stand below."""
        return f"{'https' if self.tls else 'http'}://{self.host_header}{self.path.removesuffix('/v1')}"


def read_url(url: str) -> Target:
    """The target of `http://host:port`, with or without `/v1` or an endpoint's path. ValueError says what is wrong."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme not in {"http", "https"}:
        raise ValueError(f"{url}: http or https is needed")
    if not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError(f"{url}: only scheme, host, port and path are taken")
    path = parts.path.rstrip("/").removesuffix("/chat/completions").removesuffix("/completions")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return Target(parts.hostname, port, path if path.endswith("/v1") else f"{path}/v1", parts.scheme == "https")


class Connection(asyncio.Protocol):
    """One connection, on which one request at a time is sent. `opened_ns` and `tls_ns` are what opening it took."""

    def __init__(self, opened_ns: int = 0, tls_ns: int | None = None) -> None:
        self.opened_ns = opened_ns
        self.tls_ns = tls_ns
        self.usable = True
        self._transport: asyncio.Transport | None = None
        self._recording: Recording | None = None
        self._ended: asyncio.Future[None] | None = None
        self._forget()

    def _forget(self) -> None:
        """Whatever comes now belongs to no request."""
        self._stamps: list[int] = []
        self._reads: list[bytes] = []
        self._stamp = self._stamps.append
        self._keep = self._reads.append
        self._limit = self._room = 0
        self._watch = True  # every read is looked at: before the end of the header, and where a length is counted down
        self._head: Head | None = None
        self._walk = ChunkWalk()
        self._walked = 0  # reads that the walk has seen

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def send(self, request: bytes, recording: Recording, room: int) -> asyncio.Future[None]:
        """Write a request and record its answer of at most `room` bytes; the future is done when it has ended."""
        assert self._transport is not None
        self._forget()
        recording.stamps, recording.reads = self._stamps, self._reads
        self._limit = self._room = room
        self._recording = recording
        self._ended = asyncio.get_running_loop().create_future()
        recording.sent_ns = monotonic_ns()
        self._transport.write(request)
        return self._ended

    def data_received(self, data: bytes) -> None:
        self._stamp(monotonic_ns())
        self._keep(data)
        self._room -= len(data)
        if self._watch or data.endswith(_BLANK_LINE) or len(data) < _SHORT or self._room < 0:
            self._look()

    def _look(self) -> None:
        if self._recording is None:  # bytes that nobody asked for: nothing after them can be trusted
            self.abandon()
        elif self._room < 0:
            self.finish("too_large")
        elif self._head is None:
            self._read_head()
        elif self._head.chunked:
            self._look_for_last_chunk()
        else:
            self._count_down(self._head)

    def _read_head(self) -> None:
        head = read_head(b"".join(self._reads))
        if head is None:
            return
        if isinstance(head, str):
            self.finish("complete")
            return
        self._head = head
        self.usable = not head.close
        self._watch = not head.chunked
        self._look()

    def _look_for_last_chunk(self) -> None:
        tail = self._reads[-1][-_SHORT:]
        back = 2
        while len(tail) < _SHORT and back <= len(self._reads):
            tail = self._reads[-back][-_SHORT:] + tail
            back += 1
        if looks_finished(tail[-_SHORT:]):
            self.finish("complete")
        elif tail.endswith(_BLANK_LINE):
            self._walk_chunks()

    def _walk_chunks(self) -> None:
        assert self._head is not None
        fresh = b"".join(self._reads[self._walked :])
        if not self._walked:
            fresh = fresh[self._head.body_at :]
        self._walked = len(self._reads)
        if self._walk.finished(fresh):
            self.finish("complete")
        elif self._walk.broken:
            self._head = None  # no end of this response can be known, so the connection is of no further use
            self.finish("complete")

    def _count_down(self, head: Head) -> None:
        if head.length is not None and self._limit - self._room >= head.body_at + head.length:
            self.finish("complete")

    def finish(self, how: Ending, detail: str = "") -> None:
        """The exchange is over; a connection that did not get to the end of its response is not used again."""
        recording, ended = self._recording, self._ended
        if recording is None or ended is None:
            return
        self._recording = None
        recording.how, recording.detail = how, detail
        recording.ended_ns = monotonic_ns()
        if how != "complete" or self._head is None:
            self.abandon()
        self._forget()
        if not ended.done():
            ended.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self.usable = False
        self.finish("reset" if exc else "closed", str(exc or ""))

    def abandon(self) -> None:
        """Close at once; nothing more is read."""
        self.usable = False
        if self._transport is not None:
            self._transport.abort()


class Opener:
    """Opens connections to one target; its name is looked up once, before the run."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.lookup_ns = 0
        self._address: tuple[int, tuple[str, int]] | None = None
        self._context = ssl.create_default_context() if target.tls else None

    async def look_up(self) -> None:
        """Resolve the name; the first address is taken."""
        start = monotonic_ns()
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(self.target.host, self.target.port, type=socket.SOCK_STREAM)
        self.lookup_ns = monotonic_ns() - start
        self._address = (int(found[0][0]), cast("tuple[str, int]", found[0][4]))

    async def open(self) -> Connection:
        """One connection, TLS included. OSError says why there is none."""
        assert self._address is not None
        async with asyncio.timeout(CONNECT_SECONDS):
            return await self._open(*self._address)

    async def _open(self, family: int, address: tuple[str, int]) -> Connection:
        loop = asyncio.get_running_loop()
        raw = socket.socket(family, socket.SOCK_STREAM)
        try:
            raw.setblocking(False)
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            start = monotonic_ns()
            await loop.sock_connect(raw, address)
            opened = monotonic_ns()
            _, connection = await loop.create_connection(
                Connection,
                sock=raw,
                ssl=self._context,
                server_hostname=self.target.host if self._context else None,
            )
        except BaseException:
            raw.close()
            raise
        connection.opened_ns = opened - start
        connection.tls_ns = monotonic_ns() - opened if self._context else None
        return connection

    async def open_many(self, number: int) -> list[Connection]:
        """A pool of connections, opened a few at a time; where one cannot be had, none is kept."""
        pool: list[Connection] = []
        while len(pool) < number:
            batch = (self.open() for _ in range(min(AT_ONCE, number - len(pool))))
            opened = await asyncio.gather(*batch, return_exceptions=True)
            pool += [connection for connection in opened if isinstance(connection, Connection)]
            failed = [error for error in opened if isinstance(error, BaseException)]
            if failed:
                for connection in pool:
                    connection.abandon()
                raise failed[0]
        return pool
