"""The arithmetic behind a speculative rate and behind a kernel's gain, with the figures of the published posts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from app.compare.speculation import alone, break_even_length, cycle_ms, rate_at, steps_per_second, time_share
from app.compare.verdict import compare
from tests.compare.factories import FORCED, MEASURED, ratio, row

D = Decimal
FORCED_AT = {"conditions.speculation": {"method": "DSpark", "draft_tokens": 5}}


def forced(value: str, length: str | None, target: str = "5.5", **more: Any) -> Any:
    acceptance = {"kind": "simulated", "target": target, "length": length, "ceiling": "6"}
    return row(**{"value": value, **FORCED_AT, "acceptance": acceptance, **more})


def close(value: Decimal, expected: str) -> bool:
    return abs(value - D(expected)) < D("0.005")


def test_steps_are_the_rate_over_the_accept_length() -> None:
    assert close(steps_per_second(D("853.49"), D("5.5")), "155.18")
    assert close(steps_per_second(D("853.49"), D("5.520")), "154.62")


def test_speculation_breaks_even_where_its_steps_give_the_plain_rate() -> None:
    assert close(break_even_length(D("223.50"), D("853.49"), D("5.5")), "1.44")


def test_the_rate_at_another_acceptance_keeps_the_steps() -> None:
    assert close(rate_at(D("873.63"), D("5.505"), D("3.51")), "557.03")
    assert close(rate_at(D("873.63"), D("5.505"), D("3.17")), "503.07")


def test_a_verify_cycle_takes_its_tokens_over_the_rate() -> None:
    assert close(cycle_ms(D("873.63"), D("5.505")), "6.301")


def test_a_part_that_got_infinitely_fast_had_the_share_that_was_saved() -> None:
    assert close(time_share(D(10**9), D("0.25")), "0.25")
    assert close(time_share(D(2), D("0.25")), "0.5")


def test_one_speculative_rate_gives_its_cycle_and_its_rate_at_other_lengths() -> None:
    others = [row(id="m", **MEASURED), row(id="k", **MEASURED, **{"conditions.model.id": "Kimi K3"})]
    cycle, real = alone(forced("873.63", "5.505"), others)
    assert cycle.text == (
        "873.63 tok/s (measured length 5.505, forced to 5.5) is 158.7 steps/s: one verify cycle takes 6.30 ms."
    )
    assert real.title == "Rate at acceptance 3.17"
    assert "would give about 503 tok/s" in real.text
    assert cycle.assumption == real.assumption == "derived; assumes constant step time"


def test_the_length_that_is_used_is_named() -> None:
    (only_forced,) = alone(forced("100", None))
    assert "(forced length 5.5)" in only_forced.text
    (real,) = alone(row(**MEASURED))
    assert "(measured length 3.17)" in real.text


def test_another_run_at_the_same_forced_length_is_no_other_length() -> None:
    assert len(alone(forced("873.63", "5.505"), [forced("853.49", "5.520", id="b")])) == 1
    assert len(alone(forced("873.63", "5.505"), [forced("500", None, "3.51", id="b")])) == 2


@pytest.mark.parametrize(
    "other", [{"axis": "output_throughput"}, {"value": None, "written": "-"}, {"acceptance": {"kind": "not_stated"}}]
)
def test_nothing_is_derived_without_a_stream_its_rate_and_its_length(other: dict[str, Any]) -> None:
    assert alone(row(**{**FORCED, **other})) == ()
    assert alone(row()) == ()


def test_a_pair_in_which_only_speculation_changes_has_a_break_even_length() -> None:
    off, on = row(value="223.50"), forced("853.49", "5.520", id="b")
    for one, two in ((off, on), (on, off)):
        (found,) = compare(one, two).derivations
        assert found.title == "Break-even accept length"
        assert found.text == (
            "853.49 tok/s (measured length 5.520, forced to 5.5) is 154.6 steps/s. "
            "Without speculation it is 223.50 tok/s, so speculation breaks even at 1.45 tokens a step."
        )
        assert found.assumption == "derived; assumes constant step time"


def test_a_confounded_pair_has_no_break_even_length() -> None:
    on = forced("853.49", "5.520", id="b", **{"conditions.parallelism": "DEP2"})
    assert compare(row(), on).derivations == ()


def test_a_forced_rate_is_carried_over_to_the_real_length_of_the_other_side() -> None:
    real = row(id="b", value="670.35", **MEASURED)
    for one, two in ((forced("873.63", "5.505"), real), (real, forced("873.63", "5.505"))):
        (found,) = compare(one, two).derivations
        assert "at 3.17 tokens a step would give about 503 tok/s" in found.text


def test_a_rate_is_not_carried_over_to_another_model() -> None:
    real = row(id="b", **MEASURED, **{"conditions.model.id": "Kimi K3"})
    assert compare(forced("873.63", "5.505"), real).derivations == ()
    unknown: dict[str, Any] = {"conditions.model": {}}
    assert compare(forced("1", "5.505", **unknown), row(id="b", **MEASURED, **unknown)).derivations == ()


def part(**more: Any) -> Any:
    fields = {"axis": "layer_time", "scope": "layer", "end_to_end": "b", "value": None, "low": "14", "high": "23"}
    return ratio(id="a", **{**fields, **more})


def one(value: str) -> dict[str, Any]:
    return {"value": value, "low": None, "high": None}


def whole(**more: Any) -> Any:
    return ratio(id="b", **{"kind": "change", "unit": "%", "value": None, "low": "3", "high": "6", **more})


@pytest.mark.parametrize(
    ("a", "b", "span"),
    [
        (part(), whole(), "3-6 %"),
        (
            part(low=None, high=None, value="5.92"),
            whole(kind="ratio", unit="x", low=None, high=None, value="1.13"),
            "14 %",
        ),
        (part(**one("2.1")), whole(low="-7", high="-6"), "11-13 %"),
        (
            part(kind="change", unit="%", low=None, high=None, value="-50"),
            whole(low=None, high=None, value="-10"),
            "20 %",
        ),
    ],
)
def test_the_share_of_the_time_that_a_part_had_over_all_corners(a: Any, b: Any, span: str) -> None:
    for first, second in ((a, b), (b, a)):
        (found,) = compare(first, second).derivations
        assert found.title == "Share of the time"
        assert found.text.endswith(f"the part had about {span} of the time.")


def test_no_share_is_derived_for_parts_of_something_else_or_without_a_gain() -> None:
    assert compare(part(end_to_end=None), whole()).derivations == ()
    assert compare(part(), whole(low="0", high="0")).derivations == ()
    assert compare(part(low="1", high="1"), whole()).derivations == ()
