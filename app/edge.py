"""What holds for every request and response, pages and API alike, as a plain ASGI wrapper.

A browser is told to run and load only what this server itself serves. An address of absurd length is refused before
anybody parses it. What would change something is refused where another site's page asks for it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fastapi import Depends, Request

from app.accounts.csrf import refusal
from app.errors import ForbiddenError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_QUERY = 16_384  # bytes; the longest honest one (every facet value chosen) has about a tenth

# plotly.js adds one empty <style> element and fills it through the DOM: the hash is that of the empty text.
EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' {EMPTY_STYLE}",
        "img-src 'self' data: blob:",  # a chart is exported through an image of its own
        "connect-src 'self'",
        "font-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
TOO_LONG = {
    "error": {"code": "too_long", "message": f"a query string takes at most {LONGEST_QUERY} bytes", "details": []}
}


async def refuse_cross_site(request: Request) -> None:
    """As a dependency of every route. Raises ForbiddenError."""
    reason = refusal(request.method, request.url.scheme, request.headers)
    if reason is not None:
        raise ForbiddenError(reason)


SAME_SITE = Depends(refuse_cross_site)


class Edge:
    """ASGI middleware: security headers on every response, 414 for an over-long query string."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        if len(scope["query_string"]) > LONGEST_QUERY:
            await _refuse(send_with_headers)
        else:
            await self.app(scope, receive, send_with_headers)


async def _refuse(send: Send) -> None:
    body = json.dumps(TOO_LONG).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 414, "headers": headers})
    await send({"type": "http.response.body", "body": body})
