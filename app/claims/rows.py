"""What a list of claims is asked for and what it answers. Plain frozen data, shared by the pages and the API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.language import N_

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow

Sort = Literal["rank", "newest", "value", "-value"]

# Every facet of the table: query parameter -> heading. A parameter may be given several times: any of its values.
FACETS: dict[str, str] = {
    "record": N_("Record"),
    "engine": N_("Engine"),
    "model": N_("Model"),
    "axis": N_("What it measures"),
    "kind": N_("Kind of number"),
    "scope": N_("Scope"),
    "hardware": N_("GPU"),
    "acceptance": N_("Acceptance"),
    "stated_in": N_("Evidence"),
    "caveat": N_("Caveat"),
    "status": N_("Repeated"),
    "source": N_("Source"),
}


@dataclass(frozen=True)
class ClaimFilter:
    """Values by facet (an absent facet does not filter) and a text search in which every word must occur."""

    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    q: str = ""

    def of(self, facet: str) -> tuple[str, ...]:
        return dict(self.values).get(facet, ())


@dataclass(frozen=True)
class FacetValue:
    """`count` is what the list would hold with this value chosen and the other facets as they are."""

    value: str
    label: str
    count: int
    chosen: bool


@dataclass(frozen=True)
class Facet:
    name: str
    heading: str
    values: tuple[FacetValue, ...]


@dataclass(frozen=True)
class ClaimPage:
    items: tuple[ClaimRow, ...]
    total: int
    next: str | None
    facets: tuple[Facet, ...]
