"""Whether a request that changes something may have been made by another site's page. Pure.

The rule of Go's CrossOriginProtection (net/http, 1.25): browsers say in Sec-Fetch-Site where a request comes from;
older ones name their Origin; what sends neither is no browser and carries no cookie that it was not given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from app.language import _

if TYPE_CHECKING:
    from collections.abc import Mapping

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
PORTS = {"http": 80, "https": 443}


def refusal(method: str, scheme: str, headers: Mapping[str, str]) -> str | None:
    """Why a request is refused, None where it may pass. `headers` are looked up in lower case.

    A bearer token cannot be sent by another site's page, so it passes; with a cookie beside it, it proves nothing.
    """
    if method in SAFE:
        return None
    if headers.get("authorization", "").lower().startswith("bearer ") and "cookie" not in headers:
        return None
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        if site in ("same-origin", "none"):
            return None
        return _("the request comes from another site's page (Sec-Fetch-Site: {site})").format(site=site[:40])
    own = _place(f"{scheme}://{headers.get('host', '')}")
    if origin is None or (own is not None and _place(origin) == own):
        return None
    return _("the request comes from another site's page (Origin: {origin})").format(origin=origin[:100])


def _place(origin: str) -> tuple[str, str, int | None] | None:
    """(scheme, host, port) of an origin; None for what is none ("null", a broken one)."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in PORTS or not parts.hostname or parts.path or parts.query or parts.fragment:
        return None
    return parts.scheme, parts.hostname, port or PORTS[parts.scheme]
