"""What is new, for feed readers; every address, for search engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, RedirectResponse, Response

from app.asked import root
from app.web.feed_xml import feed, robots, sitemap
from app.web.marked_answer import marked

if TYPE_CHECKING:
    from app.news import News

MOST = 50
CACHED = {"Cache-Control": "public, max-age=300"}
router = APIRouter()


def _news(request: Request) -> News:
    return cast("News", request.app.state.news)


@router.get("/feed.atom", response_class=Response)
def atom(request: Request) -> Response:
    """The newest claims, revisions and verdicts."""
    return marked(request, feed(_news(request).newest(MOST), root(request)), "application/atom+xml", CACHED)


@router.get("/feed", response_class=RedirectResponse)
def where_the_feed_is() -> RedirectResponse:
    """What people type who look for it."""
    return RedirectResponse("/feed.atom", 301, CACHED)


@router.get("/sitemap.xml", response_class=Response)
def all_addresses(request: Request) -> Response:
    return marked(request, sitemap(_news(request).addresses(), root(request)), "application/xml", CACHED)


@router.get("/robots.txt", response_class=PlainTextResponse)
def for_robots(request: Request) -> PlainTextResponse:
    return PlainTextResponse(robots(root(request)), headers=CACHED)
