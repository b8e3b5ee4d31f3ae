"""What the template of measurements side by side is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from app.web.best_part import BestBeside
    from app.web.contexts import Link, Shell, SideLine, Trouble
    from app.web.measurement_contexts import ChartTable


@dataclass(frozen=True, slots=True)
class BesideChoice:
    """A measurement that may be set beside others."""

    id: str
    text: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class BesidePage:
    """`sides` are fewer than two while the reader still chooses."""

    template: ClassVar[str] = "measurements/beside.html"

    shell: Shell
    troubles: tuple[Trouble, ...]
    choices: tuple[BesideChoice, ...]
    sides: tuple[Link, ...]
    said: str
    differing: tuple[SideLine, ...]
    unknown: tuple[SideLine, ...]
    best: BestBeside | None  # None where none of them is a sweep
    asked_too: tuple[tuple[str, str], ...]  # what the address says besides that question
    charts: tuple[ChartTable, ...]
    loads: tuple[Link, ...]  # the other loads that all have
    undrawn: str  # why no distribution is drawn, "" where one is
