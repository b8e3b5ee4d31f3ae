"""Which number of a run stands on which axis, and in which unit. Pure: the registry of axes against runners.report."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.claims.schema import Claim


@dataclass(frozen=True)
class Quantity:
    """`key` is the name in a run's numbers; a `distribution` has a number for each statistic, another has one a run."""

    key: str
    unit: str
    distribution: bool = False
    per_gpu: bool = False


QUANTITIES: dict[str, Quantity] = {
    "ttft": Quantity("ttft_ms", "ms", distribution=True),
    "tpot": Quantity("tpot_ms", "ms", distribution=True),
    "event_gap": Quantity("event_gap_ms", "ms", distribution=True),
    "token_itl": Quantity("token_itl_ms", "ms", distribution=True),
    "e2e_latency": Quantity("e2e_ms", "ms", distribution=True),
    "decode_rate": Quantity("decode_tok_s", "tok/s", distribution=True),
    "output_throughput": Quantity("output_tok_s", "tok/s"),
    "total_throughput": Quantity("total_tok_s", "tok/s"),
    "output_per_gpu": Quantity("output_tok_s", "tok/s/GPU", per_gpu=True),
    "total_per_gpu": Quantity("total_tok_s", "tok/s/GPU", per_gpu=True),
    "per_gpu_at_limit": Quantity("total_tok_s", "tok/s/GPU", per_gpu=True),
    "request_throughput": Quantity("requests_s", "req/s"),
    "run_duration": Quantity("duration_s", "s"),
    "interactivity_p90_slow": Quantity("interactivity_p90_slow", "tok/s/user"),
    "interactivity_p90_fast": Quantity("interactivity_p90_fast", "tok/s/user"),
    "interactivity_e2e": Quantity("interactivity_e2e", "tok/s/user"),
}
STATISTICS = {"median": "median", "p50": "median", "mean": "mean", "average": "mean", "p90": "p90", "p99": "p99"}
FACTORS = {("ms", "s"): 0.001, ("s", "ms"): 1000.0}
LIMIT = re.compile(r"P90 interactivity (?:>|>=|above) (\d+(?:\.\d+)?) tok/s(?:/user)?", re.IGNORECASE)


def statistic(claim: Claim) -> str:
    """The statistic that a distribution is read by: the claim's where it is one that is computed, else the median."""
    words = re.findall(r"[a-z]+\d*", (claim.statistic or "").lower())
    return next((STATISTICS[word] for word in words if word in STATISTICS), "median")


def value(numbers: Mapping[str, Any], axis: str, stat: str, gpus: int | None) -> float | None:
    """One run's number on an axis in the axis's own unit; None where the run cannot say."""
    quantity = QUANTITIES.get(axis)
    found = numbers.get(quantity.key) if quantity else None
    if quantity is None or found is None:
        return None
    number = found.get(stat) if quantity.distribution else found
    if number is None:
        return None
    if quantity.per_gpu:
        return float(number) / gpus if gpus else None
    return float(number)


def in_unit(number: float, axis: str, unit: str) -> float | None:
    """A number of that axis in a claim's unit; None where no factor between the two is known."""
    own = QUANTITIES[axis].unit
    factor = 1.0 if own == unit else FACTORS.get((own, unit))
    return None if factor is None else number * factor


def limit(text: str | None) -> float | None:
    """The least P90 interactivity in tok/s/user that a claim's limit asks for; None where it asks for none."""
    found = LIMIT.search(text or "")
    return float(found[1]) if found else None
