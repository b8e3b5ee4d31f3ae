"""Keeping a result file with what was read in it, and recording its cards. Inside the caller's transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import SQLModel

import app.results.tables  # noqa: F401 (declares the tables)
from app.cards.store import create
from app.results.queries import Stored, stored_import

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from sqlmodel import Session

    from app.cards.record import CardRecord
    from app.cards.store import Draft, Writer
    from app.randomness import Randomness
    from app.results.files import Kept
    from app.results.importers import ImportReport

IMPORT, IMPORTED_CARD = SQLModel.metadata.tables["result_import"], SQLModel.metadata.tables["result_import_card"]


@dataclass(frozen=True)
class Sent:
    """A file as it was sent: its bytes are kept already, and an importer knew them."""

    kept: Kept
    name: str
    report: ImportReport


def record(
    session: Session, sha256: str, drafts: Mapping[int, Draft], by: Writer, now: dt.datetime, randomness: Randomness
) -> list[CardRecord]:
    """Record the cards of a file, by part, and which part each came from."""
    made = {part: create(session, draft, by, now, randomness) for part, draft in drafts.items()}
    rows = [{"card_id": card.id, "sha256": sha256, "part": part} for part, card in made.items()]
    session.connection().execute(sa.insert(IMPORTED_CARD), rows)
    return list(made.values())


def keep(session: Session, sent: Sent, owner: str, now: dt.datetime) -> Stored:
    """Note the file. Sent again, by whomever, it stays one file under its first name; what a newer importer reads in
    it replaces the old, where it was read under that name and for the same tool."""
    known = stored_import(session, sent.kept.sha256)
    read = {"format": sent.report.format, "report": sent.report.model_dump_json()}
    if known is not None and not _newer(sent, known):
        return known
    if known is not None:
        here = IMPORT.c.sha256 == sent.kept.sha256
        session.connection().execute(sa.update(IMPORT).where(here).values(**read))
    else:
        row = {"sha256": sent.kept.sha256, "name": sent.name, "size": sent.kept.size, "owner": owner, "created_at": now}
        session.connection().execute(sa.insert(IMPORT).values(**row, **read))
    found = stored_import(session, sent.kept.sha256)
    assert found is not None
    return found


def _newer(sent: Sent, known: Stored) -> bool:
    """Whether `sent` is another reading of the same; a recorded card's part keeps its number."""
    same = (sent.name, sent.report.format) == (known.name, known.report.format)
    return same and (not known.recorded or len(sent.report.imported) == len(known.report.imported))
