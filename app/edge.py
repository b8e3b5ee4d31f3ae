"""What holds for every request and response, pages and API alike, as a plain ASGI wrapper.

A browser is told to run and load only what this server itself serves, by every answer, a failure's too. An address or
a body of absurd length is refused before anybody parses it. What would change something is refused where another
site's page asks for it. Each request gets an id, by which its line in the log is found, and is counted.
"""

from __future__ import annotations

import logging
import re
import secrets
from time import perf_counter
from typing import TYPE_CHECKING

from fastapi import Depends, Request
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect

from app.accounts.csrf import refusal
from app.claims.search import CONTROLS
from app.errors import AppError, ForbiddenError, NotFoundError, TooLargeError, TooLongError
from app.language import _, number, speaking
from app.logs import REQUEST

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapi import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from app.language import Language
    from app.metrics import Metrics

LOG = logging.getLogger("benchcard.request")
LONGEST_LOGGED = 2000  # characters of a path
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
FRAMEWORK = (413, 500)  # what the framework answers by itself, in a shape of its own


async def refuse_cross_site(request: Request) -> None:
    """As a dependency of every route. Raises ForbiddenError."""
    reason = refusal(request.method, request.url.scheme, request.headers)
    if reason is not None:
        raise ForbiddenError(reason)


SAME_SITE = Depends(refuse_cross_site)


def is_api(path: str) -> bool:
    """Whether a program asks: then the answer is JSON, and English."""
    return path.startswith("/api/") or path in ("/healthz", "/metrics")


class Edge:
    """ASGI middleware around everything, the framework's own failures too.

    `refuse` answers an error in the shape that fits the address, `language` tells in which language it is answered.
    """

    def __init__(
        self,
        app: ASGIApp,
        refuse: Callable[[Request, int, AppError], Response],
        metrics: Metrics,
        language: Callable[[Request], Language],
    ) -> None:
        self.app = app
        self.refuse = refuse
        self.metrics = metrics
        self.language = language

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = secrets.token_hex(8)
        REQUEST.set(request_id)  # not taken back: the server logs a failure of ours in the same task
        answer = _Answer(send, request_id, without_body=scope["method"] == "HEAD")
        inner, started = _as_read(scope), perf_counter()
        try:
            with speaking(self.language(Request(inner))):
                await self._answer(inner, receive, answer)
        finally:
            self._note(scope, inner, answer.status, perf_counter() - started)

    async def _answer(self, inner: Scope, receive: Receive, answer: _Answer) -> None:
        error = _refusal(inner)
        if error is not None:
            await self._refuse(inner, receive, answer, error)
            return
        try:
            await self.app(inner, receive, answer)
        except ClientDisconnect:  # nobody is there to be answered, and nothing went wrong here
            return
        except Exception:
            if not answer.started:
                failed = AppError(
                    _("something went wrong here; it is in the server's log as request {request_id}").format(
                        request_id=answer.request_id
                    )
                )
                await self._refuse(inner, receive, answer, failed)
            raise  # the server logs it
        if answer.withheld:
            await self._refuse(inner, receive, answer, TooLargeError())

    def _note(self, scope: Scope, inner: Scope, status: int | None, seconds: float) -> None:
        """Count the request and log it: never its query, a header or a body, where secrets are."""
        route = _template(inner)
        self.metrics.answered(scope["method"], route, status or 499, seconds)  # 499: gone before it was answered
        fields = {
            "method": scope["method"][:20],
            "path": scope["path"][:LONGEST_LOGGED],
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "actor": inner["state"].get("actor"),
            "client": scope["client"][0] if scope.get("client") else None,
        }
        LOG.log(logging.ERROR if status == 500 else logging.INFO, "request", extra={"fields": fields})

    async def _refuse(self, scope: Scope, receive: Receive, answer: _Answer, error: AppError) -> None:
        answer.withheld = False
        # Only the path is needed from here on, and an over-long query is not to be read.
        request = Request({**scope, "query_string": b""})
        await self.refuse(request, error.status, error)(scope, receive, answer)


class _Answer:
    """Sends with the security headers, and to HEAD the same headers as to GET but no body.

    What the framework itself answers in plain text, to a failure and to too large a body, is withheld.
    """

    def __init__(self, send: Send, request_id: str, *, without_body: bool) -> None:
        self.request_id = request_id
        self.status: int | None = None
        self.started = False
        self.withheld = False
        self._send = send
        self._without_body = without_body

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = Headers(raw=message["headers"]).get("content-type", "")
            self.withheld = message["status"] in FRAMEWORK and kind.startswith("text/plain")
            message["headers"] = [*message["headers"], *HEADERS, (b"x-request-id", self.request_id.encode())]
            self.status = message["status"]
        elif self._without_body:
            message = {**message, "body": b""}
        if not self.withheld:
            self.started = True
            await self._send(message)


def _as_read(scope: Scope) -> Scope:
    """The request as the routes see it: HEAD is a GET without an answer's body, and gzip is asked for or not."""
    others = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
    if takes_gzip(Headers(scope=scope).getlist("accept-encoding")):
        others.append((b"accept-encoding", b"gzip"))
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    return {**scope, "method": method, "headers": others, "state": dict(scope.get("state", {}))}


def _template(scope: Scope) -> str:
    """The address's template: there are few of these, whatever is asked for."""
    route = scope.get("route")
    if route is not None:
        return str(getattr(route, "path", "none"))
    return "/static" if scope["path"].startswith("/static/") else "none"


def takes_gzip(given: Sequence[str]) -> bool:
    """Whether Accept-Encoding allows gzip and does not prefer the plain text (RFC 9110, 12.5.3)."""
    asked = weights(given)
    gzip = asked.get("gzip", asked.get("x-gzip", asked.get("*", 0.0)))
    return gzip > 0 and gzip >= asked.get("identity", 0.0)


def weights(given: Sequence[str]) -> dict[str, float]:
    """What an Accept header names, in lower case, with how much it is wanted, 0 to 1 (RFC 9110, 12.4.2)."""
    asked = {}
    for item in ",".join(given).lower().split(","):
        name, *parameters = (part.strip() for part in item.split(";"))
        asked[name] = _weight(next((part[2:] for part in parameters if part.startswith("q=")), "1"))
    return asked


def _weight(text: str) -> float:
    """0 for what is no weight: then the plain text is sent, which everybody can read."""
    return float(text) if re.fullmatch(r"0(\.\d{0,3})?|1(\.0{0,3})?", text) else 0.0


def _refusal(scope: Scope) -> AppError | None:
    if len(scope["query_string"]) > LONGEST_QUERY:
        return TooLongError(
            _("a query string takes at most {longest_query} bytes").format(longest_query=number(LONGEST_QUERY))
        )
    if re.search(CONTROLS, scope["path"]):
        return NotFoundError(_("no address has control characters"))
    return None
