"""The model of the app behind a real socket, with a fault for any call: what the runner's HTTP is tested against."""

from __future__ import annotations

import json
import socket
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from app.protocol.lease import Finish, Heartbeat, LeaseRequest, Start
from tests.runners.model_app import ModelApp, ProblemError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pydantic import BaseModel

TOKEN = "bcr_a-token"
PATIENCE_S = 120.0
# What can go wrong with one call. `cut`, `half`, `wrong` and `slow` are of the answer: the call itself was taken.
# Besides, what is on `hold` is answered once it is released.
FAULTS = ("500", "503 page", "404 page", "401", "409", "422", "drop", "cut", "half", "wrong", "slow", "hang")


@dataclass
class FakeApp:
    """`faults` maps the name of a call to faults, used up one a call; `calls` counts."""

    model: ModelApp = field(default_factory=lambda: ModelApp(wait_s=0.05))
    faults: dict[str, list[str]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    seen: list[dict[str, str]] = field(default_factory=list)  # headers of each call
    url: str = ""
    changed: threading.Condition = field(default_factory=threading.Condition)
    over: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    open: set[socket.socket] = field(default_factory=set)

    def wait(self, true: Callable[[], bool]) -> None:
        """Until something that the runner does makes it true."""
        with self.changed:
            assert self.changed.wait_for(true, PATIENCE_S), (self.calls[-20:], self.model.jobs)

    def ended(self, name: str = "j1") -> bool:
        return self.model.jobs[name].state not in {"queued", "leased", "running"}


@contextmanager
def serving(app: FakeApp, port: int = 0) -> Iterator[FakeApp]:
    """On a port of the loopback interface; the same one again where it is given."""
    handler = type("Bound", (Handler,), {"app": app})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = False
    app.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield app
    finally:
        app.over.set()
        server.shutdown()
        for connection in list(app.open):  # one that is kept open would be waited for
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        server.server_close()
        thread.join(PATIENCE_S)


class Handler(BaseHTTPRequestHandler):
    app: FakeApp
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.app.open.add(self.connection)

    def finish(self) -> None:
        self.app.open.discard(self.connection)
        super().finish()

    def do_POST(self) -> None:
        self._one()

    def do_PUT(self) -> None:
        self._one()

    def _one(self) -> None:
        self.connection.settimeout(PATIENCE_S)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = urlsplit(self.path).path.removeprefix("/api/v1/runner/").split("/")
        name = {"heartbeat": "beat", "parts": "part"}.get(path[min(2, len(path) - 1)], path[min(2, len(path) - 1)])
        app = self.app
        with app.changed:
            app.calls.append(name)
            app.seen.append(dict(self.headers.items()))
            fault = app.faults[name].pop(0) if app.faults.get(name) else None
            answer = self._refusal(fault) or self._taken(name, path, body, lost=fault == "drop")
            app.changed.notify_all()
        with suppress(OSError):
            self._answer(fault, *answer)

    def _refusal(self, fault: str | None) -> tuple[int, bytes] | None:
        if fault in {"503 page", "404 page"}:
            return int(fault[:3]), b"<html>a proxy's own words</html>"
        if fault is None or not fault.isdigit():
            return None
        code = "lease_lost" if fault == "409" else "no"
        return int(fault), json.dumps({"error": {"code": code, "message": "no", "details": []}}).encode()

    def _taken(self, name: str, path: list[str], body: bytes, *, lost: bool) -> tuple[int, bytes]:
        if lost:
            return 0, b""
        if self.headers["Authorization"] != f"Bearer {TOKEN}":
            return 401, b'{"error":{"code":"unauthorized","message":"no such token","details":[]}}'
        try:
            said = self._model(name, path, body)
        except ProblemError as error:
            told: dict[str, Any] = {
                "code": error.code,
                "message": error.code,
                "details": [],
                "expected": error.expected,
            }
            return error.status, json.dumps({"error": told}).encode()
        return 200, said.model_dump_json().encode()

    def _model(self, name: str, path: list[str], body: bytes) -> BaseModel:
        model, now = self.app.model, time.monotonic()
        if name == "lease":
            return model.lease(LeaseRequest.model_validate_json(body), now)
        job = path[1]
        if name == "start":
            return model.start(job, Start.model_validate_json(body), now)
        if name == "beat":
            return model.beat(job, Heartbeat.model_validate_json(body), now)
        if name == "finish":
            return model.finish(job, Finish.model_validate_json(body), now)
        query = {key: int(values[0]) for key, values in parse_qs(urlsplit(self.path).query).items()}
        if name == "log":
            return model.log(job, query["epoch"], query["offset"], body)
        return model.part(job, query["epoch"], path[3], body)

    def _answer(self, fault: str | None, status: int, said: bytes) -> None:
        if fault == "hold":
            self.app.released.wait(PATIENCE_S)
        if fault == "hang":
            self.app.over.wait(PATIENCE_S)
        if fault in {"drop", "cut", "hang"}:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        if fault == "wrong":
            said = b'{"another": "shape"}'
        self.send_response(status)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        if fault == "half":
            self.wfile.write(said[: len(said) // 2])
            self.close_connection = True
        elif fault == "slow":
            for place in range(len(said)):  # a byte now and then: no single read ever waits long
                self.wfile.write(said[place : place + 1])
                self.app.over.wait(0.1)
        else:
            self.wfile.write(said)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""
