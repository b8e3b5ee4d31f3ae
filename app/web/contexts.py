"""What each template is given: frozen, complete, already worded. A template that needs more gets a field here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from markupsafe import Markup

    from app.claims.quoting import Quotation
    from app.web.axes_example import Example
    from app.web.badge_svg import BadgeSnippet
    from app.web.badges import Badge
    from app.web.shared_contexts import SharedAs


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Shell:
    """What every page has around its content. `here` is the address of the navigation entry that the page is under."""

    title: str
    description: str
    here: str
    shared: SharedAs | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that could not be taken: where it stands, and how to mend it."""

    name: str
    message: str


@dataclass(frozen=True, slots=True)
class NumberCell:
    lead: str
    whole: str
    fraction: str
    unit: str
    long: bool


@dataclass(frozen=True, slots=True)
class ClaimCells:
    """One claim in face.md's reading order, as a row of the table and as a column of the two headlines."""

    template: ClassVar[str] = "claims/_row.html"

    id: str
    label: str  # the number with its engine, for those who hear the page
    number: NumberCell
    engine: str
    engine_mark: str
    model: str
    measures: str
    axis: str
    card: str  # who recorded the card that this is a row of, "" for a published claim
    title: str
    against: str
    conditions: str
    badges: tuple[Badge, ...]
    more: str  # "" or how many caveats the claim's page tells besides
    repeated: str
    here: str  # "" or whether it can be measured again here
    chosen: bool
    extra: tuple[tuple[str, str], ...]  # further columns: heading and text


@dataclass(frozen=True, slots=True)
class Choice:
    """A box or option that the reader may choose. `id` keeps the keyboard's place when a part is swapped."""

    template: ClassVar[str] = "claims/_box.html"

    id: str
    name: str
    value: str
    label: str
    chosen: bool
    allowed: bool = True


@dataclass(frozen=True, slots=True)
class FacetLine:
    """A value of a facet: its box with its label, and how many claims choosing it gives."""

    box: Markup  # from claims/_box.html
    count: str


@dataclass(frozen=True, slots=True)
class FacetGroup:
    name: str
    heading: str
    open: bool
    few: tuple[FacetLine, ...]
    more: tuple[FacetLine, ...]
    left_out: str  # "" or how many values are not listed


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that is on; its link takes it off."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class ClaimRows:
    """Rows of the claims table wherever it stands."""

    headings: tuple[str, ...]  # of the further columns
    sort_direction: str  # aria-sort of the number column
    rows: tuple[Markup, ...]  # each from claims/_row.html


@dataclass(frozen=True, slots=True)
class Results:
    """The part of the table page that a filter changes."""

    template: ClassVar[str] = "claims/_results.html"

    title: str
    count: str
    facets: tuple[FacetGroup, ...]
    chips: tuple[Chip, ...]
    clear_url: str
    troubles: tuple[Trouble, ...]
    sorts: tuple[Choice, ...]
    sort_note: str
    columns: tuple[Choice, ...]
    table: ClaimRows
    elsewhere: tuple[Choice, ...]  # chosen rows that are not on this page of the list
    hint: str
    hints: tuple[str, ...]  # by how many rows are chosen
    first_url: str
    next_url: str
    both_url: str  # to low latency and high throughput together, where one engine and one model are chosen
    json_url: str
    csv_url: str


@dataclass(frozen=True, slots=True)
class Headlines:
    """Two headlines beside each other, with the verdict on setting them against each other."""

    heading: str
    a: ClaimCells
    b: ClaimCells
    a_source: Link
    b_source: Link
    verdict: str
    verdict_word: str
    summary: str
    url: str


@dataclass(frozen=True, slots=True)
class TablePage:
    template: ClassVar[str] = "claims/index.html"

    shell: Shell
    q: str
    headlines: Headlines | None
    results: Results


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a datasheet: a name, what is said, and a link where there is more behind it."""

    name: str
    text: str
    stated: bool = True
    url: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence with its heading and where it stands in the source."""

    heading: str
    text: str
    locator: str
    claims: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Contradicted:
    heading: str
    told: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class ReadAs:
    """A correction: how a number is often read, and what the source says."""

    often: str
    says: str
    locator: str
    claims: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class ReasonLine:
    """Why a comparison goes as it does. `rule` is R1-R10 or "", `kind` the severity, `word` how the page calls it.
    `rule_url` explains the rule; `a_url` and `b_url` lead to an axis."""

    rule: str
    rule_url: str
    kind: str
    word: str
    field: str
    a: str
    b: str
    message: str
    a_url: str = ""
    b_url: str = ""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A claim that this one is often set beside: what it is, why they meet, and the comparison's address."""

    text: str
    why: str
    url: str


@dataclass(frozen=True, slots=True)
class ClaimDetail:
    template: ClassVar[str] = "claims/detail.html"

    shell: Shell
    cells: ClaimCells
    here: Link  # whether it can be measured again here, and what would run
    written: str
    axis: Fact  # name, definition and address of the axis
    formula: str
    facts: tuple[Fact, ...]  # kind, scope, statistic, end points
    against: tuple[Fact, ...]
    conditions: tuple[Fact, ...]
    acceptance: tuple[Fact, ...]
    caveats: tuple[Told, ...]
    lint: tuple[ReasonLine, ...]
    contradicted: tuple[Contradicted, ...]
    corrections: tuple[ReadAs, ...]
    beside: tuple[Fact, ...]
    check: str
    source: tuple[Fact, ...]
    neighbours: tuple[Neighbour, ...]
    related: tuple[Fact, ...]  # what it supersedes, repeats, belongs to
    quoted: Quotation
    badge: BadgeSnippet
    json_url: str
    acts: tuple[Link, ...]  # what a reader may do next


@dataclass(frozen=True, slots=True)
class ToolLine:
    tool: str
    name: str
    meaning: str
    note: str


@dataclass(frozen=True, slots=True)
class AxisPart:
    key: str
    name: str
    short: str
    version: str
    definition: str
    formula: str
    facts: tuple[Fact, ...]
    tools: tuple[ToolLine, ...]
    absent: str
    claims: Link


@dataclass(frozen=True, slots=True)
class AxesPage:
    template: ClassVar[str] = "axes/index.html"

    shell: Shell
    versioning: str
    tools: tuple[Fact, ...]
    axes: tuple[AxisPart, ...]
    example: Example
    json_url: str


@dataclass(frozen=True, slots=True)
class SideLine:
    """One condition over all claims compared."""

    label: str
    values: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Derived:
    """Arithmetic of ours, with what it assumes."""

    title: str
    text: str
    assumption: str


@dataclass(frozen=True, slots=True)
class PairPart:
    """The verdict on two claims. `ratio` holds its conditions in the same line; empty where none is shown.
    `know` is what people who often set these two beside each other should know, or ""."""

    a: str
    b: str
    a_number: str
    b_number: str
    verdict: str
    word: str
    summary: str
    know: str
    url: str
    reasons: tuple[ReasonLine, ...]  # all but those that a side does not state
    unknown: tuple[ReasonLine, ...]
    unknown_count: str
    ratio: str
    derivations: tuple[Derived, ...]
    other_axes: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class SideCaveats:
    """What is to mind of one of the claims compared."""

    number: str
    told: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class ComparePage:
    template: ClassVar[str] = "compare/detail.html"

    shell: Shell
    heading: str
    troubles: tuple[Trouble, ...]
    sides: tuple[ClaimCells, ...]
    pairs: tuple[PairPart, ...]
    caveats: tuple[SideCaveats, ...]
    caveats_count: str
    differing: tuple[SideLine, ...]
    unknown: tuple[SideLine, ...]  # not stated by at least one
    equal: tuple[SideLine, ...]
    quoted: Quotation | None  # of two
    badge: BadgeSnippet | None  # of two
    add_url: str
    json_url: str


@dataclass(frozen=True, slots=True)
class ChoosePage:
    """/compare with fewer than two claims: those chosen, and those that the search `q` found, with what is `said` of
    it."""

    template: ClassVar[str] = "compare/choose.html"

    shell: Shell
    troubles: tuple[Trouble, ...]
    chosen: tuple[Choice, ...]
    q: str
    found: tuple[Choice, ...]
    said: str
    neighbours: tuple[Neighbour, ...]
    table_url: str
