"""`benchcard backup`, `restore` and `data`: keeping an installation. They work beside the server, on its own files."""

from __future__ import annotations

import argparse
import datetime as dt
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from app.clock import SystemClock
from app.commands.exits import FOUND, OK
from app.db import Database
from app.errors import InvalidInputError
from app.installation import opened
from app.protocol.english import counted
from app.storage.backup import make_backup
from app.storage.named import named_files
from app.storage.restore import MOST, Checked, check_backup, restore_backup
from app.storage.sizes import KINDS, Found, clean, sizes, unused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.settings import Settings


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    backup = commands.add_parser(
        "backup", help="copy the SQLite database and every file that it names into a new FOLDER, while it is in use"
    )
    backup.add_argument("folder", type=Path, metavar="FOLDER")
    backup.set_defaults(run=_backup)
    restore = commands.add_parser("restore", help="put a backup into an empty data folder (BENCHCARD_DATA)")
    restore.add_argument("folder", type=Path, metavar="BACKUP")
    restore.add_argument("--check", action="store_true", help="only say whether the backup is whole; writes nothing")
    restore.set_defaults(run=_restore)
    data = commands.add_parser("data", help="what lies in the data folder").add_subparsers(
        required=True, metavar="ACTION"
    )
    data.add_parser("sizes", help="how much there is of each kind").set_defaults(run=_sizes)
    data.add_parser("unused", help="the files that nothing in the database names").set_defaults(run=_unused)
    cleaning = data.add_parser(
        "clean", help="remove uploads that did not end; evidence and every other file stay where they are"
    )
    cleaning.add_argument("--older-than", type=_days, required=True, metavar="DAYS", help="since the last byte came")
    cleaning.set_defaults(run=_clean)


def _backup(given: argparse.Namespace, settings: Settings) -> int:
    with opened(settings) as database:
        made = make_backup(database, settings.data, given.folder, version("benchcard"), SystemClock().now())
    files = len(made.sums) - 1
    rows = sum(made.about.tables.values())
    held = f"{counted(rows, 'row')} and {counted(files, 'file')} that it names"
    print(f"{given.folder}: the database with {held}, {_shown(made.size)}")
    return _missing(made.about.missing)


def _restore(given: argparse.Namespace, settings: Settings) -> int:
    if given.check:
        checked = check_backup(given.folder)
    else:
        checked = restore_backup(given.folder, settings.data, _sqlite_file(settings), SystemClock().now())
    for problem in checked.problems[:MOST]:
        print(f"benchcard: {problem}", file=sys.stderr)
    _summary(given.folder, checked)
    missing = _missing(checked.about.missing)
    if checked.problems:
        print("benchcard: the backup is not whole" + ("" if given.check else "; nothing was restored"), file=sys.stderr)
        return FOUND
    if not given.check:
        print(f"restored into {settings.data}; tokens that were revoked since it was made are valid again")
        print(f"{checked.put_back:,} jobs were taken back from their runners; no lease from before holds")
    return missing


def _sqlite_file(settings: Settings) -> Path:
    database = Database(settings.url())
    database.close()
    if not database.is_sqlite:
        msg = "this restores SQLite databases; use pg_restore for PostgreSQL and copy files/ and logs/ yourself"
        raise InvalidInputError(msg)
    return Path(str(database.url.database))


def _summary(folder: Path, checked: Checked) -> None:
    about = checked.about
    print(f"{folder}: made {about.made_at} by Benchcard {about.version}, database revision {about.revision}")
    print("; ".join(f"{table} {rows:,}" for table, rows in about.tables.items()))
    state = f"{len(checked.problems):,} problem(s)" if checked.problems else "all as its rows say"
    print(f"{counted(checked.files, 'file')}, {_shown(checked.size)}; {state}")


def _missing(places: Sequence[str]) -> int:
    """Tell what was missing when the backup was made; the exit status that this gives."""
    for place in places[:MOST]:
        print(f"benchcard: {place} is named by a row and was not there, or not whole", file=sys.stderr)
    if len(places) > MOST:
        print(f"benchcard: and {len(places) - MOST:,} more, all in backup.json", file=sys.stderr)
    return FOUND if places else OK


def _sizes(_: argparse.Namespace, settings: Settings) -> int:
    if not settings.data.is_dir():
        msg = f"there is no data folder {settings.data}; name it by BENCHCARD_DATA"
        raise InvalidInputError(msg)
    for kind, (files, size) in sizes(settings.data).items():
        print(f"{kind}\t{counted(files, 'file')}\t{_shown(size)}\t{KINDS[kind]}")
    return OK


def _unused(_: argparse.Namespace, settings: Settings) -> int:
    now = SystemClock().now()
    found = unused(settings.data, _named(settings))
    for file in found:
        print(_line(file, now))
    print(f"{counted(len(found), 'file')} that nothing names, {_shown(sum(file.size for file in found))}")
    return OK


def _clean(given: argparse.Namespace, settings: Settings) -> int:
    now = SystemClock().now()
    removed = []
    for file in clean(settings.data, now - given.older_than, _named(settings)):
        print(f"removed\t{_line(file, now)}", flush=True)
        removed.append(file.size)
    print(f"{counted(len(removed), 'unfinished upload')} removed, {_shown(sum(removed))}")
    return OK


def _named(settings: Settings) -> set[str]:
    with opened(settings) as database, database.read_existing() as session:
        connection = session.connection()
        seen = sa.inspect(connection)
        tables = {name: {item["name"] for item in seen.get_columns(name)} for name in seen.get_table_names()}
        return {file.place for file in named_files(connection.exec_driver_sql, tables)}


def _line(file: Found, now: dt.datetime) -> str:
    return f"{_written(file.place)}\t{_shown(file.size)}\t{counted((now - file.changed).days, 'day')} old"


def _written(place: str) -> str:
    """In one line, whatever bytes a name has."""
    text = os.fsencode(place).decode("utf-8", "backslashreplace")
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def _shown(size: int) -> str:
    """Bytes, as people read them."""
    for unit, factor in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return counted(size, "byte")


def _days(text: str) -> dt.timedelta:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 36500:
        raise argparse.ArgumentTypeError("a whole number of days, at least 1: an upload may still be coming in")
    return dt.timedelta(days=int(text))
