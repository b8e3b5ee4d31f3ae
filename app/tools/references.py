"""How many prompt tokens an engine reads in the time of writing one: from pairs of claims that state both. Pure.

Each pair is one deployment in one source. The ratio says where prefill and decode take equal time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from app.claims.schema import ClaimRow

# (prefill tok/s, decode tok/s) of GPUs that only prefill and GPUs that only decode, at full load.
FULL_LOAD = (
    ("sgl-gb200-part2-prefill", "sgl-gb200-part2"),
    ("vllm-gb200-dsr1-tpgs-prefill", "vllm-gb200-dsr1-tpgs"),
    ("sgl-h100-large-ep", "sgl-h100-large-ep-output"),
)
# (TTFT in ms, TPOT in ms) of one request alone, speculation off, cache cleared; the prompt's length is the claim's own.
ONE_REQUEST = (
    ("sglang-cookbook-granite42-3b-h200", "sglang-cookbook-granite42-3b-h200-c1-tpot"),
    ("sglang-cookbook-granite42-8b-h200", "sglang-cookbook-granite42-8b-h200-c1-tpot"),
    ("sglang-cookbook-granite42-3b-h200-30b-c1-ttft", "sglang-cookbook-granite42-3b-h200-30b-c1-tpot"),
)
IDS = tuple(claim for pair in (*FULL_LOAD, *ONE_REQUEST) for claim in pair)


@dataclass(frozen=True)
class Even:
    """Computed prompt tokens per output token at which prefill and decode take equal time: the lowest and the highest
    of the pairs, how many they are, and whose."""

    low: Decimal
    high: Decimal
    pairs: int
    claims: tuple[str, ...] = ()


def at_full_load(found: Mapping[str, ClaimRow]) -> Even | None:
    """None where the catalogue has no pair."""
    ratios = [
        (a, b, prefill / decode) for a, b in FULL_LOAD if (prefill := _value(found, a)) and (decode := _value(found, b))
    ]
    return _span(ratios)


def of_one_request(found: Mapping[str, ClaimRow]) -> Even | None:
    """prompt / TTFT over 1 / TPOT. TTFT holds the queue and one decode step, so the prompt is read a little faster."""
    ratios = []
    for a, b in ONE_REQUEST:
        ttft, tpot = _value(found, a), _value(found, b)
        prompt = found[a].conditions.workload.input_tokens if a in found else None
        if ttft and tpot and prompt and prompt.isdigit():
            ratios.append((a, b, tpot * int(prompt) / ttft))
    return _span(ratios)


def _value(found: Mapping[str, ClaimRow], claim: str) -> Decimal | None:
    return found[claim].value if claim in found else None


def _span(ratios: Sequence[tuple[str, str, Decimal]]) -> Even | None:
    if not ratios:
        return None
    values = [ratio for _, _, ratio in ratios]
    claims = tuple(claim for a, b, _ in ratios for claim in (a, b))
    return Even(min(values), max(values), len(ratios), claims)
