"""What a claim or a card says becomes a plan; what it does not say is missing or written down as assumed."""

from __future__ import annotations

from typing import Any

import pytest

from app.cards.schema import Card
from app.catalogue.folder import read_catalogue
from app.catalogue.rows import rows
from app.jobs.choices import Choices
from app.jobs.plans import Planned, from_card, from_claim, length
from app.settings import read_settings
from tests.compare.factories import FORCED, ratio, row

PLAIN: dict[str, Any] = {
    "conditions.engine": {"name": "vLLM", "version": "0.33.0"},
    "conditions.model": {"id": "Llama-3.1-8B", "weights": "real"},
    "conditions.hardware": {"accelerator": "H100", "count": 2},
    "conditions.parallelism": "TP2",
    "conditions.dtypes": {"weights": "bf16", "kv": "fp8"},
    "conditions.execution": None,
    "conditions.load": {"concurrency": "16"},
    "conditions.limit": None,
}


def planned(choices: Choices | None = None, /, **overrides: Any) -> Planned:
    return from_claim(row(**{**PLAIN, **overrides}), 7, choices)


def test_stated_conditions_become_the_engines_own_flags() -> None:
    found = planned()
    assert found.plan is not None and found.missing == ()
    (side,) = found.plan.sides
    assert side.launch is not None
    assert side.launch.flags == {"tensor-parallel-size": 2, "dtype": "bfloat16", "kv-cache-dtype": "fp8"}
    assert (side.launch.version, side.launch.model, side.launch.gpus) == ("0.33.0", "Llama-3.1-8B", 2)
    assert (found.plan.kind, found.plan.points[0].concurrency, found.accelerator) == ("point", 16, "H100")


def test_what_only_a_run_needs_is_assumed_and_said() -> None:
    assumed = planned().assumptions
    assert "repeats: 5" in assumed
    assert "requests of a repeat: 10 for each concurrent one" in assumed
    assert "seed of the prompts: 7" in assumed


@pytest.mark.parametrize(
    ("overrides", "missing"),
    [
        ({"conditions.workload.input_tokens": None}, "the source states no input length"),
        ({"conditions.workload.output_tokens": "mean 2000"}, "the output length is `mean 2000`; a job sends one fixed"),
        ({"conditions.engine": {"name": "vLLM"}}, "the source states no engine version"),
        ({"conditions.engine": {"name": "vLLM", "commit": "d59c1ddf7"}}, "the engine is `the commit d59c1ddf7`"),
        ({"conditions.engine": {"name": "TensorRT-LLM", "version": "1.2"}}, "not one that a runner starts"),
        ({"conditions.engine": {}}, "the source states no engine"),
        ({"conditions.model": {}}, "the source states no model"),
        ({"conditions.hardware": {}, "conditions.parallelism": None}, "the source states no number of GPUs"),
        ({"conditions.parallelism": "P/D, decode EP72"}, "is not that of one server"),
        ({"conditions.load": {}}, "the source states no load"),
        ({"conditions.load": {"rate": "all at once"}}, "neither one concurrency nor one rate"),
        ({"conditions.workload.prefix_cache": "92.2 % hit rate"}, "which a job cannot set up"),
        ({"axis": "kernel_time"}, "nothing that a load test measures"),
        ({"conditions.speculation": {"method": "EAGLE3", "draft_tokens": 3}}, "needs a draft model"),
        ({"conditions.speculation": {"method": "MTP"}}, "no number of draft tokens"),
        ({**FORCED, "acceptance": {"kind": "simulated"}}, "acceptance was simulated, and the source states no length"),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_planned(overrides: dict[str, Any], missing: str) -> None:
    found = planned(**overrides)
    assert found.plan is None
    assert any(missing in item for item in found.missing), found.missing


def test_a_choice_goes_into_the_place_of_what_is_missing_and_is_said() -> None:
    claim = {"conditions.engine": {"name": "SGLang", "commit": "d59c1ddf7"}}
    found = planned(Choices(version="0.5.16", weights="dummy", accelerator="any", gpus=1), **claim)
    assert found.plan is not None
    assert found.plan.sides[0].launch is not None
    assert (found.plan.sides[0].launch.version, found.plan.sides[0].launch.weights) == ("0.5.16", "dummy")
    assert "engine version: 0.5.16 was chosen; the source says d59c1ddf7" in found.assumptions
    assert "weights: dummy was chosen; the source says real" in found.assumptions
    assert found.accelerator is None


def test_flags_that_are_chosen_are_added_over_those_of_the_conditions_and_are_said() -> None:
    found = planned(Choices(flags={"attention-backend": "TRITON_ATTN", "dtype": "float16"}))
    assert found.plan is not None and found.plan.sides[0].launch is not None
    flags = found.plan.sides[0].launch.flags
    assert (flags["attention-backend"], flags["dtype"]) == ("TRITON_ATTN", "float16")
    assert "--attention-backend: TRITON_ATTN was chosen; the source states none" in found.assumptions
    assert "--dtype: float16 was chosen; the source says bfloat16" in found.assumptions


@pytest.mark.parametrize(("engine", "share"), [("vLLM", 0.4), ("SGLang", None)])
def test_on_a_cpu_an_engine_leaves_memory_to_others(engine: str, share: float | None) -> None:
    claim = {"conditions.engine": {"name": engine, "version": "0.32.0"}, "conditions.parallelism": None}
    found = planned(Choices(gpus=0), **claim)
    assert found.plan is not None and found.plan.sides[0].launch is not None
    assert found.plan.sides[0].launch.flags.get("gpu-memory-utilization") == share
    assert any("memory that the engine may take" in item for item in found.assumptions) == (share is not None)
    on_gpus = planned().plan
    assert on_gpus is not None and on_gpus.sides[0].launch is not None
    assert "gpu-memory-utilization" not in on_gpus.sides[0].launch.flags


def test_a_ratio_runs_both_sides_the_baseline_first() -> None:
    baseline = {
        "kind": "feature_off", "key": "fp8-kv", "text": "KV cache in bf16", "conditions": {"dtypes": {"kv": "bf16"}},
    }  # fmt: skip
    found = from_claim(ratio(**{**PLAIN, "baseline": baseline}), 7)
    assert found.plan is not None
    assert found.plan.kind == "ab"
    one, two = found.plan.sides
    assert one.label == "KV cache in bf16"
    assert one.launch is not None and two.launch is not None
    assert ("kv-cache-dtype" in one.launch.flags, two.launch.flags["kv-cache-dtype"]) == (False, "fp8")


def test_speculation_on_against_off_differs_by_the_engines_own_flag() -> None:
    on = {"conditions.speculation": {"method": "MTP", "draft_tokens": 3}, "acceptance": {"kind": "measured"}}
    baseline = {"kind": "feature_off", "key": "spec", "conditions": {"speculation": {"method": "off"}}}
    found = from_claim(ratio(**{**PLAIN, **on, "baseline": baseline}), 7)
    assert found.plan is not None
    flags = [side.launch.flags.get("speculative-config") for side in found.plan.sides if side.launch]
    assert flags == [None, {"method": "mtp", "num_speculative_tokens": 3}]


@pytest.mark.parametrize(
    ("baseline", "missing"),
    [
        ({"kind": "feature_off", "key": "k", "text": "no overlap"}, "is not stated as conditions"),
        ({"kind": "feature_off", "key": "k", "conditions": {"load": {"concurrency": "64"}}}, "under two workloads"),
        (
            {"kind": "feature_off", "key": "k", "conditions": {"approximations": [{"name": "replay", "on": False}]}},
            "nothing that a flag here sets tells the two sides",
        ),
    ],
)
def test_a_ratio_whose_sides_cannot_be_told_apart_is_not_attemptable(baseline: dict[str, Any], missing: str) -> None:
    found = from_claim(ratio(**{**PLAIN, "baseline": baseline}), 7)
    assert found.plan is None
    assert any(missing in item for item in found.missing), found.missing


def test_a_throughput_under_a_limit_is_swept() -> None:
    limited: dict[str, Any] = {"axis": "per_gpu_at_limit", "unit": "tok/s/GPU", "conditions.load": {}}
    limited["conditions.limit"] = "P90 interactivity > 50 tok/s/user"
    found = planned(**limited)
    assert found.plan is not None
    assert found.plan.kind == "sweep"
    assert [point.concurrency for point in found.plan.points] == [1, 2, 4, 8, 16, 32, 64]
    assert any(text.startswith("concurrencies of the sweep") for text in found.assumptions)


def test_a_forced_acceptance_is_forced_again_where_the_engine_can() -> None:
    method = {"method": "MTP", "draft_tokens": 5}
    forced: dict[str, Any] = {**FORCED, "conditions.engine": {"name": "SGLang", "version": "0.5.23"}}
    found = planned(**{**forced, "conditions.speculation": method})
    assert found.plan is not None
    assert found.plan.sides[0].launch is not None
    assert found.plan.sides[0].launch.env == {"SGLANG_SIMULATE_ACC_LEN": "5.5"}
    of_vllm = planned(**FORCED).plan
    assert of_vllm is not None
    assert of_vllm.sides[0].launch is not None
    assert of_vllm.sides[0].launch.flags["speculative-config"] == {
        "method": "dspark", "num_speculative_tokens": 5,
        "rejection_sample_method": "synthetic", "synthetic_acceptance_length": 5.5,
    }  # fmt: skip


TWICE = "--load-format is given twice; leave one of them"


def card(argv: tuple[str, ...] | None, **fields: Any) -> Card:
    given: dict[str, Any] = {
        "engine": {"name": "vllm", "version": "0.33.0"},
        "model": {"id": "m/llama"},
        "hardware": {"accelerator": "H200", "count": 1},
        "workload": {"input_tokens": "128", "output_tokens": "64", "concurrency": 4, "prefix_cache": "cleared"},
        "metric": {"axis": "output_throughput"},
    }
    launch = {"launch": {"argv": argv}} if argv else {}
    return Card.model_validate({**given, **launch, **fields})


def test_a_cards_own_command_line_is_taken_with_its_spelling_made_canonical() -> None:
    argv = ("vllm", "serve", "org/llama", "--tensor_parallel_size", "2", "--enforce-eager", "--port=9000")
    found = from_card(card(argv), 7)
    assert found.plan is not None
    (side,) = found.plan.sides
    assert side.launch is not None
    assert side.launch.flags == {"tensor-parallel-size": 2, "enforce-eager": True}
    assert side.launch.model == "org/llama"
    assert "--port: left to the runner, which sets it itself" in found.assumptions


@pytest.mark.parametrize("name", ["CPU", "Intel(R) Xeon(R) Platinum 8480C", "AMD EPYC 7B13", "x86_64"])
def test_a_card_that_states_a_processor_runs_on_the_cpu_with_nothing_chosen(name: str) -> None:
    found = from_card(card(None, hardware={"accelerator": name}), 7)
    assert found.plan is not None, found.missing
    (side,) = found.plan.sides
    assert side.launch is not None
    assert side.launch.gpus == 0
    assert not any("number of GPUs" in text for text in found.assumptions)


@pytest.mark.parametrize(
    ("flags", "stated", "missing"),
    [
        (("--load-format", "dummy", "--load-format=auto"), None, f"launch.argv: {TWICE}"),
        (("--load_format=dummy", "--load-format=dummy"), "dummy", f"launch.argv: {TWICE}"),
        (("--load-format=dummy",), "real", "--load-format dummy and weights stated as real contradict each other"),
        (("--load-format=auto",), "dummy", "--load-format auto and weights stated as dummy contradict each other"),
    ],
)
def test_a_load_format_said_twice_or_against_the_weights_is_no_plan(
    flags: tuple[str, ...], stated: str | None, missing: str
) -> None:
    found = from_card(card(("vllm", "serve", "org/llama", *flags), model={"id": "org/llama", "weights": stated}), 7)
    assert found.plan is None
    assert missing in found.missing


@pytest.mark.parametrize(
    ("given", "chosen", "weights", "kept"),
    [
        ("dummy", None, "dummy", None),
        ("dummy", "real", "real", None),
        ("safetensors", None, "real", "safetensors"),
        ("safetensors", "dummy", "dummy", None),
    ],
)
def test_a_command_line_that_loads_random_weights_is_planned_with_such(
    given: str, chosen: Any, weights: str, kept: str | None
) -> None:
    argv = ("vllm", "serve", "org/llama", f"--load-format={given}")
    found = from_card(card(argv), 7, Choices(weights=chosen))
    assert found.plan is not None
    launch = found.plan.sides[0].launch
    assert launch is not None
    assert (launch.weights, launch.flags.get("load-format")) == (weights, kept)


def test_a_short_flag_of_a_card_is_not_guessed() -> None:
    found = from_card(card(("vllm", "serve", "org/llama", "-tp", "2")), 7)
    assert found.plan is None
    assert "launch.argv, item 4: `-tp` is no flag with its full name; write --NAME=VALUE" in found.missing


def test_a_card_without_a_command_line_is_planned_from_its_conditions() -> None:
    found = from_card(card(None, parallelism={"tp": 1}, runs={"count": 4}), 7)
    assert found.plan is not None
    assert found.plan.repeats == 4


@pytest.mark.parametrize(
    ("text", "tokens"), [("8192", 8192), ("8K", 8192), ("0", None), ("1024 frozen", None), (None, None), ("0K", None)]
)
def test_a_length_is_one_number_or_none(text: str | None, tokens: int | None) -> None:
    assert length(text) == tokens


def test_every_claim_of_the_catalogue_has_a_plan_or_says_what_it_lacks() -> None:
    sources = [item.source for item in read_catalogue(read_settings().catalogue)]
    for source in sources:
        for claim in rows(source, sources):
            found = from_claim(claim, 7)
            assert (found.plan is None) == bool(found.missing), claim.id


def test_the_claims_on_one_h200_can_be_planned_with_a_release_chosen() -> None:
    sources = [item.source for item in read_catalogue(read_settings().catalogue)]
    every = {claim.id: claim for source in sources for claim in rows(source, sources)}
    found = from_claim(every["sglang-cookbook-granite42-8b-h200-c16-total"], 7, Choices(version="0.5.16"))
    assert found.plan is not None
    assert (found.plan.points[0].concurrency, found.plan.points[0].requests) == (16, 80)
    assert found.plan.workload.input_tokens == 8192
