"""The axis registry."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.claims.rows import ClaimFilter
from app.web.axes_page import axes_page
from app.web.reading import catalogue
from app.web.render import respond

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/axes")
def axes(request: Request) -> HTMLResponse:
    facets = catalogue(request).page(ClaimFilter(), limit=1, facets=("axis",)).facets
    return respond(request, axes_page({value.value: value.count for facet in facets for value in facet.values}))
