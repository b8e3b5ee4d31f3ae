"""An evidence bundle: one zip with a measurement and all that it rests on. Pure reading and writing; no database.

    README.md               what each file is, how to check them, in plain words (app.jobs.readme); not in older ones
    MANIFEST                one line a file, sorted: SHA-256, size in bytes, path; all but itself
    ro-crate-metadata.json  the same as an RO-Crate 1.1 (https://w3id.org/ro/crate/1.1), with what each file is
    measurement.json        id, kind, claim and card, when and by whom it was recorded, assumptions
    plan.json report.json   what was to be executed; what was, and which trace is which run
    traces/NAME             the raw trace of each run (runners/load/trace_file.py)
    numbers.json            every number, computed from the traces
    claim.json verdict.json the claim as it was then, and what the measurement says of it; where there is a claim
    cards/SIDE-POINT.yaml   each point as a bench card
    log.txt                 the log of the attempt; where there is one

Files are compressed (but for Parquet, which is already), sorted, with one fixed time: the same measurement is the same
bytes, by one zlib. Nothing in a bundle is believed: names outside this layout, bytes that are not the manifest's and
sizes that lie are refused with their place.
"""

from __future__ import annotations

import hashlib
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MANIFEST = "MANIFEST"
NAME = re.compile(
    r"README\.md|ro-crate-metadata\.json|(?:measurement|plan|report|numbers|claim|verdict)\.json|log\.txt"
    r"|cards/[ab]-\d{1,3}\.yaml|traces/[a-z0-9][a-z0-9._-]{0,63}",
    re.ASCII,
)
NEEDED = ("measurement.json", "plan.json", "report.json", "numbers.json")
COMPRESSED = ".parquet"  # by its own columns, better than deflate could
LINE = re.compile(r"([0-9a-f]{64})  (\d{1,13})  (\S{1,100})", re.ASCII)
FIXED = (1980, 1, 1, 0, 0, 0)
MOST_BYTES = 8 << 30  # of all that comes out of a bundle
MOST_FILES = 4200
MOST_SMALL = 32 << 20  # of a file that is read whole
PIECE = 1 << 20
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)

# What checking a bundle (app.jobs.evidence) proves, and what of it nobody can compute again, by file.
CHECKED = (
    "every file: its size and its SHA-256 are the manifest's",
    "every number: it is what the traces give",
    "every run: its trace has the seed, load, lengths, counting and repeat that the plan has",
    "the verdict on the claim, where there is one: it follows from the numbers and the report",
    "the bench cards and the RO-Crate metadata: they say what the report and the numbers say",
)
TRACES = "traces/"
ON_TRUST = {
    TRACES: "traces: that a client really saw these events at these times",
    "report.json": "report.json: machine, versions, command lines, environment, notes and the server's own counters",
    "plan.json": "plan.json and the assumptions: that this is what was asked for",
    "measurement.json": "measurement.json: when, where and by whom it was recorded",
    "claim.json": "claim.json: that the claim read so then",
    "log.txt": "log.txt: what the log says",
    "README.md": "README.md: its words; no number stands in it",
}


def on_trust_of_any() -> tuple[str, ...]:
    """The same of a bundle that is not at hand: it may have no claim, no log, and where it is older no README."""
    return tuple(
        text if name in (*NEEDED, TRACES) else text.replace(":", ", where there is one:", 1)
        for name, text in ON_TRUST.items()
    )


@dataclass(frozen=True)
class Listed:
    """A file as the manifest has it."""

    path: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Problem:
    """What is wrong with a bundle, and in which of its files; "" is the bundle itself."""

    path: str
    message: str


class BundleError(ValueError):
    """A bundle that is not taken, with every problem."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(f"{item.path}: {item.message}" if item.path else item.message for item in problems))
        self.problems = problems


def write(target: Path, contents: Mapping[str, bytes | Path]) -> None:
    """Write a bundle. Raises OSError, and ValueError for a name that the layout does not have."""
    if wrong := [name for name in contents if not NAME.fullmatch(name)]:
        raise ValueError(f"no place in a bundle for {wrong[0]}")
    listed = manifest(contents)
    text = "".join(f"{item.sha256}  {item.size}  {item.path}\n" for item in listed)
    with zipfile.ZipFile(target, "w") as made:
        _add(made, MANIFEST, text.encode())
        for item in listed:
            _add(made, item.path, contents[item.path])


def manifest(contents: Mapping[str, bytes | Path]) -> list[Listed]:
    """Every file with its digest and size, sorted by path."""
    return [Listed(name, *_digest(contents[name])) for name in sorted(contents)]


def unpack(source: Path, folder: Path, most_bytes: int = MOST_BYTES) -> list[Listed]:
    """Write every file of a bundle below `folder`, each checked against the manifest. Raises BundleError with every
    problem; nothing is written outside, and never more than the manifest says."""
    try:
        with zipfile.ZipFile(source) as opened:
            listed = _checked(opened, most_bytes)
            problems = [problem for item in listed if (problem := _extract(opened, item, folder))]
    except BROKEN as error:
        if isinstance(error, BundleError):
            raise
        raise BundleError([Problem("", f"this is no whole zip file: {error}")]) from error
    if problems:
        raise BundleError(problems)
    return listed


def one_file(source: Path, path: str) -> Iterator[bytes]:
    """The bytes of one file of a bundle that was checked before."""
    with zipfile.ZipFile(source) as opened, opened.open(path) as data:
        while piece := data.read(PIECE):
            yield piece


def _add(made: zipfile.ZipFile, name: str, data: bytes | Path) -> None:
    entry = zipfile.ZipInfo(name, FIXED)
    entry.compress_type = zipfile.ZIP_STORED if name.endswith(COMPRESSED) else zipfile.ZIP_DEFLATED
    entry.create_system, entry.external_attr = 3, 0o100644 << 16
    entry.file_size = len(data) if isinstance(data, bytes) else data.stat().st_size
    with made.open(entry, "w") as target:
        for piece in _pieces(data):
            target.write(piece)


def _pieces(data: bytes | Path) -> Iterator[bytes]:
    if isinstance(data, bytes):
        yield data
        return
    with data.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def _digest(data: bytes | Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    for piece in _pieces(data):
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size


def _checked(opened: zipfile.ZipFile, most_bytes: int) -> list[Listed]:
    """The manifest, once names and sizes of all entries agree with it and with the limits."""
    entries = opened.infolist()
    if len(entries) > MOST_FILES:
        raise BundleError([Problem("", f"it has {len(entries)} files; at most {MOST_FILES} are read")])
    names = [entry.filename for entry in entries]
    problems = [Problem(_shown(name), "stands twice") for name in sorted({n for n in names if names.count(n) > 1})]
    problems += [
        Problem(_shown(name), "has no place in a bundle")
        for name in sorted(set(names))
        if name != MANIFEST and not NAME.fullmatch(name)
    ]
    if MANIFEST not in names:
        problems.append(Problem(MANIFEST, "is missing"))
    if problems:
        raise BundleError(problems)
    listed, problems = _read_manifest(opened)
    by_path = {item.path: item for item in listed}
    problems += [Problem(name, "is missing") for name in sorted({*by_path, *NEEDED} - set(names))]
    problems += [Problem(name, "is not in the manifest") for name in sorted(set(names) - {*by_path, MANIFEST})]
    problems += [
        Problem(entry.filename, f"has {entry.file_size} bytes, the manifest says {by_path[entry.filename].size}")
        for entry in entries
        if entry.filename in by_path and entry.file_size != by_path[entry.filename].size
    ]
    total = sum(item.size for item in listed)
    if total > most_bytes:
        problems.append(Problem("", f"it unpacks to {total / 1e6:.0f} MB; at most {most_bytes / 1e6:.0f} MB are read"))
    if problems:
        raise BundleError(problems)
    return listed


def _read_manifest(opened: zipfile.ZipFile) -> tuple[list[Listed], list[Problem]]:
    with opened.open(MANIFEST) as data:
        text = data.read(MOST_SMALL + 1).decode("ascii", "replace")
    listed, problems = [], []
    for number, line in enumerate(text.splitlines(), 1):
        found = LINE.fullmatch(line)
        if found is None or not NAME.fullmatch(found[3]):
            problems.append(Problem(MANIFEST, f"line {number} is not `SHA-256  size  path`"))
            continue
        listed.append(Listed(found[3], found[1], int(found[2])))
    paths = [item.path for item in listed]
    problems += [
        Problem(MANIFEST, f"`{path}` stands twice") for path in sorted({p for p in paths if paths.count(p) > 1})
    ]
    return listed, problems[:50]


def _extract(opened: zipfile.ZipFile, item: Listed, folder: Path) -> Problem | None:
    """Stops as soon as more comes out than the manifest says, whatever the zip says of itself."""
    target = folder / item.path  # the name is of the layout: nothing in it leads out of the folder
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    try:
        with opened.open(item.path) as data, target.open("xb") as made:
            while piece := data.read(PIECE):
                size += len(piece)
                if size > item.size:
                    return Problem(item.path, f"has more than the {item.size} bytes that the manifest says")
                digest.update(piece)
                made.write(piece)
    except BROKEN as error:
        return Problem(item.path, f"cannot be read: {error}")
    if (digest.hexdigest(), size) != (item.sha256, item.size):
        return Problem(item.path, "its bytes are not those of the manifest (SHA-256 differs)")
    return None


def _shown(name: str) -> str:
    return name.encode("ascii", "backslashreplace").decode()[:100]
