"""Numbers that no source prints: they would fill the memory or a page, or read as two things. Pure."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.yaml_tree import Path

PLAIN = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,2})?", re.ASCII)
LARGEST = 15  # powers of ten: beyond any count or rate in this field
MOST_DIGITS = 40


def odd_numbers(item: Any, raw: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """The numbers of `item` that cannot be meant, with their paths. `raw`: what `item` was read from."""
    if isinstance(item, BaseModel) and isinstance(raw, dict):
        for name, value in item:
            if name in raw:
                yield from odd_numbers(value, raw[name], (*path, name))
    elif isinstance(item, tuple) and isinstance(raw, list):
        for index, (value, given) in enumerate(zip(item, raw, strict=True)):
            yield from odd_numbers(value, given, (*path, index))
    elif isinstance(item, Decimal | int) and not isinstance(item, bool):
        message = _odd(Decimal(item), str(raw).strip())
        if message:
            yield path, message


def _odd(number: Decimal, typed: str) -> str | None:
    if number and number.adjusted() > LARGEST:
        return f"is larger than anything measured here (10^{LARGEST})"
    if number and number.adjusted() < -LARGEST:
        return f"is smaller than anything measured here (10^-{LARGEST})"
    if not PLAIN.fullmatch(typed):
        return "is no number as everybody reads it: digits, a point, an exponent of at most two digits"
    digits = sum(char.isdigit() for char in typed)
    return f"has {digits} digits; at most {MOST_DIGITS} are taken" if digits > MOST_DIGITS else None
