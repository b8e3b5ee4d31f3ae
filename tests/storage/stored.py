"""Claims put into a database for a test."""

from __future__ import annotations

import datetime as dt
from itertools import groupby
from typing import TYPE_CHECKING

from app.claims.store import SourceRecord, put_source, raise_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlmodel import Session

    from app.claims.schema import ClaimRow
    from app.db import Database

NOW = dt.datetime(2026, 11, 29, tzinfo=dt.UTC)


def record(
    source_id: str = "post", content: str = "1", title: str = "A post", date: str | None = "2026-10-07"
) -> SourceRecord:
    return SourceRecord(
        id=source_id,
        title=title,
        url=None,
        url_seen_cited=False,
        date=date,
        publisher="An engine's team",
        interest="its own",
        type="blog",
        summary="What it says.",
        retrieved="2026-11-29",
        last_checked="2026-11-29",
        content_hash=content,
        document=f'{{"id":"{source_id}"}}',
    )


def store(database: Database, rows: Sequence[ClaimRow]) -> None:
    """Put rows into the database under their sources, as one change of the catalogue."""

    def work(session: Session) -> None:
        by_source = sorted(rows, key=lambda row: row.source.id)
        for source_id, members in groupby(by_source, key=lambda row: row.source.id):
            listed = list(members)
            source = listed[0].source
            put_source(session, record(source_id, str(len(listed)), source.title, source.date), listed, NOW)
        raise_version(session)

    database.write(work)
