"""What a plan moves, and where it is too much for a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.errors import InvalidInputError
from app.jobs.amounts import MOST_TOKENS, amount, too_much
from app.jobs.choices import Choices
from app.jobs.plans import from_card
from app.protocol.plan import Plan, Point
from tests.jobs.factories import attach_plan
from tests.jobs.test_plans import card

if TYPE_CHECKING:
    from tests.jobs.factories import Queue


def of(work: dict[str, Any], point: Point, **changes: Any) -> Plan:
    given = attach_plan()
    return given.model_copy(
        update={"workload": given.workload.model_copy(update=work), "points": (point,), "repeats": 2, **changes}
    )


@pytest.mark.parametrize(
    ("work", "point", "found"),
    [
        ({"input_tokens": 10, "output_tokens": 3}, Point(concurrency=1, requests=4), (8, 80, 24, 0.0)),
        (
            {"input_tokens": 10, "output_tokens": 3, "prefix_cache": "warm"},
            Point(concurrency=1, requests=4),
            (8, 160, 24, 0),
        ),
        ({"input_tokens": 10, "output_tokens": 3, "turns": 2}, Point(concurrency=1, requests=3), (8, 132, 24, 0)),
        ({"input_tokens": 10, "output_tokens": 3}, Point(rate=0.5, requests=4), (8, 80, 24, 16.0)),
    ],
)
def test_a_plan_moves_so_many_tokens(work: dict[str, Any], point: Point, found: tuple[float, ...]) -> None:
    whole = amount(of(work, point))
    assert (whole.requests, whole.input_tokens, whole.output_tokens, whole.least_s) == found


@pytest.mark.parametrize(
    ("work", "point", "told"),
    [
        ({"input_tokens": 10**9}, Point(concurrency=1, requests=10**9), f"a job at most {MOST_TOKENS:,}"),
        ({"input_tokens": 10**6}, Point(concurrency=1, requests=2000), "one repeat moves"),
        ({}, Point(rate=0.001, requests=1000), "may take 120 min"),
    ],
)
def test_too_much_is_refused_with_what_to_change(queue: Queue, work: dict[str, Any], point: Point, told: str) -> None:
    wanted = of(work, point)
    (why,) = too_much(wanted)
    assert told in why
    assert "fewer requests" in why
    with pytest.raises(InvalidInputError, match="fewer requests"):
        queue.submit(plan=wanted)


def test_a_plan_that_is_too_large_is_no_plan_yet() -> None:
    found = from_card(card(None), 7, Choices(requests=10**9))
    assert found.plan is None
    assert found.missing[0].startswith("the plan moves")
    assert found.supplied_by == ("requests",)
