"""Speculation by constant step time: the published numbers, and what holds of every question."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InvalidInputError
from app.tools.from_claim import speculation_of
from app.tools.speculation import speculation
from tests.compare.factories import FORCED, MEASURED, row
from tests.tools.factories import EP4, faults, keys, near, value


def test_the_pair_on_one_code_breaks_even_at_1_45() -> None:
    answer = speculation({**EP4, "at": "3.17"})
    assert near(value(answer, "break_even"), "1.4455", "1e-4")  # 223.50 / (853.49 / 5.520)
    assert near(value(answer, "speedup"), "3.8187", "1e-4")  # the 3.82x of the same code
    assert answer.verdict.startswith("Speculation breaks even at 1.45 tokens a step; at 3.17")


@pytest.mark.parametrize(("at", "rate"), [("3.51", "557"), ("3.17", "503")])
def test_the_headline_at_other_acceptances(at: str, rate: str) -> None:
    answer = speculation({"counted": "sglang", "rate": "873.63", "acceptance": "5.505", "at": at})
    assert near(value(answer, "step_ms"), "6.30", "1e-3")
    assert round(value(answer, "rate_at")) == Decimal(rate)


def test_any_two_give_the_third() -> None:
    whole = {"rate": "200", "acceptance": "4", "step_ms": "20"}
    for left_out, number in whole.items():
        given_two = {name: text for name, text in whole.items() if name != left_out}
        answer = speculation({"counted": "vllm", **given_two})
        assert value(answer, left_out) == Decimal(number)


def test_one_of_the_three_is_not_enough() -> None:
    with pytest.raises(InvalidInputError) as caught:
        speculation({"counted": "vllm", "rate": "200"})
    assert faults(caught.value).keys() == {"acceptance", "step_ms"}


def test_three_numbers_that_disagree_are_told() -> None:
    answer = speculation({"counted": "vllm", "rate": "200", "acceptance": "4", "step_ms": "25"})
    assert "The three numbers disagree: 4 tokens at 200 tok/s is a step of 20 ms, not 25" in answer.warnings[0]


@pytest.mark.parametrize("kind", ["simulated", "synthetic"])
def test_a_forced_acceptance_is_warned_of(kind: str) -> None:
    assert f"The acceptance was {kind}, not measured" in speculation({**EP4, "kind": kind}).warnings[0]
    assert not speculation({**EP4, "kind": "measured"}).warnings


@pytest.mark.parametrize(
    ("changed", "field", "says"),
    [
        ({"acceptance": "6.5", "draft_tokens": "5"}, "acceptance", "with 5 draft tokens a step keeps 6 at most"),
        ({"at": "7", "draft_tokens": "5"}, "at", "with 5 draft tokens a step keeps 6 at most"),
        ({"acceptance": "0.9"}, "acceptance", "a step keeps at least the target's own token"),
        ({"at": "0.5"}, "at", "a step keeps at least the target's own token"),
        ({"counted": ""}, "counted", "needed"),
    ],
)
def test_an_acceptance_that_no_step_can_have_is_refused(changed: dict[str, str], field: str, says: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        speculation({**EP4, **changed})
    assert says in faults(caught.value)[field]


@pytest.mark.parametrize(("counted", "engine"), [("vllm", "vLLM"), ("sglang", "SGLang")])
def test_the_answer_says_whose_acceptance_it_is(counted: str, engine: str) -> None:
    assert f"acceptance length as {engine} counts it" in speculation({**EP4, "counted": counted}).assumes[0]


def test_a_slower_stream_is_called_slower_and_the_break_even_neither() -> None:
    slow = speculation({**EP4, "at": "1.2"})
    assert slow.verdict.endswith("times its rate without it: slower.")
    even = speculation({"counted": "vllm", "rate": "200", "acceptance": "2", "off_rate": "200"})
    assert even.verdict.endswith("it neither gains nor loses.")


def test_a_claim_fills_what_it_states_and_its_pair_the_rate_without() -> None:
    on = row(id="on", value="853.49", **FORCED)
    off = row(id="off", value="223.50")
    taken = speculation_of(on, [on, off])
    assert taken.off == "off"
    assert taken.typed == {
        "counted": "sglang",
        "rate": "853.49",
        "acceptance": "5.505",
        "kind": "simulated",
        "draft_tokens": "5",
        "off_rate": "223.50",
    }


def test_a_rate_without_speculation_from_another_setup_is_left_out() -> None:
    on = row(id="on", value="873.63", **MEASURED)
    off = row(id="off", value="223.50", **{"conditions.parallelism": "attention TP4, MoE EP4"})
    assert "off_rate" not in speculation_of(on, [on, off]).typed


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"kind": "ratio", "unit": "x"}, "a ratio, a change or a range"),
        ({"axis": "ttft", "unit": "ms"}, "not the rate of one stream"),
        ({}, "without speculation"),
        (
            {"conditions.speculation": {"method": "DSpark"}, "acceptance": {"kind": "not_stated"}},
            "no acceptance length",
        ),
    ],
)
def test_a_claim_that_states_no_such_rate_says_why(changed: dict[str, object], why: str) -> None:
    taken = speculation_of(row(**changed), [])
    assert why in taken.why
    assert not taken.typed


numbers = st.decimals("0.5", "5000", places=2).map(str)
lengths = st.decimals("1", "20", places=2).map(str)


@given(numbers, lengths, lengths)
def test_the_rate_at_an_acceptance_leads_back_to_the_rate(rate: str, length: str, other: str) -> None:
    there = value(speculation({"counted": "vllm", "rate": rate, "acceptance": length, "at": other}), "rate_at")
    back = {"counted": "vllm", "rate": f"{round(there, 9):f}", "acceptance": other, "at": length}
    assert near(value(speculation(back), "rate_at"), rate, "1e-6")


@given(numbers, lengths, lengths, lengths)
def test_more_acceptance_is_never_slower(rate: str, length: str, one: str, two: str) -> None:
    low, high = sorted((Decimal(one), Decimal(two)))
    question = {"counted": "vllm", "rate": rate, "acceptance": length}
    rates = [value(speculation({**question, "at": str(at)}), "rate_at") for at in (low, high)]
    assert rates[0] <= rates[1]


@given(numbers, lengths, numbers)
def test_at_the_break_even_the_rate_is_the_one_without(rate: str, length: str, off: str) -> None:
    question = {"counted": "vllm", "rate": rate, "acceptance": length, "off_rate": off}
    even = value(speculation(question), "break_even")
    if even >= 1:
        there = value(speculation({**question, "at": f"{round(even, 9):f}"}), "rate_at")
        assert near(there, off, "1e-6")
    assert "speedup_at" not in keys(speculation(question))
