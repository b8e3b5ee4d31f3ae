"""The runner reaches its app through an HTTP proxy of the environment, in the clear and by CONNECT."""

from __future__ import annotations

import asyncio
import select
import socket
import socketserver
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from app.protocol.lease import Capabilities, LeaseRequest
from runners.calls import AskLease, Said, Unheard
from runners.client import Client
from runners.spool import Spool
from tests.runners.fake_app import TOKEN, FakeApp, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from runners.calls import Answer

REQUEST = LeaseRequest(
    runner="box", boot_id="boot-000001", request_id="request-1", version="1",
    capabilities=Capabilities(cpus=1, memory_mib=1, wall_s=60.0),
)  # fmt: skip


class Proxy(socketserver.StreamRequestHandler):
    """Reads a request's first line, says where it goes, and passes bytes on in both directions."""

    asked: list[str]
    to: int | None = None  # the port that every name leads to

    def handle(self) -> None:
        first = self.rfile.readline()
        method, target, _ = first.decode().split(" ")
        self.asked.append(f"{method} {target}")
        url = urlsplit(target if "://" in target else f"//{target}")
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.to or url.port or 80)) as onward:
            head = first
            while (line := self.rfile.readline()) != b"\r\n":
                head += line
            if method == "CONNECT":
                self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                onward.sendall(head.replace(target.encode(), url.path.encode(), 1) + b"\r\n")
                onward.sendall(self.rfile.read1())
            self._pass(onward)

    def _pass(self, onward: socket.socket) -> None:
        pairs = {self.connection: onward, onward: self.connection}
        while True:
            for ready in select.select(list(pairs), [], [], 30)[0] or [None]:
                data = ready.recv(1 << 16) if ready else b""
                if not ready or not data:
                    return
                pairs[ready].sendall(data)


@contextmanager
def proxy(to: int | None = None) -> Iterator[tuple[str, list[str]]]:
    seen: list[str] = []
    handler = type("Bound", (Proxy,), {"asked": seen, "to": to})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
        server.shutdown()
        thread.join()


def asked(url: str, folder: Path) -> Answer:
    async def ask() -> Answer:
        spool = Spool(folder)
        client = Client(url, TOKEN, spool, call_s=20.0)
        try:
            return await client.ask(AskLease(REQUEST))
        finally:
            await client.close()
            spool.close()

    return asyncio.run(ask())


def test_in_the_clear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(FakeApp()) as app:
        port = int(app.url.rpartition(":")[2])
        with proxy(port) as (address, seen):
            monkeypatch.setenv("HTTP_PROXY", address)
            answer = asked("http://bench.example", tmp_path)
    assert isinstance(answer, Said), answer
    assert seen == ["POST http://bench.example/api/v1/runner/lease"]


def test_a_proxy_that_is_not_there_is_a_call_to_be_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert isinstance(asked("http://bench.example", tmp_path), Unheard)


def test_by_connect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tunnel is asked for; what is behind it speaks no TLS, which is told as a call to be made again."""
    with serving(FakeApp()) as app, proxy(int(app.url.rpartition(":")[2])) as (address, seen):
        monkeypatch.setenv("HTTPS_PROXY", address)
        answer = asked("https://bench.example", tmp_path)
    assert isinstance(answer, Unheard)
    assert seen == ["CONNECT bench.example:443"]
