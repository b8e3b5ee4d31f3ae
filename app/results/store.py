"""Keeping a result file with what was read in it. Runs inside the caller's transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import SQLModel

import app.results.tables  # noqa: F401 (declares the table)
from app.results.queries import Stored, stored_import

if TYPE_CHECKING:
    import datetime as dt

    from sqlmodel import Session

    from app.results.files import Kept
    from app.results.importers import ImportReport

IMPORT = SQLModel.metadata.tables["result_import"]


@dataclass(frozen=True)
class Sent:
    """A file as it was sent: its bytes are kept already, and an importer knew them."""

    kept: Kept
    name: str
    report: ImportReport


def keep(session: Session, sent: Sent, owner: str, now: dt.datetime) -> Stored:
    """Note the file. Sent again, by whomever, it stays one file; what a newer importer reads in it replaces the old."""
    known = stored_import(session, sent.kept.sha256)
    read = {"format": sent.report.format, "report": sent.report.model_dump_json()}
    if known is not None:
        here = IMPORT.c.sha256 == sent.kept.sha256
        session.connection().execute(sa.update(IMPORT).where(here).values(**read))
    else:
        row = {"sha256": sent.kept.sha256, "name": sent.name, "size": sent.kept.size, "owner": owner, "created_at": now}
        session.connection().execute(sa.insert(IMPORT).values(**row, **read))
    found = stored_import(session, sent.kept.sha256)
    assert found is not None
    return found
