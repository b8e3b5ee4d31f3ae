"""What a plan had to take for granted and what it lacks, gathered while it is made. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from app.language import _

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")


@dataclass
class Notes:
    """`assumptions` are sentences on what nobody stated, or what was chosen against the statement; `missing` on what
    nothing can be run without, each with the name of the choice that supplies it, "" where none can."""

    assumptions: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)

    def assume(self, text: str) -> None:
        if text not in self.assumptions:
            self.assumptions.append(text)

    def lack(self, text: str, choice: str = "") -> None:
        self.missing.setdefault(text, choice)

    def chosen(self, what: str, given: T | None, stated: object) -> T | None:
        """What somebody chose, noted as a choice where the source says otherwise or nothing."""
        if given is not None and str(given) != str(stated):
            said = (
                _("{what}: {given} was chosen; the source states none")
                if stated is None
                else _("{what}: {given} was chosen; the source says {stated}")
            )
            self.assume(said.format(what=what, given=given, stated=stated))
        return given

    def take(self, sides: Mapping[str, Notes]) -> None:
        """The notes of several sides, by whose they are; what holds for all of them is said once."""
        for whose, notes in sides.items():
            for text in notes.assumptions:
                self.assume(text if _of_all(text, sides) else f"{_(whose)}: {text}")
            for text, choice in notes.missing.items():
                self.lack(f"{_('both sides') if _of_all(text, sides) else _(whose)}: {text}", choice)


def _of_all(text: str, sides: Mapping[str, Notes]) -> bool:
    return all(text in notes.assumptions or text in notes.missing for notes in sides.values())
