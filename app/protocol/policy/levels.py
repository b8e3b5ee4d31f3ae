"""The three answers to "may this run": at once, after a maintainer's approval, not at all. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

Level = Literal["allow", "approve", "never"]
LEVELS: tuple[Level, ...] = ("allow", "approve", "never")  # the worse the later


class Judged(NamedTuple):
    """An answer, and why in one sentence."""

    level: Level
    reason: str


def together(found: Iterable[Judged]) -> Judged:
    """The worst answer, with every reason of it and of the lesser ones."""
    told = sorted(found, key=lambda judged: -LEVELS.index(judged.level))
    return Judged(told[0].level, "; ".join(judged.reason for judged in told if judged.reason))


def worst(*found: Judged) -> Judged:
    """The first of the worst."""
    return max(found, key=lambda judged: LEVELS.index(judged.level))
