"""The shipped files into the database: all of them or, where one is wrong, none."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from app.catalogue.rows import rows
from app.claims.store import SourceRecord, put_source, raise_version, release_moved, stored_sources, withdraw_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlmodel import Session

    from app.catalogue.load import LoadedSource
    from app.clock import Clock
    from app.db import Database


def load_into(database: Database, loaded: Sequence[LoadedSource], clock: Clock) -> Counter[str]:
    """Make the database say what the files say. Returns how many sources were added, revised, refreshed (worded anew
    by us), unchanged or withdrawn."""
    return database.write(lambda session: _store(session, loaded, clock))


def _store(session: Session, loaded: Sequence[LoadedSource], clock: Clock) -> Counter[str]:
    sources = [item.source for item in loaded]
    now = clock.now()
    gone = sorted(stored_sources(session) - {source.id for source in sources})
    for source_id in gone:
        withdraw_source(session, source_id, now)
    release_moved(session, {claim.id: source.id for source in sources for claim in source.claims})
    changes: Counter[str] = Counter(withdrawn=len(gone))
    for item in loaded:
        changes[put_source(session, record(item), rows(item.source, sources), now)] += 1
    if changes.total() > changes["unchanged"]:
        raise_version(session)
    return +changes


def record(loaded: LoadedSource) -> SourceRecord:
    source = loaded.source
    return SourceRecord(
        id=source.id,
        title=source.title,
        url=source.url,
        url_seen_cited=source.url_seen_cited,
        date=source.date,
        publisher=source.publisher,
        interest=source.interest,
        type=source.type,
        summary=source.summary,
        retrieved=source.retrieved.isoformat(),
        last_checked=source.last_checked.isoformat(),
        content_hash=loaded.content_hash,
        document=source.model_dump_json(),
    )
