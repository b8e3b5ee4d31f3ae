"""One engine's numbers for one model under its two usual aims, low latency and high throughput, side by side. Pure.

A deployment is tuned for one of them; a post that gives only one hides what it costs on the other side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.language import N_

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.claims.schema import ClaimRow

LATENCY_AXES = ("decode_rate", "tpot", "ttft")  # at one request at a time
THROUGHPUT_AXES = ("per_gpu_at_limit", "total_per_gpu", "output_per_gpu", "undefined_per_gpu")
BOTH_MISSING = N_("Neither a low-latency number (one request at a time) nor throughput per GPU is recorded.")
ONE_MISSING = {
    "latency": N_("Only throughput per GPU is recorded: what one request waits for at that setting is not stated."),
    "throughput": N_("Only low latency (one request at a time) is recorded: what the GPUs serve in all is not stated."),
}


@dataclass(frozen=True)
class TwoConfigurations:
    """Absolute numbers in the table's order. `note` says what is missing, None where both sides have a number."""

    engine: str
    model: str
    low_latency: tuple[ClaimRow, ...]
    high_throughput: tuple[ClaimRow, ...]
    note: str | None


def two_configurations(engine: str, model: str, rows: Iterable[ClaimRow]) -> TwoConfigurations:
    """Sort the rows of this engine and model into the two; ratios and retracted cards belong to neither."""
    own = [
        row
        for row in rows
        if (row.conditions.engine.name, row.conditions.model.id) == (engine, model)
        and row.kind == "absolute"
        and not (row.card and row.card.retracted)
    ]
    latency = tuple(row for row in own if row.axis in LATENCY_AXES and _alone(row))
    throughput = tuple(row for row in own if row.axis in THROUGHPUT_AXES)
    if latency and throughput:
        note = None
    elif latency or throughput:
        note = ONE_MISSING["throughput" if latency else "latency"]
    else:
        note = BOTH_MISSING
    return TwoConfigurations(engine, model, latency, throughput, note)


def _alone(row: ClaimRow) -> bool:
    load = row.conditions.load
    return "1" in (load.concurrency, load.batch)
