"""What the templates of measurements are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from app.web.agreement_contexts import PointPart
    from app.web.axes_example import Row
    from app.web.badge_svg import BadgeSnippet
    from app.web.best_part import BestPart
    from app.web.contexts import Fact, Link, Shell, Trouble
    from app.web.job_contexts import Age, FileLine
    from app.web.source_contexts import Figure


@dataclass(frozen=True, slots=True)
class MeasurementLine:
    """A measurement in the list."""

    url: str
    status: str
    word: str
    text: str
    what: str
    loads: str
    output: str  # output throughput from its lowest to its highest load, or why there is none
    axis: str  # of the claim, "" where there is none
    dummy: bool
    about: Link | None
    measured: str  # the day
    trust: str
    by: str
    age: Age


@dataclass(frozen=True, slots=True)
class MeasurementListPage:
    template: ClassVar[str] = "measurements/index.html"

    shell: Shell
    count: str
    troubles: tuple[Trouble, ...]
    lines: tuple[MeasurementLine, ...]
    filtered: bool
    first_url: str
    next_url: str
    json_url: str


@dataclass(frozen=True, slots=True)
class VerdictPart:
    """What the measurement says of the claim: the sentence with interval and claim, and what it rests on."""

    status: str
    word: str
    axis: Link | None  # of the claim; None where the claim is not here
    text: str
    facts: tuple[Fact, ...]
    reasons: tuple[str, ...]
    assumptions: tuple[str, ...]  # of the plan
    differences: tuple[tuple[str, str, str], ...]  # what, claimed, measured
    left_open: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class OverRepeats:
    """A number, or why there is none; of one over the repeats its interval or its range in words."""

    value: str
    range: str

    @property
    def is_number(self) -> bool:
        """Whether its value is a number, and not why there is none."""
        return self.value[:1].isdigit()


@dataclass(frozen=True, slots=True)
class SetLine:
    """One load on one server: its numbers, or why there are none."""

    heading: str
    label: str
    cells: tuple[OverRepeats, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunLine:
    """One repeat; its link shows it below."""

    number: str
    heading: str
    url: str
    chosen: bool
    cells: tuple[OverRepeats, ...]
    why: str  # it is no result, "" where it is one
    failures: tuple[str, ...]  # what became of failed requests, by kind


@dataclass(frozen=True, slots=True)
class RunsPart:
    """Every run: `said` opens their table where it is not `open`; `any_why`: one of them is no result."""

    said: str
    open: bool
    any_why: bool
    columns: tuple[str, ...]
    lines: tuple[RunLine, ...]


@dataclass(frozen=True, slots=True)
class ChartTable:
    """A chart with the table of its data."""

    figure: Figure
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str


@dataclass(frozen=True, slots=True)
class RunPart:
    """The chosen run: under every definition, its distributions, its timeline; `trouble` where it cannot be read."""

    heading: str
    invalid: bool
    trouble: str
    tools: tuple[str, ...]
    rows: tuple[Row, ...]
    same: str  # what is closer to the axis's number than this is the same
    charts: tuple[ChartTable, ...]


@dataclass(frozen=True, slots=True)
class ServerPart:
    """How one server was started."""

    heading: str
    argv: str
    facts: tuple[Fact, ...]
    env: tuple[Fact, ...]
    notes: tuple[str, ...]
    info: str


@dataclass(frozen=True, slots=True)
class MeasurementPage:
    template: ClassVar[str] = "measurements/detail.html"

    shell: Shell
    id: str
    heading: str
    when: str
    dummy: str
    published: tuple[Link, ...]  # claims whose numbers were computed from it
    published_in: Link | None
    verdict: VerdictPart | None
    said: str  # where there is no claim to set it against
    about: tuple[Fact, ...]
    columns: tuple[str, ...]
    sets: tuple[SetLine, ...]
    ratios: tuple[Fact, ...]
    outputs: tuple[str, ...]  # whether two servers gave the same
    sweep: ChartTable | None
    best: BestPart | None
    asked_too: tuple[tuple[str, str], ...]  # what the address says besides that question
    referee: tuple[SetLine, ...]
    referee_columns: tuple[str, ...]
    held: tuple[PointPart, ...]  # by several clients
    runs: RunsPart
    run: RunPart | None
    plan: tuple[Fact, ...]
    machine: tuple[Fact, ...]
    servers: tuple[ServerPart, ...]
    notes: tuple[str, ...]
    commands: tuple[Fact, ...]
    files: tuple[FileLine, ...]
    downloads: tuple[Link, ...]
    checked: tuple[str, ...]  # of a bundle from elsewhere, before it was taken
    on_trust: tuple[str, ...]  # of it, what nobody here could check
    badge: BadgeSnippet
    json_url: str
