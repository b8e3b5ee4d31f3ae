"""A card's row says what the card says, in the table's words, and warns of what its findings found."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from app.axes import AXES
from app.cards.row import card_row
from app.compare.verdict import compare
from tests.cards.factories import record, sound
from tests.compare.factories import row as claim_row

if TYPE_CHECKING:
    from app.claims.schema import ClaimRow

SIMULATED = "{method: dspark, draft_tokens: 5, acceptance: simulated, accept_length: 5.5}"


def made(retracted: str | None = None, **lines: str | None) -> ClaimRow:
    row = card_row(record(sound(**lines), retracted))
    assert row is not None
    return row


def kinds(row: ClaimRow) -> list[str]:
    return [caveat.kind for caveat in row.caveats]


def test_a_number_keeps_its_digits_and_heads_the_row() -> None:
    row = made()
    assert (row.headline, str(row.value), row.unit, row.kind) == ("223.50 tok/s", "223.50", "tok/s", "absolute")
    assert (row.axis, row.scope, row.stated_in, row.baseline.kind) == ("decode_rate", "end_to_end", "measured", "none")
    assert row.title == "decode rate of one stream of Llama-3.1-8B on vLLM"
    assert row.runs == "6 runs, 1 warm-up discarded"


def test_a_card_is_its_own_source_and_its_author_measured_it() -> None:
    row = made()
    assert (row.source.id, row.source.publisher, row.measured_by) == ("card-1", "Ana", "Ana")
    assert (row.source.url, row.source.date) == (None, "2026-11-29")
    assert row.card is not None
    assert (row.card.revision, row.card.author, row.card.completeness) == (1, "Ana", 100)


def test_a_sound_card_has_nothing_to_mind_and_nobody_repeated_it() -> None:
    row = made()
    assert row.caveats == ()
    assert row.reproduction.status == "never_tried"


def test_a_published_number_is_linked_and_not_said_to_be_measured_by_who_recorded_it() -> None:
    row = made(source="https://example.org/post")
    assert (row.source.url, row.locator, row.measured_by) == ("https://example.org/post",) * 2 + (None,)
    assert "recorded by Ana" in row.caveats[0].text


@pytest.mark.parametrize("address", ["javascript:alert(1)", "post of May", "https://x y", "//example.org"])
def test_only_an_address_is_linked(address: str) -> None:
    assert made(source=f'"{address}"').source.url is None


def test_conditions_are_those_of_the_card_in_the_catalogue_s_spelling() -> None:
    given = made(
        hardware="{accelerator: nvidia gb300, count: 4, interconnect: NVL72, host: node 7}",
        metric="TPGS at P90 interactivity above 50 tok/s",
        result="{value: 83000, unit: tok/s/GPU}",
        workload="{name: AgentX, input_tokens: median 142000, sessions: 64, turns: 43}",
    ).conditions
    assert (given.engine.name, given.model.id, given.parallelism) == ("vLLM", "Llama-3.1-8B", "TP4")
    assert (given.hardware.accelerator, given.hardware.count, given.hardware.system) == ("GB300", 4, "NVL72, node 7")
    assert (given.limit, given.load.concurrency) == ("P90 interactivity > 50 tok/s/user", "64 sessions")
    assert (given.workload.name, given.workload.turns, given.workload.temperature) == ("AgentX", "43", None)


@pytest.mark.parametrize(
    ("speculation", "kind", "length", "target", "ceiling"),
    [
        ("off", "none", None, None, None),
        ("{method: ngram, draft_tokens: 5, acceptance: measured, accept_length: 2.50}", "measured", "2.50", None, "6"),
        (SIMULATED, "simulated", "5.5", "5.5", "6"),
        ("{method: mtp, acceptance: synthetic}", "synthetic", None, None, None),
        (None, "not_stated", None, None, None),
    ],
)
def test_acceptance_names_its_kind_length_and_ceiling(
    speculation: str | None, kind: str, length: str | None, target: str | None, ceiling: str | None
) -> None:
    found = made(speculation=speculation).acceptance
    shown = tuple(None if item is None else str(item) for item in (found.length, found.target, found.ceiling))
    assert (found.kind, *shown) == (kind, length, target, ceiling)


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ({"quality": "no"}, "quality_not_checked"),
        ({"runs": "1"}, "one_run"),
        ({"speculation": SIMULATED}, "simulated_acceptance"),
        ({"approximations": "swa-bounded-replay on"}, "approximation_on"),
        ({"excludes": "full prefill"}, "prefill_not_counted"),
        ({"excludes": "tokenisation"}, "scope"),
        ({"model": "{id: m, weights: dummy}"}, "random_weights"),
        ({"launch": None}, "not_stated"),
        ({"engine": "vllm"}, "not_stated"),
        ({"workload": "{seed: 1, prefix_cache: warm, concurrency: 1}"}, "cached_tokens_counted"),
        ({"source": "a talk"}, "other"),
    ],
)
def test_what_the_card_admits_becomes_a_caveat(lines: dict[str, str | None], kind: str) -> None:
    assert kind in kinds(made(**lines))


def test_what_is_not_stated_is_told_in_one_sentence() -> None:
    row = made(workload="{input_tokens: 4096, concurrency: 1}", launch=None)
    (caveat,) = [caveat for caveat in row.caveats if caveat.kind == "not_stated"]
    assert caveat.text == "Not stated: the launch command, ignore_eos, the prefix cache's state, the temperature."


def test_a_retracted_card_says_so_first_and_stands_last() -> None:
    row = made(retracted="the clock was wrong", quality="no")
    assert row.caveats[0].text == "Taken back by Ben: the clock was wrong."
    assert (kinds(row)[0], row.rank) == ("retracted", 999)
    assert row.title.startswith("Retracted: ")
    assert row.card is not None
    assert row.card.retracted == "the clock was wrong"


@pytest.mark.parametrize("lines", [{"result": None}, {"metric": "decode tokens/s | ttft"}])
def test_a_card_without_a_number_is_no_row(lines: dict[str, str | None]) -> None:
    assert card_row(record(sound(**lines))) is None


def test_further_figures_stand_beside_the_number() -> None:
    row = made(also="[{axis: ttft, statistic: median, value: 41.20, unit: ms}]")
    assert [(item.name, str(item.value), item.unit) for item in row.beside] == [
        ("TTFT, time to first token, median", "41.20", "ms")
    ]


@pytest.mark.parametrize("axis", AXES)
def test_every_axis_and_unit_makes_a_row(axis: str) -> None:
    for unit in AXES[axis].units:
        row = made(metric=f"{{axis: {axis}}}", result=f'{{value: 2, unit: "{unit}"}}')
        assert (row.axis, row.axis_version) == (axis, 1)
        assert (row.kind == "ratio") == (unit == "x")


def test_a_card_compares_with_a_claim_like_any_other_row() -> None:
    claim = claim_row(id="claim", **{"conditions.speculation": {"method": "off", "draft_tokens": None}})
    found = compare(claim, made(model="DeepSeek-V4.1-Flash", speculation="off"))
    assert found.verdict == "comparable_with_differences"
    assert compare(claim, made(retracted="wrong")).verdict == "not_comparable"


def test_the_day_it_was_measured_is_its_date() -> None:
    row = made(result="{value: 1, unit: tok/s, measured_at: 2026-11-02, spread: ±2 %}")
    assert (row.source.date, row.measured_at, row.retrieved) == ("2026-11-02", "2026-11-02", dt.date(2026, 11, 29))
    assert row.runs == "6 runs, 1 warm-up discarded, spread ±2 %"


@pytest.mark.parametrize(
    ("written", "ends"),
    [
        ("870.1 to 875.9", ["870.1", "875.9"]),
        ("95 % bootstrap interval of the median 870.1 to 875.9", ["870.1", "875.9"]),
        ("range of the runs 8e2 to 9e2", []),
        ("std 3.2 over 5 runs", []),
        (None, []),
    ],
)
def test_a_spread_from_one_number_to_another_stands_beside_the_number(written: str | None, ends: list[str]) -> None:
    spread = f", spread: {written}" if written else ""
    found = made(result=f"{{value: 873.63, unit: tok/s{spread}}}")
    assert [str(item.value) for item in found.beside if item.name.endswith("end of the spread")] == ends


def test_the_load_tool_is_a_condition_that_is_compared() -> None:
    tools = ("vllm bench", "sglang.bench_serving")
    one, two = (made(runs=f"{{count: 6, tool: {tool}}}", metric="output_throughput") for tool in tools)
    assert (one.conditions.client, two.conditions.client) == ("vllm bench serve", "sglang bench_serving")
    found = compare(one, two.model_copy(update={"id": "card-2"}))
    assert ("client", "vllm bench serve", "sglang bench_serving") in [(r.field, r.a, r.b) for r in found.differences]
