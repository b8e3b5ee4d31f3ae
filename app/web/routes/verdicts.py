"""How verdicts are found."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.web.render import respond
from app.web.verdicts_page import verdicts_page

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/verdicts")
def verdicts(request: Request) -> HTMLResponse:
    return respond(request, verdicts_page())
