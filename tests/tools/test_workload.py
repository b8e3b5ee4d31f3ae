"""Which axis decides for a workload: the shapes of the facts by hand, and what holds of every shape."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InvalidInputError
from app.tools.references import Even, at_full_load, of_one_request
from app.tools.workload import Balance, Known, workload
from tests.compare.factories import row
from tests.tools.factories import AGENTX, faults, keys, near, stated, value

RATES = {
    "sgl-gb200-part2-prefill": ("26156", "2000"),
    "sgl-gb200-part2": ("13386", "2000"),
    "sgl-h100-large-ep": ("52300", "2000"),
    "sgl-h100-large-ep-output": ("22300", "2000"),
    "sglang-cookbook-granite42-3b-h200": ("131.17", "8192"),
    "sglang-cookbook-granite42-3b-h200-c1-tpot": ("3.51", "8192"),
    "sglang-cookbook-granite42-8b-h200": ("260.59", "8192"),
    "sglang-cookbook-granite42-8b-h200-c1-tpot": ("6.28", "8192"),
}
ROWS = {
    name: row(id=name, value=number, **{"conditions.workload.input_tokens": prompt})
    for name, (number, prompt) in RATES.items()
}
KNOWN = Known(ROWS, [stated(input_tokens="median 142000", axis="total_per_gpu"), stated("b", name="AgentX")])
BARE = Known({}, [])


def test_agentx_by_hand() -> None:
    answer = workload({**AGENTX, "concurrency": "64"}, KNOWN)
    assert value(answer, "computed_tokens") == 5680  # 142,000 x 4 %
    assert value(answer, "cached_tokens") == 136_320
    assert near(value(answer, "computed_per_output"), Decimal(5680) / 444)
    assert near(value(answer, "output_share"), "0.3117", "1e-3")  # output is under 1 % of total tokens
    assert near(value(answer, "cached_share"), "95.70", "1e-4")
    assert value(answer, "session_output") == 43 * 444
    assert value(answer, "context_held") == 64 * 142_444
    assert answer.verdict == (
        "For what a GPU serves, prefill throughput decides; for how long one user waits, TPOT decides. With 96 % of "
        "the input cached, only numbers with a warm cache speak for you."
    )
    assert [item.axis for item in answer.decides] == [
        "prefill_per_gpu",
        "tpot",
        "kv_capacity",
        "per_gpu_at_limit",
        "ttft",
    ]
    assert "computes 25 times as many prompt tokens" in answer.decides[-1].why


def test_the_claims_of_the_catalogue_say_where_prefill_and_decode_weigh_the_same() -> None:
    full, one = at_full_load(ROWS), of_one_request(ROWS)
    assert full is not None
    assert one is not None
    assert near(full.low, Decimal(26156) / 13386)
    assert near(full.high, Decimal(52300) / 22300)
    assert full.pairs == 2
    assert near(one.high, Decimal(8192) / Decimal("131.17") * Decimal("3.51"))
    assert near(one.low, Decimal(8192) / Decimal("260.59") * Decimal("6.28"))
    assert at_full_load({}) is of_one_request({}) is None


@pytest.mark.parametrize(
    ("ratio", "decides"), [("1.94", "decode"), ("1.96", "both"), ("2.34", "both"), ("2.36", "prefill"), ("0", "decode")]
)
def test_between_the_deployments_neither_decides_alone(ratio: str, decides: str) -> None:
    assert Balance(Decimal(ratio), at_full_load(ROWS)).decides == decides


def test_a_short_prompt_and_a_long_reply_is_decode_on_both_counts() -> None:
    answer = workload({"input_tokens": "128", "output_tokens": "4096", "prefix_hit_rate": "0"}, KNOWN)
    assert [item.axis for item in answer.decides] == ["output_per_gpu", "tpot"]


def test_a_reply_of_one_token_is_prefill_on_both_counts() -> None:
    answer = workload({"input_tokens": "128000", "output_tokens": "1", "prefix_hit_rate": "0"}, KNOWN)
    assert [item.axis for item in answer.decides] == ["prefill_per_gpu", "ttft"]


def test_own_rates_go_over_the_catalogues() -> None:
    own = {"gpu_prefill_rate": "1000", "gpu_decode_rate": "1000", "one_prefill_rate": "10", "one_decode_rate": "1"}
    answer = workload({"input_tokens": "3000", "output_tokens": "1000", "prefix_hit_rate": "0", **own}, KNOWN)
    assert value(answer, "gpu_share") == 75
    assert near(value(answer, "wait_share"), Decimal(300) / 13)
    assert not any("catalogue" in text for text in answer.assumes)


def test_half_a_pair_of_rates_asks_for_the_other_half() -> None:
    with pytest.raises(InvalidInputError) as caught:
        workload({**AGENTX, "gpu_prefill_rate": "1000", "one_decode_rate": "5"}, KNOWN)
    assert faults(caught.value).keys() == {"gpu_decode_rate", "one_prefill_rate"}


def test_without_any_rates_the_break_even_is_told_and_nothing_guessed() -> None:
    answer = workload({"input_tokens": "4096", "output_tokens": "1024", "prefix_hit_rate": "0"}, BARE)
    assert answer.verdict == (
        "Prefill takes longer than decode where fewer than 4 prompt tokens are read in the time of writing one."
    )
    assert not answer.decides
    assert not [key for key in keys(answer) if "share_" in key]


def test_a_hit_rate_that_is_not_given_is_told() -> None:
    assert "No prefix-hit rate is given" in workload({"input_tokens": "1", "output_tokens": "1"}, BARE).warnings[0]
    turns = workload({"input_tokens": "9", "output_tokens": "1", "prefix_hit_rate": "0", "turns": "9"}, BARE)
    assert "9 turns without a cache hit" in turns.warnings[0]


def test_prompts_much_longer_than_those_behind_the_rates_are_warned_of() -> None:
    assert "17 times as long as the longest prompt behind" in workload(AGENTX, KNOWN).warnings[0]
    assert not workload({**AGENTX, "input_tokens": "32768"}, KNOWN).warnings


def test_everything_cached_computes_nothing() -> None:
    answer = workload({**AGENTX, "prefix_hit_rate": "100"}, KNOWN)
    assert value(answer, "computed_tokens") == 0
    assert value(answer, "gpu_share_high") == 0
    assert "times" not in answer.decides[-1].why


def test_near_claims_and_those_that_only_name_a_benchmark_are_counted() -> None:
    answer = workload(AGENTX, KNOWN)
    assert [item.id for item in answer.near] == ["a"]
    assert answer.near[0].speaks_to == "per_gpu_at_limit"  # total_per_gpu is that without the limit
    assert [(item.name, item.claims) for item in answer.only_named] == [("AgentX", 1)]


def test_the_card_gets_the_shape() -> None:
    assert workload(AGENTX, BARE).card == (
        "/cards/new?workload.input_tokens=142000&workload.output_tokens=444&workload.prefix_cache=hit+rate+96+%25"
        "&workload.turns=43"
    )


tokens = st.integers(1, 10**6).map(str)
percents = st.integers(0, 100).map(str)


@given(tokens, tokens, percents, percents)
def test_a_higher_hit_rate_never_leaves_more_to_compute(given_in: str, given_out: str, one: str, two: str) -> None:
    low, high = sorted((int(one), int(two)))
    question = {"input_tokens": given_in, "output_tokens": given_out}
    found = [workload({**question, "prefix_hit_rate": str(rate)}, KNOWN) for rate in (low, high)]
    assert value(found[0], "computed_tokens") >= value(found[1], "computed_tokens")
    assert value(found[0], "gpu_share_high") >= value(found[1], "gpu_share_high")


@given(tokens, tokens, percents)
def test_the_parts_make_up_the_whole(given_in: str, given_out: str, rate: str) -> None:
    answer = workload({"input_tokens": given_in, "output_tokens": given_out, "prefix_hit_rate": rate}, KNOWN)
    cached = value(answer, "cached_tokens") if "cached_tokens" in keys(answer) else Decimal(0)
    assert value(answer, "computed_tokens") + cached == int(given_in)
    for key in ("gpu", "wait"):
        low, high = value(answer, f"{key}_share_low"), value(answer, f"{key}_share_high")
        assert 0 <= low <= high <= 100


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_the_share_and_the_verdict_say_the_same(prompt: int, reply: int) -> None:
    even = Even(Decimal(2), Decimal(2), 1)
    balance = Balance(Decimal(prompt) / reply, even)
    low, high = balance.shares()
    assert low == high
    assert (balance.decides == "prefill") == (low > 50)
