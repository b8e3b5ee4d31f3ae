"""A result file on its way in: read first, kept only where it is one.

A file waits for its turn in no thread, so that whoever sends many keeps nobody from reading pages.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import BusyError, UnreadError
from app.language import _
from app.results.apart import read_file
from app.results.importers import MOST_BYTES
from app.results.importers.source import RawSource
from app.results.queries import stored_import
from app.results.store import Sent, keep
from app.retold import retold

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import AsyncIterator

    from app.db import Database
    from app.results.files import Arriving, Files
    from app.results.importers import Format, ImportReport
    from app.results.queries import Stored

UPLOADS = 8  # files that come in or are read at a time: what they take of the disk and of file handles is bounded
WAITING = 64  # requests that wait for that, their bodies still unsent
READINGS = 2  # files that are read at a time; more would only take each other's processor
COMPUTINGS = 2  # attempts whose numbers are computed at a time, each in a process of its own
RETRY_S = 30


@dataclass(frozen=True)
class Read:
    """What was read in a file, under the name that it has here."""

    name: str
    report: ImportReport


class Intake:
    """Takes files in, each in its turn."""

    def __init__(self, files: Files, database: Database) -> None:
        self._files = files
        self._database = database
        self._requests = 0
        self._uploads = asyncio.Semaphore(UPLOADS)
        self.readings = asyncio.Semaphore(READINGS)
        self.computings = asyncio.Semaphore(COMPUTINGS)

    @asynccontextmanager
    async def arriving(self, most_bytes: int = MOST_BYTES) -> AsyncIterator[Arriving]:
        """Room for a file. Raises BusyError at once where too many wait already."""
        if self._requests >= UPLOADS + WAITING:
            raise BusyError(
                _("too many files are on their way here; try again in {retry_s} s").format(retry_s=RETRY_S), RETRY_S
            )
        self._requests += 1
        try:
            async with self._uploads:
                with self._files.arriving(most_bytes) as arriving:
                    yield arriving
        finally:
            self._requests -= 1

    async def read(self, arriving: Arriving, name: str, format: Format | None) -> Read:
        """What a file holds that is all here; given up where the caller is cancelled.

        A file that is known is read under the name that it was first sent by, because importers look at the name too.
        Raises UnreadError with every problem where no measurement can be read in it.
        """
        digest = arriving.whole().sha256
        known = await asyncio.to_thread(self._known, digest)
        named = known.name if known else RawSource.of(name, b"").name
        async with self.readings:
            report = await read_file(arriving.path, named, format)
        if report.format is None or not report.imported:
            raise _refused(report)
        return Read(named, report)

    def keep(self, arriving: Arriving, read: Read, owner: str, now: dt.datetime) -> Stored:
        """Keep the file with what was read in it. Raises NoSpaceError."""
        sent = Sent(arriving.keep(), read.name, read.report)
        return self._database.write(lambda session: keep(session, sent, owner, now))

    def _known(self, sha256: str) -> Stored | None:
        with self._database.read() as session:
            return stored_import(session, sha256)


def _refused(report: ImportReport) -> UnreadError:
    details: list[dict[str, object]] = [
        {"field": problem.path or "", "message": problem.message, "line": problem.line, "column": problem.column}
        for problem in report.problems
    ]
    if not details:
        details = [{"field": "", "message": _("the file holds no measurement")}]
    more = _(", and {n} more").format(n=len(details) - 1) if len(details) > 1 else ""
    first = str(details[0]["message"])
    return UnreadError(
        _("no result could be read in the file: {message}{more}").format(message=retold(first) or first, more=more),
        details,
    )
