"""A broken catalogue file stops the start with every problem at its place; a sound one loads whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalogue.load import load_catalogue, merge
from app.errors import CatalogueError

HEAD = """\
id: a-post
title: A post
url: https://example.org/a-post
url_seen_cited: true
publisher: Somebody
interest: the engine's own developers
type: blog
date: "2026-10-07"
read_in: the page
retrieved: 2026-11-29
last_checked: 2026-11-29
summary: One number.
"""
CLAIM = """\
  - id: a-claim
    title: decode rate
    value: 223.50
    unit: tok/s
    kind: absolute
    axis: decode_rate
    scope: end_to_end
    locator: table 1
    stated_in: table
    baseline: {kind: none}
    conditions: {model: {id: M}}
    acceptance: {kind: none}
"""


def problems(text: str, *more: tuple[str, str]) -> list[str]:
    with pytest.raises(CatalogueError) as caught:
        load_catalogue([("a.yaml", text), *more])
    return [str(problem) for problem in caught.value.problems]


def test_a_sound_file_loads_and_keeps_numbers_as_written() -> None:
    (loaded,) = load_catalogue([("a.yaml", HEAD + "claims:\n" + CLAIM)])
    assert str(loaded.source.claims[0].value) == "223.50"
    assert loaded.source.claims[0].statistic is None


def test_the_same_bytes_have_the_same_hash_and_other_bytes_another() -> None:
    text = HEAD + "claims:\n" + CLAIM
    (first,) = load_catalogue([("a.yaml", text)])
    (same,) = load_catalogue([("b.yaml", text)])
    (other,) = load_catalogue([("a.yaml", text + "# looked at again\n")])
    assert first.content_hash == same.content_hash != other.content_hash


def test_all_problems_of_all_files_are_reported_with_file_line_and_column() -> None:
    broken = HEAD.replace("type: blog", "type: blob") + "claims:\n" + CLAIM.replace("value: 223.50", "valeu: 223.50")
    found = problems(broken, ("b.yaml", "id: [\n"))
    assert any(line.startswith("a.yaml:7:7: type:") for line in found)
    assert any(line.startswith("a.yaml:16:12: claims[0].valeu:") and "did you mean `value`" in line for line in found)
    assert any(line.startswith("b.yaml:2:1:") for line in found)


def test_a_problem_inside_a_group_points_at_the_line_that_is_wrong() -> None:
    group = "groups:\n  - shared:\n      kind: absolut\n    claims:\n" + "".join(
        f"    {line}\n" for line in CLAIM.replace("    kind: absolute\n", "").splitlines()
    )
    (line,) = problems(HEAD + group)
    assert line.startswith("a.yaml:15:13: claims[0].kind:")


def test_what_a_claim_says_wins_over_its_group_and_caveats_add_up() -> None:
    shared = {"unit": "x", "conditions": {"hardware": {"count": "4"}, "parallelism": "TP4"}, "caveats": ["a"]}
    own = {"unit": "ms", "conditions": {"parallelism": "DEP2"}, "caveats": ["b"]}
    assert merge(shared, own) == {
        "unit": "ms",
        "conditions": {"hardware": {"count": "4"}, "parallelism": "DEP2"},
        "caveats": ["a", "b"],
    }


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("axis: decode_rate", "axis: decode_rat"), "is not in the axis registry"),
        (("unit: tok/s", "unit: ms"), "`ms` is no unit of decode_rate"),
        (("    value: 223.50\n", ""), "a claim needs a number"),
        (("value: 223.50", "low: 5\n    high: 3"), "is above `high`"),
        (("value: 223.50", "value: 5\n    low: 3"), "a range needs both"),
        (("value: 223.50", "value: 5\n    before: 3"), "end points come as"),
        (("kind: absolute", "kind: ratio"), "a ratio has the unit `x`"),
        (("kind: absolute\n", "kind: change\n"), "a change has the unit `%`"),
        (("locator: table 1", "round: r1\n    locator: table 1"), "not among this file's rounds"),
        (("locator: table 1", "repeats: nothing\n    locator: table 1"), "`nothing` is no claim of the catalogue"),
    ],
)
def test_what_the_types_cannot_say_is_checked_too(change: tuple[str, str], sentence: str) -> None:
    assert any(sentence in line for line in problems(HEAD + "claims:\n" + CLAIM.replace(*change)))


def test_two_claims_with_one_id_are_refused_across_files() -> None:
    text = HEAD + "claims:\n" + CLAIM
    assert any(
        "is already a claim of `a-post`" in line
        for line in problems(text, ("b.yaml", text.replace("id: a-post", "id: b-post")))
    )


def test_two_sources_with_one_id_are_refused() -> None:
    other = HEAD + "claims:\n" + CLAIM.replace("a-claim", "b-claim")
    assert any("`a-post` is already" in line for line in problems(HEAD + "claims:\n" + CLAIM, ("b.yaml", other)))


def test_a_round_that_holds_a_field_equal_has_no_two_values_of_it() -> None:
    first = CLAIM.replace("locator:", "round: r1\n    locator:")
    second = first.replace("a-claim", "b-claim").replace("{model: {id: M}}", "{model: {id: M}, parallelism: TP4}")
    third = second.replace("b-claim", "c-claim").replace("TP4", "DEP2")
    rounds = "rounds:\n  - {id: r1, title: one table, varies: [hardware.count, speed]}\n"
    found = problems(HEAD + rounds + "claims:\n" + first + second + third)
    assert any("holds parallelism equal, but this says `DEP2` and b-claim says `TP4`" in line for line in found)
    assert any("`speed` is no condition field" in line for line in found)


def test_two_rounds_with_one_id_are_refused() -> None:
    rounds = "rounds:\n  - {id: r1, title: one, varies: []}\n  - {id: r1, title: another, varies: []}\n"
    assert any("`r1` is already a round" in line for line in problems(HEAD + rounds + "claims:\n" + CLAIM))


def test_a_file_that_is_no_mapping_is_one_clear_problem() -> None:
    assert "a catalogue file is a mapping" in problems("- a\n- b\n")[0]


def test_the_shipped_catalogue_loads() -> None:
    folder = Path(__file__).parents[2] / "app/catalogue/sources"
    loaded = load_catalogue([(path.name, path.read_text()) for path in sorted(folder.glob("*.yaml"))])
    assert len(loaded) > 20


def test_merge_takes_own_lists_whole() -> None:
    assert merge({"a": ["1"]}, {"a": ["2"]}) == {"a": ["2"]}


def test_a_caveat_may_not_call_simulated_what_the_acceptance_leaves_open() -> None:
    text = (
        HEAD
        + "claims:\n"
        + CLAIM.replace(
            "{kind: none}\n    conditions",
            "{kind: none}\n    caveats: [{kind: simulated_acceptance, text: probably}]\n    conditions",
        )
    )
    (told,) = problems(text)
    assert "claims[0].caveats: says simulated" in told
    assert "acceptance_open" in told
