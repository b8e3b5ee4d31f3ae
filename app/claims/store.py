"""Writing sources and their claims. Every function works inside the caller's transaction."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import bindparam, delete, func, insert, update
from sqlmodel import SQLModel, col, select

from app.claims.schema import ClaimRow
from app.claims.search import search_text
from app.claims.tables import ClaimTable, SourceRevisionTable, SourceTable

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from sqlmodel import Session

    from app.claims.schema import Claim, Reproduction

Change = Literal["added", "revised", "refreshed", "unchanged"]

CLAIM, STATE = SQLModel.metadata.tables["claim"], SQLModel.metadata.tables["catalogue_state"]
INSERT_CLAIM = insert(CLAIM)
OF_CARD = delete(CLAIM).where(CLAIM.c.card_id == bindparam("card"))
RAISE = update(STATE).values(version=STATE.c.version + 1)
TIMES = {"us": ("ms", 0.001), "s": ("ms", 1000.0)}
KINDS = ("absolute", "ratio", "change")
UNITS = ("ms", "tok/s", "tok/s/GPU", "tok/s/node", "tok/s/user", "req/s", "tokens/step", "tokens", "bytes/token", "GiB")
OTHER_UNIT = 20
NO_VALUE = 99  # sorts behind everything


@dataclass(frozen=True)
class SourceRecord:
    """What is kept of a source beside its claims; `document` is the whole source as JSON."""

    id: str
    title: str
    url: str | None
    url_seen_cited: bool
    date: str | None
    publisher: str
    interest: str
    type: str
    summary: str
    retrieved: str
    last_checked: str
    content_hash: str
    document: str


def put_source(session: Session, record: SourceRecord, rows: Sequence[ClaimRow], now: dt.datetime) -> Change:
    """Store a source as its file now says. Another content makes a revision; other wording of ours only new rows."""
    documents = [row.model_dump_json() for row in rows]
    rows_hash = sha256("\n".join(documents).encode()).hexdigest()
    stored = session.get(SourceTable, record.id)
    same_content = stored is not None and stored.content_hash == record.content_hash
    if stored and same_content and stored.rows_hash == rows_hash:
        return "unchanged"
    revision = stored.revision if stored and same_content else _next_revision(session, record.id)
    values = {**asdict(record), "revision": revision, "rows_hash": rows_hash, "loaded_at": now}
    if stored:
        session.execute(delete(ClaimTable).where(col(ClaimTable.source_id) == record.id))
        session.execute(update(SourceTable).where(col(SourceTable.id) == record.id).values(**values))
    else:
        session.execute(insert(SourceTable).values(**values))
    if not same_content:
        _add_revision(session, record.id, revision, now, content_hash=record.content_hash, document=record.document)
    insert_claims(session, [columns(row, text) for row, text in zip(rows, documents, strict=True)])
    return "refreshed" if same_content else "revised" if stored else "added"


def withdraw_source(session: Session, source_id: str, now: dt.datetime) -> None:
    """Take a source and its claims out of the table. Its revisions stay, with one more that says so."""
    session.execute(delete(ClaimTable).where(col(ClaimTable.source_id) == source_id))
    session.execute(delete(SourceTable).where(col(SourceTable.id) == source_id))
    _add_revision(session, source_id, _next_revision(session, source_id), now, content_hash=None, document=None)


def release_moved(session: Session, owners: dict[str, str]) -> None:
    """Remove claims that another source holds from now on. `owners`: claim id -> source id of the new state."""
    of_sources = select(ClaimTable.id, ClaimTable.source_id).where(col(ClaimTable.source_id).is_not(None))
    stored = session.exec(of_sources).all()
    moved = [claim_id for claim_id, source_id in stored if owners.get(claim_id, source_id) != source_id]
    for claim_id in moved:
        session.execute(delete(ClaimTable).where(col(ClaimTable.id) == claim_id))


def stored_sources(session: Session) -> set[str]:
    return set(session.exec(select(SourceTable.id)))


def raise_version(session: Session) -> None:
    """Tell every reader that its index is stale. Belongs into the transaction of the change itself."""
    session.connection().execute(RAISE)


def insert_claims(session: Session, claims: Sequence[dict[str, Any]]) -> None:
    if claims:
        session.connection().execute(INSERT_CLAIM, claims)


def add_card_row(session: Session, row: ClaimRow) -> None:
    """Make the table show a card that it does not show yet."""
    insert_claims(session, [columns(row, row.model_dump_json())])
    raise_version(session)


def put_card_row(session: Session, card_id: str, row: ClaimRow | None) -> None:
    """Make the table show a card as it is now; without a row (a plan has no number) it shows none. How measuring it
    again went stays said."""
    known = stored_row(session, card_id)
    gone = session.connection().execute(OF_CARD, {"card": card_id})
    if row is not None:
        add_card_row(session, row.model_copy(update={"reproduction": known.reproduction}) if known else row)
    elif gone.rowcount:
        raise_version(session)


def stored_row(session: Session, claim_id: str) -> ClaimRow | None:
    """A claim, or the row of a card, as this transaction sees it."""
    stored = session.connection().execute(select(CLAIM.c.document).where(CLAIM.c.id == claim_id)).scalar()
    return None if stored is None else ClaimRow.model_validate_json(stored)


def set_reproduction(session: Session, claim_id: str, found: Reproduction) -> bool:
    """Make a claim's row say how measuring it again here went; who repeated it elsewhere stays said. Whether that is
    new. A claim that is no longer there has no row to say it."""
    row = stored_row(session, claim_id)
    if row is None:
        return False
    known = row.reproduction
    others = known.text if known.status == "repeated_by_others" else known.others
    renewed = row.model_copy(update={"reproduction": found.model_copy(update={"others": others})})
    if renewed == row:
        return False
    values = columns(renewed, renewed.model_dump_json())
    changed = {name: values[name] for name in ("status", "search", "document")}
    session.connection().execute(update(CLAIM).where(CLAIM.c.id == claim_id).values(**changed))
    return True


def columns(row: ClaimRow, document: str) -> dict[str, Any]:
    """A claim as its table's columns."""
    group, value = sort_key(row)
    return {
        "id": row.id,
        "source_id": None if row.card else row.source.id,
        "card_id": row.card.id if row.card else None,
        "rank": row.rank,
        "date": date_number(row.source.date),
        "engine": row.conditions.engine.name,
        "model": row.conditions.model.id,
        "axis": row.axis,
        "kind": row.kind,
        "scope": row.scope,
        "hardware": row.conditions.hardware.accelerator,
        "acceptance": row.acceptance.kind,
        "stated_in": row.stated_in,
        "status": row.reproduction.status,
        "caveats": " ".join(dict.fromkeys(caveat.kind for caveat in row.caveats)),
        "sort_group": group,
        "sort_value": value,
        "search": search_text(row),
        "document": document,
    }


def sort_key(claim: Claim) -> tuple[int, float | None]:
    """(group, value) for sorting by value. Only one kind in one unit shares a group: 5x is not below 873 tok/s.

    Times are set to ms; a range counts as its middle; a claim without a single number has none and comes last.
    """
    value = claim.value
    if value is None and claim.low is not None and claim.high is not None:
        value = (claim.low + claim.high) / 2
    if value is None:
        return NO_VALUE, None
    unit, factor = TIMES.get(claim.unit, (claim.unit, 1.0))
    place = UNITS.index(unit) if claim.kind == "absolute" and unit in UNITS else OTHER_UNIT
    return KINDS.index(claim.kind) * 30 + place, float(value) * factor


def date_number(date: str | None) -> int:
    """ "2026-10-07" -> 20261007, "2026-10" -> 20261000; 0 where no date is stated."""
    found = re.match(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", date or "")
    return int("".join(part or "00" for part in found.groups())) if found else 0


def _next_revision(session: Session, source_id: str) -> int:
    newest = select(func.max(SourceRevisionTable.revision)).where(SourceRevisionTable.source_id == source_id)
    return (session.exec(newest).one() or 0) + 1


def _add_revision(
    session: Session, source_id: str, revision: int, now: dt.datetime, *, content_hash: str | None, document: str | None
) -> None:
    values = {"source_id": source_id, "revision": revision, "loaded_at": now}
    session.execute(insert(SourceRevisionTable).values(**values, content_hash=content_hash, document=document))
