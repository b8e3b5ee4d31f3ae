"""Work on what somebody sent, in a process of its own: nobody else waits, and its memory and its time are bounded."""

from __future__ import annotations

import asyncio
import logging
import resource
import signal
import sys
from asyncio.subprocess import PIPE
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOG = logging.getLogger(__name__)
OUT_OF_MEMORY = 77  # exit status of a process that needed more than it may have
NO_MEMORY = (b"bad_alloc", b"MemoryError", b"emory allocation")  # as Python and the libraries below it say it
MOST_SAID = 300  # characters of a failure


class ApartError(Exception):
    """The process did not come to its end; says why."""


async def apart(module: str, *arguments: str, longest_s: int, doing: str, thing: str, given: bytes = b"") -> bytes:
    """What `python -m MODULE ARGUMENTS` writes, with `given` as its input. The process ends with the caller that is
    cancelled.

    Raises ApartError, worded with what was done ("reading it") to which kind of thing ("a result file").
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    try:
        async with asyncio.timeout(longest_s):
            said, errors = await process.communicate(given)
    except TimeoutError:
        raise ApartError(f"{doing} took longer than {longest_s} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    if process.returncode:
        raise ApartError(_why(process.returncode, errors, doing, thing))
    return said


def _why(status: int, errors: bytes, doing: str, thing: str) -> str:
    if status == OUT_OF_MEMORY or any(word in errors for word in NO_MEMORY):
        return f"{doing} took more memory than {thing} should need"
    if status < 0:
        return f"{doing} was ended by {signal.Signals(-status).name} on the server"
    LOG.error("%s failed in its process: %s", doing, errors.decode("utf-8", "replace")[-4000:])
    lines = errors.decode("utf-8", "replace").strip().splitlines() or [f"exit status {status}"]
    return f"{doing} failed, which is a mistake of Benchcard: {lines[-1][:MOST_SAID]}"


def answer(work: Callable[[], str], most_memory: int) -> int:
    """In that process: write what `work` says, within `most_memory` bytes of address space. Its exit status."""
    try:
        with bounded_memory(most_memory):
            said = work()
    except MemoryError:
        return OUT_OF_MEMORY
    sys.stdout.write(said)
    return 0


@contextmanager
def bounded_memory(most: int) -> Iterator[None]:
    """No more than `most` bytes of address space meanwhile, or less where less is allowed already."""
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    least = min(bound for bound in (most, before, hard) if bound != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_AS, (least, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


def taken_memory() -> int:
    """Bytes of address space that this process has; 0 where the system does not tell."""
    told = Path("/proc/self/statm")
    return int(told.read_text().split()[0]) * resource.getpagesize() if told.exists() else 0
