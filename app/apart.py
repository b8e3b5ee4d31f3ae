"""Work on what somebody sent, in a process of its own: nobody else waits, and its memory and its time are bounded."""

from __future__ import annotations

import asyncio
import resource
import sys
from asyncio.subprocess import DEVNULL, PIPE


class ApartError(Exception):
    """The process did not come to an end in time, or needed more memory than it may have; says which."""


async def apart(module: str, *arguments: str, longest_s: int, doing: str, thing: str) -> bytes:
    """What `python -m MODULE ARGUMENTS` writes. The process ends with the caller that is cancelled.

    Raises ApartError, worded with what was done ("reading it") to which kind of thing ("a result file").
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments, stdout=PIPE, stderr=DEVNULL
    )
    try:
        async with asyncio.timeout(longest_s):
            said, _ = await process.communicate()
    except TimeoutError:
        raise ApartError(f"{doing} took longer than {longest_s} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    if process.returncode:
        raise ApartError(f"{doing} took more memory than {thing} should need")
    return said


def bound_memory(most: int) -> None:
    """In that process: no more than `most` bytes of address space."""
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
