"""The load: one client for both servers. Raw sockets, kept alive, a fixed number of connections that never pause."""

from __future__ import annotations

import asyncio
import gzip
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CONNECTIONS = 4


@dataclass
class Outcome:
    """Seconds of every request, and the size of what came back."""

    seconds: float = 0.0
    cpu: float = 0.0  # the server's processor time meanwhile, filled in by who knows its process
    latencies: list[float] = field(default_factory=list)
    wire_bytes: list[int] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds

    def quantile(self, share: float) -> float:
        """Milliseconds within which this share of the requests was answered."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def drive(port: int, paths: list[str], seconds: float) -> Outcome:
    """Ask for `paths` in rotation over all connections for so many seconds, at least once over each. Any answer but 200
    ends the run."""
    outcome = Outcome()
    rotation = cycle(paths)
    start = perf_counter()
    end = start + seconds

    async def connection() -> None:
        async with connected(port) as (reader, writer):
            begun = perf_counter()
            while True:
                body = await _ask(reader, writer, next(rotation))
                outcome.latencies.append(perf_counter() - begun)
                outcome.wire_bytes.append(len(body))
                begun = perf_counter()
                if begun >= end:
                    break

    async with asyncio.TaskGroup() as group:
        for _ in range(CONNECTIONS):
            group.create_task(connection())
    outcome.seconds = perf_counter() - start
    return outcome


async def fetch(port: int, path: str) -> bytes:
    """One answer, unpacked."""
    async with connected(port) as (reader, writer):
        body = await _ask(reader, writer, path)
    return gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> bytes:
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n\r\n"
    writer.write(request.encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    status = head.split(" ", 2)[1]
    if status != "200":
        msg = f"{path} answered {status}"
        raise RuntimeError(msg)
    headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
    if "content-length" in headers:
        return await reader.readexactly(int(headers["content-length"]))
    body = b""
    while size := int(await reader.readuntil(b"\r\n"), 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readexactly(2)
    return body
