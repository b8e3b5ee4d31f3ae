"""How many prompt tokens an engine reads in the time of writing one: from pairs of claims that state both. Pure.

Each pair is one deployment in one source. The ratio says where prefill and decode take equal time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.tools.shapes import one_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
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
    of the pairs, and how many they are. `prompt` is the longest prompt behind them, None for the asker's own rates."""

    low: Decimal
    high: Decimal
    pairs: int
    prompt: Decimal | None = None


def at_full_load(found: Mapping[str, ClaimRow]) -> Even | None:
    """None where the catalogue has no pair."""
    return _span([(prefill / decode, prompt) for prefill, decode, prompt in _pairs(found, FULL_LOAD)])


def of_one_request(found: Mapping[str, ClaimRow]) -> Even | None:
    """prompt / TTFT over 1 / TPOT. TTFT holds the queue and one decode step, so the prompt is read a little faster."""
    return _span([(tpot * prompt / ttft, prompt) for ttft, tpot, prompt in _pairs(found, ONE_REQUEST)])


def _pairs(
    found: Mapping[str, ClaimRow], listed: Sequence[tuple[str, str]]
) -> Iterator[tuple[Decimal, Decimal, Decimal]]:
    """Both values and the prompt's length, of the pairs that are there with all three."""
    for a, b in listed:
        if a in found and b in found:
            first, second = found[a].value, found[b].value
            prompt = one_number(found[a].conditions.workload.input_tokens)
            if first and second and prompt:
                yield first, second, prompt


def _span(ratios: Sequence[tuple[Decimal, Decimal]]) -> Even | None:
    if not ratios:
        return None
    values = [ratio for ratio, _ in ratios]
    return Even(min(values), max(values), len(ratios), max(prompt for _, prompt in ratios))
