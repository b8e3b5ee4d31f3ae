"""What a reproduction needs of a card, how much of it is stated, and what to ask the author. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.cards.schema import Card


@dataclass(frozen=True)
class Needed:
    """A field that a reproduction needs, and the question to its author where it is not stated."""

    field: str
    question: str


NEEDED: tuple[Needed, ...] = (
    Needed("engine.name", "Which engine ran?"),
    Needed("engine.version", "Which exact engine version or commit?"),
    Needed("model.id", "Which model?"),
    Needed("model.revision", "Which model revision?"),
    Needed("hardware.accelerator", "Which GPU?"),
    Needed("hardware.count", "How many GPUs?"),
    Needed("parallelism.tp", "Which parallelism?"),
    Needed("dtypes.weights", "Which weight type?"),
    Needed("dtypes.kv", "Which KV cache type?"),
    Needed("speculation.method", "Was speculation on, and how was acceptance set?"),
    Needed("approximations", "Which approximations were on?"),
    Needed("workload.input_tokens", "How many input tokens?"),
    Needed("workload.output_tokens", "How many output tokens?"),
    Needed("workload.dataset", "Which prompts?"),
    Needed("workload.seed", "Which seed?"),
    Needed("workload.prefix_cache", "Was the prefix cache cleared before each run?"),
    Needed("workload.temperature", "Which temperature?"),
    Needed("runs.count", "How many runs?"),
    Needed("runs.statistic", "Which statistic of the runs?"),
    Needed("metric.axis", "What does the number measure?"),
    Needed("launch.argv", "Which launch command?"),
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
