"""How fast one stream can decode at most: every token reads the active weights once. Pure (lint R10)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING

from app.language import _, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.catalogue.models import ModelWeights
    from app.claims.schema import Claim

# Memory bandwidth of one GPU in TB/s, from NVIDIA's data sheets (H100 is the SXM part). An accelerator that is not
# listed is not checked.
BANDWIDTH_TB_S: Mapping[str, Decimal] = MappingProxyType(
    {
        "H100": Decimal("3.35"),
        "H200": Decimal("4.8"),
        "B200": Decimal(8),
        "GB200": Decimal(8),
        "B300": Decimal(8),
        "GB300": Decimal(8),
    }
)
# Bytes of one parameter in a weight type that a claim states alone, scales left out so that the limit is never too low.
# Of a mixture ("NVFP4 MoE, FP8 attention") the model's own least plausible size counts.
BYTES: Mapping[str, Decimal] = MappingProxyType(
    {
        "bf16": Decimal(2),
        "fp16": Decimal(2),
        "fp8": Decimal(1),
        "int8": Decimal(1),
        "fp4": Decimal("0.5"),
        "int4": Decimal("0.5"),
        "mxfp4": Decimal("0.5"),
        "nvfp4": Decimal("0.5"),
    }
)
NO_WEIGHTS: Mapping[str, ModelWeights] = MappingProxyType({})


@dataclass(frozen=True)
class Limit:
    """The highest rate in tok/s without speculation, with its arithmetic in words."""

    tok_s: Decimal
    arithmetic: str


def memory_limit(claim: Claim, weights: Mapping[str, ModelWeights]) -> Limit | None:
    """bandwidth x GPUs / (active parameters x bytes each); None where one of the four is not known.

    The bytes are those of the weight type that the claim states, else the least that is plausible for the model.
    """
    hardware, model = claim.conditions.hardware, claim.conditions.model.id
    bandwidth = BANDWIDTH_TB_S.get(hardware.accelerator or "")
    read = weights.get(model or "")
    if bandwidth is None or hardware.count is None or read is None:
        return None
    size = BYTES.get((claim.conditions.dtypes.weights or "").lower(), read.bytes_per_param)
    gigabytes = read.active_params_b * size
    limit = bandwidth * 1000 * hardware.count / gigabytes
    arithmetic = _(
        "{bandwidth} TB/s x {count} GPUs / ({active_params_b}B active parameters x {size} bytes) = {limit} tok/s"
    ).format(
        bandwidth=bandwidth,
        count=hardware.count,
        active_params_b=read.active_params_b,
        size=size,
        limit=number(limit, ",.0f"),
    )
    return Limit(limit, arithmetic)
