"""The data of a chart as CSV: its caveats and its source stand above the data as lines that begin with `#`. Pure."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
NUMBER = re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?", re.IGNORECASE)


def chart_csv(comments: Iterable[str], headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Comments, one heading line, then the data; a comment's own line breaks become blanks."""
    out = io.StringIO()
    for comment in comments:
        out.write(f"# {' '.join(comment.split())}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headings)
    for line in lines:
        writer.writerow([_inert(cell) for cell in line])
    return out.getvalue()


def _inert(text: str) -> str:
    """A text that a spreadsheet will not take for a formula; numbers are never touched."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) and not NUMBER.fullmatch(text) else text
