"""Bench cards, read: the list, one card, its revisions, and what a card may say."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.asked import root
from app.cards.queries import CardFilter, no_revision
from app.cards.record import State
from app.catalogue.models import weights
from app.compare.verdict import compare
from app.errors import InvalidInputError, NotFoundError
from app.language import _
from app.web.card_begin import titled
from app.web.card_list_page import card_list_page, card_results, filter_pairs
from app.web.card_page import Around, card_page, claim_row
from app.web.card_revisions_page import revisions_page
from app.web.card_schema_page import schema_page
from app.web.contexts import Trouble
from app.web.reading import cards, catalogue, measured_again, measurements, of_sources, present
from app.web.render import respond
from app.web.state import address
from app.web.visitor import may_change, visitor
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.cards.queries import CardPage
    from app.cards.record import CardRecord
    from app.claims.schema import ClaimRow
    from app.compare.schema import Comparison

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/cards")
def list_of_cards(request: Request) -> HTMLResponse:
    """Cards, the newest first; a filter that cannot be taken is named and left out."""
    wanted, troubles = _wanted(request.query_params.getlist)
    cursor = request.query_params.get("cursor") or None
    page, cursor, refused = _page(request, wanted, cursor)
    rows = present(catalogue(request), [item.id for item in page.items if item.state != "plan"])
    part = card_results(wanted, page, rows, cursor, [*troubles, *refused])
    context = card_list_page(wanted, cards(request).values(), part)
    headers = {"HX-Push-Url": address("/cards", filter_pairs(wanted))}
    return respond(request, context, part=part, status=422 if troubles or refused else 200, headers=headers)


def _wanted(getlist: Callable[[str], list[str]]) -> tuple[CardFilter, list[Trouble]]:
    given = {name: [value for value in getlist(name) if value] for name in CardFilter.__dataclass_fields__}
    states = get_args(State)
    wrong = [value for value in given["state"] if value not in states]
    given["state"] = [value for value in given["state"] if value in states]
    form = _("“{value}” is no state of a card; it takes {states}")
    troubles = [Trouble("state", form.format(value=value[:80], states=", ".join(states))) for value in wrong]
    return CardFilter(**{name: tuple(values) for name, values in given.items()}), troubles  # type: ignore[arg-type]


def _page(request: Request, wanted: CardFilter, cursor: str | None) -> tuple[CardPage, str | None, list[Trouble]]:
    try:
        return cards(request).page(wanted, cursor), cursor, []
    except InvalidInputError as error:
        return cards(request).page(wanted), None, [Trouble("cursor", plain(error.message))]


@router.get("/cards/schema")
def card_schema(request: Request) -> HTMLResponse:
    """What a card may say, and the rules that judge it."""
    return respond(request, schema_page())


@router.get("/cards/{card_id}")
def one_card(request: Request, card_id: str) -> HTMLResponse:
    """A card in its newest revision, or in the one asked for. Raises NotFoundError, InvalidInputError."""
    record = cards(request).card(card_id, revision_asked(request, "revision"))
    row = claim_row(record)
    claim, verdict = _repeated(request, record, row)
    around = Around(
        revisions=cards(request).revisions(card_id),
        claim=claim,
        verdict=verdict,
        related=catalogue(request).related(row) if row else (),
        repeated_by=measured_again(request, card_id),
        measured_in=measurements(request).computed_from([item.sha256 for item in record.card.raw or ()]),
        root=root(request),
        may_change=may_change(visitor(request), record),
    )
    return respond(request, card_page(record, around))


def _repeated(request: Request, record: CardRecord, row: ClaimRow | None) -> tuple[ClaimRow | None, Comparison | None]:
    """The claim that a card repeats, where there is such a claim, and the verdict on the two."""
    reading, given = catalogue(request), record.card.repeats
    claim = present(reading, [given]).get(given) if given else None
    if claim is None or row is None:
        return claim, None
    return claim, compare(claim, row, of_sources(reading, [claim]), weights())


@router.get("/cards/{card_id}/revisions")
def card_revisions(request: Request, card_id: str) -> HTMLResponse:
    """All revisions, and what changed between two: the newest and the one before unless others are asked for."""
    record = cards(request).card(card_id)
    asked_old, asked_new = (revision_asked(request, name) for name in ("from", "to"))
    new = record.newest if asked_new is None else asked_new
    old = max(1, new - 1) if asked_old is None else asked_old
    revisions = cards(request).revisions(card_id)
    _known(len(revisions), (old, new))
    return respond(request, revisions_page(record, titled(record), revisions, old, new))


def _known(newest: int, wanted: Sequence[int]) -> None:
    for number in wanted:
        if not 1 <= number <= newest:
            message = no_revision(newest, number)
            raise NotFoundError(message, [{"field": "revision", "message": message}])


def revision_asked(request: Request, name: str) -> int | None:
    """A revision's number from the address; None where none is asked for. Raises InvalidInputError."""
    given = request.query_params.get(name, "")
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= 9):
        message = _("a revision is a whole number, not `{given}`").format(given=given[:40])
        raise InvalidInputError(message, [{"field": name, "message": message}])
    return int(given)
