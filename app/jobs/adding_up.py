"""Whether a server's own means add up: end to end is the first token and every token after it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from app.jobs.agreement import finite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Json = dict[str, Any]
# The share of end to end by which a sum of means may miss it. Where a server's own loop keeps up, vLLM's miss it by at
# most 1.1 % (up to 128 streams, in the evidence that ships); where its front end does not, by 23 % and more.
TOLERANCE = 0.05


@dataclass(frozen=True, slots=True)
class Sum:
    """Medians over runs, in ms. `tokens`: of a request after its first; `parts_ms`: TTFT and those at TPOT."""

    ttft_ms: float
    tpot_ms: float
    tokens: float
    parts_ms: float
    e2e_ms: float
    runs: int

    @property
    def missing_ms(self) -> float:
        """What no part of it accounts for; below 0 where the parts are more than the whole."""
        return self.e2e_ms - self.parts_ms


def does_not_add_up(runs: Sequence[Json]) -> Sum | None:
    """The sum of those runs of one load that state all of it; None where there is none, or where it adds up in one of
    them. Of a run with a failed request nobody knows how many tokens its mean is of."""
    found = [item for run in runs if not run["failed"] for item in _sum(run)]
    if not found or any(abs(item.missing_ms) <= TOLERANCE * item.e2e_ms for item in found):
        return None
    if min(item.missing_ms for item in found) < 0 < max(item.missing_ms for item in found):
        return None
    middle = {
        name: median(getattr(item, name) for item in found)
        for name in ("ttft_ms", "tpot_ms", "tokens", "parts_ms", "e2e_ms")
    }
    return Sum(**middle, runs=len(found))


def _sum(run: Json) -> Iterator[Sum]:
    told = run["referee"] or {}
    ttft_ms, tpot_ms, e2e_ms = (finite(told.get(name)) for name in ("ttft_ms", "tpot_ms", "e2e_ms"))
    generated, requests = finite(told.get("generated_tokens")), finite(run["requests"])
    if ttft_ms is None or not tpot_ms or not e2e_ms or not generated or not requests or generated <= requests:
        return
    tokens = generated / requests - 1
    yield Sum(ttft_ms, tpot_ms, tokens, ttft_ms + tokens * tpot_ms, e2e_ms, 1)
