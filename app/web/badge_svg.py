"""How measuring a claim again or comparing two went, as a small picture that other pages may show. Pure.

It is read without colour: the words carry the meaning. It holds no style element and no link, so that the strictest
policy of the page around it draws it too.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from app.compare.reproduction import WORDS
from app.compare.words import VERDICTS, capital

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow
    from app.compare.schema import Verdict

LABEL = "measured again"
MEASURED, ELSEWHERE, VERIFIED = "measured", "measured elsewhere", "verified from trace"
COMPARED = "compared"
STATUS_WORDS: dict[str, str] = dict(WORDS.items())
STATUS_WORDS |= {"repeated_by_others": "repeated by others", "measured": "measured, no claim beside it"}
STATUS_WORDS["no_result"] = "no result"
# Dark enough for white text (WCAG AA), and none of them green or red: below a claim is no alarm.
FILLS = {"within": "#0b5d59", "above": "#0b5d59", "below": "#6d2a66", "different_setup": "#625400", "failed": "#6d2a66"}
PLAIN = "#4d4d4a"
VERDICT_FILLS: dict[Verdict, str] = {
    "comparable": "#0b5d59", "comparable_with_differences": "#625400", "not_comparable": "#6d2a66",
}  # fmt: skip
HEIGHT, PAD, SIZE = 20, 6, 11
NARROW, WIDE = frozenset("fijlrt.,:;'|!()[] "), frozenset("mwMWGOQ%@")


@dataclass(frozen=True, slots=True)
class BadgeSnippet:
    """A badge with the text to copy into another page."""

    url: str
    alt: str
    html: str
    markdown: str


def text_width(text: str) -> int:
    """About what a sans-serif face needs for it; `textLength` makes it exact."""
    return round(sum(4.0 if sign in NARROW else 9.4 if sign in WIDE else 6.4 for sign in text))


@dataclass(frozen=True, slots=True)
class BadgeSaid:
    """What a badge says: its two halves, and the status that it is coloured by."""

    label: str
    words: str
    status: str

    @classmethod
    def of_measurement(cls, status: str, *, elsewhere: bool) -> BadgeSaid:
        """`elsewhere`: it came as a bundle, whose numbers were computed again here; nobody here saw its machine."""
        words = STATUS_WORDS.get(status, "not stated")
        return cls(ELSEWHERE, f"{words}, {VERIFIED}", status) if elsewhere else cls(LABEL, words, status)


def badge_of(row: ClaimRow) -> BadgeSaid:
    """Of a claim or a card's row. One whose own number was computed from traces that are kept was verified from them;
    that is no repeat."""
    status = row.reproduction.status
    if row.reproduction.imported:
        return BadgeSaid.of_measurement(status, elsewhere=True)
    if row.evidence and status == "never_tried":
        return BadgeSaid(MEASURED, VERIFIED, status)
    return BadgeSaid(LABEL, STATUS_WORDS[status], status)


def badge(said: BadgeSaid, title: str, *, dummy: bool) -> str:
    """The SVG. `dummy`: it was measured on random weights."""
    return _drawn(said.label, _words(said, dummy=dummy), title, FILLS.get(said.status, PLAIN))


def verdict_badge(verdict: Verdict, title: str) -> str:
    """The SVG of the verdict on two numbers."""
    return _drawn(COMPARED, VERDICTS[verdict].lower(), title, VERDICT_FILLS[verdict])


def _words(said: BadgeSaid, *, dummy: bool) -> str:
    return said.words + (", random weights" if dummy else "")


def _drawn(label: str, said: str, title: str, fill: str) -> str:
    left, right = text_width(label) + 2 * PAD, text_width(said) + 2 * PAD
    name = escape(f"{label}: {said}")
    told = name if title.rstrip(".").casefold() == said.casefold() else f"{name}. {escape(title)}"
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img" '
            f'aria-label="{name}">',
            f"<title>{told}</title>",
            f'<rect width="{left + right}" height="{HEIGHT}" rx="2" fill="#fff"/>',
            f'<rect x="{left}" width="{right}" height="{HEIGHT}" rx="2" fill="{fill}"/>',
            f'<rect x="0.5" y="0.5" width="{left + right - 1}" height="{HEIGHT - 1}" rx="2" fill="none" '
            f'stroke="{PLAIN}"/>',
            f'<g font-family="Verdana,DejaVu Sans,Arial,sans-serif" font-size="{SIZE}">',
            _text(PAD, label, "#1b1b1a"),
            _text(left + PAD, said, "#fff"),
            "</g>",
            "</svg>",
            "",
        )
    )


def _text(x: int, text: str, fill: str) -> str:
    return f'<text x="{x}" y="14" fill="{fill}" textLength="{text_width(text)}">{escape(text)}</text>'


def snippet(of: str, said: BadgeSaid, root: str, *, dummy: bool) -> BadgeSnippet:
    """A badge of a claim or a measurement, as text to copy into another page; its text says what its picture says."""
    return _snippet(of, f"{of}/badge.svg", f"{capital(said.label)}: {_words(said, dummy=dummy)}", root)


def compared_snippet(query: str, verdict: Verdict, root: str) -> BadgeSnippet:
    """A badge of a comparison; `query` is its page's."""
    return _snippet(f"/compare?{query}", f"/compare/badge.svg?{query}", f"Compared: {VERDICTS[verdict].lower()}", root)


def _snippet(page: str, image: str, alt: str, root: str) -> BadgeSnippet:
    return BadgeSnippet(
        url=image,
        alt=alt,
        html=f'<a href="{escape(root + page)}"><img src="{escape(root + image)}" alt="{alt}" height="20"></a>',
        markdown=f"[![{alt}]({root}{image})]({root}{page})",
    )
