"""What the page that explains verdicts is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from app.web.contexts import Fact, Shell


@dataclass(frozen=True, slots=True)
class RuleTold:
    """`place` is its anchor."""

    place: str
    name: str
    says: str


@dataclass(frozen=True, slots=True)
class RulesPart:
    """Rules with the verdicts that they lead to."""

    place: str
    heading: str
    about: str
    words: tuple[Fact, ...]
    ordered: bool  # asked in this order, the first that holds decides
    rules: tuple[RuleTold, ...]


@dataclass(frozen=True, slots=True)
class VerdictsPage:
    template: ClassVar[str] = "verdicts/index.html"

    shell: Shell
    parts: tuple[RulesPart, ...]
