"""The hand-checked values of public result files, where this checkout has them beside it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from app.results.importers import Imported, read

SAMPLES = Path(__file__).parents[2].parent / "shared" / "samples"
EXPECTED = SAMPLES / "expected_normalized.json"
WHY_SKIPPED = "the public sample files are not beside this checkout (../shared/samples); they are not copied into it"
CASES: list[dict[str, Any]] = json.loads(EXPECTED.read_text())["cases"] if EXPECTED.is_file() else []
INFERENCEX_RAW = [case for case in CASES if case["format"].startswith("inferencex-raw")]
INFERENCEX_ROWS = [case for case in CASES if case["format"] == "inferencex-agg"]
INFERENCE_PERF = [case for case in CASES if case["format"] == "inference-perf"]
GUIDELLM = [case for case in CASES if case["format"] == "guidellm v2"]

pytestmark = pytest.mark.skipif(not CASES, reason=WHY_SKIPPED)


def cards(case: dict[str, Any]) -> list[Imported]:
    path = SAMPLES / case["sample"].split(" row ")[0]
    report = read(path.name, path.read_bytes())
    return list(report.imported)


def figures(imported: Imported) -> dict[tuple[str, str | None], Decimal]:
    card = imported.card
    assert card.metric
    assert card.result
    found = {(card.metric.axis, None): card.result.value}
    return found | {(figure.axis, figure.statistic): figure.value for figure in card.also or ()}


def said(imported: Imported, trap: str) -> str:
    return " ".join(warned.message for warned in imported.warnings if warned.trap == trap)


def near(value: Decimal, expected: float) -> bool:
    return abs(float(value) - expected) <= abs(expected) * 1e-9


@pytest.mark.parametrize("case", INFERENCEX_RAW, ids=lambda case: f"conc{case['concurrency']}")
def test_raw_inferencex_seconds_become_ms_and_per_gpu_numbers(case: dict[str, Any]) -> None:
    [imported] = cards(case)
    card, found = imported.card, figures(imported)
    assert card.hardware
    assert card.workload
    assert card.hardware.count == case["gpus_from_filename"]
    assert card.workload.concurrency == case["concurrency"]
    for name, key in (
        ("output_tok_s", ("output_throughput", None)),
        ("total_tok_s", ("total_throughput", None)),
        ("output_tok_s_per_gpu", ("output_per_gpu", None)),
        ("total_tok_s_per_gpu", ("total_per_gpu", None)),
        ("median_ttft_ms", ("ttft", "median")),
        ("median_tpot_ms", ("tpot", "median")),
        ("median_interactivity_tok_s", ("decode_rate", "1 / median TPOT")),
        ("p99_slow_tail_interactivity_tok_s", ("decode_rate", "1 / P99 of TPOT, slow tail")),
    ):
        assert near(found[key], case[name]), name
    derived = case["concurrency"] / found["tpot", "median"] * 1000 / card.hardware.count
    assert near(derived, case["derived_output_tok_s_per_gpu"])


@pytest.mark.parametrize("case", INFERENCEX_ROWS, ids=lambda case: f"row-conc{case['row_conc']}")
def test_rows_whose_total_is_really_derived_output_are_found_out(case: dict[str, Any]) -> None:
    imported = next(
        one for one in cards(case) if one.card.workload and one.card.workload.concurrency == case["row_conc"]
    )
    card = imported.card
    assert card.metric
    assert card.result
    assert card.metric.axis == "decode_per_gpu"
    assert near(card.result.value, case["derived_output"])
    assert case["tput_per_gpu"] == case["output_tput_per_gpu"]
    assert "total_per_gpu" not in {axis for axis, _ in figures(imported)}
    assert "tput_per_gpu == output_tput_per_gpu although isl=8192" in said(imported, "T1")
    assert f"{case['derived_output']:.2f}" in said(imported, "T2")
    assert f"{case['wall_output_estimate']:.5g}" in said(imported, "T2")


def test_rate_limited_sglang_run_is_no_point_at_its_concurrency_limit() -> None:
    case = next(case for case in CASES if case["format"].startswith("sglang"))
    [imported] = cards(case)
    found = figures(imported)
    assert near(found["output_throughput", None], case["output_tok_s"])
    assert near(found["total_throughput", None], case["total_tok_s"])
    assert imported.card.workload
    assert imported.card.workload.concurrency == case["max_concurrency"]
    assert f"achieved concurrency {case['achieved_concurrency']:.2f}" in said(imported, "T10")
    assert "rate-limited run (5 req/s)" in said(imported, "T10")
    assert not [axis for axis, _ in found if axis.startswith("acceptance")]


@pytest.mark.parametrize("case", INFERENCE_PERF, ids=lambda case: f"rate{case['requested_rate']}")
def test_inference_perf_stage(case: dict[str, Any]) -> None:
    [imported] = cards(case)
    found = figures(imported)
    assert near(found["output_throughput", None], case["output_tok_s"])
    assert near(found["total_throughput", None], case["total_tok_s"])
    assert near(found["ttft", "median"], case["median_ttft_ms"])
    assert imported.card.workload
    assert imported.card.workload.rate == Decimal(str(case["requested_rate"]))
    saturated = said(imported, "T10")
    assert (f"achieved {case['achieved_rate']:.2f}" in saturated) == ("lint" in case)


@pytest.mark.parametrize("case", GUIDELLM, ids=lambda case: f"rate{case['rate']}")
def test_guidellm_inter_token_latency_is_the_tpot(case: dict[str, Any]) -> None:
    imported = next(
        one for one in cards(case) if one.card.workload and one.card.workload.rate == Decimal(str(case["rate"]))
    )
    found = figures(imported)
    assert near(found["ttft", "mean"], case["ttft_ms_mean"])
    assert near(found["tpot", "mean"], case["itl_ms_mean"])
    assert not [value for value in found.values() if near(value, case["guidellm_tpot_ms_mean"])]
    assert "includes the first token" in said(imported, "T4")


def test_mlperf_row_with_87_gpus_and_88() -> None:
    case = next(case for case in CASES if case["format"].startswith("mlperf"))
    imported = cards(case)[0]
    card = imported.card
    assert card.result
    assert card.hardware
    assert float(card.result.value) == case["result"]
    assert card.result.unit == "tok/s"
    assert card.hardware.count == case["total_accelerators"]
    assert case["platform"] in str(card.source)
    assert "says 87 GPUs, total_accelerators 88" in said(imported, "T9")
    assert "1.1 %" in said(imported, "T9")


def test_every_case_is_tried_here_or_has_no_file() -> None:
    tried = [*INFERENCEX_RAW, *INFERENCEX_ROWS, *INFERENCE_PERF, *GUIDELLM]
    others = [case for case in CASES if case not in tried and not case["format"].startswith(("sglang", "mlperf"))]
    assert not [case for case in others if (SAMPLES / case["sample"].split("[")[0]).is_file()]
