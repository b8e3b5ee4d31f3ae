"""The two claims of a comparison with what lies between them. Pure; every rule reads from here."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from app.axes import AXES
from app.claims.conditions import FIELDS, HELD_BY_SCRIPT
from app.compare.conditions import diff

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow
    from app.compare.conditions import FieldDiff

# unit -> the unit that it is brought to, and the factor
UNITS: dict[str, tuple[str, Decimal]] = {
    "s": ("ms", Decimal(1000)),
    "us": ("ms", Decimal("0.001")),
}
PER_NODE = "tok/s/node"


@dataclass(frozen=True)
class Pair:
    a: ClaimRow
    b: ClaimRow

    @property
    def same_axis(self) -> bool:
        return self.a.axis == self.b.axis

    @property
    def same_source(self) -> bool:
        return self.a.source.id == self.b.source.id

    @cached_property
    def same_round(self) -> bool:
        one, two = self.a.round_place, self.b.round_place
        return one is not None and two is not None and one.id == two.id

    @cached_property
    def matters(self) -> frozenset[str]:
        """The groups of conditions that both axes depend on; a field outside them is not compared at all."""
        one, two = AXES.get(self.a.axis), AXES.get(self.b.axis)
        return one.matters & two.matters if one and two else frozenset()

    @cached_property
    def held(self) -> frozenset[str]:
        """Every condition field that the shared round holds equal, or the author's code and script in a repetition."""
        place = self.a.round_place
        if self.same_round and place is not None:
            return frozenset(FIELDS) - frozenset(place.varies)
        if self.repetition:
            return HELD_BY_SCRIPT
        return frozenset()

    @cached_property
    def diffs(self) -> dict[str, FieldDiff]:
        return {item.field: item for item in diff(self.a, self.b, self.matters, self.held)}

    @property
    def absolute(self) -> bool:
        return self.a.kind == self.b.kind == "absolute"

    @cached_property
    def repetition(self) -> tuple[ClaimRow, str] | None:
        """The side that measured again, and the claim that it repeats: the other side, or one that both repeat."""
        a, b = self.a, self.b
        for side, other in ((a, b), (b, a)):
            if side.repeats == other.id:
                return side, other.id
        return (a, a.repeats) if a.repeats is not None and a.repeats == b.repeats else None

    @cached_property
    def values(self) -> tuple[Decimal, Decimal] | None:
        """Both values in one unit; None where a value is missing or no factor between the units is known."""
        (unit_a, a), (unit_b, b) = in_base(self.a), in_base(self.b)
        if unit_a != unit_b or self.a.value is None or self.b.value is None:
            return None
        return self.a.value * a, self.b.value * b

    @cached_property
    def same_unit(self) -> bool:
        one, two = in_base(self.a), in_base(self.b)
        return one[0] == two[0] and one[0] != PER_NODE


def in_base(claim: ClaimRow) -> tuple[str, Decimal]:
    """The claim's unit brought to its base. Nodes become GPUs only where the claim says how many a node holds."""
    if claim.unit == PER_NODE and claim.conditions.hardware.gpus_per_node:
        return "tok/s/GPU", Decimal(1) / claim.conditions.hardware.gpus_per_node
    return UNITS.get(claim.unit, (claim.unit, Decimal(1)))
