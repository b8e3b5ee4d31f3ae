"""What is new: sources that came, changed or went, cards that were recorded, verdicts on what was measured."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa
from sqlmodel import SQLModel

import app.cards.tables
import app.claims.tables
import app.jobs.tables  # noqa: F401 (declares the tables)
from app.compare.reproduction import WORDS
from app.protocol.outcome import Report

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator

    from sqlmodel import Session

    from app.compare.reproduction import Status
    from app.db import Database

TABLES = SQLModel.metadata.tables
REVISION, SOURCE, CLAIM = TABLES["source_revision"].c, TABLES["source"].c, TABLES["claim"].c
CARD, MEASUREMENT = TABLES["card"].c, TABLES["measurement"].c
LONGEST_SITEMAP = 40_000  # claims; the format allows 50,000 addresses


@dataclass(frozen=True)
class NewsItem:
    """`key` names the event for ever; `url` is the page that it happened to, within this site."""

    kind: Literal["source", "revision", "withdrawal", "card", "verdict"]
    key: str
    at: dt.datetime
    title: str
    text: str
    url: str


class News:
    def __init__(self, database: Database) -> None:
        self._database = database

    def newest(self, most: int) -> list[NewsItem]:
        """The newest events, the newest first."""
        with self._database.read() as session:
            found = [*_sources(session, most), *_cards(session, most), *_verdicts(session, most)]
        return sorted(found, key=lambda item: (item.at, item.key), reverse=True)[:most]

    def addresses(self) -> list[str]:
        """Every source's page and every claim's, as far as one sitemap holds them."""
        with self._database.read() as session:
            sources = session.execute(sa.select(SOURCE.id).order_by(SOURCE.id)).scalars().all()
            claims = session.execute(sa.select(CLAIM.id).order_by(CLAIM.rank, CLAIM.id).limit(LONGEST_SITEMAP))
            return [*(f"/sources/{item}" for item in sources), *(f"/claims/{item}" for item in claims.scalars())]


def _sources(session: Session, most: int) -> Iterator[NewsItem]:
    gone = REVISION.document.is_(None)
    statement = (
        sa.select(REVISION.source_id, REVISION.revision, REVISION.loaded_at, gone, SOURCE.title, SOURCE.summary)
        .join_from(TABLES["source_revision"], TABLES["source"], SOURCE.id == REVISION.source_id, isouter=True)
        .order_by(REVISION.loaded_at.desc(), REVISION.source_id)
        .limit(most)
    )
    for source, revision, at, withdrawn, title, summary in session.execute(statement):
        kind: Any = "withdrawal" if withdrawn else "source" if revision == 1 else "revision"
        url = f"/sources/{source}" if title else "/sources"
        yield NewsItem(kind, f"source:{source}:{revision}", at, title or source, summary or "", url)


def _cards(session: Session, most: int) -> Iterator[NewsItem]:
    statement = sa.select(CARD.id, CARD.created_at, CARD.title, CARD.author).order_by(CARD.number.desc()).limit(most)
    for card, at, title, author in session.execute(statement):
        yield NewsItem("card", f"card:{card}", at, title, f"Recorded by {author}.", f"/cards/{card}")


def _verdicts(session: Session, most: int) -> Iterator[NewsItem]:
    """Without their numbers, which stand beside their conditions on the measurement's page."""
    judged = sa.func.coalesce(MEASUREMENT.claim_id, MEASUREMENT.card_id)  # a card's row is a claim by the card's id
    statement = (
        sa.select(MEASUREMENT.id, MEASUREMENT.created_at, MEASUREMENT.verdict, MEASUREMENT.report, CLAIM.document)
        .join_from(TABLES["measurement"], TABLES["claim"], CLAIM.id == judged)
        .where(MEASUREMENT.verdict.is_not(None))
        .order_by(MEASUREMENT.number.desc())
        .limit(most)
    )
    for measurement, at, verdict, report, document in session.execute(statement):
        status: Status = json.loads(verdict)["status"]
        dummy = Report.model_validate_json(report).plan.on_random_weights
        text = WORDS[status] + (", on random weights" if dummy else "")
        title = json.loads(document)["title"]
        yield NewsItem("verdict", f"measurement:{measurement}", at, title, text, f"/measurements/{measurement}")
