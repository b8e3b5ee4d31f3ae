"""How busy processes are, second by second: who was the limit of a run, its client or its server."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from runners.processes_below import used_s

if TYPE_CHECKING:
    from types import TracebackType

EVERY_S = 1.0


class Watch:
    """While it is entered, a thread looks once a second at all processes below two others.

    `server`: cores that the busiest single process below the server's supervisor used, for each second; engines are
    several processes, and one that uses a whole core is the limit. `tool`: cores of all processes below the tool's.
    """

    def __init__(self, server: int | None, tool: int | None = None) -> None:
        """By the process ids of their supervisors; None is not looked at."""
        self.server: list[float] = []
        self.tool: list[float] = []
        self._roots = (server, tool)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        before, at = self._used(), time.monotonic()
        while not self._over.wait(EVERY_S):
            now, later = self._used(), time.monotonic()
            shares = [
                [(used - earlier.get(pid, 0.0)) / (later - at) for pid, used in found.items()]
                for earlier, found in zip(before, now, strict=True)
            ]
            self.server.append(round(max(shares[0], default=0.0), 3))
            self.tool.append(round(sum(shares[1]), 3))
            before, at = now, later

    def _used(self) -> list[dict[int, float]]:
        return [used_s(root) if root is not None else {} for root in self._roots]
