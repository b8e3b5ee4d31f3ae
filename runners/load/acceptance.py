"""Speculative acceptance, where a server reports it with each request. Pure.

vLLM's length and SGLang's are two axes. vLLM (0.33, `metrics.speculative_decoding` under
--per-request-spec-decode-metrics): 1 + accepted drafts / steps. SGLang (0.5.23, `sglext.spec_tokens_details` under
return_spec_tokens_details): output tokens / verify steps, the bonus token in it. Both are taken over the whole run, so
that long replies weigh more, not as a mean of the requests' own ratios.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from runners.load.trace import Trace


@dataclass(frozen=True, slots=True)
class Acceptance:
    """`length` is in tokens per step; `rate` the accepted share of the drafted tokens, None where none were drafted."""

    engine: Literal["vllm", "sglang"]
    length: float
    rate: float | None
    steps: int
    requests: int


def acceptance(trace: Trace) -> Acceptance | None:
    """Of the successful requests that report it; None where none does."""
    vllm, sglang = [], []
    for request in np.flatnonzero(trace.ok).tolist():
        said = json.loads(trace.words["server_metrics"][request] or "{}")
        tokens = int(trace.numbers["output_tokens"][request])
        if found := (said.get("metrics") or {}).get("speculative_decoding"):
            vllm.append(_counts(found, "num_spec_steps", "num_accepted_draft_tokens", "num_draft_tokens", tokens))
        if found := (said.get("sglext") or {}).get("spec_tokens_details"):
            details = found[0] if isinstance(found, list) else found
            names = ("spec_verify_ct", "spec_num_correct_drafts", "spec_num_proposed_drafts")
            sglang.append(_counts(details, *names, tokens))
    if vllm:
        return _sum("vllm", vllm)
    return _sum("sglang", sglang) if sglang else None


def _counts(found: dict[str, Any], steps: str, accepted: str, drafted: str, tokens: int) -> tuple[int, int, int, int]:
    return int(found.get(steps) or 0), int(found.get(accepted) or 0), int(found.get(drafted) or 0), tokens


def _sum(engine: Literal["vllm", "sglang"], counts: list[tuple[int, int, int, int]]) -> Acceptance | None:
    steps, accepted, drafted, tokens = (sum(column) for column in zip(*counts, strict=True))
    if not steps:
        return None
    length = 1 + accepted / steps if engine == "vllm" else tokens / steps
    return Acceptance(engine, length, accepted / drafted if drafted else None, steps, len(counts))
