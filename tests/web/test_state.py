"""The table's state is its URL: one state has one URL, and what cannot be taken is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams

from app.claims.rows import FACETS
from app.web.state import COLUMNS, TableState, read_ids, read_state

words = st.text(min_size=1, max_size=12)
pairs = st.lists(
    st.tuples(st.sampled_from([*FACETS, "q", "sort", "col", "ids", "cursor", "stray"]), words), max_size=12
)


def state(query: str) -> TableState:
    return read_state(QueryParams(query).getlist)[0]


@given(pairs)
def test_a_states_url_leads_to_the_same_state(given_pairs: list[tuple[str, str]]) -> None:
    first, _ = read_state(QueryParams(given_pairs).getlist)
    again, problems = read_state(QueryParams(first.url().partition("?")[2]).getlist)
    assert again == first
    assert not problems


def test_the_unfiltered_table_has_the_plain_address() -> None:
    assert state("").url() == "/"
    assert state("q=&engine=&sort=rank").url() == "/"
    assert state("").unfiltered
    assert not state("engine=vLLM").unfiltered


def test_order_and_repetition_of_parameters_do_not_matter() -> None:
    assert state("model=b&engine=v&engine=v").url() == state("engine=v&model=b").url()


@pytest.mark.parametrize("query", ["sort=value", "sort=-value&axis=ttft&axis=tpot"])
def test_an_order_by_value_without_one_axis_is_told_and_left_out(query: str) -> None:
    found, problems = read_state(QueryParams(query).getlist)
    assert found.sort == "rank"
    assert [(problem.name, problem.passing) for problem in problems] == [("sort", True)]


def test_an_order_by_value_within_one_axis_is_kept_until_the_axis_is_taken_off() -> None:
    found = state("axis=ttft&sort=value")
    assert found.sort == "value"
    assert found.without("axis", "ttft").url() == "/"


def test_an_unknown_column_or_order_is_told_with_what_is_known() -> None:
    _, problems = read_state(QueryParams("sort=best&col=colour").getlist)
    assert [problem.name for problem in problems] == ["col", "sort"]
    assert all(name in problems[0].message for name in COLUMNS)
    assert not any(problem.passing for problem in problems)


def test_taking_a_filter_off_begins_the_list_anew() -> None:
    found = state("engine=vLLM&engine=SGLang&q=moe&cursor=abc")
    assert found.without("engine", "vLLM").url() == "/?engine=SGLang&q=moe"
    assert found.without_search().url() == "/?engine=vLLM&engine=SGLang"
    assert found.cleared().url() == "/"


def test_chosen_rows_and_columns_outlive_the_filters() -> None:
    found = state("engine=vLLM&ids=a,b&ids=c&col=date").cleared()
    assert found.ids == ("a", "b", "c")
    assert found.columns == ("date",)


def test_the_api_is_asked_for_the_same_list() -> None:
    assert state("engine=vLLM&q=moe&sort=newest&col=date&ids=a&cursor=x").list_pairs() == [
        ("engine", "vLLM"),
        ("q", "moe"),
        ("sort", "newest"),
    ]


def test_ids_come_repeated_or_with_commas_each_once() -> None:
    assert read_ids(["a,b", " c ", "a", ""]) == ("a", "b", "c")
