"""Imported files -> the API's shapes. Pure."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from app.api.card_answers import card_stored
from app.api.card_schema import CardQuestion
from app.api.import_schema import CardsStored, ImportDetail, ImportedCard, ImportProblem, ImportRead, ImportWarning
from app.cards.completeness import completeness
from app.cards.export import to_yaml
from app.claims.wording import number, with_unit
from app.replay.store import Reply
from app.results.importers import TOOL_NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.cards.record import CardRecord
    from app.results.importers import Imported, ImportReport
    from app.results.queries import Stored

NONE: Mapping[int, Sequence[str]] = MappingProxyType({})


def detailed(stored: Stored) -> ImportDetail:
    kept = {"sha256": stored.sha256, "name": stored.name, "size": stored.size, "url": f"/import/{stored.sha256}"}
    return ImportDetail.model_validate(
        {**kept, "created_at": stored.created_at, **read_in(stored.report, stored.recorded).model_dump()}
    )


def read_in(report: ImportReport, recorded: Mapping[int, Sequence[str]] = NONE) -> ImportRead:
    """A report that has cards."""
    assert report.format is not None
    return ImportRead(
        format=report.format,
        tool=TOOL_NAMES[report.format],
        tool_version=report.tool_version,
        cards=[_card(part, one, recorded.get(part, ())) for part, one in enumerate(report.imported, start=1)],
        problems=[ImportProblem.model_validate(problem.model_dump()) for problem in report.problems],
    )


def recorded(records: Sequence[CardRecord]) -> Reply:
    items = [card_stored(record) for record in records]
    return Reply(201, CardsStored(items=items, total=len(items)).model_dump_json())


def _card(part: int, imported: Imported, recorded: Sequence[str]) -> ImportedCard:
    card = imported.card
    assert card.result is not None
    assert card.metric is not None
    return ImportedCard(
        part=part,
        where=imported.where,
        headline=with_unit(number(card.result.value), card.result.unit),
        axis=card.metric.axis,
        yaml=to_yaml(card),
        warnings=[ImportWarning.model_validate(warned.model_dump()) for warned in imported.warnings],
        questions=[CardQuestion(field=asked.field, question=asked.question) for asked in imported.questions],
        completeness=completeness(card),
        recorded=list(recorded),
    )
