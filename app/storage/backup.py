"""A backup: one folder that holds the database as of one moment and every file that its rows name.

    backup.json   when and by which version it was made, the database's revision, rows by table, what was missing
    SHA256SUMS    of everything below, as `sha256sum --check` reads it
    benchcard.db  the online copy of the database
    files/ logs/  as in the data folder

The database comes first. The files that it names are never changed and a log only grows, so they are still what they
were at the database's moment.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict

from app.db import sqlite_module
from app.errors import InvalidInputError
from app.storage.named import NamedFile, named_files

if TYPE_CHECKING:
    import datetime as dt
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    from app.db import Database

DATABASE, ABOUT, SUMS = "benchcard.db", "backup.json", "SHA256SUMS"
FORMAT = 1
CHUNK = 1024 * 1024


class About(BaseModel):
    """backup.json."""

    model_config = ConfigDict(extra="forbid", strict=True)

    format: int
    made_at: str
    version: str  # of Benchcard
    revision: str  # of the database's tables
    tables: dict[str, int]  # table -> rows
    missing: list[str]  # what rows name and was not there, or not whole, when this was made


@dataclass
class Made:
    """What a backup holds."""

    about: About
    size: int  # bytes, the database and the files
    sums: dict[str, str] = field(default_factory=dict)  # place -> SHA-256


def make_backup(database: Database, data: Path, target: Path, version: str, now: dt.datetime) -> Made:
    """Write the backup into the new folder `target`, which gets its name when everything is on the disk.

    Raises InvalidInputError where there is nothing to copy or nowhere to put it.
    """
    if target.exists() or target.is_symlink():
        msg = f"{target} is there already, and a backup overwrites nothing: name a new folder"
        raise InvalidInputError(msg)
    part = target.with_name(target.name + ".part")
    if not target.parent.is_dir():
        msg = f"there is no folder {target.parent}"
        raise InvalidInputError(msg)
    try:
        shutil.rmtree(part, ignore_errors=True)  # of a backup that was cut off
        part.mkdir(mode=0o700)  # the database holds hashes of tokens and people's names
        database.backup(part / DATABASE)
        made = _fill(part, data, version, now)
        part.replace(target)
    except OSError as error:
        msg = f"{target} cannot be written: {error.strerror}; choose another place"
        raise InvalidInputError(msg) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return made


def _fill(part: Path, data: Path, version: str, now: dt.datetime) -> Made:
    with closing(still(part / DATABASE)) as copy:
        tables = counts(copy)
        named = [file for file in named_files(copy.execute, columns(copy)) if file.has_bytes]
        about = About(
            format=FORMAT,
            made_at=now.isoformat(timespec="seconds"),
            version=version,
            revision=revision(copy),
            tables=tables,
            missing=[],
        )
    made = Made(about, (part / DATABASE).stat().st_size, {DATABASE: digest(part / DATABASE)})
    for file in named:
        found = _copy(data / file.place, part / file.place, file)
        if found is None:
            about.missing.append(file.place)
        else:
            made.sums[file.place] = found
            made.size += (part / file.place).stat().st_size
    _write(part / SUMS, "".join(f"{sha256}  {place}\n" for place, sha256 in made.sums.items()))
    _write(part / ABOUT, json.dumps(about.model_dump(), indent=1) + "\n")
    return made


def _copy(source: Path, target: Path, file: NamedFile) -> str | None:
    """Copy what the row speaks of; returns its SHA-256, None where that is not there (and nothing is left)."""
    found = hashlib.sha256()
    left = _size(source) if file.size is None else file.size
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        reading = source.open("rb")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    with reading, target.open("xb") as writing:
        while left and (data := reading.read(min(CHUNK, left))):
            found.update(data)
            writing.write(data)
            left -= len(data)
        writing.flush()
        os.fsync(writing.fileno())
    if left or file.sha256 not in (None, found.hexdigest()):
        target.unlink()
        return None
    return found.hexdigest()


def _size(source: Path) -> int:
    return source.stat().st_size if source.is_file() else 0


def _write(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as writing:
        writing.write(text)
        writing.flush()
        os.fsync(writing.fileno())


def still(database: Path) -> sqlite3.Connection:
    """A copy that nobody changes, opened so that nothing is written, not even beside it."""
    uri = f"file:{quote(str(database.resolve()))}?mode=ro&immutable=1"
    opened: sqlite3.Connection = sqlite_module().connect(uri, uri=True)
    return opened


def counts(database: sqlite3.Connection) -> dict[str, int]:
    """Table -> rows."""
    listed = (
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name"
    )
    tables = [str(name) for (name,) in database.execute(listed)]
    return {name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}  # noqa: S608


def columns(database: sqlite3.Connection) -> dict[str, set[str]]:
    """Table -> its columns."""
    return {
        table: {str(row[1]) for row in database.execute(f'PRAGMA table_info("{table}")')} for table in counts(database)
    }


def revision(database: sqlite3.Connection) -> str:
    """Of its tables; "" where it has none."""
    if not database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'alembic_version'").fetchone():
        return ""
    return " ".join(str(name) for (name,) in database.execute("SELECT version_num FROM alembic_version ORDER BY 1"))


def digest(path: Path) -> str:
    """SHA-256 of a file's bytes. Raises OSError."""
    found = hashlib.sha256()
    for data in chunks(path):
        found.update(data)
    return found.hexdigest()


def chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as reading:
        while data := reading.read(CHUNK):
            yield data
