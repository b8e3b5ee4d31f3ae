"""A claim as others may quote it: as text, Markdown and HTML. Pure.

No number goes out without what it measures, against what, under which conditions and what to mind of it. Whatever the
record holds stays text in all three: it is escaped, set in one line, and linked only where the address is a web page's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from app.claims.caveats import CAVEATS, said
from app.claims.wording import headline
from app.claims.words import against, conditions, measures
from app.language import in_english

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.claims.schema import ClaimRow

TRACED = "verified from trace"
MARKED = re.compile(r"([\\`*_\[\]<>|~&#$])")  # what Markdown may take for more than text inside a line
IN_ADDRESS = ":/?#[]@!$&'*+,;=%"  # what an address keeps; no bracket, quotation mark or blank ends it early
WEB = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a quotation; `url` is where its text leads to, "" for nowhere."""

    name: str
    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """What is said first, and the lines that belong to it."""

    lead: str
    rest: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Quotation:
    """The same words three times: to be read, for a page in Markdown, for a page in HTML. `short` is for a message: it
    names the caveats and does not tell them."""

    short: str
    text: str
    markdown: str
    html: str


@in_english
def quote_claim(row: ClaimRow, root: str) -> Quotation:
    """`root`: this server's address, without a slash at its end."""
    return quotation([claim_part(row, root)], f"{short_claim(row)} {page_of(row, root)}")


@in_english
def short_claim(row: ClaimRow) -> str:
    """In one sentence or two: the number with what it measures, against what, where, what to mind, and who says it."""
    mind = ", ".join(dict.fromkeys(CAVEATS[kind] for kind, _ in said(row)))
    told = (
        f"{headline(row)} ({verified(row)}): {measures(row)}, against {against(row.baseline)}; {_conditions(row)}; "
        f"mind: {mind or 'no caveat recorded'} ({row.source.publisher}, {row.source.date or 'undated'})"
    )
    return _ended(_plain(told))


def page_of(row: ClaimRow, root: str) -> str:
    return f"{root}/cards/{row.card.id}" if row.card else f"{root}/claims/{row.id}"


@in_english
def claim_part(row: ClaimRow, root: str) -> Part:
    return Part(headline(row), f"({verified(row)}): {measures(row)}; {_ended(row.title)}", tuple(_lines(row, root)))


def verified(row: ClaimRow) -> str:
    """ "unverified" until somebody measured the number again, or its own traces are kept here; an attempt that gave no
    number verifies nothing."""
    again = row.reproduction
    others = again.text if again.status == "repeated_by_others" else again.others
    told = again.text.rstrip(".")
    found = [told if again.imported else f"measured again: {told}"] if again.measured is not None else []
    found += [f"repeated by others: {others.rstrip('.')}"] if others else []
    found += [TRACED] if row.evidence else []
    return "; ".join(found) or "unverified"


def _lines(row: ClaimRow, root: str) -> Iterator[Line]:
    yield Line("Against", against(row.baseline))
    yield Line("Conditions", _conditions(row))
    mind = [f"{CAVEATS[kind]} ({text.rstrip('.')})" for kind, text in said(row)]
    yield Line("Mind", "; ".join(mind) or "no caveat recorded")
    source = row.source
    day = f"recorded {row.retrieved}" if row.card else f"retrieved {row.retrieved}, last checked {row.last_checked}"
    told = f"{source.publisher}, “{source.title}”, {source.date or 'undated'}, {row.locator}, {day}"
    yield Line("Source", told, source.url or "")
    yield Line("Benchcard", row.title, page_of(row, root))


def _conditions(row: ClaimRow) -> str:
    given = row.conditions
    engine = " ".join(word for word in (given.engine.name, given.engine.version) if word) or "engine not stated"
    return ", ".join(
        part for part in (engine, given.model.id or "model not stated", conditions(row), row.statistic) if part
    )


def quotation(parts: Sequence[Part], short: str) -> Quotation:
    return Quotation(
        short=short,
        text="\n\n".join(map(_text, parts)),
        markdown="\n>\n".join(map(_markdown, parts)),
        html="<blockquote>\n" + "\n".join(map(_html, parts)) + "\n</blockquote>",
    )


def _text(part: Part) -> str:
    lines = [f"{line.name}: {_plain(line.text)}" + (f", {line.url}" if line.url else ".") for line in part.lines]
    return "\n".join((f"{_plain(part.lead)} {_plain(part.rest)}", *lines))


def _markdown(part: Part) -> str:
    lines = [f"> - {line.name}: {_linked(line)}" for line in part.lines]
    return "\n".join((f"> **{_marked(part.lead)}** {_marked(part.rest)}", ">", *lines))


def _linked(line: Line) -> str:
    url = _address(line.url).replace("&", "&amp;")
    return f"[{_marked(line.text)}]({url})" if url else _marked(line.text)


def _html(part: Part) -> str:
    lines = [f"<li>{line.name}: {_anchor(line)}</li>" for line in part.lines]
    said_first = f"<p><strong>{escape(_plain(part.lead))}</strong> {escape(_plain(part.rest))}</p>"
    return "\n".join((said_first, "<ul>", *lines, "</ul>"))


def _anchor(line: Line) -> str:
    text, url = escape(_plain(line.text)), _address(line.url)
    return f'<a href="{escape(url)}">{text}</a>' if url else text


def _address(url: str) -> str:
    """An address that ends nowhere but at its end; "" for what is no web page's."""
    return quote(url, safe=IN_ADDRESS) if WEB.match(url) else ""


def _marked(text: str) -> str:
    return MARKED.sub(r"\\\1", _plain(text))


def _plain(text: str) -> str:
    """In one line: a line of its own could begin a heading, a list or a block of code."""
    return " ".join(text.split())


def _ended(text: str) -> str:
    return f"{text.rstrip('.')}."
