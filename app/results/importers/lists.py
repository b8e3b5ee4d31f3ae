"""Per-request lists of a detailed result file, whether they were built or passed over. Pure.

Only counts and lengths leave this module: a list of a hundred million bytes is walked over, never kept.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from app.results.importers.json_tree import Unread

UNUSABLE = (msgspec.DecodeError, msgspec.ValidationError, RecursionError)
MOST_ROWS = 2_000_000


def row_sizes(value: Any) -> list[int]:
    """Entries of each inner list of a list of flat lists; empty where it is something else."""
    if isinstance(value, list):
        return [len(row) for row in value if isinstance(row, list)]
    if not isinstance(value, Unread) or _commas(value) > MOST_ROWS * 50:
        return []
    try:
        return [_entries(row) for row in msgspec.json.decode(value.raw, type=list[msgspec.Raw])]
    except UNUSABLE:
        return []


def lengths(value: Any) -> list[int]:
    """Whole numbers of a flat list; empty where it is something else."""
    if isinstance(value, list):
        numbers = [item for item in value if isinstance(item, Decimal) and item.is_finite()]
        return [int(item) for item in numbers if item.copy_abs() < Decimal(10) ** 9]
    if not isinstance(value, Unread) or _commas(value) > MOST_ROWS:
        return []
    try:
        return msgspec.json.decode(value.raw, type=list[int])
    except UNUSABLE:
        return []


def not_empty(value: Any) -> int:
    """How many entries of a list of texts are not the empty text."""
    if isinstance(value, list):
        return sum(1 for item in value if item)
    if not isinstance(value, Unread) or _commas(value) > MOST_ROWS:
        return 0
    try:
        return sum(1 for text in msgspec.json.decode(value.raw, type=list[str | None]) if text)
    except UNUSABLE:
        return 0


def _commas(value: Unread) -> int:
    return bytes(value.raw).count(b",")


def _entries(row: msgspec.Raw) -> int:
    text = bytes(row)
    return text.count(b",") + 1 if text.strip(b"[] \t\r\n") else 0
