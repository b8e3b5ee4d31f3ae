"""What a plan had to take for granted and what it lacks, gathered while it is made. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass
class Notes:
    """`assumptions` are sentences on what nobody stated, or what was chosen against the statement; `missing` on what
    nothing can be run without."""

    assumptions: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def assume(self, text: str) -> None:
        if text not in self.assumptions:
            self.assumptions.append(text)

    def lack(self, text: str) -> None:
        if text not in self.missing:
            self.missing.append(text)

    def chosen(self, what: str, given: T | None, stated: object) -> T | None:
        """What somebody chose, noted as a choice where the source says otherwise or nothing."""
        if given is not None and str(given) != str(stated):
            says = "states none" if stated is None else f"says {stated}"
            self.assume(f"{what}: {given} was chosen; the source {says}")
        return given
