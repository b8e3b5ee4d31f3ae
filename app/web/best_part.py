"""The question "best above N tok/s/user" and its answer, as pages show them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import InvalidInputError
from app.jobs.best import UNIT, best, read_above, unsteady
from app.protocol.english import counted
from app.web.axes_example import shown
from app.web.contexts import Fact
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.jobs.best import BestAnswer, BestLoad, Range
    from app.jobs.rows import MeasurementRow


@dataclass(frozen=True, slots=True)
class BestPart:
    """`asked` is what was typed, `trouble` why that could not be taken; `text` is empty while nothing is asked."""

    asked: str
    trouble: str
    text: str
    facts: tuple[Fact, ...]
    notes: tuple[str, ...]
    json_url: str


def best_part(row: MeasurementRow, asked: str) -> BestPart | None:
    """None for what is no sweep."""
    if row.kind != "sweep":
        return None
    asked = asked.strip()
    if not asked:
        return BestPart("", "", "", (), (), "")
    try:
        found = best(row.kind, row.numbers, read_above(asked))
    except InvalidInputError as error:
        return BestPart(asked, plain(error.message), "", (), (), "")
    return BestPart(
        asked=asked,
        trouble="",
        text=found.text,
        facts=tuple(_facts(found.best, found)) if found.best else (),
        notes=tuple(_notes(found)),
        json_url=f"/api/v1/measurements/{row.id}/best?above={found.above:.15g}",
    )


def _facts(load: BestLoad, found: BestAnswer) -> Iterator[Fact]:
    unit = "tok/s/GPU" if found.per_gpu else "tok/s"
    yield Fact("Load", load.load)
    yield Fact("Total throughput, input and output", _ranged(load.total, load.total_range, unit))
    yield Fact("Of that output", _ranged(load.output, load.output_range, unit))
    yield Fact("P90 interactivity, slow tail", _ranged(load.interactivity, load.interactivity_range, UNIT))
    yield Fact("TTFT, median", f"{shown(load.ttft_ms)} ms" if load.ttft_ms is not None else "not stated")
    yield Fact("Repeats", counted(load.repeats, "run"))


def _ranged(value: float, within: Range | None, unit: str) -> str:
    if within is None:
        return f"{shown(value)} {unit}, one run"
    return f"{shown(value)} {unit}, median; runs from {shown(within[0])} to {shown(within[1])}"


def _notes(found: BestAnswer) -> Iterator[str]:
    if said := unsteady(found):
        yield said
    yield "A load that was not measured has no number: nothing is said of what lies between these loads or beyond them."
    if found.left_out:
        yield f"Left out: {'; '.join(found.left_out)}."
