"""Counts failed sign-ins in memory, so that an address cannot try without end. Forgets on restart."""

from __future__ import annotations

import datetime as dt
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from app.errors import TooManyError
from app.language import _

if TYPE_CHECKING:
    from app.clock import Clock

MOST = 5
WINDOW = dt.timedelta(minutes=1)
REMEMBERED = 10_000  # addresses; the longest unseen is forgotten first


class Throttle:
    """At most MOST failures of one address in WINDOW."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures: OrderedDict[str, list[dt.datetime]] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, address: str) -> None:
        """Raises TooManyError with the seconds to wait."""
        now = self._clock.now()
        with self._lock:
            recent = [moment for moment in self._failures.get(address, ()) if moment > now - WINDOW]
        if len(recent) >= MOST:
            wait = int((recent[-MOST] + WINDOW - now).total_seconds()) + 1
            raise TooManyError(
                _("{most} sign-ins failed within a minute; try again in {wait} s").format(most=MOST, wait=wait), wait
            )

    def failed(self, address: str) -> None:
        now = self._clock.now()
        with self._lock:
            recent = [moment for moment in self._failures.pop(address, ()) if moment > now - WINDOW]
            self._failures[address] = [*recent, now]
            while len(self._failures) > REMEMBERED:
                self._failures.popitem(last=False)
