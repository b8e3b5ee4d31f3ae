"""The description of the JSON API, for people."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.asked import root
from app.web.api_docs import api_docs
from app.web.render import respond
from app.web.speaking import SPEAKING

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/api/docs", dependencies=[SPEAKING])
def documentation(request: Request) -> HTMLResponse:
    return respond(request, api_docs(request.app.openapi(), root(request)))
