"""Whether a backup is whole, and putting it in the place of a data folder."""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import ValidationError

from app.db import TURN, Database, known_revisions, sqlite_module
from app.errors import InvalidInputError
from app.jobs.ends import put_back_all
from app.storage.backup import ABOUT, DATABASE, FORMAT, SUMS, About, columns, counts, digest, revision, still
from app.storage.named import named_files
from app.yaml_tree import shown

if TYPE_CHECKING:
    import datetime as dt
    import sqlite3
    from pathlib import Path


MOST = 20  # problems of one kind that are told one by one


@dataclass
class Checked:
    """What was looked at, and everything that is wrong with it."""

    about: About
    files: int = 0
    size: int = 0  # bytes of files
    problems: list[str] = field(default_factory=list)
    put_back: int = 0  # jobs that runners had, once it is restored


def check_backup(folder: Path) -> Checked:
    """Look at everything and write nothing. Raises InvalidInputError where this is no backup."""
    about = _about(folder)
    checked = Checked(about)
    sums = _sums(folder / SUMS)
    if not (folder / DATABASE).is_file():
        checked.problems.append(f"{DATABASE} is not there")
        return checked
    try:
        if digest(folder / DATABASE) != sums.get(DATABASE):
            checked.problems.append(f"{DATABASE} is not what was written: its SHA-256 is another")
        with closing(still(folder / DATABASE)) as database:
            checked.problems += _of_database(database, about)
            _check_files(checked, folder, database, sums)
    except sqlite_module().Error as error:
        checked.problems.append(f"{DATABASE} cannot be read: {shown(str(error), 300)}")
    return checked


def restore_backup(folder: Path, data: Path, database: Path, now: dt.datetime) -> Checked:
    """Put a whole backup into a data folder that is empty or not there; the database comes last, under its name when
    everything else is in place and no lease holds in it. Raises InvalidInputError, and then leaves nothing behind."""
    checked = check_backup(folder)
    if checked.problems:
        return checked
    if (data.exists() and (not data.is_dir() or any(data.iterdir()))) or database.exists():
        taken = database if database.exists() else data
        msg = f"{taken} is in use: a backup is restored into an empty data folder; name one by BENCHCARD_DATA"
        raise InvalidInputError(msg)
    was_there = data.exists()
    try:
        checked.put_back = _put(folder, data, database, now)
    except OSError as error:
        for path in data.iterdir() if data.is_dir() else ():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if not was_there:
            shutil.rmtree(data, ignore_errors=True)
        msg = f"{data} cannot be written: {error.strerror}; nothing was restored"
        raise InvalidInputError(msg) from error
    return checked


def _put(folder: Path, data: Path, database: Path, now: dt.datetime) -> int:
    data.mkdir(parents=True, exist_ok=True)
    database.parent.mkdir(parents=True, exist_ok=True)
    for place in _sums(folder / SUMS):
        if place != DATABASE:
            target = data / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / place, target)
    part = database.with_name(database.name + ".part")
    shutil.copyfile(folder / DATABASE, part)
    count = _without_leases(part, now)
    part.replace(database)
    return count


def _without_leases(file: Path, now: dt.datetime) -> int:
    database = Database(f"sqlite:///{file}")
    try:
        database.migrate()  # an older backup has tables of an older Benchcard
        return database.write(lambda session: put_back_all(session, now))
    finally:
        database.close()
        file.with_name(file.name + TURN).unlink(missing_ok=True)  # nobody else knows this copy


def _about(folder: Path) -> About:
    try:
        about = About.model_validate_json((folder / ABOUT).read_bytes())
    except (OSError, ValidationError) as error:
        msg = f"{folder} is no backup: it has no sound {ABOUT}; name a folder that `benchcard backup` made"
        raise InvalidInputError(msg) from error
    if about.format != FORMAT:
        msg = f"{folder} was made by another Benchcard ({about.version}), in a layout that this one does not know"
        raise InvalidInputError(msg)
    return about


def _sums(path: Path) -> dict[str, str]:
    """Place -> SHA-256. A place outside the backup names nothing here."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError):
        return {}
    pairs = (line.partition("  ") for line in lines)
    return {place: sha256 for sha256, _, place in pairs if not place.startswith("/") and ".." not in place.split("/")}


def _of_database(database: sqlite3.Connection, about: About) -> list[str]:
    found = [str(line) for (line,) in database.execute(f"PRAGMA integrity_check({MOST})")]
    problems = [] if found == ["ok"] else [f"{DATABASE} is damaged: {shown(line, 200)}" for line in found]
    broken = database.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        problems.append(f"{len(broken)} row(s) name a row that is not there, the first in table {broken[0][0]}")
    unknown = set(revision(database).split()) - known_revisions()
    if unknown or not revision(database):
        told = f"revision {', '.join(sorted(unknown))} of a newer Benchcard" if unknown else "no revision"
        problems.append(f"{DATABASE} has {told}; this one cannot read it")
    here = counts(database)
    problems += [
        f"table {table} has {here.get(table, 0):,} rows, {about.tables.get(table, 0):,} when the backup was made"
        for table in sorted(here.keys() | about.tables)
        if here.get(table) != about.tables.get(table)
    ]
    return problems


def _check_files(checked: Checked, folder: Path, database: sqlite3.Connection, sums: dict[str, str]) -> None:
    lost = set(checked.about.missing)
    for file in named_files(database.execute, columns(database)):
        if file.place in lost or not file.has_bytes:
            continue
        checked.files += 1
        path, wanted = folder / file.place, file.sha256 or sums.get(file.place)
        if not path.is_file():
            checked.problems.append(f"{file.place} is not there")
            continue
        size = path.stat().st_size
        checked.size += size
        if file.size not in (None, size) or digest(path) != wanted:
            checked.problems.append(f"{file.place} holds other bytes than its row says")
