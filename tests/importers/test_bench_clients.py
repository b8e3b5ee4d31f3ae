"""vllm bench serve and sglang.bench_serving: what their files tell and what they hide."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from app.results.importers import detect, read
from tests.importers.factories import figures, imported, said, sglang, vllm


def test_vllm_figures_keep_the_digits_of_the_file() -> None:
    data = json.dumps(vllm()).replace("120.25", "120.250000000000000001").encode()
    [one] = read("result.json", data).imported
    assert str(figures(one)["ttft", "P99"]) == "120.250000000000000001"
    assert figures(one)["event_gap", "mean"] == Decimal("11.9")
    assert one.card.result
    assert one.card.result.measured_at
    assert one.card.result.measured_at.isoformat() == "2026-10-17"


def test_vllm_infinite_request_rate_is_no_rate() -> None:
    for rate in ("inf", float("inf")):
        [one] = imported(vllm(request_rate=rate))
        assert one.card.workload
        assert one.card.workload.rate is None
        assert not one.warnings


def test_vllm_file_holds_neither_engine_nor_flags_nor_data_set() -> None:
    [one] = imported(vllm())
    assert one.card.engine is None
    asked = {question.field for question in one.questions}
    assert {"engine.name", "engine.version", "workload.dataset", "workload.seed", "launch.argv"} <= asked


def test_vllm_metadata_of_the_user_is_kept_as_it_was_said() -> None:
    [one] = imported(vllm(hardware="8xH200", tp="8"))
    assert "hardware=8xH200, tp=8" in str(one.card.note)
    assert one.card.hardware is None


def test_vllm_appended_results_are_one_card_a_line_and_a_cut_line_is_a_problem() -> None:
    lines = [json.dumps(vllm(max_concurrency=limit, output_throughput=limit * 10.0)) for limit in (2, 4)]
    report = read("appended.json", "\n".join([lines[0], lines[1][:40], "", lines[1]]).encode())
    assert [one.where for one in report.imported] == ["line 1", "line 4"]
    [problem] = report.problems
    assert problem.line == 2


def test_vllm_several_tokens_an_event_are_counted_from_the_detailed_lists() -> None:
    details = {"itls": [[0.03] * 9] * 10, "output_lens": [30] * 10, "input_lens": [100] * 10}
    [one] = imported(vllm(completed=10, num_prompts=10, total_output_tokens=300, **details))
    assert "3 tokens an event" in said(one, "T14")
    assert one.card.workload
    assert (one.card.workload.input_tokens, one.card.workload.output_tokens) == ("100", "30")


def test_vllm_details_tell_tokens_an_event() -> None:
    """Two requests of twelve tokens each, in four events: the first, and three gaps."""
    details = {"completed": 2, "total_output_tokens": 24, "output_lens": [12, 12], "itls": [[0.01] * 3] * 2}
    [one] = imported(vllm(**details))
    assert "3 tokens an event" in said(one, "T14")


def test_vllm_gap_longer_than_tpot_shows_bundled_tokens_without_details() -> None:
    [one] = imported(vllm(mean_itl_ms=35.7))
    assert "mean gap 35.7 ms over mean TPOT 11.9 ms" in said(one, "T14")


def test_vllm_speculation_counters_are_figures_but_no_statement_of_the_method() -> None:
    [one] = imported(vllm(spec_decode_acceptance_length=2.2, spec_decode_acceptance_rate=60.0))
    assert figures(one)["acceptance_length_vllm", None] == Decimal("2.2")
    assert figures(one)["acceptance_rate", None] == 60
    assert one.card.speculation is None
    assert "speculation.method" in {question.field for question in one.questions}


def test_vllm_load_that_was_not_reached_is_told() -> None:
    [slow] = imported(vllm(request_rate=10.0, max_concurrency=None))
    assert "requested 10 req/s, achieved 5" in said(slow, "T10")
    [few] = imported(vllm(max_concurrency=64))
    assert "far under the limit of 64" in said(few, "T10")
    [ramp] = imported(vllm(ramp_up_strategy="linear", request_rate=10.0))
    assert "rises during the run" in said(ramp, "T10")
    assert ramp.card.workload
    assert ramp.card.workload.rate is None


def test_times_that_cannot_be_in_the_unit_of_their_name_are_told() -> None:
    [one] = imported(vllm(mean_ttft_ms=80500.0, mean_tpot_ms=11900.0))
    assert "above the limit of 8" in said(one, "T7")
    assert "another unit" in said(one, "T7")


def test_vllm_failures_and_missing_requests_are_told() -> None:
    [failed] = imported(vllm(failed=20, completed=80))
    assert "20 of 100 requests failed" in said(failed, "failures")
    [listed] = imported(vllm(completed=98, errors=["", "timed out", "timed out"]))
    assert "2 of 100 requests failed" in said(listed, "failures")
    [fewer] = imported(vllm(completed=90))
    assert "90 of 100 planned requests completed" in said(fewer, "stopped-early")


def test_percentiles_of_an_empty_list_are_missing_and_not_zero() -> None:
    [one] = imported(vllm(mean_tpot_ms=0.0, p99_tpot_ms=0.0))
    assert not [axis for axis, _ in figures(one) if axis == "tpot"]
    assert "mean, P99 is 0" in said(one, "T8")


def test_a_run_without_one_success_is_a_problem_and_no_card() -> None:
    report = read("result.json", json.dumps(vllm(completed=0, failed=100)).encode())
    assert not report.imported
    assert "no request succeeded" in report.problems[0].message


def test_sglang_bare_infinity_is_read_as_no_rate_and_nowhere_else() -> None:
    text = json.dumps(sglang(request_rate=float("inf"), mean_ttft_ms=float("nan"), p99_ttft_ms=float("inf")))
    assert "Infinity" in text
    assert "NaN" in text
    [one] = read("sglang.jsonl", text.encode()).imported
    assert one.card.workload
    assert one.card.workload.rate is None
    assert not [axis for axis, _ in figures(one) if axis == "ttft"]
    assert [warned.field for warned in one.warnings if warned.trap == "not-finite"] == ["mean_ttft_ms", "p99_ttft_ms"]


def test_sglang_infinity_inside_a_text_is_left_alone() -> None:
    tree = sglang(request_rate=float("inf"), dataset_name='to "Infinity" and NaN')
    [one] = read("sglang.jsonl", json.dumps(tree).encode()).imported
    assert one.card.workload
    assert one.card.workload.dataset == 'to "Infinity" and NaN'


def test_sglang_itl_is_per_token_on_the_native_route_and_a_gap_on_openai_routes() -> None:
    axes = {}
    for backend, accepted in (("sglang", None), ("sglang-oai", None), ("sglang-oai", 2.5)):
        [one] = imported(sglang(backend=backend, accept_length=accepted))
        axes[backend, accepted] = {axis for axis, _ in figures(one)} & {"token_itl", "event_gap"}
    assert axes == {
        ("sglang", None): {"token_itl"},
        ("sglang-oai", None): {"event_gap"},
        ("sglang-oai", 2.5): {"token_itl"},
    }


def test_sglang_openai_routes_count_what_was_asked_for() -> None:
    [native] = imported(sglang())
    [asked] = imported(sglang(backend="vllm-chat", total_output_tokens_retokenized=6400))
    assert not said(native, "T15")
    assert "asked for, not those that came" in said(asked, "T15")
    assert "12800 output tokens counted, the text holds 6400" in said(asked, "T15")


def test_sglang_server_info_states_engine_model_and_parallelism() -> None:
    server = {"version": "0.5.23", "model_path": "some/model", "tp_size": 4, "ep_size": 4, "kv_cache_dtype": "fp8_e4m3"}
    server |= {"speculative_algorithm": "EAGLE", "speculative_num_steps": 3, "disable_radix_cache": True}
    report = read("a.jsonl", json.dumps(sglang(server_info=server, accept_length=2.9)).encode())
    [one] = report.imported
    card = one.card
    assert report.tool_version == "0.5.23"
    assert card.engine
    assert card.model
    assert card.parallelism
    assert card.speculation
    assert card.workload
    assert (card.engine.name, card.engine.version, card.model.id) == ("SGLang", "0.5.23", "some/model")
    assert (card.parallelism.tp, card.parallelism.ep) == (4, 4)
    assert (card.speculation.method, card.speculation.draft_tokens) == ("eagle", 3)
    assert card.workload.prefix_cache == "off"
    assert figures(one)["acceptance_length_sglang", None] == Decimal("2.9")
    assert "speculation.acceptance" in {question.field for question in one.questions}
    assert "random tokens" in said(one, "T12")


def test_sglang_client_against_vllm_names_vllm_and_what_it_says_of_itself() -> None:
    said_of_it = (
        "model='some/model', speculative_config=SpeculativeConfig(method='ngram', model=None, num_spec_tokens=4), "
        "tokenizer='some/other', tensor_parallel_size=2, pipeline_parallel_size=1, data_parallel_size=1, "
        "quantization=None, kv_cache_dtype=fp8, enable_prefix_caching=False"
    )
    server = {"vllm_config": said_of_it, "system_env": {"vllm_version": "0.32.0"}}
    [one] = imported(sglang(backend="vllm", server_info=server))
    card = one.card
    assert card.engine
    assert card.model
    assert card.parallelism
    assert card.speculation
    assert card.dtypes
    assert card.workload
    assert (card.engine.name, card.engine.version, card.model.id) == ("vLLM", "0.32.0", "some/model")
    assert (card.parallelism.tp, card.parallelism.pp, card.parallelism.dp) == (2, 1, 1)
    assert (card.speculation.method, card.speculation.draft_tokens) == ("ngram", 4)
    assert (card.dtypes.kv, card.dtypes.weights, card.workload.prefix_cache) == ("fp8", None, "off")


@pytest.mark.parametrize("config", ["speculative_config=None", "", None, ["model='x'"], "tensor_parallel_size=0"])
def test_sglang_client_against_vllm_takes_nothing_that_is_not_said(config: Any) -> None:
    [one] = imported(sglang(backend="vllm", server_info={"vllm_config": config}))
    assert one.card.engine
    assert (one.card.engine.name, one.card.engine.version, one.card.parallelism) == ("vLLM", None, None)
    assert bool(one.card.speculation) == (config == "speculative_config=None")


def test_sglang_without_speculation_says_off_where_the_server_tells() -> None:
    [one] = imported(sglang(server_info={"speculative_algorithm": None}))
    assert one.card.speculation
    assert one.card.speculation.method == "off"


def test_sglang_names_of_the_refactored_branch_are_read() -> None:
    tree = sglang()
    for old, new in (
        ("total_input_tokens", "total_input"),
        ("total_output_tokens", "total_output"),
        ("total_output_tokens_retokenized", "total_output_retokenized"),
    ):
        tree[new] = tree.pop(old)
    tree |= {"max_itl_ms": 99.5, "random_range_ratio": 0.5}
    [one] = imported(tree)
    assert one.card.workload
    assert one.card.workload.output_tokens == "mean 128"
    assert figures(one)["token_itl", "max"] == Decimal("99.5")


def test_sglang_total_is_the_sum_where_old_files_lack_it() -> None:
    tree = sglang()
    del tree["total_throughput"]
    [one] = imported(tree)
    assert figures(one)["total_throughput", None] == 4608


def test_the_two_clients_and_the_inferencex_fork_are_told_apart() -> None:
    seconds = {key.removesuffix("_ms"): value for key, value in vllm().items()}
    assert detect("a.json", json.dumps(vllm()).encode()) == "vllm-bench"
    assert detect("a.json", json.dumps(sglang()).encode()) == "sglang-bench"
    assert detect("a.json", json.dumps(seconds).encode()) == "inferencex"
