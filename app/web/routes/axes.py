"""The axis registry."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.claims.rows import ClaimFilter
from app.web.agreement_page import agreement_page
from app.web.axes_page import axes_page
from app.web.reading import catalogue, measurements
from app.web.render import respond

SHOWN = 12  # measurements, whole

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/axes")
def axes(request: Request) -> HTMLResponse:
    facets = catalogue(request).page(ClaimFilter(), limit=1, facets=("axis",)).facets
    return respond(request, axes_page({value.value: value.count for facet in facets for value in facet.values}))


@router.get("/axes/agreement")
def agreement(request: Request) -> HTMLResponse:
    """Whether load tools agree with a server's own counters, and with one another."""
    return respond(request, agreement_page(measurements(request).page(limit=SHOWN, kinds=["agreement"]).items))
