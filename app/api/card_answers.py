"""Card records -> the API's shapes. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from app.api.bodies import detail
from app.api.card_schema import (
    CardChange,
    CardChecked,
    CardDetail,
    CardItem,
    CardList,
    CardQuestion,
    CardRevision,
    CardRevisions,
    CardStored,
)
from app.cards.completeness import percent_without, questions
from app.cards.diff import diff
from app.cards.export import to_yaml
from app.cards.row import title
from app.replay.store import Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.cards.completeness import Needed
    from app.cards.load import ReadCard
    from app.cards.queries import CardPage
    from app.cards.record import CardRecord, Revision
    from app.cards.rules import Finding


def checked(read: ReadCard) -> CardChecked:
    assert read.card is not None
    judged = _judged(read.findings, questions(read.card))
    return CardChecked.model_validate({**judged, "yaml": to_yaml(read.card)})


def stored(record: CardRecord, status: int) -> Reply:
    """The answer to a write, as it is kept for retries."""
    return Reply(status, card_stored(record).model_dump_json(), f"/api/v1/cards/{record.id}")


def card_stored(record: CardRecord) -> CardStored:
    return CardStored.model_validate(_stored(record))


def detailed(record: CardRecord) -> str:
    """One card as JSON. The card itself is given as it is stored, without what it does not state."""
    revision, retraction = record.revision, record.retraction
    found = CardDetail(
        **_stored(record),
        title=title(record),
        state=record.state,
        newest=record.newest,
        author=record.author,
        created_at=record.created,
        revised_by=revision.author,
        revised_at=revision.at,
        note=revision.note,
        retraction=asdict(retraction) if retraction else None,
        claim=f"/api/v1/claims/{record.id}" if record.has_number else None,
        card=record.card,
    )
    around = found.model_dump(mode="json", exclude={"card"})
    return json.dumps({**around, "card": record.card.model_dump(mode="json", exclude_none=True)}, ensure_ascii=False)


def as_yaml(record: CardRecord) -> str:
    """The card as people write it. That it was retracted is no part of it, and stands above it as a comment."""
    retraction = record.retraction
    if retraction is None:
        return to_yaml(record.card)
    reason = " ".join(retraction.reason.split())
    return f"# Retracted {retraction.at:%Y-%m-%d} by {retraction.by}: {reason}\n{to_yaml(record.card)}"


def listed(page: CardPage) -> CardList:
    items = [CardItem.model_validate({**asdict(row), "url": f"/cards/{row.id}"}) for row in page.items]
    return CardList(items=items, total=page.total, next=page.next)


def revised(revisions: Sequence[Revision]) -> CardRevisions:
    changes: list[list[CardChange]] = [[]]
    for before, after in pairwise(revisions):
        changes.append([CardChange.model_validate(asdict(change)) for change in diff(before.card, after.card)])
    items = [
        CardRevision(revision=item.number, author=item.author, at=item.at, note=item.note, changes=changed)
        for item, changed in zip(revisions, changes, strict=True)
    ]
    return CardRevisions(items=items, total=len(items))


def _stored(record: CardRecord) -> dict[str, Any]:
    around = {"id": record.id, "revision": record.revision.number, "url": f"/cards/{record.id}"}
    return around | _judged(record.revision.findings, record.missing)


def _judged(findings: Sequence[Finding], missing: tuple[Needed, ...]) -> dict[str, Any]:
    return {
        "findings": [detail(finding) for finding in findings],
        "completeness": percent_without(missing),
        "questions": [CardQuestion(field=need.field, question=need.question) for need in missing],
    }
