"""Whether a claim can be tried again here is said of the runners that registered here, with what they lack."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from app.jobs.choices import Choices
from app.jobs.here import NO_RUNNER, Box, Here, here, obstacles, proposed, wants
from app.jobs.plans import from_claim
from tests.compare.factories import ratio, row
from tests.jobs.factories import capabilities
from tests.jobs.test_plans import PLAIN

VLLM = {"name": "vllm", "version": "0.32.0", "device": "cuda"}
H100 = {"name": "NVIDIA H100 80GB HBM3", "memory_mib": 81559}
PLAIN_032 = {**PLAIN, "conditions.engine": {"name": "vLLM", "version": "0.32.0"}}


def said(*runners: dict[str, Any], **overrides: Any) -> Here:
    fleet = tuple(Box(f"box-{place}", capabilities(**item).model_dump_json()) for place, item in enumerate(runners))
    return here(row(**{**PLAIN_032, **overrides}).model_dump_json(), fleet)


ABLE = {"gpus": (H100, H100), "engines": (VLLM,)}


def test_that_no_runner_has_registered_is_a_state_of_its_own() -> None:
    assert said() == Here(status="no_runner", text=NO_RUNNER)


def test_a_runner_that_has_it_all_is_named() -> None:
    assert said({}, ABLE) == Here(status="possible", text="can be tried on box-1 while it is up")


AT = dt.datetime(2026, 12, 1, 6, 10, 30, tzinfo=dt.UTC)


def test_runners_that_are_not_up_are_named_with_how_they_stand() -> None:
    has = capabilities(**ABLE).model_dump_json()
    claim = row(**PLAIN_032).model_dump_json()
    absent = (Box("a", has, "away", AT), Box("b", has, "draining", AT), Box("c", has, "quarantined", AT))
    assert here(claim, absent) == Here(
        status="away",
        text="no runner that has it all is up: a (last seen 2026-12-01 06:10 UTC), b (takes no more jobs), "
        "c (in quarantine)",
    )
    assert here(claim, (*absent, Box("d", has))).text == "can be tried on d while it is up"


@pytest.mark.parametrize(
    ("runners", "overrides", "text"),
    [
        ([{"engines": (VLLM,)}], {}, "needs 2x H100"),
        ([{"gpus": (H100, H100)}], {}, "needs vLLM 0.32.0 for GPUs"),
        ([{"gpus": ()}], {}, "needs 2x H100 and vLLM 0.32.0 for GPUs"),
        ([{"gpus": (H100, H100)}, {"engines": (VLLM,)}], {}, "needs 2x H100 and vLLM 0.32.0 for GPUs and a time limit"),
        ([{**ABLE, "wall_s": 60.0}], {}, "needs a time limit of 7200 s"),
        ([ABLE], {"conditions.hardware": {"accelerator": "GB300", "count": 4}}, "needs 4x GB300"),
        ([ABLE], {"conditions.hardware": {"count": 8}}, "needs 8 GPUs"),
    ],
)
def test_what_every_runner_here_lacks_is_said_shortly(
    runners: list[dict[str, Any]], overrides: dict[str, Any], text: str
) -> None:
    found = said(*runners, **overrides)
    assert found.status == "not_here"
    assert found.text.startswith(text)


def test_what_no_single_runner_has_together_is_said() -> None:
    assert said({"gpus": (H100, H100)}, {"engines": (VLLM,)}).text.endswith(", all on one runner")


@pytest.mark.parametrize(
    ("overrides", "text"),
    [
        ({"conditions.load": {}}, "no load is stated"),
        (
            {"conditions.load": {}, "conditions.workload.input_tokens": None},
            "no input length is stated, and 1 more",
        ),
        ({"axis": "kernel_time"}, "what the claim measures (kernel time) is nothing that a load test measures"),
    ],
)
def test_what_the_claim_itself_lacks_is_said_where_the_runners_would_do(overrides: dict[str, Any], text: str) -> None:
    assert said(ABLE, **overrides) == Here(status="lacks", text=text)


def test_a_number_of_our_own_lacks_nothing_for_its_measurement_has_a_plan() -> None:
    assert said(ABLE, **{"conditions.load": {}, "evidence": {"measurement": "m1", "point": 0}}).status == "possible"


GB300 = {"accelerator": "GB300", "count": 4}


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        (
            {"conditions.hardware": GB300, "conditions.load": {}},
            [("missing", "the source states no load", "concurrency"), ("unmet", "needs 4x GB300", "")],
        ),
        (
            {"conditions.hardware": {"accelerator": "GB300"}, "conditions.parallelism": None},
            [("missing", "the source states no number of GPUs", "gpus"), ("unmet", "needs GB300", "")],
        ),
    ],
)
def test_what_the_claim_lacks_is_told_first_and_what_the_runners_lack_after_it(
    overrides: dict[str, Any], told: list[tuple[str, str, str]]
) -> None:
    claim = row(**{**PLAIN_032, **overrides})
    fleet = (Box("box", capabilities(**ABLE).model_dump_json()),)
    found = obstacles(wants(from_claim(claim, 0), claim.conditions), fleet)
    assert [tuple(item) for item in found] == told
    assert said(ABLE, **overrides).text.endswith("is stated, and 1 more")
    assert said(**overrides).text == said(ABLE, **overrides).text


def test_a_choice_counts_for_what_the_runners_lack() -> None:
    claim, chosen = row(**{**PLAIN_032, "conditions.load": {}}), Choices(accelerator="any", gpus=1)
    found = obstacles(
        wants(from_claim(claim, 0, chosen), claim.conditions, chosen),
        (Box("box", capabilities(**ABLE).model_dump_json()),),
    )
    assert [item.kind for item in found] == ["missing"]


OFF = {"kind": "feature_off", "key": "fp8-kv", "text": "KV cache in bf16"}


@pytest.mark.parametrize(
    ("own", "other", "told"),
    [
        ({"name": "vLLM", "version": "0.32.0"}, {"version": "main"}, "side A, the baseline: the engine is `main`"),
        ({"name": "vLLM"}, {"version": "0.31.0"}, "side B, the claim's own: the source states no engine version"),
        ({"name": "vLLM"}, {}, "both sides: the source states no engine version"),
    ],
)
def test_of_a_ratio_it_is_said_which_side_lacks_something(
    own: dict[str, str], other: dict[str, str], told: str
) -> None:
    baseline = {**OFF, "conditions": {"engine": other, "dtypes": {"kv": "bf16"}}}
    found = from_claim(ratio(**{**PLAIN_032, "conditions.engine": own, "baseline": baseline}), 0)
    assert found.missing[0].startswith(told)
    assert found.supplied_by[0] == "version"


def test_what_nobody_may_start_is_not_possible() -> None:
    newer = {**VLLM, "version": "0.99.0"}
    engine = {"conditions.engine": {"name": "vLLM", "version": "0.99.0"}}
    found = said({"gpus": (H100, H100), "engines": (newer,)}, **engine)
    assert (found.status, found.text.split(":")[0]) == ("not_here", "may not be started")


def test_of_several_weaknesses_a_row_names_the_worst_alone() -> None:
    older = {**VLLM, "version": "0.12.0"}
    engine = {"conditions.engine": {"name": "vLLM", "version": "0.12.0"}}
    found = said({"gpus": (H100, H100), "engines": (older,)}, **engine)
    assert found.text.startswith("may not be started: vllm: CVE-2026-22807: code of a model's repository runs")
    assert "(fixed in vllm 0.14.0), and " in found.text
    assert found.text.count("CVE") == 1


def test_a_release_is_proposed_where_it_is_all_that_is_missing() -> None:
    """The newest that a runner here has, by its numbers, else the newest that has a census."""

    def of(*versions: str, **engine: str) -> str | None:
        claim = row(**{**PLAIN, "conditions.engine": {"name": "vLLM", **engine}})
        has = tuple({**VLLM, "version": version} for version in versions)
        fleet = (Box("a", capabilities(engines=has).model_dump_json()),) if has else ()
        return proposed(wants(from_claim(claim, seed=0), claim.conditions), claim.conditions.engine.name, fleet)

    assert of("0.9.2", "0.25.1") == "0.25.1"
    assert of() == of(commit="d59c1ddf7") == "0.33.0"
    assert of(version="0.32.0") is None, "nothing is missing"
    assert of(name="Own engine") is None
    bare = row(**{**PLAIN, "conditions.workload": {}, "conditions.engine": {"name": "vLLM"}})
    assert proposed(wants(from_claim(bare, seed=0), bare.conditions), "vLLM", ()) is None, "the lengths too"
