"""The pairs that people really set against each other, on the shipped catalogue, with the reasons they must get."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import app.catalogue
from app.catalogue.load import load_catalogue
from app.catalogue.models import weights
from app.catalogue.pairs import pairs
from app.catalogue.rows import rows
from app.claims.caveats import said
from app.claims.words import measures
from app.compare.lint import lint
from app.compare.verdict import compare
from app.compare.words import what_it_is
from tests.compare.factories import message, rules

if TYPE_CHECKING:
    from app.catalogue.pairs import Pair
    from app.claims.schema import ClaimRow
    from app.compare.schema import Comparison

FOLDER = Path(app.catalogue.__file__).parent / "sources"


@cache
def catalogue() -> dict[str, ClaimRow]:
    loaded = load_catalogue([(path.name, path.read_text()) for path in sorted(FOLDER.glob("*.yaml"))])
    sources = [item.source for item in loaded]
    return {row.id: row for source in sources for row in rows(source, sources)}


def of_sources(*ids: str) -> list[ClaimRow]:
    named = {catalogue()[name].source.id for name in ids}
    return [row for row in catalogue().values() if row.source.id in named]


@cache
def compared(a: str, b: str) -> Comparison:
    return compare(catalogue()[a], catalogue()[b], of_sources(a, b), weights())


def fields(found: Comparison, *severities: str) -> set[str]:
    return {reason.field for reason in found.reasons if reason.severity in severities}


@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: f"{pair.a} | {pair.b}")
def test_a_listed_pair_has_its_listed_verdict_in_both_orders(pair: Pair) -> None:
    assert compared(pair.a, pair.b).verdict == pair.verdict
    assert compared(pair.b, pair.a).verdict == pair.verdict


def test_5x_against_873() -> None:
    found = compared("vllm-v41-5x", "sglang-v41-step-16")
    assert found.verdict == "not_comparable"
    assert {"axis", "kind", "acceptance"} <= fields(found, "blocking")
    assert {"baseline", "workload.name"} <= fields(found, "difference")
    assert "speculation.method" in fields(found, "not_stated")
    assert found.ratio is None
    assert found.summary == (
        "These two cannot be ranked: one is how much a GPU serves while each user keeps a speed that is not stated, "
        "the other is the speed of a single stream."
    )


def test_35_against_873_though_one_title_joins_them() -> None:
    found = compared("sglang-v41-step-01", "sglang-v41-step-16")
    assert rules(found, "blocking") == [("ladder-break", "ladder")]
    text = message(found, "ladder-break").lower()
    assert all(word in text for word in ("workload", "method", "hardware"))
    assert found.ratio is None
    assert "R6" in {rule for rule, _ in rules(found, "lint")}, "the first build had a layout bug"
    assert "layout" in message(found, "R6")


def test_speculation_off_and_on_at_one_code() -> None:
    found = compared("sglang-v41-dspark-off", "sglang-v41-step-15")
    assert found.verdict == "comparable_with_differences"
    assert fields(found, "difference") == {"acceptance", "speculation.method", "speculation.draft_tokens"}
    assert fields(found, "not_stated", "blocking") == set()
    assert found.ratio is not None
    assert found.ratio.value == "3.82"
    assert "simulated acceptance 5.5 of at most 6" in found.ratio.conditions
    (derived,) = found.derivations
    assert "154.6 steps/s" in derived.text
    assert "1.45 tokens a step" in derived.text


def test_two_rounds_confound_and_one_round_does_not() -> None:
    two = compared("sglang-v41-step-15", "sglang-v41-step-16")
    assert two.ratio is None
    assert {"round", "parallelism"} <= fields(two, "difference")
    assert "withheld as confounded: the round of measurements and parallelism differ" in two.summary
    one = compared("sglang-v41-ep4-same-round", "sglang-v41-step-16")
    assert fields(one, "difference") == {"parallelism"}
    assert one.ratio is not None
    assert "= +2.22 %" in one.ratio.text
    assert one.ratio.conditions.startswith("within the spread of the repeats: 0.892x to 1.069x over the repeats; ")


def test_our_own_numbers_have_a_ratio_only_beyond_the_spread_of_their_repeats() -> None:
    near = compared("benchcard-mn3mn2cwp-a1-output-throughput", "benchcard-mn3mn2cwp-a2-output-throughput")
    assert near.ratio is None
    assert (
        "within the spread of their repeats (6,004\N{EN DASH}6,562 tok/s against 6,005\N{EN DASH}6,581 tok/s)"
        in near.summary
    )
    assert fields(near, "difference") == {"client"}
    far = compared("benchcard-mn3mn2cwp-a0-output-throughput", "benchcard-mn3mn2cwp-a1-output-throughput")
    assert far.ratio is not None
    assert (far.ratio.value, far.ratio.low, far.ratio.high) == ("11.8", "11.2", "12.7")
    assert "11.2x to 12.7x over the repeats" in far.summary


def test_the_limit_that_one_of_two_headlines_states_is_said_with_it_and_with_no_other() -> None:
    limits = {name: what_it_is(catalogue()[name]) for name in ("vllm-v41-5x", "vllm-v41-5.3x")}
    assert limits["vllm-v41-5x"] == "how much a GPU serves while each user keeps a speed that is not stated"
    assert limits["vllm-v41-5.3x"] == "how much a GPU serves while each user keeps a speed (“150 TPS (not defined)”)"
    assert measures(catalogue()["vllm-v41-5x"]).endswith("at an interactivity limit (not stated)")
    assert measures(catalogue()["vllm-v41-5.3x"]).endswith("at an interactivity limit")


def test_an_acceptance_that_a_source_leaves_open_is_not_called_simulated() -> None:
    for row in catalogue().values():
        kinds = {kind for kind, _ in said(row)}
        assert ("simulated_acceptance" in kinds) == (row.acceptance.kind in ("simulated", "synthetic")), row.id
        assert not ("acceptance_open" in kinds and row.acceptance.kind != "not_stated"), row.id
    assert "acceptance_open" in {kind for kind, _ in said(catalogue()["vllm-v41-5x"])}


def test_a_layers_gain_against_the_whole_with_the_share_of_the_time() -> None:
    found = compared("vllm-v41-sparse-mqa-layer-512k", "vllm-v41-sparse-mqa-decode")
    assert {"axis", "scope"} <= fields(found, "blocking")
    assert "R8" in {rule for rule, _ in rules(found, "lint")}
    (derived,) = found.derivations
    assert "about 3-6 % of the time" in derived.text


@pytest.mark.parametrize("length", ["1k", "4k", "8k", "32k", "128k"])
@pytest.mark.parametrize("column", ["off", "eager", "graph"])
def test_ttft_of_tp4_and_dep2_is_no_contest_of_parallelism(length: str, column: str) -> None:
    found = compared(f"vllm-v41-ttft-tp4-{length}-{column}", f"vllm-v41-ttft-dep2-{length}-{column}")
    assert found.verdict == "comparable_with_differences"
    assert {(item.field, item.a, item.b) for item in found.differences} == {
        ("hardware.count", "4", "2"),
        ("parallelism", "TP4", "DEP2"),
    }
    assert found.ratio is None


def test_30_against_70_per_cent_less_ttft() -> None:
    found = compared("vllm-v41-ttft-30", "vllm-v41-ttft-70")
    assert found.verdict == "not_comparable"
    assert ("baseline", "baseline") in rules(found, "blocking")
    gpu = {(item.a, item.b) for item in found.reasons if item.field == "hardware.accelerator"}
    assert gpu == {("GB200", "GB300")}


def test_tokens_per_gpu_of_two_models() -> None:
    found = compared("vllm-agentx-dsv4pro-83k", "vllm-agentx-minimax-m3-70k")
    assert ("model", "model.id") in rules(found, "blocking")
    assert found.summary == "These two cannot be ranked: one is DeepSeek-V4-Pro, the other MiniMax-M3."


def test_throughput_and_ttft_of_one_node_are_shown_together() -> None:
    output = compared("xeng-pr39336-c64-output-vllm", "xeng-pr39336-c64-output")
    assert output.ratio is None
    assert {"engine.name", "parallelism"} <= fields(output, "difference")
    (ttft,) = output.other_axes
    assert (ttft.axis, ttft.a, ttft.b) == ("ttft", "xeng-pr39336-c64-ttft-vllm", "xeng-pr39336-c64-ttft")
    assert ttft.opposite
    assert "1,181.48 ms against 3,311.67 ms" in ttft.message
    across = compared("xeng-pr39336-c64-output", "xeng-pr39336-c64-ttft").other_axes
    assert ("ttft", "xeng-pr39336-c64-ttft", "xeng-pr39336-c64-ttft-vllm", True) in {
        (item.axis, item.a, item.b, item.opposite) for item in across
    }


def test_a_repetition_by_another_person_with_the_authors_script() -> None:
    found = compared("sglang-v41-step-16", "ind-exp005-replicates-873")
    text = message(found, "repetition")
    assert "repetition of sglang-v41-step-16 with the author's code and script" in text
    assert "not independent" in text
    assert fields(found, "blocking", "difference") == set()
    assert fields(found, "not_stated") == {"hardware.cpu_binding"}
    assert found.ratio is not None
    assert "= \N{MINUS SIGN}0.350 %" in found.ratio.text
    assert "CPU binding: not bound over not stated" in found.ratio.conditions
    assert "one repeats the other" in found.ratio.conditions


def test_real_text_against_simulation_is_never_the_cost_of_simulating() -> None:
    found = compared("ind-exp005-realtext", "ind-exp005-sim-1190")
    assert found.verdict == "not_comparable"
    assert message(found, "acceptance-forced").endswith("is not the cost of simulating. The prompts differ too.")
    assert "workload.name" in fields(found, "difference")
    assert found.ratio is None


def test_k3_on_and_off_mixes_workloads() -> None:
    found = compared("vllm-k3-dspark-370", "vllm-k3-dspark-370-off")
    assert "R2" in {rule for rule, _ in rules(found, "lint")}
    assert found.ratio is None
    printed = lint(catalogue()["vllm-k3-dspark-370-ratio"], of_sources("vllm-k3-dspark-370"))
    assert {"R2", "R4", "R9"} <= {reason.rule for reason in printed}


def test_dcp_is_taken_at_two_loads_and_the_equal_pair_is_named() -> None:
    found = compared("vllm-dcp-k26", "vllm-dcp-k26-tp")
    assert message(found, "R3") == (
        "A ratio of the two would mix loads: concurrency 512 against concurrency 64. "
        "At concurrency 64 the source has 3,750 tok/s/GPU against 1,863 tok/s/GPU: 2.01x."
    )
    assert found.ratio is None
    equal = compared("vllm-dcp-k26-tp", "vllm-dcp-k26-c64")
    assert equal.ratio is not None
    assert equal.ratio.value == "2.01"


def test_the_same_size_of_two_ratios_means_nothing() -> None:
    found = compared("sgl-gb300-25x", "sglang-v41-35-to-873")
    assert {"axis", "baseline"} <= fields(found, "blocking")


def test_one_axis_at_two_operating_points() -> None:
    found = compared("infx-v41-vllm-gb300-0915-c128", "infx-v41-sglang-gb300-tp2-c64")
    assert fields(found, "blocking") == set()
    assert {"load.concurrency", "parallelism", "engine.name"} <= fields(found, "difference")


def test_one_sweep_gives_the_ratio_of_two_loads_with_its_other_axes() -> None:
    found = compared("infx-v41-vllm-gb300-0915-c1", "infx-v41-vllm-gb300-0915-c128")
    assert {item.axis for item in found.other_axes} == {"output_per_gpu", "ttft", "tpot"}
    assert fields(found, "difference") == {"load.concurrency"}


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("vllm-dcp-k26-3x", "R3"),
        ("vllm-mooncake-46x", "R5"),
        ("sglang-v41-35-to-873", "R6"),
        ("vllm-gb300-v32-nvfp4-1.8x", "R7"),
        ("vllm-v41-sparse-mqa-layer-512k", "R8"),
        ("vllm-v41-5.3x", "R9"),
    ],
)
def test_the_lint_finds_what_is_wrong_with_real_ratios(claim: str, rule: str) -> None:
    assert rule in {reason.rule for reason in lint(catalogue()[claim], of_sources(claim), weights())}


def test_every_claim_compares_with_itself_and_takes_the_lint() -> None:
    for claim in catalogue().values():
        assert compare(claim, claim).verdict == "comparable"
        assert all(reason.rule in {f"R{n}" for n in range(1, 11)} for reason in lint(claim, (), weights()))


@pytest.mark.parametrize("outside", ["sglang-v41-ep4-same-round", "ind-exp005-replicates-873", "sglang-v41-dspark-off"])
def test_the_steps_before_the_break_match_nothing_outside_their_round(outside: str) -> None:
    found = compared("sglang-v41-step-10", outside)
    assert found.verdict == "not_comparable"
    assert "round-apart" in {rule for rule, _ in rules(found, "blocking")}
    assert compared("sglang-v41-step-01", "sglang-v41-step-10").verdict != "not_comparable"


def test_the_title_of_the_sglang_post_mixes_workloads() -> None:
    found = lint(catalogue()["sglang-v41-35-to-873"], of_sources("sglang-v41-35-to-873"))
    assert {"R2", "R4", "R6"} <= {reason.rule for reason in found}


def test_a_kernel_time_in_microseconds_gives_no_share_of_the_time() -> None:
    assert not compared("sgl-pr39674-16head-kernel", "sgl-pr39674-16head").derivations


def test_two_engines_of_which_nobody_can_tell_the_weight_type_give_no_ratio() -> None:
    found = compared("runinfra-llama31-8b-h100-vllm-ttft", "runinfra-llama31-8b-h100-trtllm-ttft")
    assert found.ratio is None
    assert "dtypes.weights" in fields(found, "not_stated")
