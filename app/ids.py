"""Ids: what can be one at all, and the letters that new ones are made of. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.randomness import Randomness

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's: nothing that is read as something else
_NUMBER = 8


def could_be_id(text: str) -> bool:
    """Ids are short ASCII; anything else names nothing, and PostgreSQL would not even take it."""
    return len(text) <= 80 and text.isascii() and text.isprintable()


def letters(randomness: Randomness) -> str:
    """`k7m2qd4x`: can be read aloud."""
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in randomness.take(_NUMBER))
