"""A disk that can lose its power: what SQLite writes and syncs is noted, and every moment can be gone back to.

After a power cut a file has everything that was synced. Of what was written since, each sector is there or is not, in
whatever order: a write may be torn, and a later one may have outlived an earlier one. Of the files that the application
writes itself only what is there for certain is told: their bytes when they were synced, below names that were.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import apsw

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    import pytest

SECTOR = 512  # bytes that are written whole or not at all


@dataclass(frozen=True)
class Written:
    """A write at `offset`; without data the file was cut there, without an offset it was removed."""

    file: str
    offset: int | None
    data: bytes | None = None


@dataclass(frozen=True)
class Synced:
    file: str


@dataclass(frozen=True)
class Acknowledged:
    """The `number`th write of the application was answered."""

    number: int


@dataclass(frozen=True)
class Placed:
    """A file that the application has synced with its bytes, or a folder with the names in it."""

    path: Path
    inode: int
    data: bytes = b""
    names: dict[str, int] | None = None  # with the inodes behind them


class Disk(apsw.VFS):
    """SQLite's file layer with everything written down in `events`; use it inside `with`."""

    def __init__(self) -> None:
        self.name = f"disk-{uuid4().hex}"
        self.events: list[Written | Synced | Acknowledged | Placed] = []
        super().__init__(self.name, "")

    def __enter__(self) -> Disk:
        return self

    def __exit__(self, *_: object) -> None:
        self.unregister()

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if name is None:
            return apsw.VFSFile("", name, flags)
        return _File(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self.events.append(Written(Path(filename).name, None))

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        """Note what is synced by Python, too."""

        def fsync(handle: int) -> None:
            path, inode = Path(f"/proc/self/fd/{handle}").resolve(), os.fstat(handle).st_ino
            if path.is_dir():
                names = {item.name: item.stat().st_ino for item in path.iterdir()}
                self.events.append(Placed(path, inode, names=names))
            else:
                self.events.append(Placed(path, inode, path.read_bytes()))
            sync(handle)

        sync = os.fsync
        patch.setattr(os, "fsync", fsync)

    def driver(self) -> ModuleType:
        """The disk as the module that SQLAlchemy's dialect for SQLite asks for."""
        module = ModuleType("sqlite_on_a_disk")
        version = tuple(map(int, apsw.sqlite_lib_version().split(".")))
        errors = dict.fromkeys(("Error", "DatabaseError", "OperationalError", "ProgrammingError"), apsw.Error)
        vars(module).update(
            connect=lambda file, **_: _Connection(file, self.name),
            sqlite_version_info=version,
            sqlite_version=apsw.sqlite_lib_version(),
            paramstyle="qmark",
            IntegrityError=apsw.ConstraintError,
            **errors,
        )
        return module


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: str | apsw.URIFilename, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._events = disk.events
        self._name = Path(name if isinstance(name, str) else name.filename()).name

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)
        self._events.append(Written(self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._events.append(Written(self._name, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._events.append(Synced(self._name))


class _Connection:
    """PEP 249's connection."""

    isolation_level = None

    def __init__(self, file: str, disk: str) -> None:
        self.driver = apsw.Connection(file, vfs=disk)

    def cursor(self) -> _Cursor:
        return _Cursor(self.driver)

    def execute(self, statement: str) -> None:
        self.cursor().execute(statement)

    def commit(self) -> None:
        if self.driver.in_transaction:
            self.execute("COMMIT")

    def rollback(self) -> None:
        if self.driver.in_transaction:
            self.execute("ROLLBACK")

    def close(self) -> None:
        self.driver.close()

    def create_function(self, name: str, count: int, function: Any, **_: bool) -> None:
        self.driver.create_scalar_function(name, function, count)


class _Cursor:
    """PEP 249's cursor, with all rows at once."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self.description: Sequence[tuple[Any, ...]] | None = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self.arraysize = 1
        self._rows: Iterator[Any] = iter(())

    def execute(self, statement: str, values: Any = ()) -> None:
        cursor = apsw.Cursor(self._connection)

        def described(running: apsw.Cursor, *_: object) -> bool:
            found = running.get_description()
            self.description = [(name, kind, None, None, None, None, None) for name, kind in found] or None
            return True

        cursor.exec_trace = described
        before = self._connection.total_changes()
        self._rows = iter(list(cursor.execute(statement, values)))
        self.rowcount = self._connection.total_changes() - before
        self.lastrowid = self._connection.last_insert_rowid()

    def executemany(self, statement: str, rows: Sequence[Any]) -> None:
        before = self._connection.total_changes()
        for values in rows:
            self.execute(statement, values)
        self.rowcount = self._connection.total_changes() - before

    def fetchone(self) -> Any:
        return next(self._rows, None)

    def fetchmany(self, size: int = 1) -> list[Any]:
        return [row for row, _ in zip(self._rows, range(size), strict=False)]

    def fetchall(self) -> list[Any]:
        return list(self._rows)

    def close(self) -> None:
        self._rows = iter(())


@dataclass
class _OnDisk:
    """`kept` is on the disk for certain, `since` was written after the last sync."""

    kept: bytearray = field(default_factory=bytearray)
    exists: bool = False
    since: list[Written] = field(default_factory=list)

    def sync(self) -> None:
        for written in self.since:
            self._apply(self.kept, written)
        self.exists, self.since = True, []

    def after_a_cut(self, dice: random.Random) -> bytes | None:
        """What is found there afterwards; None: no such file."""
        found, exists, luck = bytearray(self.kept), self.exists, dice.choice([0.0, 0.5, 0.95, 1.0])
        for written in self.since:
            for piece in _sectors(written):
                if dice.random() < luck:
                    exists = piece.offset is not None
                    self._apply(found, piece)
        return bytes(found) if exists else None

    def _apply(self, content: bytearray, written: Written) -> None:
        offset, data = written.offset, written.data
        if offset is None or data is None:
            del content[offset or 0 :]
            return
        content.extend(bytes(max(0, offset - len(content))))
        content[offset : offset + len(data)] = data


def _sectors(written: Written) -> Iterator[Written]:
    if written.data is None or written.offset is None:
        yield written
        return
    begin, end = written.offset, written.offset + len(written.data)
    edges = [begin, *range(begin - begin % SECTOR + SECTOR, end, SECTOR), end]
    for one, two in pairwise(edges):
        yield Written(written.file, one, written.data[one - begin : two - begin])


def cuts(
    disk: Disk, before: dict[str, bytes], moments: Sequence[int], dice: random.Random
) -> Iterator[tuple[int, int, dict[str, bytes]]]:
    """For each moment, as a count of events: how many writes were acknowledged by then, and the files that are found
    after a power cut. `before` are the files as they were on the disk when it began."""
    files = {name: _OnDisk(bytearray(data), exists=True) for name, data in before.items()}
    acknowledged = done = 0
    for moment in sorted(moments):
        for event in disk.events[done:moment]:
            if isinstance(event, Acknowledged):
                acknowledged = event.number
            elif isinstance(event, Placed):
                continue
            elif isinstance(event, Synced):
                files.setdefault(event.file, _OnDisk()).sync()
            else:
                files.setdefault(event.file, _OnDisk()).since.append(event)
        done = moment
        found = {name: file.after_a_cut(dice) for name, file in files.items()}
        yield moment, acknowledged, {name: data for name, data in found.items() if data is not None}


def placed(disk: Disk, moment: int, below: Path) -> dict[Path, bytes]:
    """The files below a folder that the application has on the disk for certain after that many events."""
    data: dict[int, bytes] = {}
    folders: dict[Path, dict[str, int]] = {}
    for event in disk.events[:moment]:
        if isinstance(event, Placed):
            if event.names is None:
                data[event.inode] = event.data
            else:
                folders[event.path] = event.names
    found, waiting = {}, [below]
    while waiting:
        here = waiting.pop()
        for name, inode in folders.get(here, {}).items():
            waiting.append(here / name)
            if inode in data:
                found[here / name] = data[inode]
    return found
