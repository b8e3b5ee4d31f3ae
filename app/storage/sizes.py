"""How much lies in the data folder, what of it no row names, and the removal of what uploads left behind."""

from __future__ import annotations

import datetime as dt
import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import SetupError
from app.results.files import ARRIVING
from app.storage.named import FILES, LOGS, RUNNER

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

KINDS = {
    "database": "the database with its write-ahead log",
    FILES: "result files and traces",
    LOGS: "logs of attempts",
    "arriving": "uploads that did not end",
    RUNNER: "what the runner of `benchcard serve --runner` keeps",
    "other": "what Benchcard did not put there",
}


@dataclass(frozen=True)
class Found:
    """A file in the data folder."""

    place: str  # in the data folder
    kind: str  # of KINDS
    size: int  # bytes
    changed: dt.datetime


def walk(data: Path) -> Iterator[Found]:
    """Every file; one that is gone before it is looked at is left out. Our own folders may lie on another disk, and a
    link stand in their place; other links are followed nowhere."""
    linked = [data / name for name in (FILES, LOGS, RUNNER) if (data / name).is_symlink()]
    for folder, _, names in chain.from_iterable(map(os.walk, (data, *linked))):
        for name in names:
            path = Path(folder, name)
            try:
                stat = path.lstat()
            except FileNotFoundError:
                continue
            place = path.relative_to(data)
            yield Found(str(place), _kind(place), stat.st_size, dt.datetime.fromtimestamp(stat.st_mtime, dt.UTC))


def sizes(data: Path) -> dict[str, tuple[int, int]]:
    """Kind -> (files, bytes), every kind of KINDS."""
    files: Counter[str] = Counter()
    size: Counter[str] = Counter()
    for found in walk(data):
        files[found.kind] += 1
        size[found.kind] += found.size
    return {kind: (files[kind], size[kind]) for kind in KINDS}


def unused(data: Path, named: Collection[str]) -> list[Found]:
    """The files that no row names, the oldest first. A file that has just come is named a moment later."""
    ours = (found for found in walk(data) if found.kind in (FILES, LOGS, "arriving"))
    return sorted((found for found in ours if found.place not in named), key=lambda found: (found.changed, found.place))


def clean(data: Path, before: dt.datetime, named: Collection[str]) -> Iterator[Found]:
    """Remove the uploads that did not end and were last written to before that time, and tell each as soon as it is
    gone. Raises SetupError at the first that cannot be removed."""
    for found in unused(data, named):
        if found.kind != "arriving" or found.changed >= before:
            continue
        try:
            (data / found.place).unlink(missing_ok=True)
        except OSError as error:
            raise SetupError(f"{found.place} cannot be removed: {error.strerror}") from error
        yield found
        with suppress(OSError):  # a folder that holds more stays
            for folder in Path(found.place).relative_to(FILES).parents[:-1]:
                (data / FILES / folder).rmdir()


def _kind(place: Path) -> str:
    """What is still coming in lies in the folder of files itself, or in a folder there that is named like it."""
    if place.parts[0] == FILES and len(place.parts) > 1:
        return "arriving" if place.parts[1].startswith(ARRIVING) else FILES
    if place.parts[0] in (LOGS, RUNNER):
        return place.parts[0]
    return "database" if len(place.parts) == 1 and place.name.startswith("benchcard.db") else "other"
