"""The condition fields that comparing looks at: one table of name, label, and how to read it from a claim. Pure.

`None` always means "not stated". Values are compared as text, exactly as the catalogue writes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.language import N_

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.claims.schema import Claim


@dataclass(frozen=True)
class ConditionField:
    """`group` is what an axis names when it says which conditions matter to it (app/axes)."""

    label: str
    group: str
    read: Callable[[Claim], object]


def _approximations(claim: Claim) -> str | None:
    listed = claim.conditions.approximations
    if listed is None:
        return None
    return ", ".join(f"{item.name} {'on' if item.on else 'off'}" for item in listed) or "none"


def _acceptance(claim: Claim) -> str | None:
    """Kind and the length it was set to or measured at; a simulation counts as its target, not as its drift."""
    given = claim.acceptance
    if given.kind == "not_stated":
        return None
    forced = given.kind in ("simulated", "synthetic")
    length = (given.target or given.length) if forced else given.length
    return given.kind + (f" {length}" if length is not None else "")


FIELDS: dict[str, ConditionField] = {
    "engine.name": ConditionField(N_("engine"), "engine", lambda c: c.conditions.engine.name),
    "engine.version": ConditionField(
        N_("engine version"), "engine", lambda c: c.conditions.engine.commit or c.conditions.engine.version
    ),
    "model.id": ConditionField(N_("model"), "model", lambda c: c.conditions.model.id),
    "model.weights": ConditionField(N_("model weights"), "model", lambda c: c.conditions.model.weights),
    "hardware.accelerator": ConditionField(N_("GPU"), "hardware", lambda c: c.conditions.hardware.accelerator),
    "hardware.count": ConditionField(N_("number of GPUs"), "hardware", lambda c: c.conditions.hardware.count),
    "hardware.cpu_binding": ConditionField(N_("CPU binding"), "host", lambda c: c.conditions.hardware.cpu_binding),
    "parallelism": ConditionField(N_("parallelism"), "parallelism", lambda c: c.conditions.parallelism),
    "dtypes.weights": ConditionField(N_("weight type"), "dtypes", lambda c: c.conditions.dtypes.weights),
    "dtypes.kv": ConditionField(N_("KV cache type"), "dtypes", lambda c: c.conditions.dtypes.kv),
    "speculation.method": ConditionField(N_("speculation"), "speculation", lambda c: c.conditions.speculation.method),
    "speculation.draft_tokens": ConditionField(
        N_("draft tokens"), "speculation", lambda c: c.conditions.speculation.draft_tokens
    ),
    "acceptance": ConditionField(N_("acceptance"), "speculation", _acceptance),
    "approximations": ConditionField(N_("approximations"), "approximations", _approximations),
    "execution": ConditionField(N_("execution"), "execution", lambda c: c.conditions.execution),
    "workload.name": ConditionField(N_("benchmark"), "workload", lambda c: c.conditions.workload.name),
    "workload.input_tokens": ConditionField(
        N_("input tokens"), "lengths", lambda c: c.conditions.workload.input_tokens
    ),
    "workload.output_tokens": ConditionField(
        N_("output tokens"), "output", lambda c: c.conditions.workload.output_tokens
    ),
    "workload.dataset": ConditionField(N_("prompts"), "workload", lambda c: c.conditions.workload.dataset),
    "workload.temperature": ConditionField(N_("temperature"), "sampling", lambda c: c.conditions.workload.temperature),
    "workload.prefix_cache": ConditionField(N_("prefix cache"), "cache", lambda c: c.conditions.workload.prefix_cache),
    "load.concurrency": ConditionField(
        N_("concurrency"), "load", lambda c: c.conditions.load.concurrency or c.conditions.load.batch
    ),
    "load.rate": ConditionField(N_("request rate"), "load", lambda c: c.conditions.load.rate),
    "limit": ConditionField(N_("limit it was taken under"), "limit", lambda c: c.conditions.limit),
    "client": ConditionField(N_("load tool"), "client", lambda c: c.conditions.client),
    "statistic": ConditionField(N_("statistic"), "statistic", lambda c: c.statistic),
}


# What someone who runs the author's code and script again brings along: all but the machine and the way of summing up.
HELD_BY_SCRIPT = frozenset(
    name for name, field in FIELDS.items() if field.group not in ("hardware", "host", "statistic")
)


def values(claim: Claim) -> dict[str, str | None]:
    """Every condition field of a claim as text, None where the source does not state it."""
    return {name: _text(field.read(claim)) for name, field in FIELDS.items()}


def _text(value: object) -> str | None:
    return None if value is None else str(value)
