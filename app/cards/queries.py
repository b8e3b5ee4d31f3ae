"""Reading cards. Every function answers from one state of the database and returns frozen records."""

from __future__ import annotations

import datetime as dt
import difflib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func
from sqlmodel import col, select

from app.cards.record import CardRecord, Retraction, Revision
from app.cards.rules import Finding
from app.cards.schema import Card
from app.cards.tables import CardRawTable, CardRevisionTable, CardTable
from app.errors import InvalidInputError, NotFoundError
from app.ids import could_be_id
from app.language import F_, _, in_english
from app.yaml_tree import Place

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlmodel import Session

    from app.cards.load import ReadCard
    from app.cards.record import State
    from app.claims.queries import Claims
    from app.clock import Clock
    from app.db import Database

LONGEST_PAGE = 500
FIRST_YEAR = 2017  # of a language model of this kind
NEAR = 2000  # ids that are looked through for one that resembles


@dataclass(frozen=True)
class CardFilter:
    """Values by column; an empty one does not filter. Names as the claims table spells them."""

    engine: Sequence[str] = ()
    model: Sequence[str] = ()
    hardware: Sequence[str] = ()
    axis: Sequence[str] = ()
    state: Sequence[State] = ()
    repeats: Sequence[str] = ()


@dataclass(frozen=True)
class CardRow:
    """A card in a list."""

    number: int
    id: str
    revision: int
    title: str
    author: str
    created_at: dt.datetime
    changed_at: dt.datetime
    engine: str | None
    model: str | None
    hardware: str | None
    axis: str | None
    repeats: str | None
    state: str
    completeness: int
    retraction: str | None


@dataclass(frozen=True)
class CardPage:
    items: tuple[CardRow, ...]
    total: int
    next: str | None


class Cards:
    """The read side of cards."""

    def __init__(self, database: Database, claims: Claims, clock: Clock) -> None:
        self._database = database
        self._claims = claims
        self._clock = clock

    def card(self, card_id: str, revision: int | None = None) -> CardRecord:
        """A card in its newest revision or in an earlier one. Raises NotFoundError with near ids."""
        with self._database.read() as session:
            record = record_of(session, card_id, revision)
            if record is not None:
                return record
            stored = _stored(session, card_id)
            if stored is None:
                raise not_found(session, card_id)
        message = no_revision(stored.revision, revision)
        raise NotFoundError(message, [{"field": "revision", "message": message, "near": [str(stored.revision)]}])

    def revisions(self, card_id: str) -> list[Revision]:
        """Every state of a card, the first one first. Raises NotFoundError."""
        with self._database.read() as session:
            if _stored(session, card_id) is None:
                raise not_found(session, card_id)
            found = select(CardRevisionTable).where(CardRevisionTable.card_id == card_id)
            rows = session.exec(found.order_by(col(CardRevisionTable.revision))).all()
        return [_revision(row) for row in rows]

    def page(self, wanted: CardFilter, cursor: str | None = None, limit: int = 50) -> CardPage:
        """Cards, the newest first. Raises InvalidInputError for a cursor or limit that cannot be."""
        before = _before(cursor)
        if not 1 <= limit <= LONGEST_PAGE:
            message = _("a page has 1 to {longest} cards").format(longest=LONGEST_PAGE)
            raise InvalidInputError(message, [{"field": "limit", "message": message}])
        chosen = [
            col(getattr(CardTable, name)).in_(values)
            for name in CardFilter.__dataclass_fields__
            if (values := getattr(wanted, name))
        ]
        later = [] if before is None else [col(CardTable.number) < before]
        page = select(CardTable).where(*chosen, *later).order_by(col(CardTable.number).desc()).limit(limit + 1)
        with self._database.read() as session:
            total = session.exec(select(func.count()).select_from(CardTable).where(*chosen)).one()
            rows = session.exec(page).all()
        items = tuple(_row(row) for row in rows[:limit])
        return CardPage(items, total, str(items[-1].number) if len(rows) > limit else None)

    def values(self) -> dict[str, list[tuple[str, int]]]:
        """What the list can be filtered by: each column's values with their number of cards, the commonest first."""
        found: dict[str, list[tuple[str, int]]] = {}
        with self._database.read() as session:
            for name in CardFilter.__dataclass_fields__:
                column = col(getattr(CardTable, name))
                rows = session.exec(select(column, func.count()).where(column.is_not(None)).group_by(column)).all()
                found[name] = sorted(((str(value), count) for value, count in rows), key=lambda row: (-row[1], row[0]))
        return found

    def repeating(self, claim_id: str) -> tuple[CardRow, ...]:
        """The cards that measured this claim again, the newest first."""
        return self.page(CardFilter(repeats=(claim_id,)), limit=LONGEST_PAGE).items

    def naming(self, digests: Collection[str]) -> tuple[CardRow, ...]:
        """The cards that name one of these files as their raw data, the newest first, retracted ones too."""
        named = select(CardRawTable.card_id).where(col(CardRawTable.sha256).in_(digests))
        found = select(CardTable).where(col(CardTable.id).in_(named)).order_by(col(CardTable.number).desc())
        with self._database.read() as session:
            return tuple(map(_row, session.exec(found.limit(LONGEST_PAGE)).all()))

    @in_english
    def check(self, read: ReadCard) -> ReadCard:
        """What only the other records and the clock can say of a card: whether the claim that it repeats exists, and
        measures the same thing; whether its day can be one."""
        card = read.readable
        found = [item for item in (self._day(card), self._repeats(card)) if item] if card else []
        return read.adding(found) if found else read

    def _day(self, card: Card) -> Finding | None:
        day = card.result.measured_at if card.result else None
        today = self._clock.now().date()
        if day is None or (
            day.year >= FIRST_YEAR and day <= today + dt.timedelta(days=1)
        ):  # in the east it is tomorrow
            return None
        form = F_("is {day}; a day from {year}-01-01 to {today} is expected")
        return Finding("E-day", "error", "result.measured_at", form.format(day=day, year=FIRST_YEAR, today=today))

    def _repeats(self, card: Card) -> Finding | None:
        if card.repeats is None:
            return None
        try:
            claim = self._claims.claim(card.repeats)
        except NotFoundError as error:
            return Finding("E-repeats", "error", "repeats", str(error.details[0]["message"]))
        if card.metric is None or card.metric.axis == claim.axis:
            return None
        form = F_("that claim measures `{axis}`, this card `{own}`")
        return Finding("W-repeats", "warning", "repeats", form.format(axis=claim.axis, own=card.metric.axis))


def no_revision(newest: int, wanted: int | None) -> str:
    return _("the card has the revisions 1 to {newest}, no {wanted}").format(newest=newest, wanted=wanted)


def record_of(session: Session, card_id: str, revision: int | None = None) -> CardRecord | None:
    """A card in one revision, None where there is no such card or revision."""
    stored = _stored(session, card_id)
    if stored is None:
        return None
    row = session.get(CardRevisionTable, (card_id, stored.revision if revision is None else revision))
    if row is None:
        return None
    retraction = None
    if stored.retracted_at is not None:
        retraction = Retraction(stored.retracted_at, str(stored.retracted_by), str(stored.retraction))
    return CardRecord(
        id=card_id,
        revision=_revision(row),
        newest=stored.revision,
        author=stored.author,
        owner=stored.owner,
        created=stored.created_at,
        retraction=retraction,
    )


def not_found(session: Session, card_id: str) -> NotFoundError:
    """Names the card that is not there with ids that look like it."""
    shown = card_id if len(card_id) <= 80 else f"{card_id[:80]}..."
    newest = select(CardTable.id).order_by(col(CardTable.number).desc()).limit(NEAR)
    near = difflib.get_close_matches(card_id[:80], session.exec(newest).all(), n=3)
    message = _("there is no card `{shown}`").format(shown=shown)
    message += _("; did you mean `{first}`?").format(first=near[0]) if near else ""
    return NotFoundError(message, [{"field": "id", "message": message, "near": near}])


def _stored(session: Session, card_id: str) -> CardTable | None:
    if not could_be_id(card_id):
        return None
    return session.exec(select(CardTable).where(CardTable.id == card_id)).first()


def _revision(row: CardRevisionTable) -> Revision:
    return Revision(
        number=row.revision,
        card=Card.model_validate_json(row.document),
        findings=tuple(_finding(item) for item in json.loads(row.findings)),
        axis_version=row.axis_version,
        author=row.author,
        note=row.note,
        at=row.created_at,
    )


def _finding(item: dict[str, Any]) -> Finding:
    place = item.pop("place")
    return Finding(**item, place=Place(**place) if place else None)


def _row(stored: CardTable) -> CardRow:
    return CardRow(**{name: getattr(stored, name) for name in CardRow.__dataclass_fields__})


def _before(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 9):
        message = _("this cursor belongs to another list; leave it out to begin at the first page")
        raise InvalidInputError(message, [{"field": "cursor", "message": message}])
    return int(cursor)
