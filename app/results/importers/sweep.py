"""T18: several loads of one file, in which more load gives less throughput. Pure."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from app.language import F_
from app.results.importers.draft import short
from app.results.importers.schema import Imported, Warned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.cards.schema import Card

DROP = Decimal("0.98")  # of the best lower load; less than that is no noise of one run
THROUGHPUT = {"output_throughput", "total_throughput", "output_per_gpu", "total_per_gpu", "decode_per_gpu"}


def marked(imported: Sequence[Imported]) -> tuple[Imported, ...]:
    """The same cards; those that fall below a lower load of their own series say so."""
    best: dict[str, tuple[Decimal, Decimal]] = {}  # series -> load and value of its best point so far
    below: dict[int, Warned] = {}
    places = sorted(range(len(imported)), key=lambda index: _load(imported[index].card) or Decimal(0))
    for index in places:
        card = imported[index].card
        load, result = _load(card), card.result
        if load is None or result is None or card.metric is None or card.metric.axis not in THROUGHPUT:
            continue
        series = _series(card)
        if series in best and result.value < best[series][1] * DROP and load > best[series][0]:
            lower, more = best[series]
            message = F_(
                "{number_value} at load {number_load} is below {number_more} at {number_lower}: the sweep is not "
                "monotone; a Pareto "
                "front drops this point"
            ).format(
                number_value=short(result.value),
                number_load=short(load),
                number_more=short(more),
                number_lower=short(lower),
            )
            below[index] = Warned(trap="T18", field="result.value", message=message)
        if series not in best or result.value > best[series][1]:
            best[series] = (load, result.value)
    return tuple(
        one.model_copy(update={"warnings": (*one.warnings, below[index])}) if index in below else one
        for index, one in enumerate(imported)
    )


def _load(card: Card) -> Decimal | None:
    workload = card.workload
    if workload is None:
        return None
    for value in (workload.concurrency, workload.sessions, workload.rate):
        if value is not None:
            return Decimal(value)
    return None


def _series(card: Card) -> str:
    """All that is held equal within a sweep: everything stated but the load and what came out."""
    dumped = card.model_dump(mode="json", exclude={"result", "also", "raw", "runs", "title", "note", "quality"})
    kind = "concurrency" if card.workload and card.workload.concurrency else "other"
    for key in ("concurrency", "rate", "sessions", "prefix_cache"):
        (dumped.get("workload") or {}).pop(key, None)
    return f"{kind} {dumped}"
