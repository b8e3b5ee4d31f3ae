"""The runner reaches its app through an HTTP proxy of the environment, in the clear and by CONNECT."""

from __future__ import annotations

import asyncio
import http.client
import re
import select
import socket
import struct
import threading
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from app.protocol.lease import Capabilities, LeaseRequest
from runners.calls import AskLease, Said, Unheard
from runners.client import Client
from runners.spool import Spool
from tests.runners import whole
from tests.runners.fake_app import TOKEN, FakeApp, serving
from tests.runners.fake_site import install, written
from tests.runners.plans import plan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from runners.calls import Answer

LIMIT_S = 30.0  # that one end of the proxy is waited for
REQUEST = LeaseRequest(
    runner="box", boot_id="boot-000001", request_id="request-1", version="1",
    capabilities=Capabilities(cpus=1, memory_mib=1, wall_s=60.0),
)  # fmt: skip


class Proxy(BaseHTTPRequestHandler):
    """Passes each request on, with its body; behind CONNECT it passes bytes in both directions."""

    protocol_version = "HTTP/1.1"
    timeout = LIMIT_S
    asked: list[str]
    to: int  # the port that every name leads to

    def do_POST(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        body = self.rfile.read(int(self.headers["Content-Length"]))
        url = urlsplit(self.path)
        onward = http.client.HTTPConnection("127.0.0.1", self.to, timeout=LIMIT_S)
        with suppress(OSError), closing(onward):
            onward.request(self.command, f"{url.path}?{url.query}".rstrip("?"), body, dict(self.headers.items()))
            answer = onward.getresponse()
            said = answer.read()
            self.send_response_only(answer.status)
            self.send_header("Content-Type", answer.headers["Content-Type"])
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

    def do_PUT(self) -> None:
        self.do_POST()

    def do_CONNECT(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        self.close_connection = True
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.to)) as onward:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            pairs = {self.connection: onward, onward: self.connection}
            while ready := select.select(list(pairs), [], [], LIMIT_S)[0]:
                for end in ready:
                    data = end.recv(1 << 16)
                    if not data:
                        return
                    pairs[end].sendall(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@contextmanager
def proxy(to: int) -> Iterator[tuple[str, list[str]]]:
    seen: list[str] = []
    handler = type("Bound", (Proxy,), {"asked": seen, "to": to})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", seen
        finally:
            server.shutdown()
            thread.join(LIMIT_S)


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


def test_a_connection_that_breaks_without_a_word_is_told_as_one(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def reset() -> None:
            one, _ = server.accept()
            one.recv(1)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing it resets it
            one.close()

        thread = threading.Thread(target=reset)
        thread.start()
        answer = asked(f"http://127.0.0.1:{server.getsockname()[1]}", tmp_path)
        thread.join(LIMIT_S)
    assert answer == Unheard("the connection broke before the answer was whole (ReadError)")


def test_by_connect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tunnel is asked for; what is behind it speaks no TLS, which is told as a call to be made again."""
    with serving(FakeApp()) as app, proxy(int(app.url.rpartition(":")[2])) as (address, seen):
        monkeypatch.setenv("HTTPS_PROXY", address)
        answer = asked("https://bench.example", tmp_path)
    assert isinstance(answer, Unheard)
    assert seen == ["CONNECT bench.example:443"]


def test_a_whole_job_goes_through_it_from_its_lease_to_its_end_with_all_its_parts(tmp_path: Path) -> None:
    """The real app is known to the runner by a name that leads nowhere but through the proxy."""
    install(tmp_path / "cache")
    with whole.served(tmp_path / "data") as app, proxy(int(app.url.rpartition(":")[2])) as (address, seen):
        config = written(tmp_path, "http://bench.example", app.tokens["runner"])
        job = app.submit(plan(repeats=2))
        with whole.runner(config, XDG_CACHE_HOME=str(tmp_path / "cache"), HTTP_PROXY=address):
            done = app.wait(job, whole.ended, 200)
        assert (done["state"], done["attempts"], done["runs"]) == ("succeeded", 1, 2), done
        log = app.ask("GET", f"/jobs/{job}/log", "submit").decode()
    assert "measuring side a, point 1 of 1, repeat 2 of 2" in log
    at = "http://bench.example/api/v1/runner"
    calls = {re.sub(r"[?].*", "", line) for line in seen}
    assert calls - {f"POST {at}/jobs/{job}/heartbeat"} == {  # it may have ended before the first one was due
        f"POST {at}/lease",
        f"POST {at}/jobs/{job}/start",
        f"PUT {at}/jobs/{job}/log",
        *(f"PUT {at}/jobs/{job}/parts/{part['name']}" for part in done["tries"][0]["parts"]),
        f"POST {at}/jobs/{job}/finish",
    }
    assert {part["name"] for part in done["tries"][0]["parts"]} == {
        "report.json", "trace-a-0-1.parquet", "trace-a-0-2.parquet",
    }  # fmt: skip
