"""InferenceX, llm-d and MLPerf: trees with these formats' field names and invented values (see factories.py)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
import yaml

from app.results.importers import read
from tests.importers.factories import (
    MLPERF_HEADER,
    agentx,
    figures,
    imported,
    mlperf_row,
    report_01,
    report_02,
    row,
    said,
)


def test_tput_per_gpu_of_a_row_is_the_total() -> None:
    [one] = imported([row()])
    found = figures(one)
    assert one.card.metric
    assert one.card.metric.axis == "total_per_gpu"
    assert found["total_per_gpu", None] == 400
    assert found["output_per_gpu", None] == 200
    assert found["tpot", "P90"] == 25
    assert found["interactivity_p90_slow", "P90 slow tail"] == 40
    assert found["decode_rate", "1 / mean TPOT"] == 50
    assert not said(one, "T1")


def test_row_states_its_deployment() -> None:
    [one] = imported([row()])
    card = one.card
    assert card.engine
    assert card.hardware
    assert card.parallelism
    assert card.speculation
    assert (card.engine.name, card.engine.version) == ("vLLM", "image vllm/vllm-openai:v0.33.0")
    assert (card.hardware.accelerator, card.hardware.count) == ("B200", 8)
    assert (card.parallelism.tp, card.parallelism.ep, card.parallelism.dp_attention) == (8, 8, True)
    assert card.speculation.method == "off"


def test_std_of_a_reciprocal_is_left_out() -> None:
    [one] = imported([row()])
    assert Decimal(500) not in figures(one).values()
    assert "left out" in said(one, "T17")


def test_derived_output_under_the_name_of_total_is_a_decode_rate_per_gpu() -> None:
    derived = row(tput_per_gpu=200.0, output_tput_per_gpu=200.0, conc=32, mean_tpot=0.02, mean_e2el=40.0)
    [one] = imported([derived])
    assert one.card.metric
    assert one.card.metric.axis == "decode_per_gpu"
    assert "output-only and derived" in said(one, "T1")
    assert "by mean latency the wall clock gives about 102.4" in said(one, "T2")


def test_equal_total_and_output_that_is_not_derived_is_still_no_total() -> None:
    [one] = imported([row(tput_per_gpu=123.0, output_tput_per_gpu=123.0)])
    assert one.card.metric
    assert one.card.metric.axis == "output_per_gpu"
    assert "output-only, not input+output" in said(one, "T1")
    assert not said(one, "T2")


def test_split_deployment_has_three_divisors() -> None:
    pools = {"num_prefill_gpu": 4, "num_decode_gpu": 8, "prefill_tp": 4, "decode_tp": 8, "prefill_num_workers": 1}
    [one] = imported([row(disagg=True, is_multinode=True, decode_num_workers=1, **pools)])
    assert one.card.hardware
    assert one.card.parallelism
    assert one.card.hardware.count == 12
    assert one.card.parallelism.note == "prefill: 1 workers TP4; decode: 1 workers TP8"
    assert figures(one)["decode_per_gpu", None] == 200
    assert "do not add up" in said(one, "T9")


def test_speculation_in_a_row_asks_whether_acceptance_was_measured() -> None:
    [one] = imported([row(spec_decoding="mtp", observed_tokens_per_step=3.0, decode_step_tput_per_gpu=66.0)])
    assert one.card.speculation
    assert one.card.speculation.acceptance is None
    assert "speculation.acceptance" in {question.field for question in one.questions}
    assert "golden AL" in said(one, "T13")
    assert "decode steps" in said(one, "T3")


def test_a_sweep_that_falls_at_higher_load_says_so_on_the_lower_point() -> None:
    rows = [row(conc=16, tput_per_gpu=300.0), row(conc=32, tput_per_gpu=729.0), row(conc=48, tput_per_gpu=668.0)]
    cards = imported(rows)
    assert [bool(said(one, "T18")) for one in cards] == [False, False, True]
    assert "668 at load 48 is below 729 at 32" in said(cards[2], "T18")


def test_agentx_counts_sessions_and_cached_tokens_and_keeps_the_slow_tail() -> None:
    [one] = imported(agentx())
    card, found = one.card, figures(one)
    assert card.metric
    assert card.workload
    assert card.metric.axis == "total_per_gpu"
    assert found["total_per_gpu", None] == 80000
    assert found["output_per_gpu", None] == 200
    assert found["interactivity_p90_slow", "P90 slow tail"] == 40
    assert found["interactivity_e2e", "P90 slow tail"] == Decimal("30.5")
    assert found["tpot", "P90"] == 25
    assert (card.workload.sessions, card.workload.concurrency) == (64, None)
    assert card.workload.input_tokens == "median 142016"
    assert card.workload.prefix_cache == "hit rate 96.5 % of input tokens"
    assert "96.5 % of the input tokens" in said(one, "T11")
    assert "cached ones included" in said(one, "T1")
    assert "20 of 500" in said(one, "failures")
    assert "mean output 400 of 500" in said(one, "T15")


@pytest.mark.parametrize("tree", [row(), agentx()], ids=["row", "agentx"])
def test_inferencex_files_of_one_object_or_a_list_read_alike(tree: dict[str, Any]) -> None:
    assert figures(imported(tree)[0]) == figures(imported([tree])[0])


TIMES = {
    "time_to_first_token": {"units": "ms", "mean": 40.5},
    "time_per_output_token": {"units": "s/token", "mean": 0.020},
    "inter_token_latency": {"units": "ms/token", "mean": 12.5, "p99": 30.0},
}


def test_llmd_report_means_what_its_load_tool_means() -> None:
    [of_guidellm] = imported(report_02("guidellm", **TIMES))
    [of_vllm] = imported(report_02("vllm-benchmark", **TIMES))
    [of_aiperf] = imported(report_02("aiperf", **TIMES))
    assert figures(of_guidellm)["tpot", "mean"] == Decimal("12.5")
    assert "includes the first token" in said(of_guidellm, "T4")
    assert figures(of_aiperf)["tpot", "mean"] == Decimal("12.5")
    assert figures(of_vllm)["tpot", "mean"] == 20
    assert figures(of_vllm)["event_gap", "P99"] == 30


def test_llmd_report_states_engine_hardware_load_and_flags() -> None:
    [one] = imported(report_02("vllm-benchmark", **TIMES))
    card = one.card
    assert card.engine
    assert card.hardware
    assert card.parallelism
    assert card.workload
    assert card.launch
    assert (card.engine.name, card.engine.version) == ("vllm", "0.33.0")
    assert (card.hardware.accelerator, card.hardware.count, card.parallelism.tp) == ("H200", 8, 8)
    assert card.workload.rate == 10
    assert card.workload.concurrency == 64
    assert card.launch.argv == ("--tensor-parallel-size=8", "--enforce-eager", '--kv={"role": "both"}')
    assert "2 of 100" in said(one, "failures")
    assert "mean output 50 of 100" in said(one, "T15")


def test_llmd_report_0_1_as_yaml_and_as_json_give_the_same_card() -> None:
    [as_json] = imported(report_01())
    report = read("report.yaml", yaml.safe_dump(report_01()).encode())
    assert report.format == "llm-d"
    assert report.tool_version == "0.1"
    [as_yaml] = report.imported
    assert figures(as_yaml) == figures(as_json)
    assert as_yaml.card.model_copy(update={"raw": None}) == as_json.card.model_copy(
        update={"raw": None, "title": as_yaml.card.title}
    )
    assert figures(as_json)["tpot", "mean"] == Decimal("12.5")
    assert figures(as_json)["output_throughput", None] == 250


def test_missing_that_was_stored_as_zero_stays_out() -> None:
    [one] = imported(report_01())
    assert ("ttft", "P99") not in figures(one)
    assert "P99 is 0" in said(one, "T8")
    assert "the converter writes 0" in said(one, "T8")
    assert one.card.workload is None or one.card.workload.output_tokens is None


def summary(*rows: str) -> bytes:
    return "\n".join([MLPERF_HEADER, *rows]).encode()


def test_mlperf_rows_become_cards_with_their_edition_and_quality() -> None:
    report = read("summary.csv", summary(mlperf_row(), mlperf_row(Model="resnet", Units="Samples/s")))
    [one] = report.imported
    card = one.card
    assert report.format == "mlperf"
    assert "1 rows are of models that are no language models" in report.problems[0].message
    assert card.engine
    assert card.result
    assert card.quality
    assert (card.engine.name, card.engine.version) == ("vLLM", "0.9.0.2.dev108+g71faa1880")
    assert (str(card.result.value), card.result.unit) == ("1000.50", "tok/s")
    assert card.quality.checked is True
    assert "MLPerf Inference v6.0" in str(card.source)
    assert not one.warnings


def test_mlperf_counts_that_disagree_and_inferred_results_are_marked() -> None:
    stated = mlperf_row(Platform="87xMI355X", total_accelerators="88", inferred="1", errors="2")
    [one] = read("summary.csv", summary(stated)).imported
    assert "Platform says 87 GPUs, total_accelerators 88" in said(one, "T9")
    assert "inferred" in said(one, "invalid")
    assert "2 errors" in said(one, "invalid")


def test_mlperf_result_in_a_unit_without_an_axis_is_a_problem_of_its_row() -> None:
    report = read("summary.csv", summary(mlperf_row(Units="Watts"), mlperf_row(Units="Latency (ms)", Result="21.5")))
    assert report.problems[0].path == "row 1"
    assert "Watts" in report.problems[0].message
    assert figures(report.imported[0]) == {("e2e_latency", None): Decimal("21.5")}
