"""`benchcard serve`: the port, then the catalogue, then the database; only then a server, and its first sign-in link.

In this order a start that is refused has written nothing.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

import uvicorn

from app.clock import SystemClock
from app.commands.accounts import first_sign_in
from app.commands.exits import OK, SETUP
from app.commands.local_runner import LocalRunner, missing
from app.errors import SetupError
from app.logs import start_logging
from app.main import create_app, prepare

if TYPE_CHECKING:
    from app.settings import Settings

LOG = logging.getLogger("benchcard")
GRACE = 10  # seconds that requests under way are given after a stop signal
WAITING = 2048  # connections that the system keeps for us until they are accepted


def serve(settings: Settings, *, runner: bool = False) -> int:
    """Start and serve until a stop signal, with a `runner` on this machine where one is asked for. Raises SetupError,
    SettingError or CatalogueError before that."""
    start_logging()
    with listen(settings) as listening:
        changes = prepare(settings, SystemClock())
        done = ", ".join(f"{count} {change}" for change, count in sorted(changes.items()))
        LOG.info("catalogue loaded: %s", done or "no sources")
        return _run(settings, listening, runner=runner)


def run_server(settings: Settings) -> int:
    """Serve until a stop signal, on a database that is ready."""
    start_logging()
    with listen(settings) as listening:
        return _run(settings, listening)


def listen(settings: Settings) -> socket.socket:
    """A listening socket on the host and port of the settings. Raises SetupError."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=WAITING)
    except (OSError, UnicodeError) as error:  # UnicodeError: a name that no host can have
        what = str(error.strerror).partition(" (while")[0] if isinstance(error, OSError) else "no such host"
        mend = "stop what uses the port, or set another PORT or BENCHCARD_HOST"
        msg = f"port {settings.port} of {settings.host} cannot be opened: {what}; {mend}"
        raise SetupError(msg) from error


class _Server(uvicorn.Server):
    """uvicorn that tells people where it serves, once it does. Its `runner` begins after that and ends before it."""

    def __init__(self, settings: Settings, *, runner: bool) -> None:
        application = create_app(settings)
        super().__init__(
            uvicorn.Config(
                application, log_config=None, access_log=False, timeout_graceful_shutdown=GRACE, server_header=False
            )
        )
        self.settings = settings
        self.with_runner = runner
        self.runner: LocalRunner | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            address = self.settings.address(sockets[0].getsockname()[1])
            LOG.info("serving on %s", address)
            link = await asyncio.to_thread(first_sign_in, self.settings, address)
            if link:
                # To whoever started it, not to the log: logs are kept, and read by others.
                print(f"sign in once, within an hour: {link}", flush=True)
            if self.with_runner:
                await asyncio.to_thread(self._start_runner, address)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self.runner:  # as long as we still answer it
            await asyncio.to_thread(self.runner.stop, lambda: self.force_exit)
        await super().shutdown(sockets)

    def _start_runner(self, address: str) -> None:
        try:
            self.runner = LocalRunner(self.settings, address)
        except OSError as error:
            print(f"the local runner was not started: {error}", flush=True)
            return
        for item in missing(self.settings.data):
            print(item, flush=True)


def _run(settings: Settings, listening: socket.socket, *, runner: bool = False) -> int:
    server = _Server(settings, runner=runner)
    with suppress(KeyboardInterrupt):  # uvicorn repeats the signal that it was stopped by
        server.run(sockets=[listening])
    return OK if server.started else SETUP
