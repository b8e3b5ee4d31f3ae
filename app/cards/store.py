"""Writing cards. Every function works inside the caller's transaction, the claims table's row in the same one."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import sqlalchemy as sa
from sqlmodel import SQLModel

import app.cards.tables  # noqa: F401 (declares the tables)
from app.axes import AXES
from app.cards import names
from app.cards.queries import not_found, record_of
from app.cards.record import CardRecord, Retraction, Revision
from app.cards.row import card_row, title
from app.claims.store import add_card_row, put_card_row
from app.errors import ConflictError, ForbiddenError
from app.ids import could_be_id, letters
from app.language import _

if TYPE_CHECKING:
    import datetime as dt

    from sqlmodel import Session

    from app.cards.rules import Finding
    from app.cards.schema import Card
    from app.randomness import Randomness

CARD, REVISION, RAW = (SQLModel.metadata.tables[name] for name in ("card", "card_revision", "card_raw"))
OF_CARD = CARD.c.id == sa.bindparam("card")
# Built once: to build a statement costs more than to run it.
INSERT_CARD, INSERT_REVISION, UPDATE_CARD = sa.insert(CARD), sa.insert(REVISION), sa.update(CARD).where(OF_CARD)
INSERT_RAW, DELETE_RAW = sa.insert(RAW), sa.delete(RAW).where(RAW.c.card_id == sa.bindparam("card"))
LOCKED = sa.select(CARD.c.number).where(OF_CARD).with_for_update()


class Author(Protocol):
    """Somebody who is signed in (app.accounts.tokens.Actor)."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    def may(self, scope: Literal["maintain"]) -> bool: ...


@dataclass(frozen=True)
class Writer:
    """Who writes: `name` is shown, `owner` is the token that a card belongs to; a maintainer may change every card."""

    name: str
    owner: str
    maintains: bool = False

    @classmethod
    def of(cls, actor: Author) -> Writer:
        return cls(actor.name, actor.id, actor.may("maintain"))


@dataclass(frozen=True)
class Draft:
    """A card that was read without errors, and what its author says of this revision."""

    card: Card
    findings: tuple[Finding, ...]
    note: str | None = None


def create(session: Session, draft: Draft, by: Writer, now: dt.datetime, randomness: Randomness) -> CardRecord:
    """Store a new card under an id of its own. Raises IntegrityError where the id that was drawn is taken, which a
    second try mends (app.replay.store): to look first would cost every card a statement."""
    record = CardRecord(
        id=f"card-{now:%Y%m%d}-{letters(randomness)}",  # sorts by day
        revision=_revision(1, draft, by, now),
        newest=1,
        author=by.name,
        owner=by.owner,
        created=now,
        retraction=None,
    )
    session.connection().execute(INSERT_CARD, _columns(record, now))
    session.connection().execute(INSERT_REVISION, _revision_columns(record))
    _name_raw(session, record)
    row = card_row(record)
    if row is not None:
        add_card_row(session, row)
    return record


def revise(session: Session, card_id: str, expected: int, draft: Draft, by: Writer, now: dt.datetime) -> CardRecord:
    """Add a revision to a card whose newest is `expected`. The same content again adds none, also where it names the
    revision that the first sending named: then the answer to that one was lost.

    Raises NotFoundError, ForbiddenError for another's card, ConflictError for a stale or retracted one.
    """
    stored = _writable(session, card_id, by)
    same = document(stored.card) == document(draft.card)
    if same and expected < stored.newest and stored.revision.author == by.name:
        return stored
    if stored.newest != expected:
        message = _("the card is at revision {newest}, not {expected}: somebody changed it; read it again").format(
            newest=stored.newest, expected=expected
        )
        raise ConflictError(message, [{"field": "revision", "message": message, "near": [str(stored.newest)]}])
    if same:
        return stored
    number = stored.newest + 1
    record = replace(stored, revision=_revision(number, draft, by, now), newest=number)
    session.connection().execute(INSERT_REVISION, _revision_columns(record))
    session.connection().execute(DELETE_RAW, {"card": record.id})
    _name_raw(session, record)
    _renew(session, record, now)
    return record


def retract(session: Session, card_id: str, reason: str, by: Writer, now: dt.datetime) -> CardRecord:
    """Take a card back. It stays readable and says so. Raises as `revise` does."""
    record = replace(_writable(session, card_id, by), retraction=Retraction(now, by.name, reason))
    _renew(session, record, now)
    return record


def document(card: Card) -> str:
    """The card as JSON, without what it does not state."""
    return card.model_dump_json(exclude_none=True)


def _writable(session: Session, card_id: str, by: Writer) -> CardRecord:
    """The card as it will stay until this transaction ends: another server that wants to write it waits."""
    if could_be_id(card_id):
        session.connection().execute(LOCKED, {"card": card_id})
    record = record_of(session, card_id)
    if record is None:
        raise not_found(session, card_id)
    if record.owner != by.owner and not by.maintains:
        other = _("this card belongs to {author}; others need the scope `maintain`")
        raise ForbiddenError(other.format(author=record.author))
    if record.retraction is not None:
        gone = _("the card was retracted ({reason}); record a new one")
        raise ConflictError(gone.format(reason=record.retraction.reason))
    return record


def _revision(number: int, draft: Draft, by: Writer, now: dt.datetime) -> Revision:
    axis = AXES.get(draft.card.metric.axis) if draft.card.metric else None
    return Revision(
        number=number,
        card=draft.card,
        findings=draft.findings,
        axis_version=axis.version if axis else 1,
        author=by.name,
        note=draft.note,
        at=now,
    )


def _name_raw(session: Session, record: CardRecord) -> None:
    digests = dict.fromkeys(item.sha256 for item in record.card.raw or ())
    if digests:
        session.connection().execute(INSERT_RAW, [{"card_id": record.id, "sha256": digest} for digest in digests])


def _renew(session: Session, record: CardRecord, now: dt.datetime) -> None:
    session.connection().execute(UPDATE_CARD, {"card": record.id, **_columns(record, now)})
    put_card_row(session, record.id, card_row(record))


def _columns(record: CardRecord, now: dt.datetime) -> dict[str, Any]:
    """The card's columns; names in the spelling that the claims table uses."""
    card, retraction = record.card, record.retraction
    return {
        "id": record.id,
        "revision": record.newest,
        "title": title(record),
        "author": record.author,
        "owner": record.owner,
        "created_at": record.created,
        "changed_at": now,
        "engine": names.engine(card.engine.name) if card.engine else None,
        "model": names.model(card.model.id) if card.model else None,
        "hardware": names.gpu(card.hardware.accelerator) if card.hardware else None,
        "axis": card.metric.axis if card.metric else None,
        "repeats": card.repeats,
        "state": record.state,
        "completeness": record.completeness,
        "retracted_at": retraction.at if retraction else None,
        "retracted_by": retraction.by if retraction else None,
        "retraction": retraction.reason if retraction else None,
    }


def _revision_columns(record: CardRecord) -> dict[str, Any]:
    revision = record.revision
    return {
        "card_id": record.id,
        "revision": revision.number,
        "document": document(revision.card),
        "findings": json.dumps([asdict(finding) for finding in revision.findings]),
        "axis_version": revision.axis_version,
        "author": revision.author,
        "note": revision.note,
        "created_at": revision.at,
    }
