"""Reading imported files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlmodel import col, select

from app.errors import NotFoundError
from app.language import _
from app.results.importers import ImportReport
from app.results.tables import ImportedCardTable, ImportTable

if TYPE_CHECKING:
    import datetime as dt

    from sqlmodel import Session

    from app.db import Database

DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Stored:
    """A kept file with what was read in it."""

    sha256: str
    name: str
    size: int
    report: ImportReport
    owner: str
    created_at: dt.datetime
    recorded: dict[int, tuple[str, ...]]  # ids of cards by part


class Imports:
    """The read side of imports."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def one(self, sha256: str) -> Stored:
        """Raises NotFoundError."""
        with self._database.read() as session:
            found = stored_import(session, sha256)
        if found is None:
            message = _("no file with this digest was imported here")
            raise NotFoundError(message, [{"field": "sha256", "message": message}])
        return found


def stored_import(session: Session, sha256: str) -> Stored | None:
    if not DIGEST.fullmatch(sha256):
        return None
    row = session.exec(select(ImportTable).where(col(ImportTable.sha256) == sha256)).first()
    if row is None:
        return None
    report = ImportReport.model_validate_json(row.report)
    recorded: dict[int, tuple[str, ...]] = {}
    of_file = select(ImportedCardTable).where(col(ImportedCardTable.sha256) == sha256)
    for made in session.exec(of_file.order_by(col(ImportedCardTable.card_id))):
        recorded[made.part] = (*recorded.get(made.part, ()), made.card_id)
    return Stored(row.sha256, row.name, row.size, report, row.owner, row.created_at, recorded)
