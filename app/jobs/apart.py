"""Reading what others made, bundles and traces, in a process of its own: its memory and its time are bounded.

Run as a program, this module is that process: it writes what it found as JSON to its standard output. A trace of a few
KB may unpack to any number of GB, and its index may lie about that, so only the system itself can hold the limit.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from app.apart import ApartError, answer, apart
from app.jobs.evidence import check
from app.jobs.numbers import compute
from app.protocol.outcome import Report
from app.protocol.plan import Plan
from app.results.bundle import BundleError
from app.results.files import ARRIVING

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_S = 300
UNPACKED = f"{ARRIVING}bundle-"
MOST_MEMORY = 4 * 1024**3  # bytes of address space, several times what the largest trace that is read takes
MOST_BYTES = 1 << 30  # of a bundle that is sent, and of all that comes out of it


class Place(BaseModel):
    path: str
    message: str


class Sent(BaseModel):
    """A bundle as it was found; without `problems` it is whole, and every number follows from its traces."""

    problems: list[Place]
    claim_id: str | None = None
    card_id: str | None = None
    assumptions: tuple[str, ...] = ()
    report: Report | None = None
    numbers: dict[str, Any] = {}


def _file(difference: str) -> str:
    """The file that a difference begins with: "numbers.sets[0]..." is one of numbers.json."""
    name = difference.partition(":")[0]
    return name if name.endswith((".json", ".yaml")) or "/" in name else f"{name.partition('.')[0]}.json"


class _Work(BaseModel):
    report: Report
    traces: dict[str, Path]
    planned: Plan


async def check_apart(source: Path) -> Sent:
    """Never raises for what the file holds; the process ends with the caller that is cancelled. What it unpacks lies
    beside the file until then, in a folder that is removed here: a process that is killed removes nothing."""
    if not await asyncio.to_thread(zipfile.is_zipfile, source):
        return _refused("this is no whole zip file")
    folder = await asyncio.to_thread(tempfile.mkdtemp, prefix=UNPACKED, dir=source.parent)
    try:
        return await _check_apart(source, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _check_apart(source: Path, folder: str) -> Sent:
    arguments = ("check", str(MOST_MEMORY), str(source), folder)
    try:
        said = await apart(__name__, *arguments, longest_s=LONGEST_S, doing="checking it", thing="a bundle")
    except ApartError as error:
        return _refused(str(error))
    return await asyncio.to_thread(Sent.model_validate_json, said)


def _refused(message: str) -> Sent:
    return Sent(problems=[Place(path="", message=message)])


def _checked(source: Path, folder: Path) -> Sent:
    try:
        found = check(source, folder, MOST_BYTES)
    except BundleError as error:
        return Sent(problems=[Place(path=item.path, message=item.message) for item in error.problems[:100]])
    return Sent(
        problems=[Place(path=_file(text), message=text) for text in found.differences],
        claim_id=found.measurement.claim_id,
        card_id=found.measurement.card_id,
        assumptions=found.measurement.assumptions,
        report=found.report,
        numbers=found.numbers,
    )


async def compute_apart(report: Report, traces: Mapping[str, Path], planned: Plan) -> dict[str, Any]:
    """`app.jobs.numbers.compute`. Where the process does not come to its end, no run is a result, and that is why."""
    work = _Work(report=report, traces=dict(traces), planned=planned)
    arguments = ("compute", str(MOST_MEMORY))
    given = work.model_dump_json().encode()
    try:
        said = await apart(
            __name__, *arguments, longest_s=LONGEST_S, doing="reading the traces", thing="an attempt", given=given
        )
    except ApartError as error:
        return compute(report, {}, planned, str(error))
    return dict(json.loads(said))


def _computed() -> str:
    work = _Work.model_validate_json(sys.stdin.buffer.read())
    return json.dumps(compute(work.report, work.traces, work.planned), allow_nan=False)


def _main(work: str, most_memory: str, source: str = "", folder: str = "") -> int:
    if work == "compute":
        return answer(_computed, int(most_memory))
    return answer(lambda: _checked(Path(source), Path(folder)).model_dump_json(), int(most_memory))


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
