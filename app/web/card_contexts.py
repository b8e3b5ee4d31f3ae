"""What the pages of cards are given: frozen, complete, already worded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from app.claims.quoting import Quotation
    from app.web.badges import Badge
    from app.web.contexts import Choice, ClaimCells, Fact, Link, Neighbour, PairPart, Shell, SideLine, Told, Trouble


@dataclass(frozen=True, slots=True)
class FilterSelect:
    name: str
    heading: str
    options: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class CardLine:
    """A card in the list; `number` is "" for a plan, `state` "" for a card that stands."""

    url: str
    number: str
    title: str
    engine: str
    engine_mark: str
    model: str
    measures: str
    conditions: str
    badges: tuple[Badge, ...]
    stated: str
    state: str
    gone: bool  # taken back
    repeats: Link | None
    by: str
    day: str


@dataclass(frozen=True, slots=True)
class CardResults:
    template: ClassVar[str] = "cards/_results.html"

    count: str
    lines: tuple[CardLine, ...]
    troubles: tuple[Trouble, ...]
    filtered: bool
    first_url: str
    next_url: str
    json_url: str


@dataclass(frozen=True, slots=True)
class CardListPage:
    template: ClassVar[str] = "cards/index.html"

    shell: Shell
    filters: tuple[FilterSelect, ...]
    results: CardResults


@dataclass(frozen=True, slots=True)
class FactGroup:
    heading: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding: its rule with the address of its sentence, the field, and what is wrong."""

    rule: Link
    severity: str
    word: str  # the severity, in the reader's language
    field: str
    message: str


@dataclass(frozen=True, slots=True)
class Stated:
    """How much of what a reproduction needs is stated, and the letter that asks for the rest ("" where nothing is)."""

    percent: int
    text: str
    questions: tuple[Fact, ...]
    letter: str


@dataclass(frozen=True, slots=True)
class Repeats:
    """The claim that a card measured again. `pair` is None where there is nothing to compare; `why` says so."""

    claim: Link
    why: str
    pair: PairPart | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of words; `change` is "same", "gone" or "new"."""

    text: str
    change: str


@dataclass(frozen=True, slots=True)
class ChangeLine:
    field: str
    before: tuple[Piece, ...]  # empty where it was not stated
    after: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class RevisionLine:
    number: str
    url: str
    by: str
    at: str
    note: str
    changed: str
    shown: bool


@dataclass(frozen=True, slots=True)
class CardPage:
    template: ClassVar[str] = "cards/detail.html"

    shell: Shell
    cells: ClaimCells | None  # None for a plan
    heading: str
    id: str
    retracted: str
    earlier: Link | None  # to the newest revision, where this is not it
    measures: Fact
    acts: tuple[Link, ...]
    downloads: tuple[Link, ...]
    edit_url: str  # "" for those who may not
    retract_url: str
    stated: Stated
    caveats: tuple[Told, ...]
    findings: tuple[Judged, ...]
    groups: tuple[FactGroup, ...]
    command: str
    repeats: Repeats | None
    repeated_by: tuple[Link, ...]
    record: tuple[Fact, ...]
    revisions: tuple[RevisionLine, ...]
    revisions_url: str
    related: tuple[Neighbour, ...]
    quoted: Quotation | None


@dataclass(frozen=True, slots=True)
class RevisionsPage:
    template: ClassVar[str] = "cards/revisions.html"

    shell: Shell
    heading: str
    card_url: str
    revisions: tuple[RevisionLine, ...]
    from_choices: tuple[Choice, ...]
    to_choices: tuple[Choice, ...]
    compared: str
    changes: tuple[ChangeLine, ...]
    json_url: str


@dataclass(frozen=True, slots=True)
class RetractPage:
    template: ClassVar[str] = "cards/retract.html"

    shell: Shell
    heading: str
    card_url: str
    reason: str
    longest: int
    trouble: str
    sign_in_url: str  # "" for those who are signed in


@dataclass(frozen=True, slots=True)
class FieldLine:
    path: str
    kind: str
    always: bool
    unit: str
    says: str
    example: str


@dataclass(frozen=True, slots=True)
class BlockPart:
    name: str
    short: tuple[str, ...]
    fields: tuple[FieldLine, ...]


@dataclass(frozen=True, slots=True)
class RuleLine:
    id: str
    severity: str
    word: str
    field: str
    says: str


@dataclass(frozen=True, slots=True)
class Example:
    id: str
    heading: str
    text: str
    verdict: str
    findings: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class SchemaPage:
    template: ClassVar[str] = "cards/schema.html"

    shell: Shell
    blocks: tuple[BlockPart, ...]
    moved: tuple[Fact, ...]
    rules: tuple[RuleLine, ...]
    needed: tuple[Fact, ...]
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two usual set-ups: its numbers, the foremost first."""

    heading: str
    about: str
    first: ClaimCells | None
    rest: tuple[ClaimCells, ...]


@dataclass(frozen=True, slots=True)
class ConfigurationsPage:
    template: ClassVar[str] = "cards/configurations.html"

    shell: Shell
    heading: str
    engines: tuple[Choice, ...]
    models: tuple[Choice, ...]
    troubles: tuple[Trouble, ...]
    note: str
    sides: tuple[Side, ...]
    differing: tuple[SideLine, ...]
    table_url: str
