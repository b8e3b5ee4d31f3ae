"""Condition fields: equal, held equal, different, not stated; and what lies beside the conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.claims.conditions import FIELDS
from app.compare.beside import BESIDE
from app.compare.conditions import COMPARED
from app.compare.verdict import compare
from tests.compare.factories import FORCED, MEASURED, message, ratio, row, rules

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow
    from app.compare.schema import Comparison

HELD = {"id": "post/final", "title": "final table", "varies": ("parallelism",)}
OTHER_SOURCE = {**row().source.model_dump(), "id": "other", "title": "Another post", "publisher": "Somebody"}

# A stated value other than the factory's, for every field that the axis of one stream looks at.
OTHER_VALUES: dict[str, dict[str, Any]] = {
    "engine.name": {"conditions.engine.name": "vLLM"},
    "engine.version": {"conditions.engine.version": "2.0"},
    "model.weights": {"conditions.model.weights": "dummy"},
    "hardware.accelerator": {"conditions.hardware.accelerator": "H200"},
    "hardware.count": {"conditions.hardware.count": 8},
    "hardware.cpu_binding": {"conditions.hardware.cpu_binding": "NUMA-bound"},
    "parallelism": {"conditions.parallelism": "DEP2"},
    "dtypes.weights": {"conditions.dtypes.weights": "NVFP4"},
    "dtypes.kv": {"conditions.dtypes.kv": "NVFP4"},
    "approximations": {"conditions.approximations": ({"name": "replay", "on": True},)},
    "execution": {"conditions.execution": "eager"},
    "workload.name": {"conditions.workload.name": "AgentX"},
    "workload.input_tokens": {"conditions.workload.input_tokens": "8192"},
    "workload.output_tokens": {"conditions.workload.output_tokens": "512"},
    "workload.temperature": {"conditions.workload.temperature": "1.0"},
    "workload.prefix_cache": {"conditions.workload.prefix_cache": "warm"},
    "load.concurrency": {"conditions.load.concurrency": "64"},
    "statistic": {"statistic": "mean"},
}
NOT_STATED: dict[str, dict[str, Any]] = {name: dict.fromkeys(values) for name, values in OTHER_VALUES.items()} | {
    "workload.name": {"conditions.workload.name": None, "conditions.workload.dataset": None},
    "load.concurrency": {"conditions.load.concurrency": None, "conditions.load.rate": None},
}


def differing(found: Comparison) -> list[str]:
    return [field for _, field in rules(found, "difference")]


def unstated(found: Comparison) -> list[str]:
    return [field for _, field in rules(found, "not_stated")]


def test_two_rows_of_one_round_that_state_the_same_are_comparable() -> None:
    found = compare(row(), row(id="b"))
    assert (found.verdict, found.reasons, found.differences) == ("comparable", (), ())


@pytest.mark.parametrize("name", OTHER_VALUES)
def test_a_stated_field_that_differs_is_a_difference(name: str) -> None:
    found = compare(row(), row(id="b", **OTHER_VALUES[name]))
    assert found.verdict == "comparable_with_differences"
    assert (differing(found), unstated(found)) == ([name], [])
    assert found.differences == tuple(reason for reason in found.reasons if reason.severity == "difference")
    (reason,) = found.differences
    assert reason.a is not None
    assert reason.b is not None
    assert reason.a in reason.message
    assert reason.b in reason.message


@pytest.mark.parametrize("name", NOT_STATED)
def test_a_field_that_matters_and_is_not_stated_is_a_reason(name: str) -> None:
    silent = NOT_STATED[name]
    one = compare(row(), row(id="b", **silent))
    assert (one.verdict, unstated(one), differing(one)) == ("comparable_with_differences", [name], [])
    assert "against not stated" in message(one, "not-stated")
    neither = compare(row(**silent), row(id="b", **silent))
    assert unstated(neither) == [name]
    assert "not stated by either" in message(neither, "not-stated")
    assert one.ratio is None
    assert neither.ratio is None


def test_every_field_is_covered_by_these_tests_or_by_a_rule_of_its_own() -> None:
    of_rules = {"model.id", "acceptance", "speculation.method", "speculation.draft_tokens"}
    elsewhere = {"limit", "client"}  # of no matter to one stream
    assert OTHER_VALUES.keys() | of_rules | elsewhere == COMPARED.keys()
    assert {name for fact in COMPARED.values() for name in fact.covers} == FIELDS.keys()


@pytest.mark.parametrize("name", sorted(OTHER_VALUES.keys() - {"parallelism"}))
def test_what_a_round_holds_equal_need_not_be_stated(name: str) -> None:
    found = compare(row(round_place=HELD, **NOT_STATED[name]), row(id="b", round_place=HELD))
    assert (found.verdict, found.reasons) == ("comparable", ())
    contradicted = compare(row(round_place=HELD, **OTHER_VALUES[name]), row(id="b", round_place=HELD))
    assert differing(contradicted) == [name], "stated values go before the round"


def test_what_varies_in_a_round_must_be_stated() -> None:
    found = compare(row(round_place=HELD, **{"conditions.parallelism": None}), row(id="b", round_place=HELD))
    assert unstated(found) == ["parallelism"]


def test_a_round_that_varies_one_spelling_of_a_fact_holds_the_fact_not_equal() -> None:
    place = {**HELD, "varies": ("workload.dataset",)}
    found = compare(row(round_place=place, **NOT_STATED["workload.name"]), row(id="b", round_place=place))
    assert unstated(found) == ["workload.name"]


def test_a_field_that_cannot_matter_to_the_axis_is_not_compared() -> None:
    kernel = {"axis": "kernel_time", "unit": "ms", "scope": "kernel"}
    other = {**kernel, **OTHER_VALUES["dtypes.kv"], **OTHER_VALUES["workload.prefix_cache"], **FORCED}
    assert compare(row(**kernel), row(id="b", **other)).reasons == ()


def test_of_two_axes_only_what_matters_to_both_is_compared() -> None:
    kernel = {"axis": "kernel_time", "unit": "ms"}
    found = compare(row(**OTHER_VALUES["dtypes.kv"], **OTHER_VALUES["hardware.count"]), row(id="b", **kernel))
    assert differing(found) == ["hardware.count"]


def test_a_limit_matters_to_throughput_per_gpu_only() -> None:
    per_gpu = {"axis": "output_per_gpu", "unit": "tok/s/GPU"}
    other = {"conditions.limit": "P90 interactivity > 50 tok/s/user"}
    assert differing(compare(row(**per_gpu), row(id="b", **per_gpu, **other))) == ["limit"]
    assert compare(row(), row(id="b", **other)).reasons == ()


def test_an_engine_version_is_its_commit_where_both_state_one() -> None:
    main = {"name": "SGLang", "version": "main"}
    one, two = ({"conditions.engine": {**main, "commit": commit}} for commit in ("aaaa", "bbbb"))
    assert differing(compare(row(**one), row(id="b", **two))) == ["engine.version"]
    renamed = {"conditions.engine": {**main, "version": "dev", "commit": "aaaa"}}
    assert compare(row(**one), row(id="b", **renamed)).reasons == ()


def test_a_commit_against_a_version_is_open() -> None:
    commit = {"conditions.engine": {"name": "SGLang", "commit": "aaaa"}}
    found = compare(row(), row(id="b", **commit))
    assert unstated(found) == ["engine.version"]
    assert message(found, "not-stated") == "Engine version: 1.0 against aaaa, not stated to the same detail."


def test_two_engines_have_two_version_lines() -> None:
    other = {"conditions.engine": {"name": "vLLM", "version": "0.30"}}
    assert differing(compare(row(), row(id="b", **other))) == ["engine.name"]
    unknown = {"conditions.engine": {"name": "vLLM"}}
    assert unstated(compare(row(), row(id="b", **unknown))) == ["engine.version"]


def test_a_named_benchmark_against_other_prompts_is_another_workload() -> None:
    named = {"conditions.workload.name": "AgentX", "conditions.workload.dataset": None}
    prompts = {"conditions.workload.name": None, "conditions.workload.dataset": "random ids"}
    assert differing(compare(row(**named), row(id="b", **prompts))) == ["workload.name"]
    more = {"conditions.workload.name": "AgentX", "conditions.workload.dataset": "its preset"}
    assert unstated(compare(row(**named), row(id="b", **more))) == ["workload.name"]
    assert compare(row(**named), row(id="b", **named)).reasons == ()


def test_a_closed_and_an_open_loop_are_not_stated_to_the_same_detail() -> None:
    closed = {"conditions.load": {"concurrency": "64"}}
    opened = {"conditions.load": {"rate": "8"}}
    found = compare(row(**closed), row(id="b", **opened))
    assert message(found, "not-stated") == (
        "Load: concurrency 64 against request rate 8, not stated to the same detail."
    )
    capped = {"conditions.load": {"concurrency": "64", "rate": "8"}}
    faster = {"conditions.load": {"concurrency": "64", "rate": "16"}}
    assert differing(compare(row(**capped), row(id="b", **faster))) == ["load.concurrency"]


def test_speculation_off_against_on_names_its_parts() -> None:
    found = compare(row(), row(id="b", **FORCED))
    assert differing(found) == ["acceptance", "speculation.method", "speculation.draft_tokens"]
    assert [(item.a, item.b) for item in found.differences] == [
        ("none", "simulated 5.5 of at most 6"),
        ("off", "DSpark"),
        ("none", "5"),
    ]


def test_two_rounds_and_no_round_and_two_sources_are_differences() -> None:
    other_round = {"id": "post/first", "title": "first table", "varies": tuple(FIELDS)}
    rounds = compare(row(), row(id="b", round_place=other_round))
    assert differing(rounds) == ["round"]
    assert message(rounds, "round") == "They belong to two rounds of measurements: final table, and first table."
    none = compare(row(), row(id="b", round_place=None))
    assert message(none, "round") == "The source does not say that they were measured in one round."
    both = compare(row(round_place=None), row(id="b", round_place=None))
    assert differing(both) == ["round"]
    places = compare(row(), row(id="b", source=OTHER_SOURCE, round_place=None))
    assert message(places, "round") == "They were measured in two places: A post, and Another post."


def test_a_repetition_is_a_note_that_says_by_whom_and_that_it_is_not_independent() -> None:
    caveat = {"kind": "not_independent", "text": "Its author contributes to the engine."}
    again = row(
        id="b",
        value="99",
        repeats="a",
        source=OTHER_SOURCE,
        round_place=None,
        measured_by="another person",
        caveats=(caveat,),
    )
    for one, two in ((row(), again), (again, row())):
        found = compare(one, two)
        assert (found.verdict, rules(found, "note")) == ("comparable", [("repetition", "round")])
        assert message(found, "repetition") == (
            "99 tok/s is a repetition of a with the author's code and script, by another person. "
            "It is not independent: Its author contributes to the engine."
        )
        assert "repeats the other" in found.summary or found.ratio is not None


def test_two_repetitions_of_one_claim_repeat_each_other() -> None:
    one, two = (row(id=name, repeats="original", round_place=None) for name in ("a", "b"))
    assert "Both repeat original" in message(compare(one, two), "repetition")
    apart = row(id="b", repeats="another", round_place=None)
    assert rules(compare(one, apart), "note") == []


def test_a_repetition_brings_the_script_along_but_not_the_machine() -> None:
    silent = {**NOT_STATED["dtypes.kv"], **NOT_STATED["execution"], **NOT_STATED["hardware.cpu_binding"]}
    again = row(id="b", repeats="a", source=OTHER_SOURCE, round_place=None)
    assert unstated(compare(row(**silent), again)) == ["hardware.cpu_binding"]


def test_a_number_that_a_third_party_read_off_a_chart_says_so() -> None:
    read = {"caveats": ({"kind": "third_party_reading", "text": "By a survey."},)}
    found = compare(row(), row(id="b", **read))
    assert (found.verdict, rules(found, "note")) == ("comparable", [("read-off-chart", "value")])


def test_notes_change_no_verdict() -> None:
    found = compare(row(**FORCED), row(id="b", **FORCED))
    assert (found.verdict, rules(found, "note")) == ("comparable", [("both-forced", "acceptance")])
    assert compare(row(**MEASURED), row(id="b", **MEASURED)).reasons == ()


def test_two_ratios_need_no_round_to_be_read_beside_each_other() -> None:
    found = compare(ratio(id="a", round_place=None), ratio(id="b", round_place=None))
    assert (found.verdict, found.ratio) == ("comparable_with_differences", None)
    assert found.summary == "These two measure the same thing under other conditions: the round of measurements."


def test_every_rule_beside_the_conditions_says_what_it_holds() -> None:
    assert len({rule.id for rule in BESIDE}) == len(BESIDE)
    assert all(rule.says.endswith(".") for rule in BESIDE)


COMMIT = "835c39094ad017c2f54f8ea598002e669e6fa30d"


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (COMMIT, "835c390", True),
        ("835C390", COMMIT, True),
        (COMMIT, "835c391", False),
        (COMMIT, "835c39", False),  # git's own shortest is 7 digits
        ("main", "main", True),
        ("releases", "release", False),
    ],
)
def test_a_commit_and_its_first_digits_are_one_commit(a: str, b: str, same: bool) -> None:
    one, two = (
        row(id=name, **{"conditions.engine": {"name": "SGLang", "commit": commit}})
        for name, commit in (("a", a), ("b", b))
    )
    assert differing(compare(one, two)) == differing(compare(two, one)) == ([] if same else ["engine.version"])


@pytest.mark.parametrize(
    ("field", "a", "b", "same"),
    [
        ("dtypes.weights", "FP8", "fp8", True),
        ("dtypes.kv", "nvfp4", "NVFP4", True),
        ("dtypes.weights", "FP8", "FP4", False),
        ("parallelism", "TP8 + EP8 + DCP8", "attention TP8, MoE EP8 + DCP8", True),
        ("parallelism", "TP8 + EP8", "attention TP8, MoE TP8", False),
    ],
)
def test_two_spellings_of_one_thing_are_no_difference(field: str, a: str, b: str, same: bool) -> None:
    one, two = row(**{f"conditions.{field}": a}), row(id="b", **{f"conditions.{field}": b})
    assert differing(compare(one, two)) == differing(compare(two, one)) == ([] if same else [field])


def forced(claim_id: str, target: str, length: str | None) -> ClaimRow:
    given = {"kind": "simulated", "target": target, "length": length, "ceiling": "6"}
    return row(**{**FORCED, "id": claim_id, "acceptance": given})


@pytest.mark.parametrize(
    ("target", "length", "same"),
    [
        ("5.5", None, True),
        ("5.505", "5.505", True),  # a card whose author gives the mean as the setting
        ("5.52", None, True),
        ("5.6", None, False),
        ("6", None, False),
        ("3.51", "3.51", False),
    ],
)
def test_a_forced_acceptance_counts_as_what_it_was_set_to(target: str, length: str | None, same: bool) -> None:
    one, two = forced("a", "5.5", "5.505"), forced("b", target, length)
    for found in (compare(one, two), compare(two, one)):
        assert (found.verdict == "not_comparable") is not same
        assert ("acceptance-forced" in {reason.rule for reason in found.reasons}) is not same
        assert bool([item for item in found.derivations if item.title.startswith("Rate at")]) is not same


def test_a_mean_that_was_given_as_the_setting_is_the_setting() -> None:
    """5.802 was measured where 5.75 was asked for; a card that records 5.802 repeats that setting."""
    one, two = forced("a", "5.75", "5.802"), forced("b", "5.802", "5.802")
    assert compare(one, two).verdict == "comparable"
