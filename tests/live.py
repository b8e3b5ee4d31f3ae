"""The application behind a real socket, for what only talks to an address."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import ASGIApp

GRACE_S = 30  # for answers that are under way when the server is to end


@contextmanager
def live(app: ASGIApp) -> Iterator[str]:
    """The server's address. The socket listens before the server runs, so nobody has to wait for it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, log_config=None, lifespan="off", ws="none", timeout_graceful_shutdown=GRACE_S)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(2 * GRACE_S)
            assert not thread.is_alive(), f"the server has not ended {2 * GRACE_S} s after it was told to"
