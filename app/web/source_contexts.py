"""What the templates of a source are given: its ladders, tables, rounds and everything it says besides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from app.web.contexts import ClaimRows, Fact, Link, ReadAs, Shell, Told
    from app.web.wording import NumberParts


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart: its data for the script, and where the same data are as CSV."""

    id: str
    file: str  # name of the exported file, without its ending
    title: str
    data: dict[str, Any]
    csv_url: str


@dataclass(frozen=True, slots=True)
class Step:
    number: str
    label: str
    kind: str
    value: NumberParts
    url: str
    ratio: str
    acceptance: str
    break_title: str  # the break that lies before this step, "" where none does
    break_reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LadderPart:
    id: str
    title: str
    locator: str
    unit: str
    steps: tuple[Step, ...]
    figure: Figure


@dataclass(frozen=True, slots=True)
class Cell:
    """A claim in a source's table; `said` tells it from the others of its cell."""

    number: NumberParts
    url: str
    said: str


@dataclass(frozen=True, slots=True)
class TableLine:
    label: str
    note: str
    cells: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class TablePart:
    id: str
    title: str
    caption: str
    locator: str
    row_heading: str
    columns: tuple[str, ...]
    rows: tuple[TableLine, ...]
    figure: Figure | None
    csv_url: str


@dataclass(frozen=True, slots=True)
class CommandPart:
    title: str
    locator: str
    env: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceDetail:
    template: ClassVar[str] = "sources/detail.html"

    shell: Shell
    title: str
    summary: str
    facts: tuple[Fact, ...]
    parts: tuple[Link, ...]  # what the page holds, for its contents
    charts: bool
    ladders: tuple[LadderPart, ...]
    tables: tuple[TablePart, ...]
    rounds: tuple[Told, ...]
    contradictions: tuple[Told, ...]
    corrections: tuple[ReadAs, ...]
    notes: tuple[tuple[str, tuple[Told, ...]], ...]
    commands: tuple[CommandPart, ...]
    claims: ClaimRows
    hints: tuple[str, ...]  # by how many rows are chosen
    json_url: str


@dataclass(frozen=True, slots=True)
class SourceLine:
    title: str
    url: str
    publisher: str
    interest: str
    kind: str
    date: str
    claims: str
    summary: str


@dataclass(frozen=True, slots=True)
class SourcesPage:
    template: ClassVar[str] = "sources/index.html"

    shell: Shell
    rows: tuple[SourceLine, ...]
    json_url: str
