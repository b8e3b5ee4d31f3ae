"""When a server under load is given up: no request had a byte for a while, and what is asked beside them has no answer.

A server that is merely slow answers beside its requests, so it is waited for: as long as one request may take, and then
for the requests that came after it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import monotonic_ns
from typing import TYPE_CHECKING

from runners.engines.control import ANSWER_S, SILENT_S, HungError

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor, Future

S = 1_000_000_000  # ns
AGAIN_S = 10.0  # between an answer and the next question


class Silence:
    """Of one run. `heard` is to be called about once a second; it waits for nothing."""

    def __init__(
        self,
        answers: Callable[[], bool],
        request_s: float,
        *,
        clock: Callable[[], int] = monotonic_ns,
        executor: Executor | None = None,
    ) -> None:
        """`answers` asks the server and may take its time; a request may take `request_s`."""
        self._answers, self._most_s, self._clock = answers, request_s + SILENT_S, clock
        self._executor = executor or ThreadPoolExecutor(1)
        self._asked: Future[bool] | None = None
        self._not_before = 0

    def heard(self, since: int | None) -> None:
        """`since`: from when on every request in flight has been without a byte, in ns of CLOCK_MONOTONIC; None where
        none is in flight. HungError: the server answers nothing, or nothing but what is asked beside its requests."""
        now = self._clock()
        silent_s = 0.0 if since is None else (now - since) / S
        if silent_s < SILENT_S:
            self._asked = None  # whatever it says is of a silence that is over
        elif silent_s >= self._most_s:
            raise HungError(
                f"no request had a byte for {silent_s:.0f} s, which is more than one may take, although the server "
                "answers beside them"
            )
        elif self._asked is None:
            if now >= self._not_before:
                self._asked = self._executor.submit(self._answers)
        elif self._asked.done():
            if not self._asked.result():
                raise HungError(
                    f"no request had a byte for {silent_s:.0f} s, and neither its counters nor its health answered "
                    f"within {ANSWER_S:g} s"
                )
            self._asked, self._not_before = None, now + int(AGAIN_S * S)
