"""Memory is bounded by what is worked on, not by how many ask at once."""

from __future__ import annotations

import asyncio
import ctypes
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from anyio import to_thread

from app.main import create_app
from app.memory import ARENAS, THREADS
from app.settings import Settings
from tests.conftest import migrate

if TYPE_CHECKING:
    from pathlib import Path

# Every thread holds a piece of memory while all others take theirs, so that each wants an arena.
MANY_THREADS = """
import asyncio, ctypes, threading
from app import memory
async def start(): memory.bound()
asyncio.run(start())
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
together = threading.Barrier(24)
def work():
    together.wait(); libc.malloc(100_000); together.wait()
threads = [threading.Thread(target=work) for _ in range(24)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
libc.malloc_stats()
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_stats"), reason="no glibc here")
def test_many_threads_share_few_arenas() -> None:
    done = subprocess.run([sys.executable, "-c", MANY_THREADS], capture_output=True, text=True, check=True, timeout=120)
    assert 1 <= done.stderr.count("Arena ") <= ARENAS


def test_a_server_answers_with_a_bounded_number_of_threads(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'benchcard.db'}"
    migrate(url)
    app = create_app(Settings(database_url=url))

    async def started() -> float:
        async with app.router.lifespan_context(app):
            return to_thread.current_default_thread_limiter().total_tokens

    assert asyncio.run(started()) == THREADS
