"""The ratio lint: each rule on a number that breaks it and on one that does not."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from app.catalogue.models import ModelWeights
from app.compare.hardware import memory_limit
from app.compare.lint import RULES, lint
from app.compare.verdict import compare
from tests.compare.factories import FORCED, MEASURED, message, ratio, row, rules

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow

GIVEN = {"kind": "feature_off", "key": "replay-off", "text": "replay off", "value": "50", "unit": "tok/s"}
WEIGHTS = {
    "DeepSeek-V4.1-Flash": ModelWeights(
        id="DeepSeek-V4.1-Flash", active_params_b=Decimal(16), bytes_per_param=Decimal("0.5"), source="model card"
    )
}


def fired(claim: ClaimRow, *others: ClaimRow, severity: str = "lint") -> list[str]:
    return [reason.rule for reason in lint(claim, others, WEIGHTS) if reason.severity == severity]


def against(**stated: Any) -> dict[str, Any]:
    """A baseline with a number that differs from the ratio in what is `stated`."""
    return {"baseline": {**GIVEN, **stated}}


def test_a_ratio_with_everything_given_is_left_alone() -> None:
    assert lint(ratio(**against())) == ()


def test_r1_a_ratio_whose_baseline_is_not_stated() -> None:
    assert fired(ratio(baseline={"kind": "not_stated"})) == ["R1"]
    (reason,) = lint(ratio(baseline={"kind": "not_stated"}))
    assert reason.message == "What 2x divides by is not stated."


def test_r1_a_ratio_whose_denominator_has_no_number() -> None:
    assert fired(ratio()) == ["R1"]
    assert fired(ratio(before="50", after="100", points_unit="tok/s")) == []
    named = {**GIVEN, "value": None, "claim": "under"}
    assert fired(ratio(baseline=named)) == ["R1"], "the named claim is not at hand"
    assert fired(ratio(baseline=named), row(id="under")) == []


@pytest.mark.parametrize(
    "workload",
    [
        {"name": "AgentX"},
        {"dataset": "real text"},
        {"input_tokens": "8192"},
        {"output_tokens": "64"},
        {"temperature": "1"},
    ],
)
def test_r2_numerator_and_denominator_ran_another_workload(workload: dict[str, str]) -> None:
    found = ratio(**against(conditions={"workload": workload}))
    assert fired(found) == ["R2"]
    (text,) = {reason.message for reason in lint(found)}
    assert text.startswith("A ratio of the two would mix workloads")
    assert next(iter(workload.values())) in text


def test_r2_leaves_a_ratio_of_two_prompt_lengths_alone() -> None:
    lengths = against(kind="other_configuration", conditions={"workload": {"input_tokens": "921600"}})
    assert fired(ratio(**lengths)) == []
    both = against(kind="other_configuration", conditions={"workload": {"input_tokens": "1", "output_tokens": "2"}})
    assert fired(ratio(**both)) == ["R2"]
    prompts = against(kind="other_configuration", conditions={"workload": {"dataset": "real text"}})
    assert fired(ratio(**prompts)) == ["R2"], "other prompts are never what a ratio is about"


def test_r2_reads_the_claim_that_the_ratio_names() -> None:
    under = row(id="under", **{"conditions.workload.dataset": "real text"})
    assert fired(ratio(baseline={**GIVEN, "claim": "under"}), under) == ["R2"]
    assert fired(ratio(baseline={**GIVEN, "claim": "under"}), row(id="under")) == []


def test_r3_the_load_differs_and_the_pair_at_equal_load_is_named() -> None:
    claim = ratio(**against(conditions={"load": {"concurrency": "64"}}), **{"conditions.load.concurrency": "512"})
    assert fired(claim) == ["R3"]
    terms = claim.model_copy(update={"equal_terms": ("top", "under")})
    loads = {"conditions.load": {"concurrency": "64"}, "axis": "total_per_gpu", "unit": "tok/s/GPU"}
    others = (row(id="top", value="3750", **loads), row(id="under", value="1863", **loads))
    (reason,) = lint(terms, others)
    assert reason.message.endswith("At concurrency 64 the source has 3,750 tok/s/GPU against 1,863 tok/s/GPU: 2.01x.")
    (without,) = lint(terms)
    assert "the source has" not in without.message


def test_r3_leaves_a_ratio_of_two_loads_alone() -> None:
    assert fired(ratio(**against(kind="other_configuration", conditions={"load": {"concurrency": "64"}}))) == []


def test_r4_speculation_or_a_forced_acceptance_on_one_side() -> None:
    off = {"conditions": {"speculation": {"method": "off"}}, "acceptance": {"kind": "none"}}
    forced = ratio(**against(**off), **FORCED)
    assert fired(forced) == ["R4"]
    assert "holds at its acceptance (simulated 5.5 of at most 6) and at no other" in lint(forced)[0].message
    assert fired(ratio(**against(**off), **MEASURED)) == ["R4"]
    mixed = ratio(**against(acceptance=MEASURED["acceptance"]), **FORCED)
    assert fired(mixed) == ["R4"]
    assert lint(mixed)[0].message.startswith("Forced acceptance on one side only")
    assert fired(ratio(**against(), **FORCED)) == []


def test_r4_guesses_nothing_where_a_side_is_silent() -> None:
    silent = against(acceptance={"kind": "not_stated"})
    assert fired(ratio(**silent, **FORCED)) == []
    only_method = against(conditions={"speculation": {"method": "MTP"}})
    assert fired(ratio(**only_method, **FORCED)) == [], "another method had another acceptance, which is not stated"


def test_r4_is_not_asked_where_speculation_cannot_matter() -> None:
    off = {"conditions": {"speculation": {"method": "off"}}, "acceptance": {"kind": "none"}}
    assert fired(ratio(axis="ttft", **against(**off), **FORCED)) == []


def test_r5_another_cache_policy() -> None:
    assert fired(ratio(**against(conditions={"workload": {"prefix_cache": "hit rate 92.2 %"}}))) == ["R5"]
    assert fired(ratio(**against(conditions={"workload": {"prefix_cache": "off"}}))) == [], (
        "off and cleared hit nothing"
    )


def test_r6_the_source_admits_a_defect_of_the_denominator() -> None:
    found = lint(ratio(**against(flaw="a layout bug.")))
    assert [reason.rule for reason in found] == ["R6"]
    assert found[0].message.endswith("a defect that the source admits: a layout bug.")
    assert fired(row(baseline={**GIVEN, "flaw": "a layout bug"})) == [], "an absolute number divides by nothing"


@pytest.mark.parametrize(
    ("fields", "severity"),
    [
        ({"value": "3.14", "before": "118", "after": "370"}, None),
        ({"value": "1.28", "before": "85.8", "after": "109.3"}, "note"),
        ({"value": "1.8", "before": "3900", "after": "7360"}, "lint"),
        ({"value": "46", "before": "82.93", "after": "1.80"}, None),
        ({"value": "5", "before": "27", "after": "136", "approximate": True}, None),
        ({"value": "5", "before": "27", "after": "144", "approximate": True}, "lint"),
        ({"value": "2", "before": "10", "after": "19.9", "bound": "up_to"}, None),
        ({"value": None, "low": "1.2", "high": "1.5", "before": "10", "after": "13"}, None),
        ({"value": None, "low": "1.2", "high": "1.5", "before": "10", "after": "17"}, "lint"),
        ({"value": "-35.8", "kind": "change", "unit": "%", "before": "160.9", "after": "103.3"}, None),
        ({"value": "-35", "kind": "change", "unit": "%", "before": "160.9", "after": "103.3"}, "note"),
        ({"value": "35.8", "kind": "change", "unit": "%", "before": "160.9", "after": "103.3"}, "lint"),
        ({"value": None, "before": "35", "after": "873"}, None),
        ({"value": "2", "before": "0", "after": "873"}, None),
    ],
)
def test_r7_the_printed_ratio_against_its_end_points(fields: dict[str, Any], severity: str | None) -> None:
    found = lint(ratio(points_unit="tok/s", **fields))
    assert [(reason.rule, reason.severity) for reason in found] == ([("R7", severity)] if severity else [])


def test_r7_says_what_the_end_points_give() -> None:
    (reason,) = lint(ratio(value="1.8", before="3900", after="7360", points_unit="tok/s"))
    assert reason.message == "1.8x is printed, but 3,900 → 7,360 gives 1.887x."


def test_r8_a_parts_ratio_is_not_the_wholes() -> None:
    whole = ratio(id="whole", kind="change", unit="%", value=None, low="3", high="6")
    part = ratio(scope="layer", end_to_end="whole", **against())
    assert fired(part, whole) == ["R8"]
    assert lint(part, [whole])[0].message == "2x is about one layer; for the whole the source gives +3 to +6 %."
    assert fired(part) == ["R8"]
    alone = ratio(scope="kernel", **against())
    assert (fired(alone), fired(alone, severity="note")) == ([], ["R8"])
    assert lint(ratio(scope="phase", **against())) == ()


def test_r9_a_contradiction_inside_the_source() -> None:
    contradiction = {"id": "c", "claims": ("a",), "text": "5x here, 5.3x there."}
    assert fired(row(contradictions=(contradiction,))) == ["R9"]
    both = compare(row(contradictions=(contradiction,)), row(id="b", contradictions=(contradiction,)))
    (reason,) = [reason for reason in both.reasons if reason.rule == "R9"]
    assert (reason.a, reason.b, both.verdict) == ("100 tok/s", "100 tok/s", "comparable")


def test_r10_one_stream_cannot_read_weights_faster_than_memory_gives_them() -> None:
    assert fired(row(value="4000")) == []
    found = lint(row(value="4001"), (), WEIGHTS)
    assert [reason.rule for reason in found] == ["R10"]
    assert found[0].message == (
        "4,001 tok/s is above the memory limit: likely total tokens, speculation or another unit. "
        "8 TB/s x 4 GPUs / (16B active parameters x 0.5 bytes) = 4,000 tok/s."
    )


def test_r10_reads_a_tpot_at_concurrency_one_as_a_rate() -> None:
    fast = {"axis": "tpot", "unit": "ms", "value": "0.2"}
    assert fired(row(**fast)) == ["R10"]
    assert fired(row(**fast, **{"conditions.load": {"batch": "1"}})) == ["R10"]
    assert fired(row(**fast, **{"conditions.load": {"concurrency": "64"}})) == []
    assert fired(row(**{**fast, "value": "0.3"})) == []
    assert fired(row(**{**fast, "value": "0"})) == []


def test_r10_is_silent_where_speculation_explains_the_rate() -> None:
    assert fired(row(value="4001", **FORCED)) == []
    assert fired(row(value="4001", acceptance=MEASURED["acceptance"], **{"conditions.speculation": {}})) == []
    unknown = {"conditions.speculation": {}, "acceptance": {"kind": "not_stated"}}
    assert fired(row(value="4001", **unknown)) == ["R10"]


def test_r10_checks_nothing_that_it_does_not_know() -> None:
    fast = {"value": "99999"}
    assert fired(row(**fast, **{"conditions.hardware.accelerator": "MI355X"})) == []
    assert fired(row(**fast, **{"conditions.hardware.count": None})) == []
    assert fired(row(**fast, **{"conditions.model.id": "Kimi K3"})) == []
    assert fired(row(**fast, axis="output_throughput")) == [], "many streams share one read of the weights"


@pytest.mark.parametrize(
    ("accelerator", "limit"),
    [("H100", "418.75"), ("H200", "600"), ("B200", "1000"), ("GB200", "1000"), ("GB300", "1000")],
)
def test_the_limit_is_bandwidth_over_bytes_read(accelerator: str, limit: str) -> None:
    claim = row(**{"conditions.hardware.accelerator": accelerator, "conditions.hardware.count": 1})
    found = memory_limit(claim, WEIGHTS)
    assert found is not None
    assert found.tok_s == Decimal(limit)


@pytest.mark.parametrize(
    ("stated", "limit"), [("bf16", "1000"), ("FP8", "2000"), ("NVFP4", "4000"), ("NVFP4 MoE, FP8 attention", "4000")]
)
def test_the_stated_weight_type_sets_the_bytes_and_a_mixture_the_least_of_the_model(stated: str, limit: str) -> None:
    found = memory_limit(row(**{"conditions.dtypes": {"weights": stated}}), WEIGHTS)
    assert found is not None
    assert found.tok_s == Decimal(limit)


def test_dividing_two_numbers_is_linted_like_a_printed_ratio() -> None:
    other = {"conditions.workload.dataset": "real text", "conditions.load.concurrency": "64"}
    found = compare(row(), row(id="b", **other, **FORCED, **{"conditions.workload.prefix_cache": "warm"}))
    assert sorted(rule for rule, _ in rules(found, "lint")) == ["R2", "R3", "R4", "R5"]


def test_one_length_or_one_load_is_what_a_pair_is_about() -> None:
    assert rules(compare(row(), row(id="b", **{"conditions.load.concurrency": "64"})), "lint") == []
    assert rules(compare(row(), row(id="b", **{"conditions.workload.input_tokens": "8192"})), "lint") == []


def test_a_defect_of_one_of_the_two_is_told_wherever_it_is_admitted() -> None:
    title = ratio(id="title", baseline={**GIVEN, "claim": "a", "flaw": "a layout bug"})
    found = compare(row(), row(id="b"), [title])
    assert message(found, "R6") == "100 tok/s has a defect that its source admits: a layout bug."
    (reason,) = [reason for reason in found.reasons if reason.rule == "R6"]
    assert (reason.a, reason.b) == ("a layout bug", None)
    assert rules(compare(row(id="c"), row(id="b"), [title]), "lint") == []


def test_two_axes_are_not_divided_and_so_not_linted_as_a_pair() -> None:
    assert rules(compare(row(), row(id="b", axis="output_throughput", **FORCED)), "lint") == []


def test_the_lint_of_each_number_stands_on_its_side() -> None:
    found = compare(ratio(id="a"), ratio(id="b", **against()))
    (reason,) = [reason for reason in found.reasons if reason.rule == "R1"]
    assert (reason.a, reason.b) == ("2x", None)


def test_every_rule_of_the_lint_is_listed() -> None:
    assert list(RULES) == [f"R{number}" for number in range(1, 11)]
