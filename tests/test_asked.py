"""One rule for every query: what is taken of it, and what is told instead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams

from app.asked import MOST, Misread, Parameters, settle

TAKES = Parameters(one=frozenset(("q", "limit")), many=frozenset(("engine", "model")))


def asked(query: str) -> tuple[list[tuple[str, str]], tuple[Misread, ...]]:
    scope = {"query_string": query.encode()}
    wrong = settle(scope, TAKES)
    return QueryParams(scope["query_string"]).multi_items(), wrong


@pytest.mark.parametrize("query", ["", "engine=", "q&limit=&model", "engine=&engine="])
def test_an_empty_value_is_not_given(query: str) -> None:
    assert asked(query) == ([], ())


def test_what_may_stand_several_times_does() -> None:
    assert asked("engine=a&engine=&engine=b&q=x") == ([("engine", "a"), ("engine", "b"), ("q", "x")], ())


def test_a_single_value_given_twice_is_told_and_neither_is_taken() -> None:
    kept, (wrong,) = asked("q=a&engine=b&q=c")
    assert kept == [("engine", "b")]
    assert (wrong.field, wrong.unknown) == ("q", False)
    assert "given 2 times" in wrong.message


@pytest.mark.parametrize("value", ["%00", "a%00b", "%1b[0m", "%7f", "%C2%80"])
@pytest.mark.parametrize("name", ["engine", "q"])
def test_control_characters_are_told_and_not_taken(name: str, value: str) -> None:
    kept, (wrong,) = asked(f"{name}={value}&model=m")
    assert kept == [("model", "m")]
    assert (wrong.field, wrong.unknown) == (name, False)


def test_one_bad_value_of_several_takes_no_good_one_away() -> None:
    kept, (wrong,) = asked("engine=a&engine=%00&engine=b")
    assert kept == [("engine", "a"), ("engine", "b")]
    assert wrong.field == "engine"


def test_an_unknown_name_is_told_with_what_was_meant() -> None:
    kept, (wrong,) = asked("engnie=a&model=m")
    assert kept == [("model", "m")]
    assert (wrong.field, wrong.near, wrong.unknown) == ("engnie", ("engine",), True)


def test_many_unknown_names_are_not_all_repeated() -> None:
    _, wrong = asked("&".join(f"x{number}=1" for number in range(500)) + "&q=a&q=b")
    assert len(wrong) == MOST + 1


@given(st.lists(st.tuples(st.sampled_from(["q", "limit", "engine", "model", "x"]), st.text(max_size=4))))
def test_what_was_settled_once_is_taken_whole(pairs: list[tuple[str, str]]) -> None:
    clean = [(name, value.encode("utf-8", "replace").decode()) for name, value in pairs]
    kept, _ = asked(str(QueryParams(clean)))
    again, wrong = asked(str(QueryParams(kept)))
    told = {item.field for item in wrong}
    assert [pair for pair in kept if pair[0] not in told] == again
    assert told <= {"x"}
