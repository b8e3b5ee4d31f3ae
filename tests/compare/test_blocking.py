"""Every rule that makes two numbers unrankable, and next to it the pair that the rule must leave alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.axes import AXES
from app.compare.blocking import BLOCKING
from app.compare.verdict import compare
from app.compare.words import PLAIN_AXES
from tests.compare.factories import FORCED, MEASURED, message, ratio, row, rules

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow


def blocked(a: ClaimRow, b: ClaimRow) -> list[str]:
    """The blocking rules that fire, in their order; the verdict must agree with them."""
    found = compare(a, b)
    names = [rule for rule, _ in rules(found, "blocking")]
    assert (found.verdict == "not_comparable") == bool(names)
    assert not names or found.ratio is None
    return names


def pair(a: dict[str, Any], b: dict[str, Any]) -> tuple[ClaimRow, ClaimRow]:
    return row(**{"id": "a", **a}), row(**{"id": "b", **b})


def simulated(target: str | None, **more: str) -> dict[str, Any]:
    return {**FORCED, "acceptance": {"kind": "simulated", "target": target, **more}}


def test_two_equal_rows_are_not_blocked() -> None:
    assert blocked(*pair({}, {})) == []


def test_a_card_that_was_taken_back_compares_with_nothing() -> None:
    card = {"id": "b", "revision": 1, "author": "Ana", "completeness": 50, "retracted": "the clock was wrong"}
    assert blocked(*pair({}, {"card": card})) == ["retracted"]
    assert blocked(*pair({}, {"card": {**card, "retracted": None}})) == []


def test_two_metrics_answer_two_questions() -> None:
    found = compare(*pair({}, {"axis": "tpot", "unit": "ms"}))
    assert rules(found, "blocking") == [("axis", "axis")]
    assert found.summary == (
        "These two cannot be ranked: one is the speed of a single stream, "
        "the other is the mean time for one more output token."
    )


def test_an_axis_that_no_source_defines_matches_not_even_itself() -> None:
    assert blocked(*pair({"axis": "not_defined"}, {"axis": "not_defined"})) == ["axis-not-defined"]


def test_tokens_that_are_not_named_match_within_their_source_only() -> None:
    fields = {"axis": "undefined_per_gpu", "unit": "tok/s/GPU"}
    assert blocked(*pair(fields, fields)) == []
    other = {"source": {**row().source.model_dump(), "id": "other"}}
    assert blocked(*pair(fields, {**fields, **other})) == ["axis-not-defined"]


def test_an_axis_that_the_registry_does_not_know_is_treated_as_not_defined() -> None:
    assert blocked(*pair({"axis": "invented"}, {"axis": "invented"})) == ["axis-not-defined"]


def test_of_two_axes_it_is_enough_to_say_that_they_are_two() -> None:
    assert blocked(*pair({"axis": "not_defined"}, {"axis": "tpot", "axis_version": 2})) == ["axis"]


def test_a_changed_definition_is_another_definition() -> None:
    assert blocked(*pair({}, {"axis_version": 2})) == ["axis-version"]


def test_a_ratio_and_a_number_have_no_common_scale() -> None:
    found = compare(row(), ratio(id="b"))
    assert rules(found, "blocking") == [("kind", "kind")]
    assert ("set-against", "baseline") in rules(found, "difference")
    assert "100 tok/s is set against: nothing. 2x is set against: replay off." in message(found, "set-against")


def test_what_a_number_is_set_against_names_the_flaw_that_its_source_admits() -> None:
    baseline = {"kind": "own_earlier_build", "text": "first build", "flaw": "a layout bug."}
    found = compare(row(baseline=baseline), ratio(id="b"))
    assert "first build (admitted flaw: a layout bug)" in message(found, "set-against")


def test_a_factor_and_a_percentage_are_two_forms_and_no_obstacle() -> None:
    found = compare(ratio(id="a"), ratio(id="b", kind="change", unit="%", value="100"))
    assert blocked(ratio(id="a"), ratio(id="b", kind="change", unit="%", value="100")) == []
    assert ("printed-form", "kind") in rules(found, "difference")
    assert "a ratio" in message(found, "printed-form")


@pytest.mark.parametrize("scope", ["kernel", "path", "layer", "forward_pass", "phase", "capacity"])
def test_a_part_is_not_the_whole(scope: str) -> None:
    assert blocked(*pair({}, {"scope": scope})) == ["scope"]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "other_engine"},
        {"key": "speculation"},
        {"key": None},
        {"kind": "not_stated"},
    ],
    ids=["another kind", "another thing", "no name for the thing", "not stated"],
)
def test_two_ratios_match_only_where_both_name_the_same_thing_they_divide_by(change: dict[str, Any]) -> None:
    same = ratio(id="a")
    other = ratio(id="b", baseline={**same.baseline.model_dump(), **change})
    assert blocked(same, ratio(id="b")) == []
    assert blocked(same, other) == ["baseline"]
    assert blocked(other, same.model_copy(update={"id": "c"})) == ["baseline"]


def test_two_baselines_without_a_name_do_not_match_each_other() -> None:
    baseline = {"kind": "feature_off", "text": "something off"}
    found = compare(ratio(id="a", baseline=baseline), ratio(id="b", baseline=baseline))
    assert message(found, "baseline") == "What at least one of the two ratios divides by is not stated."
    other = {**baseline, "key": "cache", "text": "no cache"}
    named = compare(ratio(id="a"), ratio(id="b", baseline=other))
    assert message(named, "baseline") == "2x divides by: replay off. 2x divides by: no cache."


def test_steps_on_two_sides_of_a_break_were_measured_otherwise() -> None:
    reasons = ("Workload: other prompts.", "Method: a log")
    breaks = (
        {"after_step": 2, "title": "Other workload", "reasons": reasons},
        {"after_step": 3, "title": "Later", "reasons": ("Of no matter here",)},
    )
    places = [{"ladder": "l", "step": step, "segment": int(step > 2), "breaks": breaks} for step in (1, 2, 3)]
    one, two, three = (row(id=f"s{place['step']}", ladder=place) for place in places)
    assert blocked(one, two) == []
    found = compare(one, three)
    assert rules(found, "blocking") == [("ladder-break", "ladder")]
    assert message(found, "ladder-break") == (
        "The source's ladder breaks between step 1 and step 3. Workload: other prompts. Method: a log."
    )
    assert "(other workload)" in found.summary
    assert blocked(one, row(id="o", ladder={**places[2], "ladder": "another"})) == []
    elsewhere = {**row().source.model_dump(), "id": "other"}
    assert blocked(one, row(id="o", ladder=places[2], source=elsewhere)) == []


def test_forced_acceptance_matches_the_same_forced_length() -> None:
    drifted = simulated("5.5", length="5.505"), simulated("5.5", length="5.520")
    assert blocked(*pair(*drifted)) == []
    found = compare(*pair(*drifted))
    assert "neither is a speed of real decoding" in message(found, "both-forced")


@pytest.mark.parametrize(
    ("other", "rule"),
    [
        (simulated("3.51"), "acceptance-forced"),
        (MEASURED, "acceptance-forced"),
        ({**FORCED, "acceptance": {"kind": "synthetic", "ceiling": "6"}}, "acceptance-forced"),
        (simulated(None, length="5.5"), "acceptance-not-stated"),
        ({**FORCED, "acceptance": {"kind": "not_stated"}}, "acceptance-not-stated"),
    ],
    ids=["another length", "real acceptance", "another way of forcing", "length not stated", "not stated"],
)
def test_forced_acceptance_matches_nothing_else_that_speculates(other: dict[str, Any], rule: str) -> None:
    assert blocked(*pair(simulated("5.5"), other)) == [rule]
    assert blocked(*pair(other, simulated("5.5"))) == [rule]


def test_forced_against_off_is_the_change_and_no_obstacle() -> None:
    assert blocked(*pair({}, simulated("5.5"))) == []


def test_synthetic_acceptance_matches_itself_at_one_ceiling() -> None:
    six, four = ({**FORCED, "acceptance": {"kind": "synthetic", "ceiling": ceiling}} for ceiling in ("6", "4"))
    assert blocked(*pair(six, six)) == []
    assert blocked(*pair(six, four)) == ["acceptance-forced"]


def test_real_acceptance_at_two_lengths_is_a_difference_and_no_obstacle() -> None:
    other = {**MEASURED, "acceptance": {"kind": "measured", "length": "4"}}
    assert blocked(*pair(MEASURED, other)) == []
    unknown = {**MEASURED, "acceptance": {"kind": "measured"}}
    assert blocked(*pair(MEASURED, unknown)) == []
    assert ("not-stated", "acceptance") in rules(compare(*pair(MEASURED, unknown)), "not_stated")


def test_the_gap_between_forced_and_real_is_never_called_the_cost_of_simulating() -> None:
    real = {**MEASURED, "conditions.workload": {**row().conditions.workload.model_dump(), "dataset": "real text"}}
    text = message(compare(*pair(simulated("5.5"), real)), "acceptance-forced")
    assert "is not the cost of simulating. The prompts differ too." in text
    assert "prompts differ" not in message(compare(*pair(simulated("5.5"), MEASURED)), "acceptance-forced")


def test_an_acceptance_that_nobody_states_could_have_been_forced() -> None:
    silent = {"conditions.speculation": {}, "acceptance": {"kind": "not_stated"}}
    assert blocked(*pair(silent, silent)) == ["acceptance-not-stated"]
    assert blocked(*pair(silent, {})) == ["acceptance-not-stated"]


def test_speculation_off_leaves_nothing_to_accept() -> None:
    assert blocked(*pair({"acceptance": {"kind": "not_stated"}}, {})) == []


def test_a_shared_round_holds_acceptance_and_model_equal_though_neither_is_stated() -> None:
    silent = {
        "conditions.speculation": {},
        "acceptance": {"kind": "not_stated"},
        "conditions.model": {},
        "round_place": {"id": "post/final", "title": "final table", "varies": ("parallelism",)},
    }
    assert blocked(*pair(silent, silent)) == []


def test_acceptance_is_not_asked_where_it_cannot_matter() -> None:
    fields = {"axis": "ttft", "unit": "ms"}
    assert blocked(*pair({**fields, **simulated("5.5")}, {**fields, **MEASURED})) == []


@pytest.mark.parametrize("model", ["Kimi K3", None])
def test_another_model_or_one_that_is_not_stated_does_other_work(model: str | None) -> None:
    assert blocked(*pair({}, {"conditions.model.id": model})) == ["model"]
    assert blocked(*pair({"conditions.model.id": None}, {"conditions.model.id": model})) == ["model"]


def test_a_model_is_named_in_the_summary_before_what_is_only_not_stated() -> None:
    silent = {"acceptance": {"kind": "not_stated"}, "conditions.speculation": {}}
    found = compare(*pair(silent, {**silent, "conditions.model.id": "Kimi K3"}))
    assert found.summary == "These two cannot be ranked: one is DeepSeek-V4.1-Flash, the other Kimi K3."


def test_units_convert_only_by_a_stated_factor() -> None:
    per_gpu = {"axis": "decode_per_gpu", "unit": "tok/s/GPU", "value": "10"}
    per_node = {**per_gpu, "unit": "tok/s/node", "value": "160"}
    assert blocked(*pair(per_gpu, per_node)) == ["unit"]
    assert blocked(*pair(per_node, per_node)) == ["unit"]
    assert message(compare(*pair(per_gpu, per_node)), "unit").endswith("How many GPUs a node holds is not stated.")
    stated = {**per_node, "conditions.hardware.gpus_per_node": 8}
    assert blocked(*pair(per_gpu, stated)) == []
    found = compare(*pair(per_gpu, stated))
    assert found.ratio is not None
    assert found.ratio.value == "2.00"


def test_seconds_and_milliseconds_are_one_unit() -> None:
    found = compare(*pair({"axis": "e2e_latency", "unit": "s", "value": "2"}, {"axis": "e2e_latency", "unit": "ms"}))
    assert found.ratio is not None
    assert found.ratio.value == "0.0500"


def test_bytes_and_gibibytes_are_not() -> None:
    sizes = [{"axis": "kv_bytes_per_token", "unit": unit} for unit in ("bytes/token", "GiB")]
    found = compare(*pair(*sizes))
    assert message(found, "unit") == "bytes/token and GiB cannot be converted into each other."


def test_without_a_number_there_is_nothing_to_compare() -> None:
    found = compare(*pair({}, {"value": None, "written": "in a chart only"}))
    assert rules(found, "blocking") == [("number", "value")]
    assert blocked(*pair({"value": None, "written": "in a chart only"}, {})) == ["number"]
    ends = {"value": None, "before": "35", "after": "873", "points_unit": "tok/s"}
    assert blocked(ratio(id="a"), ratio(id="b", **ends)) == []
    for lost in ("before", "after"):
        assert blocked(ratio(id="a"), ratio(id="b", **{**ends, lost: None})) == ["number"]
    assert blocked(ratio(id="a"), ratio(id="b", value=None, low="2", high="3")) == []


def test_a_number_without_its_prefill_is_not_end_to_end() -> None:
    without = {"caveats": ({"kind": "prefill_not_counted", "text": "first to last event"},)}
    latency = {"axis": "e2e_latency", "unit": "ms"}
    assert blocked(*pair(latency, {**latency, **without})) == ["prefill"]
    assert blocked(*pair({**latency, **without}, {**latency, **without})) == []
    assert blocked(*pair({}, without)) == [], "a decode rate never counts it"
    assert blocked(*pair(latency, {"axis": "output_throughput", **without})) == ["axis"]


def test_blocking_findings_stand_in_the_readers_order_and_hide_no_difference() -> None:
    other = ratio(id="b", axis="per_gpu_at_limit", **{"conditions.model.id": None, "conditions.parallelism": "DEP2"})
    found = compare(row(), other)
    assert [rule for rule, _ in rules(found, "blocking")] == ["axis", "kind", "model"]
    assert ("condition", "parallelism") in rules(found, "difference")


def test_every_axis_has_plain_words_and_every_rule_says_what_it_holds() -> None:
    assert PLAIN_AXES.keys() == AXES.keys()
    assert len({rule.id for rule in BLOCKING}) == len(BLOCKING)
    assert all(rule.says.endswith(".") for rule in BLOCKING)
