"""A server's mean TTFT and TPOT make its mean end-to-end latency, or it is told what they leave out."""

from __future__ import annotations

from typing import Any

import pytest

from app.catalogue.folder import SOURCES
from app.jobs.adding_up import does_not_add_up
from app.jobs.shipped import FOLDER, checked


def run(e2e_ms: Any = 6286.92, failed: int = 0, requests: Any = 512, **told: Any) -> dict[str, Any]:
    """vLLM 0.25.1 at 256 streams, as its counters told it."""
    counters = {"ttft_ms": 714.28, "tpot_ms": 11.66, "e2e_ms": e2e_ms, "generated_tokens": 131072, **told}
    return {"failed": failed, "requests": requests, "referee": counters}


def test_time_that_neither_ttft_nor_tpot_counts_is_told() -> None:
    found = does_not_add_up([run(), run(), run()])
    assert found is not None
    assert (found.tokens, found.runs) == (255, 3)
    assert found.parts_ms == pytest.approx(714.28 + 255 * 11.66)
    assert found.missing_ms == pytest.approx(6286.92 - 3687.58)


def test_parts_that_are_more_than_the_whole_are_told() -> None:
    found = does_not_add_up([run(e2e_ms=3000.0)])
    assert found is not None and found.missing_ms == pytest.approx(-687.58)


@pytest.mark.parametrize(
    "runs",
    [
        [run(e2e_ms=3687.58)],
        [run(e2e_ms=3687.58 / 0.96)],
        [run(), run(e2e_ms=3687.58)],
        [run(), run(e2e_ms=3000.0)],
        [run(failed=1)],
        [run(tpot_ms=None)],
        [run(tpot_ms="11")],
        [run(e2e_ms=10**400)],
        [run(requests=0)],
        [run(generated_tokens=512)],
        [{"failed": 0, "requests": 4, "referee": None}],
        [],
    ],
)
def test_what_adds_up_or_is_not_stated_is_no_finding(runs: list[dict[str, Any]]) -> None:
    assert does_not_add_up(runs) is None


def test_a_run_with_a_failed_request_is_left_out() -> None:
    found = does_not_add_up([run(), run(e2e_ms=1.0, failed=2)])
    assert found is not None and found.runs == 1


def test_in_the_evidence_that_ships_vllm_leaves_time_out_at_256_streams_alone() -> None:
    sets = checked(SOURCES.parent / FOLDER / "mn3mn2cwp.zip").numbers["sets"]
    assert {item["load"] for item in sets if does_not_add_up(item["runs"])} == {
        "concurrency 256",
        "concurrency 256, tokens counted at the end",
    }
