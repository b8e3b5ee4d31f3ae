"""What the axis registry promises to a page, a comparison and an importer."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args

import pytest
from pydantic import TypeAdapter

from app.axes import AXES, TOOLS, VERSIONING, Axis, Meaning, ToolName, Unit
from app.claims.conditions import FIELDS
from app.claims.schema import AxisKey

TEXTS = [field.name for field in fields(Axis) if field.type == "str"]
EVERY_AXIS = pytest.mark.parametrize("axis", AXES.values(), ids=AXES)


def said_by(tool: str, key: str) -> ToolName:
    return next(entry for entry in AXES[key].tools if entry.tool == tool)


@EVERY_AXIS
def test_every_axis_is_told_completely(axis: Axis) -> None:
    for name in TEXTS:
        text = getattr(axis, name)
        assert text == text.strip(), name
        assert text, name
    assert axis.version >= 1
    assert axis.units


@EVERY_AXIS
def test_a_definition_is_one_sentence_or_two_and_ends(axis: Axis) -> None:
    assert axis.definition.endswith(".")
    assert axis.definition.count(". ") <= 1


def test_keys_are_what_a_claim_may_write_and_what_they_stand_under() -> None:
    of_claim = TypeAdapter(AxisKey)
    assert all(of_claim.validate_python(key) == key == axis.key for key, axis in AXES.items())
    with pytest.raises(ValueError, match="pattern"):
        of_claim.validate_python("decode-rate")


def test_names_tell_axes_apart() -> None:
    assert len({axis.name for axis in AXES.values()}) == len(AXES)


@EVERY_AXIS
def test_units_come_from_one_closed_set(axis: Axis) -> None:
    assert set(axis.units) <= set(get_args(Unit))


def test_no_unit_of_the_set_is_unused() -> None:
    assert {unit for axis in AXES.values() for unit in axis.units} == set(get_args(Unit))


@EVERY_AXIS
def test_what_matters_to_an_axis_are_groups_of_condition_fields(axis: Axis) -> None:
    assert axis.matters
    assert axis.matters <= {field.group for field in FIELDS.values()}


@EVERY_AXIS
def test_every_axis_says_what_each_of_the_seven_tools_means(axis: Axis) -> None:
    assert [entry.tool for entry in axis.tools] == list(TOOLS)
    assert len(TOOLS) == 7
    for entry in axis.tools:
        assert entry.meaning in get_args(Meaning)
        assert entry.name.strip(), entry.tool
        assert entry.note.endswith("."), entry.tool
        assert (entry.name == "none") == (entry.meaning == "absent"), entry.tool


def test_every_tool_is_cited_with_a_version_or_a_date() -> None:
    assert all(re.search(r"\d+\.\d+\.\d+|main, \d{4}-\d{2}", read) for read in TOOLS.values())


def test_a_version_changes_with_the_value_and_not_with_the_wording() -> None:
    assert VERSIONING.count(". ") == 0
    assert "wording does not" in VERSIONING


@pytest.mark.parametrize(
    ("direction", "units"),
    [
        ("higher", {"tok/s", "tok/s/user", "req/s", "tokens/step"}),
        ("lower", {"s", "ms", "us", "ms/token", "bytes/token"}),
    ],
)
def test_rates_are_better_high_and_times_and_sizes_are_better_low(direction: str, units: set[str]) -> None:
    with_a_meaning = [axis for axis in AXES.values() if axis.direction != "none"]
    assert all(axis.direction == direction for axis in with_a_meaning if units & set(axis.units))


def test_only_the_undefined_axis_has_no_direction() -> None:
    assert [key for key, axis in AXES.items() if axis.direction == "none"] == ["not_defined"]


@pytest.mark.parametrize("key", ["tpot", "ttft", "e2e_latency", "event_gap", "token_itl"])
def test_latencies_say_that_their_slow_tail_is_the_upper_one(key: str) -> None:
    assert "slow tail is the upper one" in AXES[key].tail
    assert "linear" in AXES[key].tail


def test_the_two_p90_interactivities_differ_in_tail_and_in_the_order_of_inversion() -> None:
    slow, fast = AXES["interactivity_p90_slow"], AXES["interactivity_p90_fast"]
    assert slow.formula.startswith("1000 / P90(")
    assert fast.formula.startswith("P90(1000 / ")
    assert slow.tail.startswith("Slow tail")
    assert "then inverted" in slow.tail
    assert fast.tail.startswith("Fast tail")
    assert "inverted first" in fast.tail
    assert "37.7" in slow.tail
    assert "91.8" in fast.tail


def test_end_to_end_interactivity_keeps_the_slow_tail() -> None:
    assert AXES["interactivity_e2e"].formula.startswith("1 / P90(")
    assert AXES["interactivity_e2e"].tail.startswith("Slow tail")


def test_the_rate_of_a_stream_warns_that_its_p90_is_fast() -> None:
    assert "slow tail is the lower one" in AXES["decode_rate"].tail


def test_only_the_rate_of_one_stream_is_held_against_the_memory_limit() -> None:
    assert [key for key, axis in AXES.items() if axis.memory_limited] == ["decode_rate"]


@pytest.mark.parametrize("key", ["decode_rate", "tpot"])
def test_the_decode_window_closes_at_a_token_and_not_at_the_end_of_the_stream(key: str) -> None:
    assert "first event that carries at least one token" in AXES[key].window
    assert "[DONE]" in AXES[key].window
    assert "N_first" in AXES[key].formula


def test_total_counts_cached_input_and_output_does_not_count_input() -> None:
    assert "cached" in AXES["total_per_gpu"].definition
    assert "prefix cache" in AXES["total_per_gpu"].numerator
    assert AXES["output_per_gpu"].numerator.startswith("Output tokens")
    assert "not stated" in AXES["undefined_per_gpu"].name


def test_per_gpu_axes_say_which_gpus_count() -> None:
    for key, axis in AXES.items():
        if "tok/s/GPU" in axis.units and key != "not_defined":
            assert "GPUs" in axis.denominator, key


def test_guidellm_tpot_differs_because_it_includes_ttft() -> None:
    entry = said_by("guidellm", "tpot")
    assert (entry.name, entry.meaning) == ("time_per_output_token_ms", "differs")
    assert "includes TTFT" in entry.note


def test_vllm_itl_is_a_gap_per_event_and_not_per_token() -> None:
    assert said_by("vllm bench", "event_gap").meaning == "same"
    assert said_by("vllm bench", "token_itl").meaning == "differs"


@pytest.mark.parametrize("key", ["tpot", "output_throughput", "total_throughput"])
def test_sglang_counts_the_tokens_that_were_asked_for(key: str) -> None:
    entry = said_by("sglang bench_serving", key)
    assert entry.meaning == "differs"
    assert "requested" in entry.note


def test_inferencex_tput_per_gpu_is_the_total() -> None:
    entry = said_by("InferenceX", "total_per_gpu")
    assert entry.meaning == "same"
    assert entry.name.startswith("tput_per_gpu")
    assert "tput_per_gpu is not this number but the total" in said_by("InferenceX", "output_per_gpu").note


def test_aiperf_rate_per_user_is_the_fast_tail() -> None:
    slow, fast = (said_by("aiperf", f"interactivity_p90_{tail}") for tail in ("slow", "fast"))
    assert slow.name.startswith(fast.name)
    assert slow.meaning == "differs"
    assert "fast tail" in slow.note
    assert fast.meaning == "same"


def test_inferencex_interactivity_is_the_slow_tail() -> None:
    assert said_by("InferenceX", "interactivity_p90_slow").meaning == "same"
    assert said_by("InferenceX", "interactivity_p90_fast").meaning == "differs"


def test_the_two_engines_count_acceptance_length_differently() -> None:
    vllm, sglang = AXES["acceptance_length_vllm"], AXES["acceptance_length_sglang"]
    assert vllm.formula != sglang.formula
    assert said_by("sglang bench_serving", vllm.key).meaning == "differs"
    assert said_by("vllm bench", sglang.key).meaning == "differs"


@pytest.mark.parametrize(
    "key", ["kernel_time", "layer_time", "kv_bytes_per_token", "itl_slope", "undefined_per_gpu", "not_defined"]
)
def test_no_load_tool_is_credited_with_a_number_that_it_cannot_see(key: str) -> None:
    assert {entry.meaning for entry in AXES[key].tools} == {"absent"}
