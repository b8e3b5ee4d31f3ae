"""The list of claims: filters, counts, sort orders, pages and search, the same on both databases."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from app.claims.queries import Claims
from app.claims.rows import FACETS, ClaimFilter
from app.errors import InvalidInputError, NotFoundError
from tests.compare.factories import SOURCE, row
from tests.storage.stored import store

if TYPE_CHECKING:
    from app.claims.rows import ClaimPage, Sort
    from app.claims.schema import ClaimRow
    from app.db import Database

RATIO: dict[str, Any] = {"kind": "ratio", "unit": "x", "baseline": {"kind": "not_stated"}}
VLLM = {"conditions.engine.name": "vLLM"}
NAMELESS = {"conditions.engine.name": None}
TTFT = {"axis": "ttft", "unit": "ms"}


def caveats(*kinds: str) -> dict[str, Any]:
    return {"caveats": [{"kind": kind, "text": "said once"} for kind in kinds]}


ROWS = [
    row(id="d", rank=30, value="30", **caveats("one_run", "noise")),
    row(id="a", rank=10, value="873.63", **caveats("one_run")),
    row(id="b", rank=10, value="9.5", **VLLM),
    row(id="c", rank=20, value="200", **VLLM, **TTFT, source={**SOURCE, "id": "old", "date": "2025-01-01"}),
    row(id="e", rank=40, value="100", **NAMELESS, **TTFT, source={**SOURCE, "id": "undated", "date": None}),
    row(id="f", rank=50, **{**RATIO, "value": "5"}, title="prefill 100% of A_B\\C"),
    row(id="g", rank=60, value=None, written="as fast as light"),
]


@pytest.fixture(scope="module")
def claims(kept_database: Database) -> Claims:
    store(kept_database, ROWS)
    return Claims(kept_database)


def wanted(q: str = "", **values: list[str]) -> ClaimFilter:
    return ClaimFilter(tuple((facet, tuple(chosen)) for facet, chosen in values.items()), q)


def ids(page: ClaimPage) -> str:
    return "".join(item.id for item in page.items)


def counts(page: ClaimPage, name: str) -> dict[str, int]:
    facet = next(facet for facet in page.facets if facet.name == name)
    return {value.value: value.count for value in facet.values}


@pytest.mark.parametrize(
    ("filter_", "expected"),
    [
        (wanted(), "abcdefg"),
        (wanted(engine=["vLLM"]), "bc"),
        (wanted(engine=["vLLM", "SGLang"]), "abcdfg"),  # any value of one facet
        (wanted(engine=["vLLM"], axis=["ttft"]), "c"),  # every facet
        (wanted(engine=["not_stated"]), "e"),
        (wanted(caveat=["noise"]), "d"),
        (wanted(caveat=["noise", "one_run"]), "ad"),
        (wanted(source=["old"]), "c"),
        (wanted(kind=["change"]), ""),  # known, though no claim has it
        (wanted(axis=["kv_capacity"]), ""),
        (wanted(caveat=["saturated"]), ""),
        (wanted(model=["not_stated"]), ""),
        (wanted("light"), "g"),
        (wanted("ONE_RUN"), ""),  # people see "one run"
        (wanted("One  Run"), "ad"),
        (wanted("sglang noise"), "d"),  # every word
        (wanted("100%"), "f"),
        (wanted("A_B"), "f"),
        (wanted("A%B"), ""),
        (wanted("b\\c"), "f"),
        (wanted("%"), "f"),
        (wanted("noise", engine=["vLLM"]), ""),
    ],
)
def test_a_filter_leaves_the_claims_that_it_names(claims: Claims, filter_: ClaimFilter, expected: str) -> None:
    page = claims.page(filter_)
    assert ids(page) == expected
    assert page.total == len(expected)


def test_a_count_says_what_choosing_the_value_would_give(claims: Claims) -> None:
    chosen = {"engine": ["vLLM"], "axis": ["ttft"]}
    page = claims.page(wanted("", **chosen))
    for facet in page.facets:
        for value in facet.values:
            instead = {**chosen, facet.name: [value.value]}
            assert value.count == claims.page(wanted("", **instead)).total, (facet.name, value.value)
    assert counts(page, "engine") == {"SGLang": 0, "vLLM": 1, "not_stated": 1}


def test_counts_follow_the_search(claims: Claims) -> None:
    assert counts(claims.page(wanted("one run")), "caveat") == {"one_run": 2, "noise": 1}


def test_facet_values_stay_in_place_while_filtering(claims: Claims) -> None:
    everything = [[value.value for value in facet.values] for facet in claims.page(wanted()).facets]
    filtered = [[value.value for value in facet.values] for facet in claims.page(wanted(engine=["vLLM"])).facets]
    assert everything == filtered
    assert everything[list(FACETS).index("engine")] == ["SGLang", "vLLM", "not_stated"]


def test_facet_values_read_as_words(claims: Claims) -> None:
    page = claims.page(wanted(axis=["ttft"], kind=["change"]))
    labels = {facet.name: {value.value: value.label for value in facet.values} for facet in page.facets}
    assert labels["engine"]["not_stated"] == "not stated"
    assert labels["caveat"]["one_run"] == "one run"
    assert labels["source"]["post"] == "A post"
    assert labels["axis"]["ttft"].startswith("TTFT")
    assert labels["kind"]["change"] == "change"  # chosen, though no claim has it
    assert [v.chosen for facet in page.facets if facet.name == "kind" for v in facet.values] == [False, False, True]


def test_only_the_facets_asked_for_are_counted(claims: Claims) -> None:
    assert [facet.name for facet in claims.page(wanted(), facets=("kind", "axis")).facets] == ["kind", "axis"]


@pytest.mark.parametrize(
    ("sort", "filter_", "expected"),
    [
        ("rank", wanted(), "abcdefg"),
        ("newest", wanted(), "abdfgce"),  # not dated: last
        ("value", wanted(axis=["decode_rate"]), "bdafg"),  # a ratio stands apart, no number comes last
        ("-value", wanted(axis=["decode_rate"]), "adbfg"),
        ("value", wanted(axis=["ttft"]), "ec"),
        ("-value", wanted(axis=["ttft", "ttft"]), "ce"),
        ("value", wanted(axis=["kv_capacity"]), ""),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 3, 500])
def test_pages_together_are_the_whole_list_in_order(
    claims: Claims, sort: Sort, filter_: ClaimFilter, expected: str, limit: int
) -> None:
    found, cursor = "", None
    while True:
        page = claims.page(filter_, sort, cursor, limit)
        assert page.total == len(expected)
        found += ids(page)
        cursor = page.next
        if cursor is None:
            break
        assert len(page.items) == limit
    assert found == expected


def test_a_page_goes_on_at_its_place_while_claims_come_and_go(database: Database) -> None:
    store(database, ROWS)
    claims = Claims(database)
    first = claims.page(wanted(), limit=2)
    assert ids(first) == "ab"
    kept = [item for item in ROWS if item.id not in {"b", "d"}]  # the cursor's own claim goes too
    store(database, [*kept, row(id="aa", rank=10), row(id="z", rank=15)])
    assert ids(claims.page(wanted(), cursor=first.next)) == "zcefg"


def test_documents_are_the_same_claims_as_they_are_stored(claims: Claims) -> None:
    page = claims.documents(wanted(engine=["vLLM"]))
    assert [(item.engine, json.loads(item.text)["id"]) for item in page.items] == [("vLLM", "b"), ("vLLM", "c")]
    assert (page.total, page.next) == (2, None)


def test_claims_come_in_the_order_asked_for(claims: Claims) -> None:
    assert [item.id for item in claims.claims(["g", "a", "d", "a"])] == ["g", "a", "d", "a"]
    assert claims.claims([]) == []


def test_the_claims_of_a_source_are_listed_whole(claims: Claims) -> None:
    assert [item.id for item in claims.all_of_source("old")] == ["c"]
    assert claims.all_of_source("nothing") == []
    assert claims.all_of_source("x\0y") == []


def test_sources_are_listed_newest_first_with_their_claims_counted(claims: Claims) -> None:
    assert [(source.id, source.claims) for source in claims.sources()] == [("post", 5), ("old", 1), ("undated", 1)]


def problem(error: pytest.ExceptionInfo[InvalidInputError]) -> list[tuple[object, object]]:
    return [(detail["field"], detail["near"]) for detail in error.value.details]


def test_everything_wrong_with_a_question_is_said_at_once(claims: Claims) -> None:
    with pytest.raises(InvalidInputError) as caught:
        claims.page(wanted(engine=["vllm"], kin=["ratio"], scope=["end to end"]), "valu", limit=501, facets=("engin",))  # type: ignore[arg-type]
    assert problem(caught) == [
        ("engine", ["vLLM"]),
        ("kin", ["kind"]),
        ("scope", ["end_to_end"]),
        ("facets", ["engine"]),
        ("sort", ["value", "-value"]),
        ("limit", []),
    ]
    assert "did you mean `vLLM`?" in str(caught.value)


@pytest.mark.parametrize("axes", [[], ["ttft", "decode_rate"]])
def test_by_value_needs_exactly_one_axis(claims: Claims, axes: list[str]) -> None:
    with pytest.raises(InvalidInputError, match="within one axis only"):
        claims.page(wanted(axis=axes), "value")


@pytest.mark.parametrize("question", ["a\0b", "\ud800", "x" * 201])
def test_what_cannot_be_searched_for_is_refused(claims: Claims, question: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        claims.page(wanted(question))
    assert problem_fields(caught) == ["q"]


def problem_fields(error: pytest.ExceptionInfo[InvalidInputError]) -> list[object]:
    return [detail["field"] for detail in error.value.details]


def packed(*parts: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def test_a_cursor_of_another_list_is_refused(claims: Claims) -> None:
    cursor = claims.page(wanted(), limit=2).next
    for filter_, sort in ((wanted("a"), "rank"), (wanted(engine=["vLLM"]), "rank"), (wanted(), "newest")):
        with pytest.raises(InvalidInputError, match="another list"):
            claims.page(filter_, sort, cursor)  # type: ignore[arg-type]


@pytest.mark.parametrize("junk", ["x", "%%%", "é", "[]", packed(), packed("rank"), packed(1, 2), "A" * 5000])
def test_a_cursor_that_is_none_is_refused(claims: Claims, junk: str) -> None:
    with pytest.raises(InvalidInputError, match="cursor"):
        claims.page(wanted(), cursor=junk)


@pytest.mark.parametrize("key", [(), (1,), ("a", 1), (1, 2), (1, "a", 3), (True, "a"), (None, "a")])
def test_a_forged_cursor_is_refused(claims: Claims, key: tuple[object, ...]) -> None:
    honest = claims.page(wanted(), limit=1).next
    assert honest is not None
    sort, digest, *_ = json.loads(base64.urlsafe_b64decode(honest + "=" * (-len(honest) % 4)))
    with pytest.raises(InvalidInputError, match="damaged"):
        claims.page(wanted(), cursor=packed(sort, digest, *key))


def test_an_unknown_claim_is_answered_with_those_that_look_like_it(database: Database) -> None:
    store(database, [row(id=f"sglang-v41-step-{step:02}") for step in range(1, 17)])
    claims = Claims(database)
    with pytest.raises(NotFoundError, match=r"did you mean `sglang-v41-step-1\d`") as caught:
        claims.claims(["sglang-v41-step-01", "sglang-v41-step-17", "nothing-like-it"])
    assert [bool(detail["near"]) for detail in caught.value.details] == [True, False]


@pytest.mark.parametrize("given", ["", "\0", "\ud800", "é", "x" * 100_000, "%", "_", "\\"])
def test_any_text_may_be_asked_for_as_an_id(claims: Claims, given: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        claims.claim(given)
    assert len(str(caught.value)) < 300
    with pytest.raises(NotFoundError):
        claims.source_document(given)


def test_the_index_is_built_anew_only_when_the_catalogue_has_changed(database: Database) -> None:
    store(database, ROWS)
    claims = Claims(database)
    before = claims.index()
    assert claims.index() is before
    store(database, [*ROWS, row(id="h", rank=5)])
    assert ids(claims.page(wanted(), limit=1)) == "h"
    assert claims.index().version == before.version + 1


def test_two_readers_of_one_database_both_see_a_change(database: Database) -> None:
    store(database, ROWS)
    claims, other = Claims(database), Claims(database)
    assert claims.page(wanted()).total == 7
    assert other.page(wanted()).total == 7
    store(database, [row(id="h")])
    assert "h" in ids(other.page(wanted()))
    assert "h" in ids(claims.page(wanted()))


def test_many_claims_keep_their_places(database: Database) -> None:
    """More than one batch of the stream; ranks and values repeat, so that ids decide."""
    many: list[ClaimRow] = [row(id=f"n{number:04}", rank=number % 7, value=str(number % 11)) for number in range(2500)]
    store(database, many)
    claims = Claims(database)
    assert len(claims.index()) == 2500
    expected = [item.id for item in sorted(many, key=lambda item: (item.rank, item.id))]
    first = claims.page(wanted(), limit=500, facets=())
    second = claims.page(wanted(), cursor=first.next, limit=500, facets=())
    assert [item.id for item in (*first.items, *second.items)] == expected[:1000]
