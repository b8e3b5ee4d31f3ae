"""How verdicts are made, and the field's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.web.about_page import about_page
from app.web.glossary_page import glossary_page
from app.web.render import respond

if TYPE_CHECKING:
    from app.settings import Settings

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/about")
def about(request: Request) -> HTMLResponse:
    return respond(request, about_page(two_people=cast("Settings", request.app.state.settings).two_people))


@router.get("/glossary")
def glossary(request: Request) -> HTMLResponse:
    return respond(request, glossary_page())
