"""Real outputs of the real tools (tests/importers/data, made by make_fixtures.py): what becomes of them."""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from app.axes import AXES
from app.cards.export import to_yaml
from app.cards.load import read_card
from app.results.importers import detect, read
from tests.importers.factories import DATA, FIXTURES, figures, fixture, said

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = {
    "aiperf": "aiperf",
    "guidellm": "guidellm",
    "inference_perf": "inference-perf",
    "genai_bench": "genai-bench",
    "vllm": "vllm-bench",
    "sglang": "sglang-bench",
}
TOOLS = {
    "aiperf": "aiperf",
    "guidellm": "guidellm",
    "inference_perf": "inference-perf",
    "genai_bench": "genai-bench",
    "vllm": "vllm bench",
    "sglang": "sglang bench_serving",
}


def tool_of(path: Path) -> str:
    return next(name for name in FORMATS if path.name.startswith(name))


def raw(name: str) -> Any:
    return json.loads((DATA / name).read_text(), parse_float=Decimal)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_format_is_found_from_the_content_alone(path: Path) -> None:
    assert detect("upload.bin", path.read_bytes()) == FORMATS[tool_of(path)]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_cards_can_be_exported_and_read_again_and_name_their_file(path: Path) -> None:
    for imported in fixture(path.name).imported:
        card = imported.card
        assert read_card(to_yaml(card)).card == card
        assert card.raw
        assert card.raw[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        assert card.raw[0].name == path.name


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_figures_stand_only_where_the_registry_knows_the_tool_to_have_a_number(path: Path) -> None:
    """A number on an axis that differs there comes with the registry's note."""
    for imported in fixture(path.name).imported:
        for axis, _ in figures(imported):
            [meant] = [said for said in AXES[axis].tools if said.tool == TOOLS[tool_of(path)]]
            assert meant.meaning != "absent", axis
            noted = any(meant.note in warned.message for warned in imported.warnings)
            assert noted == (meant.meaning == "differs"), axis


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_engine_version_and_flags_are_asked_for_and_not_guessed(path: Path) -> None:
    for imported in fixture(path.name).imported:
        card = imported.card
        assert card.launch is None
        assert card.hardware is None
        asked = {question.field for question in imported.questions}
        assert {"hardware.accelerator", "hardware.count", "launch.argv", "workload.prefix_cache"} <= asked
        if card.engine is None:
            assert {"engine.name", "engine.version"} <= asked


def test_guidellm_gives_a_card_for_each_strategy_of_a_sweep() -> None:
    report = fixture("guidellm_sweep.json")
    assert report.tool_version == "0.8.1"
    assert [one.where for one in report.imported] == ["benchmarks[0]", "benchmarks[1]"]
    strategies = [one["config"]["strategy"]["type_"] for one in raw("guidellm_sweep.json")["benchmarks"]]
    assert strategies == ["synchronous", "throughput"]
    assert [one.card.workload.concurrency for one in report.imported if one.card.workload] == [1, 4]
    for one in report.imported:
        assert one.card.workload
        assert (one.card.workload.input_tokens, one.card.workload.output_tokens) == ("32", "16")
        assert one.card.workload.seed == 42


def test_guidellm_tpot_is_its_inter_token_latency_and_its_own_tpot_is_left_out() -> None:
    metrics = raw("guidellm_sweep.json")["benchmarks"][0]["metrics"]
    imported = fixture("guidellm_sweep.json").imported[0]
    found = figures(imported)
    assert found["tpot", "mean"] == metrics["inter_token_latency_ms"]["successful"]["mean"]
    assert found["tpot", "P99.9"] == metrics["inter_token_latency_ms"]["successful"]["percentiles"]["p999"]
    assert found["e2e_latency", "mean"] == metrics["request_latency"]["successful"]["mean"] * 1000
    assert metrics["time_per_output_token_ms"]["successful"]["mean"] not in found.values()
    assert "is no TPOT" in said(imported, "T4")


def test_guidellm_s_own_warnings_are_passed_on() -> None:
    benchmarks = raw("guidellm_sweep.json")["benchmarks"]
    assert any(benchmark["warnings"] for benchmark in benchmarks)
    for one, benchmark in zip(fixture("guidellm_sweep.json").imported, benchmarks, strict=True):
        assert all(f"guidellm says: {warned['message']}" in said(one, "tool") for warned in benchmark["warnings"])


def test_guidellm_failures_and_short_replies_are_told() -> None:
    [imported] = fixture("guidellm_faulty_rate.json").imported
    assert imported.card.workload
    assert imported.card.workload.rate == 40
    assert "3 of 12 requests failed" in said(imported, "failures")
    assert "mean output 8 of 16" in said(imported, "T15")


def test_aiperf_inter_token_latency_is_tpot_and_its_chunk_gap_the_event_gap() -> None:
    metrics = raw("aiperf_ngram.json")
    report = fixture("aiperf_ngram.json")
    [imported] = report.imported
    found = figures(imported)
    assert report.tool_version == "0.13.0"
    assert found["tpot", "mean"] == metrics["inter_token_latency"]["avg"]
    assert found["event_gap", "P99"] == metrics["inter_chunk_latency"]["p99"]
    assert found["decode_rate", "P90 fast tail"] == metrics["output_token_throughput_per_user"]["p90"]
    assert found["interactivity_p90_fast", "P90 fast tail"] == metrics["output_token_throughput_per_user"]["p90"]
    assert "fast tail" in said(imported, "T5")
    assert "events carry several tokens" in said(imported, "T14")
    assert imported.card.workload
    assert (imported.card.workload.seed, imported.card.workload.concurrency) == (7, 4)


def test_aiperf_failures_are_counted_as_infinite_where_it_says_so() -> None:
    metrics = raw("aiperf_faulty_chat.json")
    [imported] = fixture("aiperf_faulty_chat.json").imported
    found = figures(imported)
    assert "4 of 16 requests failed" in said(imported, "failures")
    assert found["ttft", "median, failures counted as infinite"] == metrics["adj_time_to_first_token"]["p50"]
    assert "client's tokenizer" in said(imported, "definition")
    assert imported.card.workload
    assert imported.card.workload.ignore_eos is True
    assert imported.card.workload.chat_template is True
    assert "mean output 8 of 16" in said(imported, "T15")


def test_aiperf_aggregate_is_a_mean_over_runs_with_its_spread() -> None:
    metrics = raw("aiperf_aggregate.json")["metrics"]
    [imported] = fixture("aiperf_aggregate.json").imported
    card, found = imported.card, figures(imported)
    assert card.runs
    assert card.result
    assert (card.runs.count, card.runs.statistic) == (2, "mean")
    assert card.result.value == metrics["output_token_throughput_avg"]["mean"]
    assert str(card.result.spread).startswith("std ")
    assert found["ttft", "P90"] == metrics["time_to_first_token_p90"]["mean"]


def test_inference_perf_seconds_become_ms_and_only_its_own_tpot_is_tpot() -> None:
    latency = raw("inference_perf_stage_0_lifecycle_metrics.json")["successes"]["latency"]
    [imported] = fixture("inference_perf_stage_0_lifecycle_metrics.json").imported
    found = figures(imported)
    assert found["tpot", "P99.9"] == latency["time_per_output_token"]["p99.9"] * 1000
    assert found["ttft", "median"] == latency["time_to_first_token"]["median"] * 1000
    assert found["token_itl", "mean"] == latency["inter_token_latency"]["mean"] * 1000
    assert [statistic for axis, statistic in found if axis == "token_itl"] == ["mean"]
    assert "left out" in said(imported, "T4")
    assert imported.card.workload
    assert imported.card.workload.rate == 2


def test_inference_perf_summary_says_that_it_mixes_loads() -> None:
    [imported] = fixture("inference_perf_summary_lifecycle_metrics.json").imported
    assert imported.card.workload
    assert imported.card.workload.rate is None
    assert "mixes their loads" in said(imported, "T10")


def test_genai_bench_times_are_read_in_the_unit_that_the_file_names() -> None:
    for name, factor in (("genai_bench_s.json", 1000), ("genai_bench_ms.json", 1)):
        stats = raw(name)["aggregated_metrics"]["stats"]
        [imported] = fixture(name).imported
        found = figures(imported)
        assert found["ttft", "P99"] == stats["ttft"]["p99"] * factor
        assert 15 < found["ttft", "mean"] < 2000
        assert found["interactivity_p90_fast", "P90 fast tail"] == stats["output_inference_speed"]["p90"]
        assert imported.card.workload
        assert (imported.card.workload.input_tokens, imported.card.workload.output_tokens) == ("32", "16")


def test_genai_bench_metadata_alone_is_sent_back_with_the_reason() -> None:
    report = fixture("genai_bench_experiment_metadata.json")
    assert not report.imported
    assert "the numbers are in the files beside it" in report.problems[0].message


def test_vllm_detailed_result_is_read_with_its_lists() -> None:
    tree = raw("vllm_ngram_detailed.json")
    [imported] = fixture("vllm_ngram_detailed.json").imported
    found = figures(imported)
    assert found["event_gap", "mean"] == tree["mean_itl_ms"]
    assert found["tpot", "P99"] == tree["p99_tpot_ms"]
    assert imported.card.workload
    assert imported.card.workload.output_tokens == "128"
    assert imported.card.workload.rate is None


def test_vllm_speculation_whose_method_the_file_does_not_name_is_told_and_asked_for() -> None:
    [imported] = fixture("vllm_ngram_detailed.json").imported
    assert imported.card.speculation is None
    assert "speculation" in {item.field.partition(".")[0] for item in imported.questions}
    [told] = [item.message for item in imported.warnings if "drafts" in item.message]
    assert told.startswith("speculation was on (430 drafts, accepting 1.14")
    assert "of at most 5 tokens a step" in told


@pytest.mark.parametrize(
    "said", [{"spec_method": "ngram"}, {"speculative_config": '{"method": "ngram", "num_speculative_tokens": 4}'}]
)
def test_vllm_metadata_that_names_the_speculation_is_taken_at_its_word(said: dict[str, str]) -> None:
    tree = raw("vllm_ngram_detailed.json") | said
    [imported] = read("result.json", json.dumps(tree, default=float).encode()).imported
    spec = imported.card.speculation
    assert spec is not None
    assert (spec.method, spec.draft_tokens, spec.acceptance) == ("ngram", 4, None)
    assert "Was acceptance measured or simulated?" in [item.question for item in imported.questions]


def test_vllm_appended_results_become_a_card_each_with_the_metadata_that_was_given() -> None:
    report = fixture("vllm_appended.json")
    assert [one.where for one in report.imported] == ["line 1", "line 2"]
    assert [one.card.workload.concurrency for one in report.imported if one.card.workload] == [2, 4]
    for one in report.imported:
        assert "hardware=none" in str(one.card.note)
        assert ("e2el", "P90") not in figures(one)
        assert ("e2e_latency", "P90") in figures(one)


def test_vllm_failures_and_the_rate_that_was_missed_are_told() -> None:
    [imported] = fixture("vllm_faulty_rate.json").imported
    assert imported.card.workload
    assert imported.card.workload.rate == 20
    assert "4 of 16 requests failed" in said(imported, "failures")
    assert "requested 20 req/s" in said(imported, "T10")


def test_sglang_openai_route_is_caught_counting_tokens_that_never_came() -> None:
    """The scripted server stopped every reply at half the asked length; the tool counts the asked one."""
    tree = json.loads((DATA / "sglang_faulty.jsonl").read_text().splitlines()[0])
    report = fixture("sglang_faulty.jsonl")
    first, second = report.imported
    assert tree["request_rate"] == float("inf")
    assert first.card.workload
    assert second.card.workload
    assert first.card.workload.rate is None
    assert second.card.workload.rate == 20
    assert "144 output tokens counted, the text holds 72" in said(first, "T15")
    assert "3 of 12 requests failed" in said(second, "failures")
    assert ("event_gap", "P95") in figures(first)
    assert first.card.engine is None


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_a_card_says_which_tool_measured(path: Path) -> None:
    named = {"vllm bench": "vllm bench serve"}
    tool = TOOLS[tool_of(path)]
    assert {one.card.runs.tool for one in fixture(path.name).imported if one.card.runs} <= {named.get(tool, tool)}
    assert all(one.card.runs for one in fixture(path.name).imported)
