"""How much memory the serving process keeps: bounded by what it works on, not by how many connections it has."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress

from anyio import to_thread

from app.db import READERS

THREADS = READERS + 4  # that answer; more would only wait for a database connection
YOUNG = 20_000  # new objects between two collections; a table page makes about 2,000
M_ARENA_MAX, ARENAS = -8, 2  # of glibc's malloc.h


def bound() -> None:
    """To be called on the event loop, before threads work.

    glibc gives nearly every thread an arena of its own, and each keeps what its thread once needed: 40 threads kept
    50 MB more than two arenas do, at no gain, because the interpreter's lock lets one thread allocate at a time.
    """
    with suppress(AttributeError, OSError):  # another C library has no such option
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, ARENAS)
    to_thread.current_default_thread_limiter().total_tokens = THREADS


def settle() -> None:
    """What is alive after the start stays alive: the collector need not walk it again and again, which would stop
    every request for 50 to 150 ms at a time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG)
