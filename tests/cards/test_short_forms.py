"""A card as people type it: short forms, open choices, and the template of the article that started this."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cards.load import ReadCard, read_card
from app.cards.short import engine

if TYPE_CHECKING:
    from decimal import Decimal

    from app.cards.schema import Card

TEMPLATE = """\
# bench-card.yaml: fill this in before you quote any serving number.
engine:            vllm | sglang   # exact version or commit
model:             deepseek-ai/DeepSeek-V4.1-Flash
hardware:          4x GB300        # chip, count, interconnect
parallelism:       TP4 | DEP2 | EP4
kv_dtype:          fp8 | nvfp4
speculation:       off | dspark    # if on: simulated or measured accept length?
approximations:    swa-bounded-replay on | off
workload:
  input_tokens:    4096
  output_tokens:   1024            # temperature 0, ignore_eos true
  concurrency:     1               # or the session count for an agentic trace
  prefix_cache:    cleared before each run
runs:              6               # one warm-up discarded; report the median
metric:            decode tokens/s | TPGS at P90 interactivity above 50 tok/s
excludes:          full prefill?
quality_checked:   yes | no        # no means the speed number is unverified
"""


def card(text: str) -> Card:
    read = read_card(text)
    assert read.card, read.findings
    return read.card


def rules(read: ReadCard) -> set[str]:
    return {finding.rule for finding in read.findings}


def test_the_article_template_is_accepted_with_its_open_choices_named() -> None:
    read = read_card(TEMPLATE)
    assert not read.errors
    open_choices = [finding.field for finding in read.findings if finding.rule == "W-choice"]
    assert open_choices == [
        "engine",
        "parallelism",
        "kv_dtype",
        "speculation",
        "approximations",
        "metric",
        "quality_checked",
    ]
    assert read.card is not None
    assert read.card.engine is None
    assert read.card.hardware is not None
    assert (read.card.hardware.count, read.card.hardware.accelerator) == (4, "GB300")


def test_the_filled_short_card_means_what_the_long_one_means() -> None:
    short = TEMPLATE
    for choices, choice in [
        ("vllm | sglang ", "sglang@835c390"),
        ("TP4 | DEP2 | EP4", "TP4"),
        ("fp8 | nvfp4", "fp8"),
        ("off | dspark ", "off"),
        ("swa-bounded-replay on | off", "swa-bounded-replay on"),
        ("decode tokens/s | TPGS at P90 interactivity above 50 tok/s", "TPGS at P90 interactivity above 50 tok/s"),
        ("yes | no ", "no"),
    ]:
        short = short.replace(choices, choice)
    read = card(short)
    assert read.model_dump(mode="json", exclude_none=True) == {
        "engine": {"name": "sglang", "commit": "835c390"},
        "model": {"id": "deepseek-ai/DeepSeek-V4.1-Flash"},
        "hardware": {"accelerator": "GB300", "count": 4},
        "parallelism": {"tp": 4},
        "dtypes": {"kv": "fp8"},
        "speculation": {"method": "off"},
        "approximations": [{"name": "swa-bounded-replay", "on": True}],
        "workload": {
            "input_tokens": "4096",
            "output_tokens": "1024",
            "prefix_cache": "cleared before each run",
            "concurrency": 1,
        },
        "runs": {"count": 6},
        "metric": {"axis": "total_per_gpu", "constraint": "p90_interactivity > 50 tok/s"},
        "excludes": ["full prefill?"],
        "quality": {"checked": False},
    }


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("TP4", {"tp": 4}),
        ("ep4", {"ep": 4}),
        ("DEP2", {"dp": 2, "ep": 2, "dp_attention": True}),
        ("TP8/EP8", {"tp": 8, "ep": 8}),
        ("TP4 PP2", {"tp": 4, "pp": 2}),
        ("1P1D DEP4/DEP8", {"note": "1P1D DEP4/DEP8"}),
    ],
)
def test_parallelism_short_forms(typed: str, meant: dict[str, object]) -> None:
    parallelism = card(f"parallelism: {typed}").parallelism
    assert parallelism
    assert parallelism.model_dump(exclude_none=True) == meant


@given(
    count=st.integers(1, 10**6),
    accelerator=st.sampled_from(["GB300", "H200 SXM", "MI355X"]),
    times=st.sampled_from("x×*"),
)
def test_count_times_accelerator(count: int, accelerator: str, times: str) -> None:
    hardware = card(f"hardware: {count}{times} {accelerator}").hardware
    assert hardware
    assert (hardware.count, hardware.accelerator) == (count, accelerator)


@given(st.integers(1, 1024), st.integers(1, 1024))
def test_tp_and_ep_of_any_size(tp: int, ep: int) -> None:
    parallelism = card(f"parallelism: TP{tp}/EP{ep}").parallelism
    assert parallelism
    assert (parallelism.tp, parallelism.ep) == (tp, ep)


@given(st.decimals(0, 10**9, allow_nan=False, allow_infinity=False, places=3))
def test_a_number_keeps_the_digits_it_was_written_with(value: Decimal) -> None:
    read = card(f"result: {{value: {value}, unit: ms}}")
    assert read.result
    assert str(read.result.value) == str(value)


def test_yes_and_no_are_answers_only_where_an_answer_is_asked_for() -> None:
    read = card("quality_checked: no\nhardware: {host: no}\n")
    assert read.quality
    assert read.quality.checked is False
    assert read.hardware
    assert read.hardware.host == "no"


def test_a_bar_inside_a_command_is_no_open_choice() -> None:
    read = read_card("launch: {argv: [a | b]}\nnote: one | other\n")
    assert "W-choice" not in rules(read)


@pytest.mark.parametrize(
    "number", ["NaN", ".nan", "1e400", "-1e400", "Infinity", ".inf", "true", "9223372036854775808", "1_0"]
)
def test_what_is_no_sane_number_is_refused_at_its_place(number: str) -> None:
    read = read_card(f"result:\n  value: {number}\n  unit: ms\n")
    first = read.errors[0]
    assert (first.rule, first.field, first.place and first.place.line) == ("E-form", "result.value", 2)


def test_one_thousand_may_be_written_1e3() -> None:
    read = card("result: {value: 1e3, unit: ms}\nworkload: {seed: 010}\n")
    assert read.result
    assert read.result.value == 1000
    assert read.workload
    assert read.workload.seed == 10


def test_duplicate_keys_and_unknown_keys_are_reported_together() -> None:
    read = read_card("engine: vllm\nengine: sglang\nmodle: x\n")
    assert [f.place and f.place.line for f in read.findings if f.rule == "E-form"] == [2, 3]
    assert "did you mean `model`" in read.findings[1].message


def test_what_the_rules_say_of_the_rest_is_told_together_with_what_no_card_takes() -> None:
    """One round: whoever mends all that is told has a card. What only follows from a problem is not told."""
    text = "engin: vllm 0.33.0\nhardware: {count: many}\nworkload: {input_tokens: 1.024, rate: x}\n" + (
        "metric: ttft\nresult: {value: 1, unit: tok/s}\nruns: {count: 0}\nraw: [{name: a}, {sha256: b}]\n"
    )
    read = read_card(text)
    assert [(item.rule, item.field) for item in read.errors] == [
        ("E-form", "engin"),
        ("E-form", "hardware.count"),
        ("E-input-tokens", "workload.input_tokens"),
        ("E-form", "workload.rate"),
        ("E-unit", "result.unit"),
        ("E-runs", "runs.count"),
        ("E-form", "raw[0].sha256"),
        ("E-form", "raw[1].name"),
        ("E-form", "raw[1].sha256"),
        ("E-missing-engine", "engine"),
        ("E-missing-model", "model"),
    ]
    assert "W-load" not in rules(read)  # the rate may be right but for its spelling
    assert read.card is None
    assert read.rest and read.rest.workload and read.rest.workload.input_tokens == "1.024"
    assert read.readable == read.rest


def test_what_was_put_right_in_one_round_leaves_no_second() -> None:
    mended = "engine: vllm 0.33.0\nmodel: m\nhardware: {count: 1}\nworkload: {input_tokens: 1024, rate: 1}\n" + (
        "metric: ttft\nresult: {value: 1, unit: ms}\nruns: {count: 1}\n"
    )
    assert not read_card(mended).errors


def test_json_is_read_by_the_same_rules() -> None:
    read = read_card('{"engine": {"name": "vllm"}, "result": {"value": 873.63, "unit": "tok/s"}}')
    assert read.card
    assert read.card.result
    assert str(read.card.result.value) == "873.63"


def test_a_card_of_more_than_256_kb_is_refused_before_it_is_parsed() -> None:
    (finding,) = read_card("note: " + "x" * 300_000).findings
    assert "256 KB" in finding.message


@pytest.mark.parametrize("text", ["", "just text", "- a", "a: [", "\ud800", "a: \ud800"])
def test_what_is_no_card_is_a_finding_and_no_crash(text: str) -> None:
    assert read_card(text).errors


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("kv_dtype: fp8\ndtypes: {kv: fp8}\n", "kv_dtype"),
        ("quality_checked: yes\nquality: no\n", "quality_checked"),
        ("quality: {checked: yes}\nquality_checked: yes\n", "quality_checked"),
        ("kv_dtype: fp8\ndtypes: all\n", "dtypes"),
        ("kv_dtype: fp8\ndtypes: [a]\n", "dtypes"),
        ("kv_dtype: {a: b}\n", "dtypes.kv"),
    ],
)
def test_a_short_key_beside_its_block_is_told_and_never_overwrites_it(text: str, field: str) -> None:
    read = read_card(text)
    assert field in {finding.field for finding in read.errors if finding.rule == "E-form"}


def test_a_short_key_joins_its_block() -> None:
    read = read_card("dtypes: {weights: bf16}\nkv_dtype: fp8\nquality_checked:\n")
    assert read.card and read.card.dtypes
    assert (read.card.dtypes.weights, read.card.dtypes.kv, read.card.quality) == ("bf16", "fp8", None)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("vllm@0.32.0", {"name": "vllm", "version": "0.32.0"}),
        ("vllm@v0.32.0", {"name": "vllm", "version": "0.32.0"}),
        ("vllm == 0.32.0+cpu", {"name": "vllm", "version": "0.32.0+cpu"}),
        ("sglang@835c390", {"name": "sglang", "commit": "835c390"}),
        ("vllm@1234567", {"name": "vllm", "commit": "1234567"}),
        ("vllm", {"name": "vllm"}),
    ],
)
def test_an_engine_at_a_release_is_that_version_and_at_a_commit_that_commit(text: str, found: dict[str, str]) -> None:
    assert engine(text) == found


def test_a_release_written_as_a_commit_is_an_error() -> None:
    read = read_card("engine: {name: vllm, commit: 0.32.0}\n")
    assert any(item.rule == "E-commit" and "engine.version" in item.message for item in read.findings)
