"""The badges of a row: few, short, always the same words; each carries the sentence that it opens. Pure.

A caveat of another kind has no badge of its own: it is counted in "more" and told in full on the claim's page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from app.claims.caveats import OTHERS, WORDS, said
from app.language import _
from app.web.wording import again

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow


@dataclass(frozen=True, slots=True)
class Badge:
    """`kind` names the shape, `text` is what the badge opens."""

    kind: str
    word: str
    text: str


def badges(row: ClaimRow) -> tuple[tuple[Badge, ...], int]:
    """The row's badges, each kind once with all its sentences, and how many kinds of caveat have no badge."""
    kept = {row.baseline.flaw, *(item.text for item in row.caveats), *(item.text for item in row.contradictions)}
    heard: dict[str, list[str]] = {}
    for kind, text in said(row):
        heard.setdefault(kind, []).append(again(text) if text in kept else text)
    shown = tuple(Badge(kind, _(WORDS[kind]), Markup(" ").join(heard[kind])) for kind in WORDS if kind in heard)
    return shown, sum(1 for kind in heard if kind in OTHERS)
