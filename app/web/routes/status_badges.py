"""How measuring again went, as a picture that other sites may show."""

from __future__ import annotations

from hashlib import sha256
from http import HTTPStatus

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.web.badge_svg import badge
from app.web.job_words import on_random_weights
from app.web.measurement_page import report_of, verdict_of
from app.web.reading import catalogue, measurements

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
    again = catalogue(request).claim(claim_id).reproduction
    measured = again.measurement
    dummy = measured is not None and on_random_weights(report_of(measurements(request).one(measured)).plan)
    return _picture(request, again.status, again.text, dummy=dummy)


@router.get("/measurements/{measurement_id}/badge.svg", response_class=Response)
def badge_of_measurement(request: Request, measurement_id: str) -> Response:
    """The verdict of a measurement. Raises NotFoundError."""
    row = measurements(request).one(measurement_id)
    verdict = verdict_of(row)
    status, text = (verdict.status, verdict.text) if verdict else ("measured", "There is no claim to set it against.")
    return _picture(request, status, text, dummy=on_random_weights(report_of(row).plan))


def _picture(request: Request, status: str, text: str, *, dummy: bool) -> Response:
    """304 to whoever has it as it is."""
    picture = badge(status, text, dummy=dummy)
    # Weak, because it goes out compressed or not under the same mark.
    mark = f'W/"{sha256(picture.encode()).hexdigest()[:32]}"'
    headers = {**HEADERS, "ETag": mark}
    if _has(request.headers.get("if-none-match", ""), mark):
        headers["Vary"] = "Accept-Encoding"  # the compression says so only of what has a body
        return Response(None, HTTPStatus.NOT_MODIFIED, headers)
    return Response(picture, media_type="image/svg+xml", headers=headers)


def _has(given: str, mark: str) -> bool:
    """Whether an If-None-Match names it; weak and strong marks compare alike there (RFC 9110, 13.1.2)."""
    named = [item.strip().removeprefix("W/") for item in given.split(",")]
    return given.strip() == "*" or mark.removeprefix("W/") in named
