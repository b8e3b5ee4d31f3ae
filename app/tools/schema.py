"""What a tool answers: the API's shape, and what the page shows. Pure data."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from app.claims.schema import AcceptanceKind, AxisKey, CaveatKind, Fact, Number, Text
from app.claims.workloads import MOST

Tool = Literal["workload", "capacity", "speculation"]
Dimension = Literal["input_tokens", "output_tokens", "prefix_hit_rate", "turns"]


class Figure(Fact):
    """One computed number: `formula` is the arithmetic with the asker's numbers in it. At most twelve significant
    digits; whole numbers are exact."""

    key: Text
    name: Text
    value: Number
    unit: Text
    formula: Text


class Answer(Fact):
    """`given` is what was asked, as typed. `assumes` belongs beside the figures wherever they go; `warnings` are about
    these very numbers."""

    tool: Tool
    given: dict[str, str]
    verdict: Text  # one sentence for a tired reader
    figures: tuple[Figure, ...]
    warnings: tuple[Text, ...] = ()
    assumes: tuple[Text, ...] = ()
    card: Text  # address of the card form with these conditions filled in


class DecidingAxis(Fact):
    """An axis that decides for this workload, and why in numbers: what a GPU serves first, then what one user waits
    for, then what the prefix cache makes of both."""

    axis: AxisKey
    why: Text


class Stated(Fact):
    """One dimension of a claim's workload as it states it, beside the asker's; `times` is stated / yours, None where
    the claim does not state one number or the asker gave none."""

    dimension: Dimension
    text: Text | None
    times: Number | None = None
    points: Number | None = None  # of a hit rate: percentage points away


class NearClaim(Fact):
    """A claim whose every stated dimension lies near the asker's."""

    id: Text
    headline: Text
    axis: AxisKey
    speaks_to: AxisKey | None  # the deciding axis whose question it answers; None where it answers another
    engine: str | None
    model: str | None
    title: Text
    stated: tuple[Stated, ...]
    compared: int  # how many dimensions both sides give
    acceptance: AcceptanceKind
    caveats: tuple[CaveatKind, ...]


class Compared(Fact):
    """Every claim looked at, in five heaps."""

    looked_at: int = Field(description=f"the most important ones, {MOST:,} at most")
    near: int
    further: int  # states a number more than twice or less than half of yours
    no_single_number: int  # states lengths, but as a range or a sweep
    only_named: int  # names a benchmark and states no lengths
    nothing_stated: int


class Named(Fact):
    name: Text
    claims: int


class WorkloadAnswer(Answer):
    decides: tuple[DecidingAxis, ...]
    near: tuple[NearClaim, ...]
    compared: Compared
    only_named: tuple[Named, ...]
