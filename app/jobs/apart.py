"""Checking a bundle that somebody sent in a process of its own: its memory and its time are bounded.

Run as a program, this module is that process: it writes what it found as JSON to its standard output.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from app.apart import ApartError, apart, bound_memory
from app.jobs.evidence import check
from app.protocol.outcome import Report
from app.results.bundle import BundleError

LONGEST_S = 300
MOST_MEMORY = 6 * 1024**3  # bytes of address space
MOST_BYTES = 1 << 30  # of a bundle that is sent, and of all that comes out of it


class Place(BaseModel):
    path: str
    message: str


class Sent(BaseModel):
    """A bundle as it was found; without `problems` it is whole, and every number follows from its traces."""

    problems: list[Place]
    claim_id: str | None = None
    assumptions: tuple[str, ...] = ()
    report: Report | None = None
    numbers: dict[str, Any] = {}


async def check_apart(source: Path) -> Sent:
    """Never raises for what the file holds; the process ends with the caller that is cancelled."""
    if not await asyncio.to_thread(zipfile.is_zipfile, source):
        return _refused("this is no whole zip file")
    arguments = (str(source), str(MOST_MEMORY))
    try:
        said = await apart(__name__, *arguments, longest_s=LONGEST_S, doing="checking it", thing="a bundle")
    except ApartError as error:
        return _refused(str(error))
    return await asyncio.to_thread(Sent.model_validate_json, said)


def _refused(message: str) -> Sent:
    return Sent(problems=[Place(path="", message=message)])


def _checked(source: Path) -> Sent:
    with tempfile.TemporaryDirectory(prefix="benchcard-bundle-", dir=source.parent) as folder:
        try:
            found = check(source, Path(folder), MOST_BYTES)
        except BundleError as error:
            return Sent(problems=[Place(path=item.path, message=item.message) for item in error.problems[:100]])
    problems = [Place(path="numbers.json", message=text) for text in found.differences]
    claim_id = found.measurement.get("claim_id")
    known = claim_id if isinstance(claim_id, str) else None
    return Sent(
        problems=problems,
        claim_id=known,
        assumptions=found.assumptions,
        report=found.report,
        numbers=found.numbers,
    )


def _main(source: str, most_memory: str) -> int:
    bound_memory(int(most_memory))
    sys.stdout.write(_checked(Path(source)).model_dump_json())
    return 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
