"""What changed."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.settings import ROOT
from app.web.changelog_page import changelog_page
from app.web.render import respond

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/changelog")
def changelog(request: Request) -> HTMLResponse:
    return respond(request, changelog_page((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))
