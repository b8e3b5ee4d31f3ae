"""The page on how far load tools agree with a server's own counters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.jobs.numbers import compute
from app.protocol.plan import Plan
from app.web.agreement_page import EXAMPLE
from app.web.agreement_points import held_points, worst
from tests.jobs.test_agreement import RIGHT, held

if TYPE_CHECKING:
    from pathlib import Path


def test_the_example_is_a_plan_that_can_be_asked_for() -> None:
    assert Plan.model_validate_json(EXAMPLE).kind == "agreement"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {},
            "All of them are within 2 % of the server's own numbers; "
            "the closest to the server's own numbers is vllm bench serve.",
        ),
        (
            {"mean_tpot_ms": 11.0},
            "vllm bench serve departs by +10.0 % in mean TPOT. The closest to the server's own numbers is Benchcard.",
        ),
    ],
)
def test_a_load_is_told_in_a_sentence_with_who_departs_and_how_far(
    changed: dict[str, float], said: str, tmp_path: Path
) -> None:
    report, parts = held(tmp_path, RIGHT | changed, repeats=3)
    (point,) = held_points(compute(report, parts, report.plan))
    assert point.said == said
    ours, theirs = point.lines
    assert (ours.name, ours.word) == ("Benchcard", "agrees")
    assert (theirs.cells[2].value, theirs.cells[2].mark) == (("11.0", True) if changed else ("10.0", False))


def test_a_tool_without_a_usable_run_has_no_number_and_says_why(tmp_path: Path) -> None:
    report, parts = held(tmp_path, None)
    (point,) = held_points(compute(report, parts, report.plan))
    theirs = point.lines[1]
    assert (theirs.word, theirs.about, theirs.why) == (
        "no number", "0.32.0, 0 of 1 run usable", ("the tool wrote no result",),
    )  # fmt: skip
    assert {cell.value for cell in theirs.cells} == {"not stated"}


def test_all_loads_stand_at_a_glance_with_what_each_client_is_furthest_in(tmp_path: Path) -> None:
    report, parts = held(tmp_path, RIGHT | {"mean_tpot_ms": 11.0}, repeats=3)
    found = worst(compute(report, parts, report.plan))
    assert found.loads == ("2",)
    assert [(line.name, line.cells[0].apart, line.cells[0].mark) for line in found.lines] == [
        ("Benchcard", "mean TPOT", False),
        ("vllm bench serve", "mean TPOT", True),
    ]
    few = worst(compute(*held(tmp_path, RIGHT | {"mean_tpot_ms": 11.0}), report.plan.model_copy(update={"repeats": 1})))
    assert few.lines[1].cells[0].apart == "mean TPOT, 1 run"


def test_a_measurement_of_one_client_has_nothing_to_hold(tmp_path: Path) -> None:
    assert held_points({"sets": []}) == ()
