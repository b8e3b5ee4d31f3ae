"""The verdict of a reproduction: where a measured number stands, and when nothing can be said."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.compare.reproduction import Verdict, claimed, failed, judge, paired
from app.compare.setup import Setup, SetupDifference
from tests.compare.factories import ratio, row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.claims.schema import ClaimRow

SAME = Setup()
OTHER = Setup(
    differences=(SetupDifference(field="hardware.accelerator", label="GPU", claimed="H100", measured="H200"),)
)
VALUES = st.lists(st.floats(0.5, 5000, allow_nan=False), min_size=3, max_size=9)


def verdict(claim: ClaimRow, values: Sequence[float], between: Setup = SAME, reasons: Sequence[str] = ()) -> Verdict:
    return judge(claim, values, between, reasons=reasons, how="median of the repeats")


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ([99.4, 99.5, 99.6], "within"),  # 99.5 is what 100 can stand for
        ([98.0, 98.5, 99.0], "below"),
        ([100.2, 100.6, 102.0], "within"),
        ([101.0, 101.5, 102.0], "above"),
    ],
)
def test_a_number_stands_within_where_its_interval_meets_the_claims_printed_precision(
    values: list[float], status: str
) -> None:
    assert verdict(row(), values).status == status


def test_the_verdict_carries_the_number_its_interval_and_what_the_claim_reaches_over() -> None:
    found = verdict(row(value="100.0"), [90.0, 91.0, 92.0])
    assert (found.measured, found.low, found.high) == (Decimal(91), Decimal(90), Decimal(92))
    assert (found.claimed_low, found.claimed_high) == (Decimal("99.95"), Decimal("100.05"))
    assert found.share == Decimal("0.91")
    assert found.text == "91 tok/s measured against 100.0 tok/s: below the claim."


@pytest.mark.parametrize(
    ("fields", "reach"),
    [
        ({"value": "3.82"}, ("3.815", "3.825")),
        ({"value": None, "low": "30", "high": "40"}, ("29.5", "40.5")),
        ({"value": "100", "approximate": True}, ("94.5", "105.5")),
        ({"value": "100", "bound": "at_least"}, ("99.5", None)),
        ({"value": "100", "bound": "up_to"}, ("99.5", "100.5")),
        ({"value": "-10", "bound": "within", "unit": "%", "kind": "change"}, ("-10.5", "0.5")),
    ],
)
def test_a_claim_reaches_over_its_printed_precision_its_range_and_its_bound(
    fields: dict[str, Any], reach: tuple[str, str | None]
) -> None:
    low, high = reach
    assert claimed(row(**fields)) == (Decimal(low), None if high is None else Decimal(high))


def test_a_ratio_given_by_its_end_points_alone_is_their_quotient() -> None:
    claim = ratio(value=None, before="50", after="100", points_unit="tok/s")
    assert verdict(claim, [2.0, 2.0001, 2.0002]).status == "within"


def test_a_different_setup_says_where_the_number_stands_and_refutes_nothing() -> None:
    found = verdict(row(), [50.0, 50.1, 50.2], OTHER)
    assert (found.status, found.standing) == ("different_setup", "below")
    assert found.text.endswith("in a setup that differs in GPU; that refutes nothing.")
    assert found.differences[0].measured == "H200"


def test_noise_that_is_too_wide_leaves_the_number_nowhere() -> None:
    found = verdict(row(), [60.0, 100.0, 140.0])
    assert (found.status, found.standing) == ("inconclusive", "open")
    assert found.reasons == ("the interval from 60 to 140 is wider than 10% of the number",)


@pytest.mark.parametrize(
    ("values", "reasons", "said"),
    [
        ([100.0, 100.0], (), "only 2 repeats: an interval needs 3"),
        ([100.0, 100.0, math.inf], (), "a repeat has no finite number: requests of it failed"),
        ([100.0, 100.0, 100.0], ("run 2: the client lagged",), "run 2: the client lagged"),
    ],
)
def test_runs_that_are_no_results_leave_it_inconclusive(
    values: list[float], reasons: tuple[str, ...], said: str
) -> None:
    found = verdict(row(), values, reasons=reasons)
    assert (found.status, found.reasons, found.measured) == ("inconclusive", (said,), None)


@pytest.mark.parametrize("values", [[0.0] * 3, [100.0, 100.0, 0.0], [-1.0, 100.0, 100.0]])
def test_a_number_that_is_not_above_zero_was_not_measured(values: list[float]) -> None:
    found = verdict(row(), values)
    assert (found.status, found.measured) == ("inconclusive", None)
    assert "not above 0" in found.text


def test_a_claim_without_a_number_cannot_be_judged() -> None:
    assert verdict(row(value=None), [1.0, 1.0, 1.0]).reasons == ("the source prints no number",)


def test_how_it_failed_is_told() -> None:
    assert failed(row(), "out_of_memory", "CUDA out of memory").reasons == ("out of memory: CUDA out of memory",)


def test_a_ratio_of_a_rate_is_the_change_over_the_baseline_of_each_pair() -> None:
    assert paired(ratio(), [(100.0, 200.0), (100.0, 210.0)]) == [2.0, 2.1]


def test_a_ratio_of_a_time_that_is_above_one_says_how_many_times_less() -> None:
    assert paired(ratio(axis="ttft", value="4"), [(80.0, 20.0)]) == [4.0]
    assert paired(ratio(axis="ttft", value="0.25"), [(80.0, 20.0)]) == [0.25]


def test_the_end_points_of_a_ratio_tell_which_way_round_it_is_printed() -> None:
    assert paired(ratio(value="46", axis="ttft", before="82.93", after="1.80"), [(46.0, 1.0)]) == [46.0]


def test_a_change_in_per_cent_is_of_each_pair_and_its_noise_that_of_the_factor() -> None:
    claim = ratio(value="-4", unit="%", kind="change", axis="decode_step_time")
    values = paired(claim, [(100.0, 96.0), (100.0, 95.8), (100.0, 96.2)])
    assert values == pytest.approx([-4.0, -4.2, -3.8])
    assert verdict(claim, values).status == "within"


def test_a_baseline_of_no_speed_makes_no_finite_ratio() -> None:
    assert verdict(ratio(), paired(ratio(), [(0.0, 5.0)] * 3)).status == "inconclusive"


@given(VALUES)
def test_the_standing_is_within_exactly_where_interval_and_reach_overlap(values: list[float]) -> None:
    found = verdict(row(value="100"), values)
    if found.standing not in (None, "open"):
        assert found.low is not None and found.high is not None
        overlap = found.low <= Decimal("100.5") and found.high >= Decimal("99.5")
        assert (found.standing == "within") == overlap


@given(VALUES, st.floats(1.0, 50.0))
def test_faster_repeats_never_stand_lower(values: list[float], factor: float) -> None:
    order = ["below", "within", "above"]
    slow, fast = (verdict(row(value="100"), given) for given in (values, [value * factor for value in values]))
    if slow.standing in order and fast.standing in order:
        assert order.index(str(fast.standing)) >= order.index(str(slow.standing))


@given(VALUES)
def test_a_difference_of_setup_changes_the_word_and_no_number(values: list[float]) -> None:
    same, other = verdict(row(), values), verdict(row(), values, OTHER)
    assert (same.measured, same.low, same.high, same.standing) == (
        other.measured, other.low, other.high, other.standing,
    )  # fmt: skip
    assert other.status == "different_setup"


@example([1e308, 1e308])
@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=6))
def test_no_measured_number_breaks_the_verdict(values: list[float]) -> None:
    assert verdict(row(), values).status in ("inconclusive", "within", "below", "above")
