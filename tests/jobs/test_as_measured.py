"""A number of our own is measured again by the plan that it was measured by; only what somebody chooses is another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.jobs.as_measured import again
from app.jobs.choices import Choices
from app.protocol.plan import Plan, Point
from tests.compare.factories import row
from tests.jobs.runs import plan

if TYPE_CHECKING:
    from app.jobs.plans import Planned

ENV = {"VLLM_USE_FLASHINFER_SAMPLER": "0"}
FLAGS = {"gpu-memory-utilization": 0.4, "max-model-len": 8192}
POINTS = (
    Point(concurrency=1, requests=8),
    Point(concurrency=16, requests=64),
    Point(concurrency=16, requests=64, counting="at_end"),
)
MEASURED = plan((1, 2), flags=FLAGS, env=ENV).model_copy(update={"points": POINTS, "repeats": 3, "wall_s": 900.0})


def planned(choices: Choices | None = None, of: Plan | None = MEASURED, point: int = 2, **overrides: Any) -> Planned:
    evidence = {"measurement": "m1", "side": "a", "point": point}
    return again(row(**{"evidence": evidence, **overrides}), of, 99, choices)


def test_flags_environment_load_counting_and_repeats_are_the_measurements() -> None:
    found = planned()
    assert (found.measurement, found.missing, found.assumptions) == ("m1", (), ())
    assert found.plan is not None
    (side,) = found.plan.sides
    assert side.launch == MEASURED.sides[0].launch
    assert (found.plan.kind, found.plan.points, found.plan.repeats, found.plan.wall_s) == ("point", POINTS[2:], 3, 900)


def test_the_prompts_are_those_of_the_measurements_point() -> None:
    found = planned()
    assert found.plan is not None
    assert found.plan.workload == MEASURED.workload.model_copy(update={"seed": MEASURED.workload.seed + 2})


def test_a_number_of_one_of_two_servers_is_measured_on_that_one_alone() -> None:
    found = planned(of=plan(sides=2), point=0, evidence={"measurement": "m1", "side": "b", "point": 0})
    assert found.plan is not None
    (side,) = found.plan.sides
    assert (side.name, side.launch) == ("a", plan(sides=2).sides[1].launch)


def test_a_number_of_an_agreement_is_measured_by_benchcards_client_alone() -> None:
    of = Plan.model_validate({**plan().model_dump(), "kind": "agreement", "tools": ("vllm_bench",)})
    found = planned(of=of, point=0)
    assert found.plan is not None
    assert (found.plan.kind, found.plan.tools) == ("point", ())


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"version": "0.32.0"}, "engine version: 0.32.0 was chosen; the source says 0.33.0"),
        ({"requests": 500}, "requests of a repeat: 500 was chosen; the source says 64"),
        ({"repeats": 5}, "repeats: 5 was chosen; the source says 3"),
        ({"output_tokens": 3}, "output tokens: 3 was chosen; the source says 11"),
        ({"weights": "real"}, "weights: real was chosen; the source says dummy"),
        ({"concurrency": 4}, "concurrency: 4 was chosen; the source says 16"),
        ({"flags": {"max-model-len": 4096}}, "--max-model-len: 4096 was chosen; the source says 8192"),
        ({"concurrencies": (4, 128)}, "concurrencies of the sweep: 4, 128"),
    ],
)
def test_what_somebody_chooses_over_it_is_said(chosen: dict[str, Any], said: str) -> None:
    found = planned(Choices(**chosen))
    assert found.assumptions == (said,)
    assert found.plan is not None


def test_a_chosen_flag_stands_among_those_of_the_measurement() -> None:
    found = planned(Choices(flags={"max-model-len": 4096, "enforce-eager": True}))
    assert found.plan is not None and found.plan.sides[0].launch is not None
    assert found.plan.sides[0].launch.flags == {**FLAGS, "max-model-len": 4096, "enforce-eager": True}


def test_a_chosen_load_has_at_least_a_request_for_each_stream() -> None:
    found = planned(Choices(concurrencies=(4, 128)))
    assert found.plan is not None and found.plan.kind == "sweep"
    assert [(item.concurrency, item.requests, item.counting) for item in found.plan.points] == [
        (4, 64, "at_end"), (128, 128, "at_end"),
    ]  # fmt: skip


def test_another_model_has_another_revision() -> None:
    revision = "a" * 40
    of = plan(revision=revision)
    same, other = planned(of=of, point=0), planned(Choices(model="other/model"), of=of, point=0)
    launches = [item.plan.sides[0].launch for item in (same, other) if item.plan]
    assert [launch.revision for launch in launches if launch] == [revision, None]


def test_more_than_one_job_may_be_is_refused_with_the_choice_that_helps() -> None:
    found = planned(Choices(requests=10**9))
    assert found.plan is None and found.supplied_by == ("requests",)


@pytest.mark.parametrize(
    "evidence", [None, {"measurement": "m1", "side": "b", "point": 0}, {"measurement": "m1", "point": 3}]
)
def test_without_a_place_in_a_measurement_the_claims_words_make_the_plan(evidence: dict[str, Any] | None) -> None:
    found = planned(evidence=evidence)
    assert found.measurement is None
    assert "seed of the prompts: 99" in found.assumptions


def test_a_measurement_that_is_not_here_has_no_plan_here() -> None:
    assert planned(of=None).measurement is None
