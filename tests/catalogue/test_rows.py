"""A source's claims become rows that carry what the source says around them."""

from __future__ import annotations

from typing import Any

from app.catalogue.rows import rows
from app.catalogue.schema import Source
from tests.compare.factories import CLAIM, DAY


def source(claims: list[dict[str, Any]], **more: Any) -> Source:
    base = {
        "id": "post",
        "title": "A post",
        "url": "https://example.org/post",
        "url_seen_cited": True,
        "publisher": "An engine's team",
        "interest": "its own",
        "type": "blog",
        "date": None,
        "read_in": "a stored copy",
        "retrieved": DAY,
        "last_checked": DAY,
        "summary": "A post.",
    }
    return Source.model_validate({**base, "claims": claims, **more})


def entry(claim_id: str, **more: Any) -> dict[str, Any]:
    return {**CLAIM, "id": claim_id, **more}


def test_a_row_carries_its_headline_source_and_dates() -> None:
    (row,) = rows(source([entry("one")]))
    assert (row.headline, row.source.id, row.source.url) == ("100 tok/s", "post", "https://example.org/post")
    assert (row.retrieved, row.last_checked) == (DAY, DAY)
    assert (row.round_place, row.ladder, row.reproduction.status) == (None, None, "never_tried")


def test_a_url_that_nobody_was_seen_to_cite_is_not_linked() -> None:
    (row,) = rows(source([entry("one")], url_seen_cited=False))
    assert row.source.url is None


def test_rounds_of_two_sources_with_one_name_stay_two_rounds() -> None:
    rounds = [{"id": "final", "title": "final table", "varies": ["acceptance"]}]
    (one,) = rows(source([entry("one", round="final")], rounds=rounds))
    (two,) = rows(source([entry("two", round="final")], rounds=rounds, id="other"))
    assert one.round_place is not None
    assert two.round_place is not None
    assert one.round_place.varies == ("acceptance",)
    assert one.round_place.id != two.round_place.id


def test_a_step_knows_how_many_breaks_lie_before_it() -> None:
    ladder = {
        "id": "ladder",
        "title": "The ladder",
        "locator": "figure 1",
        "unit": "tok/s",
        "steps": [{"claim": name, "label": name, "kind": "fusion"} for name in ("one", "two", "three")],
        "breaks": [{"after": "two", "title": "another workload", "reasons": ["other prompts"]}],
    }
    places = [row.ladder for row in rows(source([entry(name) for name in ("one", "two", "three")], ladders=[ladder]))]
    assert [(place.step, place.segment) for place in places if place] == [(1, 0), (2, 0), (3, 1)]
    assert places[0] is not None
    assert [(item.after_step, item.reasons) for item in places[0].breaks] == [(2, ("other prompts",))]


def test_contradictions_and_corrections_come_also_from_other_sources() -> None:
    contradiction = {"id": "c", "claims": ["one"], "text": "two limits"}
    correction = {"id": "d", "claims": ["one"], "often_read_as": "layer 14", "source_says": "14 to 23"}
    own = source([entry("one"), entry("two")], contradictions=[contradiction])
    other = source([], id="article", corrections=[correction])
    one, two = rows(own, [own, other])
    assert [item.id for item in one.contradictions] == ["c"]
    assert [item.id for item in one.corrections] == ["d"]
    assert (two.contradictions, two.corrections) == ((), ())


def test_a_claim_counts_as_repeated_only_where_another_source_measured_it_again() -> None:
    own = source([entry("one"), entry("own-again", repeats="one")])
    again = entry("again", value="98.5", repeats="one", measured_by="another person")
    other = source([again], id="other")
    assert rows(own)[0].reproduction.status == "never_tried"
    repeated = rows(own, [own, other])[0].reproduction
    assert (repeated.status, repeated.text) == ("repeated_by_others", "98.5 tok/s by another person, same script")


def test_a_repetition_that_is_not_independent_says_so() -> None:
    caveats = [{"kind": "not_independent", "text": "-"}]
    other = source([entry("again", value="98.5", repeats="one", caveats=caveats)], id="other")
    own = source([entry("one")])
    assert rows(own, [own, other])[0].reproduction.text.endswith(", same script, not independent")
