"""Reading a large file in a process of its own, so that nobody else waits and its memory is bounded.

Run as a program, this module is that process: it writes the report as JSON to its standard output.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from app.apart import ApartError, answer, apart
from app.results.importers import ImportProblem, ImportReport, read

if TYPE_CHECKING:
    from app.results.importers import Format

SMALL = 256 * 1024  # bytes that are read at once, in some tens of ms
LONGEST_S = 120
MOST_MEMORY = 4 * 1024**3  # bytes of address space, several times what the largest file takes


async def read_file(path: Path, name: str, format: Format | None) -> ImportReport:
    """The report on the file at `path`, which its sender calls `name`. Never raises for what the file holds; the
    process ends with the caller that is cancelled."""
    if path.stat().st_size <= SMALL:
        return await asyncio.to_thread(lambda: read(name, path.read_bytes(), format))
    arguments = (str(path), name, format or "", str(MOST_MEMORY))
    try:
        said = await apart(__name__, *arguments, longest_s=LONGEST_S, doing="reading it", thing="a result file")
    except ApartError as error:
        return ImportReport(format=None, problems=(ImportProblem(message=str(error)),))
    return await asyncio.to_thread(ImportReport.model_validate_json, said)


def _main(path: str, name: str, format: str, most_memory: str) -> int:
    def work() -> str:
        known = cast("Format", format) if format else None
        return read(name, Path(path).read_bytes(), known).model_dump_json()

    return answer(work, int(most_memory))


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
