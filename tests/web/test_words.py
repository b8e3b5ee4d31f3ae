"""What a row says: its number cut for the table, its conditions, its badges."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from app.axes import AXES
from app.claims.caveats import CAVEATS, WORDS
from app.claims.schema import Acceptance, Caveat, CaveatKind, Contradiction
from app.claims.words import acceptance, against, axis_name, conditions, measures
from app.compare.schema import Reason
from app.jobs.here import Here
from app.web.badges import badges
from app.web.claim_page import claim_page, reason_line
from app.web.claim_row import cells
from app.web.compare_page import side_by_side
from app.web.wording import number_parts, plain
from tests.compare.factories import FORCED, ratio, row

CHANGE = {"kind": "change", "unit": "%", "baseline": {"kind": "not_stated"}}
CUT = [
    ({"value": "873.63"}, ("", "873", ".63", " tok/s")),
    ({"value": "83000", "unit": "tok/s/GPU", "axis": "total_per_gpu"}, ("", "83,000", "", " tok/s/GPU")),
    ({"value": "-30", "approximate": True, **CHANGE}, ("about ", "\N{MINUS SIGN}30", "", " %")),
    ({"value": None, "low": "14", "high": "23", "kind": "ratio", "unit": "x"}, ("", "14\N{EN DASH}23", "", "x")),
    ({"value": "2.1", "bound": "up_to", "approximate": True, "unit": "x"}, ("up to about ", "2", ".1", "x")),
    ({"value": None, "written": "many times faster"}, ("", "many times faster", "", "")),
    (
        {"value": None, "before": "35", "after": "873", "points_unit": "tok/s", "unit": "x"},
        ("", "35 \N{RIGHTWARDS ARROW} 873", "", " tok/s"),
    ),
]


@pytest.mark.parametrize(("given", "parts"), CUT)
def test_a_number_is_cut_at_its_decimal_point_and_loses_nothing(given: dict[str, Any], parts: tuple[str, ...]) -> None:
    claim = row(**given)
    assert number_parts(claim) == parts
    assert "".join(parts) == claim.headline


def test_every_axis_has_a_name_of_its_own_without_its_unit() -> None:
    names = {axis_name(key) for key in AXES}
    assert len(names) == len(AXES)
    assert not [name for name in names if "(" in name]


def test_a_ratio_and_a_part_say_so() -> None:
    assert measures(row()) == "decode rate of one stream"
    assert measures(ratio()) == "ratio of decode rate of one stream"
    assert measures(ratio(scope="kernel")) == "ratio of decode rate of one stream, one kernel"
    assert measures(ratio(axis="not_defined")) == "not defined by the source"


def test_what_is_missing_is_named_and_never_guessed() -> None:
    bare = row(**{"conditions.hardware": {}, "conditions.parallelism": None, "conditions.workload": {}})
    assert conditions(bare).startswith("GPU not stated")
    assert against(row(baseline={"kind": "not_stated"}).baseline) == "not stated"
    half = row(**{"conditions.hardware": {"accelerator": "GB300"}})
    assert conditions(half).startswith("GB300 (GPU count not stated)")


def test_a_forced_acceptance_stands_among_the_conditions() -> None:
    assert "acceptance simulated 5.5 of at most 6" in conditions(row(**FORCED))
    assert acceptance(Acceptance(kind="measured", length=Decimal("3.17"))) == "measured 3.17"


def test_every_kind_of_caveat_has_words() -> None:
    assert set(CAVEATS) >= set(CaveatKind.__args__)  # type: ignore[attr-defined]


def test_a_badge_stands_once_and_opens_all_its_sentences() -> None:
    caveats = [Caveat(kind="one_run", text="One."), Caveat(kind="one_run", text="Two."), Caveat(kind="up_to", text="-")]
    shown, further = badges(row(caveats=caveats))
    assert [(badge.word, badge.text) for badge in shown] == [("one run", "One. Two.")]
    assert further == 1


def test_what_the_record_says_elsewhere_becomes_a_badge_too() -> None:
    given = {
        **FORCED,
        "stated_in": "chart",
        "conditions.model": {"weights": "dummy"},
        "conditions.approximations": ({"name": "swa-bounded-replay", "on": True},),
        "baseline": {"kind": "own_earlier_build"},
    }
    shown, _ = badges(row(**given))
    assert {badge.kind for badge in shown} == {
        "simulated_acceptance",
        "chart_only",
        "random_weights",
        "approximation_on",
        "own_earlier_build",
    }
    assert all(badge.word == WORDS[badge.kind] for badge in shown)


def test_a_contradiction_with_a_record_of_its_own_is_not_told_twice() -> None:
    caveats = [Caveat(kind="contradicted", text="5x or 5.3x.")]
    record = Contradiction(id="c", claims=("a",), text="The title says 5x, the summary 5.3x.")
    assert [badge.text for badge in badges(row(caveats=caveats))[0]] == ["5x or 5.3x."]
    assert [badge.text for badge in badges(row(caveats=caveats, contradictions=(record,)))[0]] == [record.text]


def test_a_row_shows_a_flawed_baseline_and_another_workload_first_and_counts_the_rest() -> None:
    kinds = ("quality_not_checked", "own_earlier_build", "workload_differs", "flawed_baseline", "one_run", "up_to")
    caveats = [Caveat(kind=kind, text="-") for kind in kinds]
    found = cells(row(caveats=caveats), shortly=True)
    assert [badge.word for badge in found.badges] == ["flawed baseline", "other workload", "own earlier build"]
    assert found.more == "3 more"
    assert cells(row(caveats=caveats[-1:]), shortly=True).more == "1 caveat"


def test_a_long_axis_is_named_shortly_in_the_table_only() -> None:
    claim = ratio(axis="per_gpu_at_limit", **{"conditions.limit": "P90 > 50 tok/s/user"})
    assert cells(claim, shortly=True).measures == "ratio of throughput/GPU at a limit"
    assert cells(claim).measures == "ratio of throughput per GPU at an interactivity limit"


def test_prompts_told_in_two_ways_that_cannot_be_matched_stand_among_what_differs() -> None:
    named = row(**{"conditions.workload": {"name": "AgentX"}})
    described = row(**{"conditions.workload": {"dataset": "uniform random token ids"}})
    differing, unknown, equal = ({line.label for line in lines} for lines in side_by_side([named, described]))
    assert "prompts" in differing
    assert "prompts" not in unknown | equal


def test_a_rule_of_the_lint_is_named_and_one_that_needs_no_ratio_asks_only_to_mind() -> None:
    given = {"severity": "lint", "field": "value", "a": None, "b": "100", "message": "-"}
    said = {rule: reason_line(Reason(rule=rule, **given)) for rule in ("R1", "R9", "R10", "condition")}
    assert [line.word for line in said.values()] == ["questionable ratio", "mind", "mind", "questionable ratio"]
    assert [line.rule for line in said.values()] == ["R1", "R9", "R10", ""]


def test_a_message_of_the_core_is_said_without_its_marks() -> None:
    assert plain("no claim has the engine `nope`") == "No claim has the engine “nope”"


def test_a_baselines_conditions_are_named_as_people_call_them() -> None:
    there = {"hardware": {"count": 4}, "model": {"weights": "dummy"}}
    claim = ratio(baseline={"kind": "other_configuration", "conditions": there})
    page = claim_page(claim, lint=(), names={}, here=Here(status="possible", text="possible"), dummy=False)
    told = {fact.name: fact.text for fact in page.against}
    assert told["There: number of GPUs"] == "4"
    assert told["There: model weights"] == "random numbers"


def test_a_claim_that_was_measured_elsewhere_alone_still_says_whether_it_can_be_measured_here() -> None:
    here = Here(status="possible", text="can be tried on r1")
    for imported, said in ((True, "here: can be tried on r1"), (False, "")):
        claim = row(reproduction={"status": "within", "text": "870 tok/s", "imported": imported})
        assert cells(claim, here=here).here == said
