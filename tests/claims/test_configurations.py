"""One engine's low-latency and high-throughput numbers side by side, and a note where one is missing."""

from __future__ import annotations

from typing import Any

import pytest

from app.claims.configurations import two_configurations
from tests.compare.factories import row

PER_GPU: dict[str, Any] = {"axis": "output_per_gpu", "unit": "tok/s/GPU", "conditions.load.concurrency": "64"}


def ids(*rows: Any) -> tuple[list[str], list[str], str | None]:
    found = two_configurations("SGLang", "DeepSeek-V4.1-Flash", rows)
    return [item.id for item in found.low_latency], [item.id for item in found.high_throughput], found.note


def test_both_aims_stand_together() -> None:
    assert ids(row(id="one"), row(id="many", **PER_GPU)) == (["one"], ["many"], None)


@pytest.mark.parametrize(
    ("overrides", "side"),
    [
        ({"axis": "ttft", "unit": "ms"}, "latency"),
        ({"axis": "tpot", "unit": "ms", "conditions.load": {"batch": "1"}}, "latency"),
        ({"axis": "ttft", "unit": "ms", "conditions.load.concurrency": "8"}, None),
        ({"axis": "per_gpu_at_limit", "unit": "tok/s/GPU"}, "throughput"),
        ({"axis": "per_gpu_at_limit", "unit": "x", "kind": "ratio"}, None),
        ({"axis": "output_throughput"}, None),
        ({"conditions.engine.name": "vLLM"}, None),
        ({"conditions.model.id": "Kimi K3"}, None),
        ({"card": {"id": "c", "revision": 1, "author": "A", "completeness": 1, "retracted": "wrong"}}, None),
        ({"card": {"id": "c", "revision": 1, "author": "A", "completeness": 1}}, "latency"),
    ],
)
def test_a_number_belongs_to_one_aim_or_to_none(overrides: dict[str, Any], side: str | None) -> None:
    latency, throughput, note = ids(row(id="x", **overrides))
    assert (latency, throughput) == (["x"] * (side == "latency"), ["x"] * (side == "throughput"))
    assert note


def test_what_is_missing_is_said() -> None:
    assert "what the GPUs serve in all is not stated" in str(ids(row())[2])
    assert "what one request waits for at that setting is not stated" in str(ids(row(**PER_GPU))[2])
    assert str(ids()[2]).startswith("Neither")
