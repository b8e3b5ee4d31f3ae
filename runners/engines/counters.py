"""A server's own counters: the text of its /metrics -> numbers, and what a run added to them. Pure.

What a text does not have is None, never 0. `_created` series, which are times, are left out. Counters of all ranks are
added up, but for those ranks that repeat one another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from prometheus_client.parser import text_string_to_metric_families

from app.protocol.engines import ENGINES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prometheus_client.samples import Sample

    from app.protocol.engines.table import Engine, Quantity

Series = dict[str, list["Sample"]]


@dataclass(frozen=True, slots=True)
class Histogram:
    """Observations so far: their sum and their number."""

    total: float
    count: float

    @property
    def mean(self) -> float | None:
        return self.total / self.count if self.count else None


@dataclass(frozen=True, slots=True)
class Counters:
    """Of one moment, or the difference between two. Tokens are counts; histograms are in seconds."""

    engine: str
    values: Mapping[Quantity, float] = field(default_factory=dict)
    histograms: Mapping[Quantity, Histogram] = field(default_factory=dict)

    def value(self, quantity: Quantity) -> float | None:
        return self.values.get(quantity)

    def mean_ms(self, quantity: Quantity) -> float | None:
        found = self.histograms.get(quantity)
        return found.mean * 1000 if found and found.mean is not None else None


@dataclass(frozen=True, slots=True)
class Accepted:
    """Speculative acceptance as this engine defines its length: two axes, not one.

    vLLM: 1 + accepted drafts / steps. SGLang: tokens generated / steps, the first token of each request, which no step
    made, among them. The rate is accepted / proposed; None where the engine counts neither.
    """

    definition: Literal["vllm", "sglang"]
    length: float
    rate: float | None
    steps: int


class RestartedError(Exception):
    """A counter is lower than before: another server answers, or this one began anew."""


def read(text: str) -> Counters | None:
    """The counters of a known engine's text; None for the text of something else. ValueError: no such format."""
    series: Series = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if not sample.name.endswith("_created"):
                series.setdefault(sample.name, []).append(sample)
    for engine in ENGINES.values():
        if any(name.startswith(engine.metric_prefix) for name in series):
            return _counters(engine, series)
    return None


def _counters(engine: Engine, series: Series) -> Counters:
    values: dict[Quantity, float] = {}
    histograms: dict[Quantity, Histogram] = {}
    for quantity, names in engine.metrics.items():
        for name in names:
            if name.metric in series:
                values[quantity] = _sum(engine, series[name.metric])
                break
            if f"{name.metric}_count" in series:
                count, total = (_sum(engine, series[f"{name.metric}_{part}"]) for part in ("count", "sum"))
                histograms[quantity] = Histogram(total, count)
                break
    for quantity, witness in engine.from_first_event.items():
        if quantity not in values and witness in values:
            values[quantity] = 0.0
    return Counters(engine.name, values, histograms)


def _sum(engine: Engine, samples: list[Sample]) -> float:
    return sum(
        sample.value
        for sample in samples
        if all(sample.labels.get(label, rank) == rank for label, rank in engine.ranks.items())
    )


def delta(before: Counters, after: Counters) -> Counters:
    """What was added between two moments; what only the later one has began at 0. RestartedError: less than before."""
    if before.engine != after.engine:
        raise RestartedError(f"{before.engine} answered before and {after.engine} after")
    values = {name: value - before.values.get(name, 0.0) for name, value in after.values.items()}
    histograms = {
        name: Histogram(found.total - earlier.total, found.count - earlier.count)
        for name, found in after.histograms.items()
        for earlier in (before.histograms.get(name, Histogram(0.0, 0.0)),)
    }
    if any(value < 0 for value in values.values()) or any(found.count < 0 for found in histograms.values()):
        raise RestartedError("the server's counters are lower than before")
    return Counters(after.engine, values, histograms)


def accepted(added: Counters) -> Accepted | None:
    """Acceptance over a difference; None without speculation."""
    steps = added.value("spec_steps")
    if not steps:
        return None
    taken, drafted = added.value("spec_accepted_tokens"), added.value("spec_draft_tokens")
    rate = taken / drafted if taken is not None and drafted else None
    if added.engine == "vllm":
        return Accepted("vllm", 1 + taken / steps, rate, int(steps)) if taken is not None else None
    generated = added.value("generated_tokens")
    return Accepted("sglang", generated / steps, rate, int(steps)) if generated is not None else None
