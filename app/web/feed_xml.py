"""What is new as an Atom feed (RFC 4287), and the site's addresses for search engines. Pure."""

from __future__ import annotations

import datetime as dt
import re
from html import escape
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.news import NewsItem

HEADINGS = {
    "source": "New claims",
    "revision": "Source revised",
    "withdrawal": "Source withdrawn",
    "card": "New card",
    "verdict": "Measured again",
}
NOTHING_YET = dt.datetime(1970, 1, 1)  # noqa: DTZ001 (as the database keeps it: UTC without a zone)
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
DECLARED = '<?xml version="1.0" encoding="utf-8"?>'
PAGES = (
    "/",
    "/cards",
    "/sources",
    "/axes",
    "/axes/agreement",
    "/verdicts",
    "/about",
    "/glossary",
    "/compare",
    "/tools",
    "/api/docs",
    "/changelog",
)


def feed(items: Sequence[NewsItem], root: str) -> str:
    """`root`: this server's address, without a slash at its end. Ids name events, whatever the server is called."""
    updated = max((item.at for item in items), default=NOTHING_YET)
    return "\n".join(
        (
            DECLARED,
            '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
            "<title>Benchcard: new claims, revised sources and verdicts</title>",
            f"<id>{_id('feed')}</id>",
            f"<updated>{_moment(updated)}</updated>",
            f'<link rel="self" type="application/atom+xml" href="{_text(root)}/feed.atom"/>',
            f'<link rel="alternate" type="text/html" href="{_text(root)}/"/>',
            "<author><name>Benchcard</name></author>",
            *(_entry(item, root) for item in items),
            "</feed>",
            "",
        )
    )


def _entry(item: NewsItem, root: str) -> str:
    return (
        f"<entry><title>{_text(f'{HEADINGS[item.kind]}: {item.title}')}</title><id>{_id(item.key)}</id>"
        f"<updated>{_moment(item.at)}</updated>"
        f'<link rel="alternate" type="text/html" href="{_text(root + item.url)}"/>'
        f'<category term="{item.kind}"/><summary>{_text(item.text)}</summary></entry>'
    )


def sitemap(addresses: Iterable[str], root: str) -> str:
    found = (f"<url><loc>{_text(root + address)}</loc></url>" for address in (*PAGES, *addresses))
    opened = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return "\n".join((DECLARED, opened, *found, "</urlset>", ""))


def robots(root: str) -> str:
    """Pages may be found; the API and what only leads to writing need not be."""
    return f"User-agent: *\nDisallow: /api/v1/\nDisallow: /sign-in\nSitemap: {root}/sitemap.xml\n"


def _id(key: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'benchcard:{key}')}"


def _moment(at: dt.datetime) -> str:
    return (at.astimezone(dt.UTC) if at.tzinfo else at).strftime("%Y-%m-%dT%H:%M:%SZ")


def _text(text: str) -> str:
    """What XML can hold of it, as text."""
    return escape(NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))
