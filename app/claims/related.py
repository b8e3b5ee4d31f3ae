"""Claims under conditions like a given one's: found by what they share, weighed. Pure: arrays in, positions out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.claims.index import NOT_STATED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.claims.index import ClaimIndex, Small

# What two claims share, and how much that says. The weights are such that no sum of lower ones reaches a higher one:
# the same model first, then the same axis, the same GPU, the same engine, the same kind of number.
WEIGHTS = {"model": 16, "axis": 8, "hardware": 4, "engine": 2, "kind": 1}
LEAST = WEIGHTS["axis"] + WEIGHTS["hardware"]  # another model is related only on the same axis and the same GPU


def related_positions(index: ClaimIndex, shared: Mapping[str, str | None], claim_id: str, most: int) -> list[int]:
    """At most `most` claims that share enough with a claim of these facet values, the nearest first; equally near
    ones in the table's order. The claim itself and retracted cards are left out."""
    scores = np.zeros(len(index), dtype=np.int16)
    for facet, weight in WEIGHTS.items():
        scores += weight * _same(index, facet, shared.get(facet))
    caveats = index.facets["caveat"]
    scores[caveats.mask(["retracted"])] = 0
    order = index.orders["rank"]
    ranked = order[np.argsort(-scores[order], kind="stable")]
    near = [int(position) for position in ranked[: most + 1] if scores[position] >= LEAST]
    return [position for position in near if index.ids[position] != claim_id][:most]


def _same(index: ClaimIndex, facet: str, value: str | None) -> Small:
    """1 where a claim has this value; what is not stated is like nothing."""
    if value is None or value == NOT_STATED:
        return np.zeros(len(index), dtype=np.int16)
    return index.facets[facet].mask([value]).astype(np.int16)
