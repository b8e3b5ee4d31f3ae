"""Which claims lie near a shape, and in which heap every other one is counted."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.shapes import Shape, hit_rate, neighbourhood, one_number
from tests.tools.factories import stated

FOUR_ONE = Shape(Decimal(4096), Decimal(1024), Decimal(0), Decimal(1))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4096", 4096),
        ("median 142000", 142_000),
        ("mean 2000", 2000),
        ("about 400", 400),
        ("128K", 131_072),
        ("1M", 1_048_576),
        ("20000 +-15 %", 20_000),
        ("up to 8192, random", None),
        ("at most 4", None),
        ("uniform 1 to 4096, mean about 2048", None),
        ("sweep 256 to 125000", None),
        ("256, 1024 and 4096", None),
        ("5000 to 10000", None),
        ("0", None),
        (None, None),
    ],
)
def test_only_one_stated_number_is_a_length(text: str | None, number: int | None) -> None:
    assert one_number(text) == number


@pytest.mark.parametrize(
    ("text", "percent"),
    [
        ("hit rate above 96 %", "96"),
        ("92.2 % hit rate", "92.2"),
        ("hit rate 90 %", "90"),
        ("off", "0"),
        ("cleared", "0"),
        ("warm", None),
        ("hit rate 960 %", None),
        (None, None),
    ],
)
def test_a_cache_that_is_off_hits_nothing_and_a_warm_one_is_no_number(text: str | None, percent: str | None) -> None:
    assert hit_rate(text) == (None if percent is None else Decimal(percent))


@pytest.mark.parametrize(
    ("claim", "heap"),
    [
        ({"input_tokens": "4096", "output_tokens": "1024"}, "near"),
        ({"input_tokens": "8192"}, "near"),
        ({"input_tokens": "8193"}, "further"),
        ({"input_tokens": "4096", "output_tokens": "511"}, "further"),
        ({"input_tokens": "4096", "prefix_cache": "hit rate 90 %"}, "further"),
        ({"input_tokens": "4096", "turns": "median 43"}, "further"),
        ({"input_tokens": "up to 8192, random", "name": "random"}, "no_single_number"),
        ({"name": "AgentX"}, "only_named"),
        ({"prefix_cache": "off"}, "nothing_stated"),
        ({}, "nothing_stated"),
    ],
)
def test_every_claim_stands_in_one_heap(claim: dict[str, str], heap: str) -> None:
    found = neighbourhood(FOUR_ONE, [stated(**claim)], {})
    assert getattr(found.compared, heap) == 1
    counts = found.compared
    heaps = (counts.near, counts.further, counts.no_single_number, counts.only_named, counts.nothing_stated)
    assert sum(heaps) == counts.looked_at == 1
    assert len(found.near) == (heap == "near")
    assert [item.name for item in found.only_named] == (["AgentX"] if heap == "only_named" else [])


def test_claims_stand_by_deciding_axis_then_more_stated_then_closer() -> None:
    claims = [
        stated("elsewhere", axis="e2e_latency", input_tokens="4096", output_tokens="1024", prefix_cache="off"),
        stated("rate", axis="decode_rate", input_tokens="4096", output_tokens="1024", prefix_cache="off"),
        stated("only-input", axis="prefill_time", input_tokens="4096"),
        stated("far", axis="ttft", input_tokens="8192", output_tokens="1024"),
        stated("close", axis="ttft", input_tokens="4100", output_tokens="1024"),
        stated("fuller", axis="ttft", input_tokens="8192", output_tokens="1024", prefix_cache="off"),
    ]
    found = neighbourhood(FOUR_ONE, claims, {"ttft": "ttft", "prefill_time": "ttft", "decode_rate": "tpot"})
    assert [item.id for item in found.near] == ["fuller", "close", "far", "only-input", "rate", "elsewhere"]
    assert [item.speaks_to for item in found.near] == ["ttft"] * 4 + ["tpot", None]


def test_what_a_claim_states_stands_beside_how_it_lies_to_yours() -> None:
    (found,) = neighbourhood(FOUR_ONE, [stated(input_tokens="2048", prefix_cache="hit rate 5 %")], {}).near
    by_name = {item.dimension: item for item in found.stated}
    assert by_name["input_tokens"].times == Decimal("0.5")
    assert by_name["prefix_hit_rate"].points == 5
    assert (by_name["output_tokens"].text, by_name["output_tokens"].times) == (None, None)
    assert found.compared == 2


def test_what_the_asker_does_not_give_is_not_compared() -> None:
    yours = Shape(Decimal(4096), Decimal(1024))
    (found,) = neighbourhood(yours, [stated(input_tokens="4096", prefix_cache="hit rate 90 %", turns="43")], {}).near
    assert found.compared == 1


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_near_is_the_same_seen_from_either_side(a: int, b: int) -> None:
    def near(yours: int, theirs: int) -> int:
        shape = Shape(Decimal(yours), Decimal(1))
        return neighbourhood(shape, [stated(input_tokens=str(theirs))], {}).compared.near

    if max(a, b) != 2 * min(a, b):
        assert near(a, b) == near(b, a)
