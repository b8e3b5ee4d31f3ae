"""Work on what somebody sent, in a process of its own: nobody else waits, and its memory and its time are bounded."""

from __future__ import annotations

import asyncio
import logging
import resource
import signal
import sys
from asyncio.subprocess import PIPE
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

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
    bound_memory(most_memory)
    try:
        said = work()
    except MemoryError:
        return OUT_OF_MEMORY
    sys.stdout.write(said)
    return 0


def bound_memory(most: int) -> None:
    """No more than `most` bytes of address space for this process, or less where less is allowed already."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
