"""What claims state of their workload, taken from their documents without reading the rest. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass

MOST = 2000  # claims whose workloads are kept, the most important first: 4 MB, read in 0.1 s


@dataclass(frozen=True)
class StatedWorkload:
    """A claim in one line with its workload as it states it; None is not stated."""

    id: str
    headline: str
    title: str
    axis: str
    engine: str | None
    model: str | None
    name: str | None
    input_tokens: str | None
    output_tokens: str | None
    prefix_cache: str | None
    turns: str | None
    acceptance: str
    caveats: tuple[str, ...]


def stated_workload(document: str) -> StatedWorkload:
    """From a claim's stored JSON."""
    claim = json.loads(document)
    given = claim["conditions"]
    workload = given["workload"]
    return StatedWorkload(
        id=claim["id"],
        headline=claim["headline"],
        title=claim["title"],
        axis=claim["axis"],
        engine=given["engine"]["name"],
        model=given["model"]["id"],
        name=workload["name"],
        input_tokens=workload["input_tokens"],
        output_tokens=workload["output_tokens"],
        prefix_cache=workload["prefix_cache"],
        turns=workload["turns"],
        acceptance=claim["acceptance"]["kind"],
        caveats=tuple(dict.fromkeys(caveat["kind"] for caveat in claim["caveats"])),
    )
