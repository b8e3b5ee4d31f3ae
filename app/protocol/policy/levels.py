"""The three answers to "may this run": at once, after a maintainer's approval, not at all. Pure."""

from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["allow", "approve", "never"]
LEVELS: tuple[Level, ...] = ("allow", "approve", "never")  # the worse the later


class Judged(NamedTuple):
    """An answer, and why in one sentence."""

    level: Level
    reason: str


def worst(*found: Judged) -> Judged:
    """The first of the worst."""
    return max(found, key=lambda judged: LEVELS.index(judged.level))
