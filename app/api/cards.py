"""Cards as JSON and YAML: reading, checking, recording, revising, taking back."""

from typing import TYPE_CHECKING, Annotated, cast

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from app.accounts.store import note_use
from app.api.access import INVALID, NOT_FOUND, Answers, database
from app.api.auth import CROSS_SITE, SIGNED_IN, IdempotencyKey, acting, may
from app.api.bodies import Body, BodyOf, invalid
from app.api.card_answers import as_yaml, checked, detailed, listed, revised, stored
from app.api.card_body import CARD_BODY, RETRACT_BODY
from app.api.card_schema import (
    CardChecked,
    CardDetail,
    CardList,
    CardListQuery,
    CardQuery,
    CardRevisions,
    CardStored,
    Retract,
    ReviseQuery,
)
from app.api.errors import ErrorBody
from app.api.once import answer, once_only
from app.cards.queries import CardFilter
from app.cards.store import Draft, Writer, create, retract, revise
from app.jobs.measurements import judge_again
from app.replay.store import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlmodel import Session

    from app.cards.load import ReadCard
    from app.cards.queries import Cards
    from app.clock import Clock
    from app.randomness import Randomness

router = APIRouter(prefix="/api/v1/cards", tags=["cards"])

BODY: Answers = {
    413: {"model": ErrorBody, "description": "more than 256 KB"},
    415: {"model": ErrorBody, "description": "a media type that is not taken"},
    422: {"model": ErrorBody, "description": "every problem, each with its field, rule, line and column"},
}
CONFLICT: Answers = {409: {"model": ErrorBody, "description": "the card was changed or retracted meanwhile"}}
YAML: Answers = {200: {"content": {"application/yaml": {"schema": {"type": "string"}}}, "description": "the card"}}


@router.get("", responses=INVALID)
def list_cards(request: Request, query: Annotated[CardListQuery, Query()]) -> CardList:
    """Cards, the newest first, plans and retracted ones too. Those with a number also stand in /api/v1/claims."""
    wanted = CardFilter(**{name: tuple(getattr(query, name)) for name in CardFilter.__dataclass_fields__})
    return listed(_cards(request).page(wanted, query.cursor, query.limit))


@router.post("/validate", responses={**CROSS_SITE, **BODY}, openapi_extra=CARD_BODY)
def validate_card(request: Request, body: BodyOf) -> CardChecked:
    """What recording this card would say. Stores nothing and needs no sign-in."""
    return checked(_sound(request, body))


@router.post(
    "",
    status_code=201,
    response_model=CardStored,
    responses={**SIGNED_IN, **BODY},
    openapi_extra=CARD_BODY,
    dependencies=[may("submit")],
)
def submit_card(request: Request, body: BodyOf, idempotency_key: IdempotencyKey = None) -> Response:
    """Record a card. Warnings are kept beside it; a card with errors is refused with all its findings."""
    actor = acting(request)

    def work() -> "Callable[[Session], Reply]":
        draft = _draft(_sound(request, body))
        now, randomness = _clock(request).now(), cast("Randomness", request.app.state.randomness)
        return lambda session: stored(create(session, draft, Writer.of(actor), now, randomness), 201)

    return once_only(request, actor, idempotency_key, body, work)


@router.get("/{card_id}.yaml", response_class=Response, responses={**YAML, **INVALID, **NOT_FOUND})
def card_as_yaml(request: Request, card_id: str, query: Annotated[CardQuery, Query()]) -> Response:
    """A card as people write it, in one normal spelling."""
    return Response(as_yaml(_cards(request).card(card_id, query.revision)), media_type="application/yaml")


@router.get("/{card_id}", response_model=CardDetail, responses={**INVALID, **NOT_FOUND})
def one_card(request: Request, card_id: str, query: Annotated[CardQuery, Query()]) -> Response:
    """A card with its findings, in its newest revision or in an earlier one."""
    return Response(detailed(_cards(request).card(card_id, query.revision)), media_type="application/json")


@router.get("/{card_id}/revisions", responses=NOT_FOUND)
def card_revisions(request: Request, card_id: str) -> CardRevisions:
    """Every revision of a card, the first one first, each with what it changed."""
    return revised(_cards(request).revisions(card_id))


@router.put(
    "/{card_id}",
    response_model=CardStored,
    responses={**SIGNED_IN, **NOT_FOUND, **CONFLICT, **BODY},
    openapi_extra=CARD_BODY,
    dependencies=[may("submit")],
)
def revise_card(request: Request, card_id: str, body: BodyOf, query: Annotated[ReviseQuery, Query()]) -> Response:
    """Add a revision: the whole card as it now is. Earlier revisions stay. The same content again adds none."""
    actor = acting(request)
    draft = _draft(_sound(request, body), query.note)
    now = _clock(request).now()

    def work(session: "Session") -> Reply:
        note_use(session, actor, now)
        record = revise(session, card_id, query.revision, draft, Writer.of(actor), now)
        judge_again(session, card_id)
        return stored(record, 200)

    return answer(database(request).write(work), again=False)


@router.post(
    "/{card_id}/retract",
    response_model=CardDetail,
    responses={**SIGNED_IN, **NOT_FOUND, **CONFLICT, **BODY},
    openapi_extra=RETRACT_BODY,
    dependencies=[may("submit")],
)
def retract_card(request: Request, card_id: str, body: BodyOf, idempotency_key: IdempotencyKey = None) -> Response:
    """Take a card back. It stays readable and says so wherever it is shown."""
    actor = acting(request)

    def work() -> "Callable[[Session], Reply]":
        reason = body.json(Retract).reason
        now = _clock(request).now()
        return lambda session: Reply(200, detailed(retract(session, card_id, reason, Writer.of(actor), now)))

    return once_only(request, actor, idempotency_key, body, work)


def _cards(request: Request) -> "Cards":
    return cast("Cards", request.app.state.cards)


def _clock(request: Request) -> "Clock":
    return cast("Clock", request.app.state.clock)


def _sound(request: Request, body: Body) -> "ReadCard":
    """The card of a body. Raises CardInvalidError with all findings where one is an error."""
    read = _cards(request).check(body.card())
    if read.errors:
        raise invalid(read.findings)
    return read


def _draft(read: "ReadCard", note: str | None = None) -> Draft:
    assert read.card is not None
    return Draft(read.card, read.findings, note)
