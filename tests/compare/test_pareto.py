"""The front of a sweep is made of measured points and answers with them alone."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from app.compare.pareto import SweepPoint, best_above, front

NUMBERS = st.floats(0, 1e6)
POINTS = st.lists(
    st.builds(
        SweepPoint,
        st.text("abc", min_size=1, max_size=3),
        NUMBERS,
        NUMBERS,
        st.sampled_from([(), (), ("the client lagged",)]),
    ),
    max_size=12,
)


def point(concurrency: int, throughput: float | None, interactivity: float | None, *reasons: str) -> SweepPoint:
    return SweepPoint(f"concurrency {concurrency}", throughput, interactivity, reasons)


SWEEP = (point(1, 150, 170), point(16, 1054, 76), point(32, 729, 60), point(48, 668, 70), point(64, None, None, "late"))


def test_a_dominated_point_and_one_that_is_no_result_stay_in_the_list() -> None:
    placed = front(SWEEP)
    assert [item.place for item in placed] == ["front", "front", "dominated", "dominated", "not_a_result"]
    assert placed[2].beaten_by == "concurrency 16"


def test_the_best_above_a_limit_is_a_measured_point() -> None:
    found = best_above(SWEEP, 50)
    assert found.point == SWEEP[1]
    assert found.text == (
        "1,054.0 tok/s/GPU at 76.0 tok/s/user (concurrency 16), the best of 4 measured points above 50 tok/s/user"
    )


def test_nothing_is_invented_between_two_points() -> None:
    assert best_above(SWEEP, 100).point == SWEEP[0]  # not 800 tok/s, half way between the two
    assert best_above(SWEEP, 76).point == SWEEP[0]  # above, not at


def test_without_a_measured_point_above_the_limit_it_says_so() -> None:
    assert best_above(SWEEP, 200).text == "no measured point above 200 tok/s/user: the fastest has 170.0"
    assert best_above((SWEEP[4],), 10).text == "no measured point above 10 tok/s/user: no point is a result"


def test_an_infinite_number_is_no_point_of_the_front() -> None:
    (placed,) = front((point(1, 100, math.inf),))
    assert placed.place == "not_a_result"


def test_equal_points_are_both_on_the_front() -> None:
    assert [item.place for item in front((point(1, 5, 5), point(2, 5, 5)))] == ["front", "front"]


@given(POINTS)
def test_every_valid_point_is_on_the_front_or_beaten_by_one_of_it(points: list[SweepPoint]) -> None:
    placed = front(points)
    assert [item.point for item in placed] == points
    ahead = [item.point for item in placed if item.place == "front"]
    for item in placed:
        if item.place == "dominated":
            assert any(
                (one.throughput or 0) >= (item.point.throughput or 0)
                and (one.interactivity or 0) >= (item.point.interactivity or 0)
                for one in ahead
            )


@given(POINTS, NUMBERS)
def test_the_best_above_a_limit_is_always_of_the_points_that_are_results(
    points: list[SweepPoint], limit: float
) -> None:
    found = best_above(points, limit)
    allowed = [item for item in points if not item.reasons and (item.interactivity or 0) > limit]
    assert (found.point in allowed) if allowed else found.point is None
    if found.point is not None:
        assert all((item.throughput or 0) <= (found.point.throughput or 0) for item in allowed)
