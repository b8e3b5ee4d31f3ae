"""Marks the field's words where a page uses them: each opens its meaning by keyboard and touch, without any script.

A popover of the browser itself: Escape and a touch elsewhere close it. Where a browser has none the meaning stands in
the text, and every word leads to /glossary.
"""

from __future__ import annotations

import re
from functools import cache

from markupsafe import Markup, escape

from app.axes import AXES
from app.axes.glossary import BY_KEY, TERMS
from app.language import _

LIMIT = 400  # characters of a meaning that a page shows; the glossary has the whole


@cache
def _spelt() -> tuple[re.Pattern[str], dict[str, str]]:
    """Every spelling, the longest first; parallelism is written with its size behind it (TP4)."""
    known = {spelling: term.key for term in TERMS for spelling in term.spellings}
    found = "|".join(re.escape(text) for text in sorted(known, key=len, reverse=True))
    return re.compile(rf"(?<![\w/])(?:{found})(?=\d*(?![\w/]))"), known


def marked(text: str, place: str) -> Markup:
    """`text` with the first use of each word marked. `place` is unique on its page."""
    pattern, known = _spelt()
    out, end, seen = [], 0, set()
    for hit in pattern.finditer(text):
        key = known[hit[0]]
        if key not in seen:
            seen.add(key)
            out += [escape(text[end : hit.start()]), _popover(key, hit[0], f"t-{place}-{key}")]
            end = hit.end()
    return Markup("").join([*out, escape(text[end:])])


def meaning(key: str) -> str:
    """The term's own sentence and, where it names an axis, how that defines it."""
    term = BY_KEY[key]
    return f"{_(term.says)} {_(AXES[term.axis].definition)}" if term.axis else _(term.says)


def _popover(key: str, word: str, at: str) -> Markup:
    term, says = BY_KEY[key], meaning(key)
    unit = " " + _("Unit: {unit}.").format(unit=term.unit) if term.unit else ""
    shown = says if len(says) <= LIMIT else f"{says[:LIMIT].rsplit(' ', 1)[0]} …"
    return Markup(
        '<button type="button" class="term" popovertarget="{at}">{word}</button>'
        '<span class="meaning" popover id="{at}"><b>{head}</b> {shown}{unit} '
        '<a href="/glossary#{key}">{glossary}</a></span>'
    ).format(at=at, word=word, head=term.spellings[0], shown=shown, unit=unit, key=key, glossary=_("Glossary"))
