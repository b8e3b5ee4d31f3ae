"""A result file on its way in: read first, kept only where it is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.errors import InvalidInputError
from app.results.apart import read_file
from app.results.importers.source import RawSource
from app.results.queries import stored_import
from app.results.store import Sent, keep

if TYPE_CHECKING:
    import datetime as dt

    from app.db import Database
    from app.results.files import Arriving
    from app.results.importers import Format, ImportReport
    from app.results.queries import Stored


def take(
    arriving: Arriving, name: str, format: Format | None, database: Database, owner: str, now: dt.datetime
) -> Stored:
    """Keep a file that is all here, with what was read in it.

    A file that is known is read under the name that it was first sent by, because importers look at the name too.
    Raises InvalidInputError with every problem where no measurement can be read in it; then nothing is kept.
    """
    digest = arriving.whole().sha256
    with database.read() as session:
        known = stored_import(session, digest)
    named = known.name if known else RawSource.of(name, b"").name
    report = read_file(arriving.path, named, format)
    if report.format is None or not report.imported:
        raise _refused(report)
    sent = Sent(arriving.keep(), named, report)
    return database.write(lambda session: keep(session, sent, owner, now))


def _refused(report: ImportReport) -> InvalidInputError:
    details: list[dict[str, object]] = [
        {"field": problem.path or "", "message": problem.message, "line": problem.line, "column": problem.column}
        for problem in report.problems
    ]
    if not details:
        details = [{"field": "", "message": "the file holds no measurement"}]
    more = f", and {len(details) - 1} more" if len(details) > 1 else ""
    return InvalidInputError(f"no result could be read in the file: {details[0]['message']}{more}", details)
