"""What a page says of itself to those who show a link to it elsewhere."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SharedAs:
    """`url` and `picture` are whole addresses; `alt` is the picture in words."""

    url: str
    picture: str
    alt: str
