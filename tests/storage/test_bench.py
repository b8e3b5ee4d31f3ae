"""The bench measures what it says: real shapes, the same each time, on both sides."""

from __future__ import annotations

import asyncio
import gzip
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from app.catalogue.load import load_catalogue
from app.claims.queries import Claims
from app.claims.rows import ClaimFilter
from app.claims.schema import ClaimRow
from app.db import Database
from bench.generate import SHOWN, build, generate
from bench.load import CONNECTIONS, drive, fetch
from tests.storage.test_load import source

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 300


def test_generated_claims_are_valid_distinct_and_the_same_each_time() -> None:
    loaded = load_catalogue([("one.yaml", source("one", "one-a", "one-b"))])
    made = list(generate(loaded, COUNT))
    assert made == list(generate(loaded, COUNT))
    assert len({row.id for row in made}) == COUNT
    assert all(ClaimRow.model_validate_json(row.model_dump_json()) == row for row in made[:50])
    assert len({row.headline for row in made}) > 100


def test_both_servers_get_the_same_rows(tmp_path: Path) -> None:
    build(tmp_path, COUNT)
    database = Database(f"sqlite:///{tmp_path / 'benchcard.db'}")
    page = Claims(database).page(ClaimFilter((("hardware", ("GB300",)),)), limit=500)
    database.close()
    peer = sqlite3.connect(tmp_path / "claims.db")
    found = peer.execute("SELECT id, headline FROM claims WHERE hardware = 'GB300' ORDER BY rank, id").fetchall()
    assert found == [(row.id, row.headline) for row in page.items]
    assert len(peer.execute("SELECT * FROM claims LIMIT 1").fetchone()) == len(SHOWN)
    peer.close()


async def serve_once(answer: bytes) -> tuple[asyncio.Server, int]:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(answer)
                await writer.drain()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    return server, int(server.sockets[0].getsockname()[1])


PLAIN = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
PACKED = gzip.compress(b"hello", mtime=0)
ZIPPED = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(PACKED) + PACKED


@pytest.mark.parametrize("answer", [PLAIN, CHUNKED, ZIPPED])
def test_the_load_client_reads_every_kind_of_answer(answer: bytes) -> None:
    async def ask() -> tuple[bytes, int, float]:
        server, port = await serve_once(answer)
        async with server:
            body = await fetch(port, "/")
            outcome = await drive(port, ["/a", "/b"], 0.05)
        return body, len(outcome.latencies), outcome.quantile(0.99)

    body, requests, slowest = asyncio.run(ask())
    assert body == b"hello"
    assert requests >= CONNECTIONS
    assert slowest > 0


def test_an_error_ends_the_measurement() -> None:
    async def ask() -> None:
        server, port = await serve_once(b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n")
        async with server:
            await drive(port, ["/"], 0.05)

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(ask())
    assert caught.group_contains(RuntimeError, match="answered 500")
