"""Text search: how a claim's text and a question are folded, so that they meet. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from app.axes import AXES
from app.claims.conditions import values
from app.errors import InvalidInputError
from app.language import _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.claims.schema import ClaimRow

LONGEST = 200  # characters of a question; more is no question and costs time
CONTROLS = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]"  # and lone surrogates, which no database takes
# What sources typeset and people type differently.
PLAIN = str.maketrans({"→": "->", "×": "x", "−": "-", "–": "-", "—": "-", "’": "'", "‘": "'", "“": '"', "”": '"'})


def fold(text: str) -> str:
    """Case, width and typography taken away; every run of blanks is one blank."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(PLAIN).casefold().split())


def words(question: str) -> list[str]:
    """The folded words of a question, each once. Raises InvalidInputError where it cannot be searched for."""
    if len(question) > LONGEST:
        message = _("a search takes at most {longest} characters; this has {question}").format(
            longest=LONGEST, question=len(question)
        )
        raise InvalidInputError(message, [{"field": "q", "message": message}])
    if re.search(CONTROLS, question):
        message = _("a search takes text, not control characters")
        raise InvalidInputError(message, [{"field": "q", "message": message}])
    return list(dict.fromkeys(fold(question).split()))


def pattern(word: str) -> str:
    """A LIKE pattern (escape character: backslash) for `word` anywhere, taken literally."""
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def search_text(row: ClaimRow) -> str:
    """Everything of a claim that a person may look for, folded."""
    return fold("\n".join(part for part in _parts(row) if part))


def _parts(row: ClaimRow) -> Iterator[str | None]:
    yield from (row.id, row.headline, row.title, row.written, str(row.value or ""), row.unit)
    yield AXES[row.axis].name if row.axis in AXES else row.axis
    yield from (row.source.id, row.source.title, row.source.publisher, row.locator, row.measured_by)
    yield from values(row).values()
    yield from (row.conditions.hardware.system, row.baseline.text, row.baseline.flaw, row.acceptance.note)
    for caveat in row.caveats:
        yield from (caveat.kind.replace("_", " "), caveat.text)
