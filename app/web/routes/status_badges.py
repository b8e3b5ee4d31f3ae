"""How measuring again went, or comparing two, as a picture that other sites may show."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.web.badge_svg import BadgeSaid, badge, badge_of, verdict_badge
from app.web.marked_answer import marked
from app.web.measurement_page import report_of, verdict_of
from app.web.reading import catalogue, compared, measurements, on_random_weights

router = APIRouter()
# A page elsewhere may show it, and a cache may keep it for some minutes; it says the same to everybody.
HEADERS = {
    "Cache-Control": "public, max-age=300, stale-while-revalidate=86400",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Allow-Origin": "*",
}


@router.get("/claims/{claim_id}/badge.svg", response_class=Response)
def badge_of_claim(request: Request, claim_id: str) -> Response:
    """The status of a claim. Raises NotFoundError."""
    row = catalogue(request).claim(claim_id)
    return _picture(request, badge_of(row), row.reproduction.text, dummy=on_random_weights(request, row))


@router.get("/measurements/{measurement_id}/badge.svg", response_class=Response)
def badge_of_measurement(request: Request, measurement_id: str) -> Response:
    """The verdict of a measurement. Raises NotFoundError."""
    row = measurements(request).one(measurement_id)
    verdict = verdict_of(row)
    text = verdict.text if verdict else "There is no claim to set it against."
    said = BadgeSaid.of_measurement(row.status, elsewhere=row.job_id is None)
    return _picture(request, said, text, dummy=report_of(row).plan.on_random_weights)


@router.get("/compare/badge.svg", response_class=Response)
def badge_of_comparison(request: Request) -> Response:
    """The verdict on two claims, `ids` as on the page. Raises NotFoundError, InvalidInputError."""
    _, _, found = compared(request, "badge")
    return marked(request, verdict_badge(found.verdict, found.summary), "image/svg+xml", HEADERS)


def _picture(request: Request, said: BadgeSaid, text: str, *, dummy: bool) -> Response:
    return marked(request, badge(said, text, dummy=dummy), "image/svg+xml", HEADERS)
