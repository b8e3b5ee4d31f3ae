"""What the pages of tools are given: frozen, complete, already worded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from app.web.badges import Badge
    from app.web.contexts import Choice, Link, Shell


@dataclass(frozen=True, slots=True)
class ToolField:
    """One input; `options` are there for a choice. `fault` is what is wrong with its value, "" for nothing."""

    name: str
    label: str
    help: str
    example: str
    unit: str
    needed: bool
    mode: str
    value: str
    options: tuple[Choice, ...]
    fault: str


@dataclass(frozen=True, slots=True)
class ToolGroup:
    heading: str
    inputs: tuple[ToolField, ...]


@dataclass(frozen=True, slots=True)
class PresetLink:
    text: str
    url: str
    said: str
    source_url: str


@dataclass(frozen=True, slots=True)
class PresetGroup:
    heading: str
    links: tuple[PresetLink, ...]


@dataclass(frozen=True, slots=True)
class FigureLine:
    name: str
    value: str
    unit: str
    formula: str


@dataclass(frozen=True, slots=True)
class WhyLine:
    axis: str
    url: str
    why: str


@dataclass(frozen=True, slots=True)
class NearCell:
    """One dimension of a claim: what it states, and how that lies to the asker's; "" where it is not compared."""

    heading: str
    stated: str
    beside: str


@dataclass(frozen=True, slots=True)
class NearLine:
    url: str
    number: str
    title: str
    served: str
    axis: str
    badges: tuple[Badge, ...]
    cells: tuple[NearCell, ...]


@dataclass(frozen=True, slots=True)
class NearGroup:
    """The near claims that speak to one deciding axis."""

    heading: str
    lines: tuple[NearLine, ...]


@dataclass(frozen=True, slots=True)
class NearTable:
    """`rest` are those behind the first ones; `heaps` is how all claims divide, in sentences."""

    count: str
    columns: tuple[str, ...]
    groups: tuple[NearGroup, ...]
    unmeasured: str
    rest_count: str
    rest: tuple[Link, ...]
    heaps: tuple[str, ...]
    named: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """What stands beside the form, and the part that htmx swaps. `example` says whose numbers these are while nothing
    is typed; `waiting` what is still needed; `wrong` what cannot be taken, by the input's name."""

    template: ClassVar[str] = "tools/_answer.html"

    example: str
    use_url: str
    waiting: str
    wrong: tuple[Link, ...]
    faults: tuple[tuple[str, str], ...]
    lead: FigureLine | None
    verdict: str
    figures: tuple[FigureLine, ...]
    warnings: tuple[str, ...]
    assumes: tuple[str, ...]
    why: tuple[WhyLine, ...]
    near: NearTable | None
    own_url: str
    json_url: str
    card_url: str
    onward: Link | None


@dataclass(frozen=True, slots=True)
class ToolPage:
    template: ClassVar[str] = "tools/tool.html"

    shell: Shell
    heading: str
    about: str
    address: str
    others: tuple[Link, ...]
    origin: Link | None  # the claim that filled the form
    origin_id: str
    origin_note: str
    plain_url: str  # the same numbers without that claim
    presets: tuple[PresetGroup, ...]
    groups: tuple[ToolGroup, ...]
    answer: AnswerPart


@dataclass(frozen=True, slots=True)
class ToolSummary:
    heading: str
    address: str
    about: str
    example_of: str
    example: str  # the verdict of that example, "" where there is none


@dataclass(frozen=True, slots=True)
class ToolsPage:
    template: ClassVar[str] = "tools/index.html"

    shell: Shell
    tools: tuple[ToolSummary, ...]
