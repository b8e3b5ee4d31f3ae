"""What a reproduction needs of a card, how much of it is stated, and what to ask the author. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.language import N_

if TYPE_CHECKING:
    from app.cards.schema import Card


@dataclass(frozen=True)
class Needed:
    """A field that a reproduction needs, and the question to its author where it is not stated."""

    field: str
    question: str


NEEDED: tuple[Needed, ...] = (
    Needed("engine.name", N_("Which engine ran?")),
    Needed("engine.version", N_("Which exact engine version or commit?")),
    Needed("model.id", N_("Which model?")),
    Needed("model.revision", N_("Which model revision?")),
    Needed("hardware.accelerator", N_("Which GPU?")),
    Needed("hardware.count", N_("How many GPUs?")),
    Needed("parallelism.tp", N_("Which parallelism?")),
    Needed("dtypes.weights", N_("Which weight type?")),
    Needed("dtypes.kv", N_("Which KV cache type?")),
    Needed("speculation.method", N_("Was speculation on, and how was acceptance set?")),
    Needed("approximations", N_("Which approximations were on?")),
    Needed("workload.input_tokens", N_("How many input tokens?")),
    Needed("workload.output_tokens", N_("How many output tokens?")),
    Needed("workload.dataset", N_("Which prompts?")),
    Needed("workload.seed", N_("Which seed?")),
    Needed("workload.prefix_cache", N_("Was the prefix cache cleared before each run?")),
    Needed("workload.temperature", N_("Which temperature?")),
    Needed("runs.count", N_("How many runs?")),
    Needed("runs.statistic", N_("Which statistic of the runs?")),
    Needed("metric.axis", N_("What does the number measure?")),
    Needed("launch.argv", N_("Which launch command?")),
)
INSTEAD = {"engine.version": "engine.commit", "parallelism.tp": "parallelism.note"}  # either one will do


def questions(card: Card) -> tuple[Needed, ...]:
    """What to ask the author."""
    return tuple(need for need in NEEDED if not _stated(card, need.field))


def completeness(card: Card) -> int:
    """Percent of the fields that a reproduction needs and that the card states."""
    return percent_without(questions(card))


def percent_without(missing: tuple[Needed, ...]) -> int:
    """The completeness of a card that leaves these questions open."""
    return round(100 * (len(NEEDED) - len(missing)) / len(NEEDED))


def _stated(card: Card, field: str) -> bool:
    block, _, part = field.partition(".")
    holder = getattr(card, block)
    value = getattr(holder, part) if holder is not None and part else holder
    if field == "parallelism.tp" and holder is not None:
        return any(size is not None for size in (holder.tp, holder.dp, holder.ep, holder.note))
    return value is not None or (field in INSTEAD and _stated(card, INSTEAD[field]))
