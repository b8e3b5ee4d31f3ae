"""A ratio is shown for one change and nothing else, with its conditions; else it is withheld, and the reason said."""

from __future__ import annotations

from typing import Any

import pytest

from app.claims.conditions import FIELDS
from app.compare.verdict import compare
from tests.compare.factories import FORCED, MEASURED, ratio, row
from tests.compare.test_differences import NOT_STATED, OTHER_VALUES

OTHER_ROUND = {"id": "post/first", "title": "first table", "varies": tuple(FIELDS)}
ONE_CHANGE = OTHER_VALUES.keys() - {"workload.name", "statistic"}


def values(a: str, b: str, **more: Any) -> Any:
    return compare(row(value=a, **more), row(id="b", value=b, **more)).ratio


def test_equal_conditions_give_a_ratio() -> None:
    shown = values("100", "250")
    assert (shown.value, shown.text) == ("2.50", "250 / 100 = 2.50x")
    assert shown.conditions == "same stated conditions; one round of measurements"


def test_the_ratio_of_a_speculation_pair_carries_its_acceptance_in_one_line() -> None:
    off, on = row(value="223.50"), row(id="b", value="853.49", **FORCED)
    found = compare(off, on)
    assert found.ratio is not None
    assert found.ratio.value == "3.82"
    assert found.summary == (
        "853.49 / 223.50 = 3.82x, speculation on at simulated acceptance 5.5 of at most 6 (DSpark, 5 drafts) over off; "
        "one round of measurements."
    )
    back = compare(on, off).ratio
    assert back is not None
    assert back.value == "0.262"
    assert back.conditions.startswith(
        "speculation off over on at simulated acceptance 5.5 of at most 6 (DSpark, 5 drafts)"
    )


def test_a_ratio_next_to_one_shows_the_change_in_per_cent() -> None:
    experts = {"conditions.parallelism": "attention TP4, MoE EP4"}
    shown = compare(row(value="854.64", **FORCED, **experts), row(id="b", value="873.63", **FORCED)).ratio
    assert shown is not None
    assert (shown.value, shown.text) == ("1.022", "873.63 / 854.64 = +2.22 % (1.022x)")
    assert shown.conditions == (
        "parallelism: attention TP4, MoE TP4 over attention TP4, MoE EP4; "
        "at simulated acceptance 5.5 of at most 6 on both sides; one round of measurements"
    )


@pytest.mark.parametrize(
    ("a", "b", "value", "text"),
    [
        ("873.63", "854.64", "0.978", "−2.17 % (0.978x)"),
        ("100", "100", "1.000", "no difference (1.000x)"),
        ("3", "1", "0.333", "0.333x"),
        ("1", "12345", "12,300", "12,300x"),
        ("1", "109.96", "110", "110x"),
    ],
)
def test_three_significant_digits_in_plain_notation(a: str, b: str, value: str, text: str) -> None:
    shown = values(a, b)
    assert (shown.value, shown.text.partition(" = ")[2]) == (value, text)


@pytest.mark.parametrize("name", sorted(ONE_CHANGE))
def test_one_change_is_named_beside_its_ratio(name: str) -> None:
    shown = compare(row(), row(id="b", **OTHER_VALUES[name])).ratio
    assert shown is not None
    assert " over " in shown.conditions


@pytest.mark.parametrize("name", ["workload.name", "statistic"])
def test_no_ratio_survives_other_prompts_or_another_statistic(name: str) -> None:
    found = compare(row(), row(id="b", **OTHER_VALUES[name]))
    assert found.ratio is None
    assert "withheld as confounded" in found.summary


def test_a_second_difference_confounds_a_ratio_and_both_are_named() -> None:
    found = compare(row(), row(id="b", **OTHER_VALUES["hardware.count"], **OTHER_VALUES["parallelism"]))
    assert found.ratio is None
    assert found.summary == (
        "These two measure the same thing under other conditions; "
        "the ratio is withheld as confounded: number of GPUs and parallelism differ."
    )


def test_another_round_confounds_a_ratio() -> None:
    found = compare(row(), row(id="b", round_place=OTHER_ROUND))
    assert found.ratio is None
    assert found.summary.endswith("the ratio is withheld as confounded: the round of measurements differs.")
    second = compare(row(), row(id="b", round_place=OTHER_ROUND, **OTHER_VALUES["parallelism"]))
    assert "the round of measurements and parallelism differ" in second.summary


def test_a_field_that_is_not_stated_withholds_the_ratio_of_one_change() -> None:
    found = compare(row(), row(id="b", **FORCED, **NOT_STATED["dtypes.kv"]))
    assert found.ratio is None
    assert found.summary.endswith("the ratio is withheld because KV cache type is not stated.")
    more = compare(row(**NOT_STATED["execution"]), row(id="b", **NOT_STATED["dtypes.kv"]))
    assert more.summary == (
        "These two measure the same thing, but not all that matters is stated; "
        "the ratio is withheld because KV cache type and execution are not stated."
    )


def test_draft_tokens_that_are_not_stated_withhold_the_ratio_of_speculation() -> None:
    drafts = {"conditions.speculation": {"method": "DSpark"}, "acceptance": FORCED["acceptance"]}
    assert compare(row(), row(id="b", **drafts)).ratio is None


def test_a_repetition_may_be_divided_by_what_it_repeats() -> None:
    shown = compare(row(value="873.63"), row(id="b", value="870.57", repeats="a", round_place=None)).ratio
    assert shown is not None
    assert shown.text == "870.57 / 873.63 = −0.350 % (0.996x)"
    assert shown.conditions == "same stated conditions; one repeats the other"


@pytest.mark.parametrize("vague", [{"approximate": True}, {"bound": "up_to"}])
def test_an_approximate_number_or_a_bound_gives_no_ratio(vague: dict[str, Any]) -> None:
    found = compare(row(), row(id="b", **vague))
    assert (found.verdict, found.ratio) == ("comparable", None)
    assert found.summary == (
        "These two measure the same thing under the same stated conditions; "
        "the ratio is withheld because a number is approximate or a bound."
    )


def test_a_number_that_its_own_counts_do_not_give_is_divided_by_nothing() -> None:
    found = compare(row(), row(id="b", caveats=[{"kind": "unsound", "text": "tokens / duration gives another rate"}]))
    assert found.ratio is None
    assert found.summary.endswith("a number does not follow from its source's own counts.")


def test_there_is_no_ratio_of_ratios_ranges_or_zero() -> None:
    assert compare(ratio(id="a"), ratio(id="b")).ratio is None
    assert compare(row(), row(id="b", value=None, low="90", high="95")).ratio is None
    assert compare(row(value="0"), row(id="b")).ratio is None
    assert compare(row(), row(id="b", value="0")).ratio is None


def test_real_acceptance_at_another_length_is_one_change_and_said() -> None:
    other = {**MEASURED, "acceptance": {"kind": "measured", "length": "4.73", "ceiling": "6"}}
    shown = compare(row(**MEASURED), row(id="b", **other)).ratio
    assert shown is not None
    assert "on at measured acceptance 4.73 of at most 6 (DSpark, 5 drafts) over on at measured acceptance 3.17" in (
        shown.conditions
    )


def repeats(low: str, high: str, unit: str = "tok/s") -> dict[str, Any]:
    return {
        "beside": (
            {"name": "lowest of 3 runs", "value": low, "unit": unit},
            {"name": "highest of 3 runs", "value": high, "unit": unit},
        )
    }


def test_a_ratio_reaches_over_the_repeats_of_both_numbers() -> None:
    shown = compare(row(**repeats("80", "125")), row(id="b", value="250", **repeats("200", "260"))).ratio
    assert shown is not None
    assert (shown.value, shown.low, shown.high) == ("2.50", "1.60", "3.25")
    assert shown.conditions.startswith("1.60x to 3.25x over the repeats; ")


def test_where_one_numbers_repeats_are_not_known_the_line_says_so() -> None:
    shown = compare(row(**repeats("80", "125")), row(id="b", value="250")).ratio
    assert shown is not None
    assert shown.conditions.startswith(
        "2.00x to 3.13x over the repeats of one of them, those of the other are not stated"
    )
    assert compare(row(**repeats("80", "125", unit="ms")), row(id="b", value="250")).ratio.low is None  # type: ignore[union-attr]


def test_two_published_numbers_within_their_spread_keep_the_ratio_with_those_words() -> None:
    shown = compare(row(**repeats("90", "110")), row(id="b", value="105", **repeats("99", "112"))).ratio
    assert shown is not None
    assert shown.conditions.startswith("within the spread of the repeats: 0.900x to 1.24x over the repeats")


def test_of_two_numbers_that_benchcard_measured_a_ratio_within_the_spread_is_withheld() -> None:
    here = {"evidence": {"measurement": "m1", "point": 0}}
    found = compare(row(**repeats("90", "110"), **here), row(id="b", value="105", **repeats("99", "112"), **here))
    assert found.ratio is None
    assert found.summary.endswith("within the spread of their repeats (99–112 tok/s against 90–110 tok/s).")
    assert [(r.a, r.b) for r in found.reasons if r.rule == "spread"] == [("90–110 tok/s", "99–112 tok/s")]


def test_another_load_tool_is_a_difference() -> None:
    found = compare(row(), row(id="b", **{"conditions.client": "vllm bench serve"}))
    assert [(r.field, r.a, r.b) for r in found.differences] == [("client", "author's script", "vllm bench serve")]
