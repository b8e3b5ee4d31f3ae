"""Pictures that other sites show beside a link: of a claim, a card, a comparison, a measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.asked import root
from app.cards.row import card_row
from app.errors import NotFoundError
from app.web.marked_answer import marked_bytes
from app.web.measurement_page import of_claim as measured_claim
from app.web.measurement_page import picture_of, report_of
from app.web.picture import mark, png
from app.web.picture_words import of_claim, of_comparison
from app.web.reading import cards, catalogue, compared, measurements, present

if TYPE_CHECKING:
    from app.web.picture_words import Picture

router = APIRouter()
# Everybody gets the same, so a cache may answer for us; it asks again after some minutes.
HEADERS = {
    "Cache-Control": "public, max-age=3600, stale-while-revalidate=86400",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


@router.get("/claims/{claim_id}/picture.png", response_class=Response)
def picture_of_claim(request: Request, claim_id: str) -> Response:
    """Raises NotFoundError."""
    return _answer(request, of_claim(catalogue(request).claim(claim_id), root(request)))


@router.get("/cards/{card_id}/picture.png", response_class=Response)
def picture_of_card(request: Request, card_id: str) -> Response:
    """Raises NotFoundError, also for a card without a result."""
    row = card_row(cards(request).card(card_id))
    if row is None:
        raise NotFoundError(f"the card `{card_id}` has no result, so there is nothing to draw")
    return _answer(request, of_claim(row, root(request)))


@router.get("/compare/picture.png", response_class=Response)
def picture_of_comparison(request: Request) -> Response:
    """Of two claims, `ids` as on the page. Raises NotFoundError, InvalidInputError."""
    a, b, found = compared(request, "picture")
    return _answer(request, of_comparison(a, b, found, root(request)))


@router.get("/measurements/{measurement_id}/picture.png", response_class=Response)
def picture_of_measurement(request: Request, measurement_id: str) -> Response:
    """Raises NotFoundError."""
    row = measurements(request).one(measurement_id)
    report, of = report_of(row), measured_claim(row)
    claim = present(catalogue(request), [of]).get(of) if of else None
    return _answer(request, picture_of(row, report, claim, root(request)))


def _answer(request: Request, picture: Picture) -> Response:
    return marked_bytes(request, mark(picture), lambda: png(picture), "image/png", HEADERS)
