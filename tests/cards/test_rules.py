"""Every rule of a card fires on the card that breaks it, and on no sound card."""

from __future__ import annotations

import pytest

from app.cards.completeness import NEEDED, completeness, questions
from app.cards.load import read_card
from app.cards.rules import RULES

SOUND = """\
engine: {name: vllm, version: 0.33.0}
model: {id: meta-llama/Llama-3.1-8B, revision: abc, weights: real}
hardware: {accelerator: H200, count: 4}
parallelism: {tp: 4}
dtypes: {weights: bf16, kv: bf16}
speculation: {method: ngram, draft_tokens: 5, acceptance: measured, accept_length: 2.5}
approximations: none
workload: {input_tokens: 4096, output_tokens: 1024, dataset: ShareGPT, seed: 42, chat_template: true,
  temperature: 0, ignore_eos: true, prefix_cache: cleared, concurrency: 1}
runs: {count: 6, warmup_discarded: 1, statistic: median}
metric: {axis: decode_rate}
result: {value: 223.50, unit: tok/s}
quality: {checked: yes, how: GSM8K}
launch: {argv: [vllm, serve, m]}
"""


def broken(text: str) -> set[str]:
    return {finding.rule for finding in read_card(text).findings}


def test_a_sound_card_breaks_no_rule_and_lacks_nothing() -> None:
    read = read_card(SOUND)
    assert read.findings == ()
    assert read.card
    assert completeness(read.card) == 100
    assert questions(read.card) == ()


BREAKS = {
    "E-missing-engine": ("engine: {name: vllm, version: 0.33.0}\n", ""),
    "E-missing-model": ("model: {id: meta-llama/Llama-3.1-8B, revision: abc, weights: real}\n", ""),
    "E-missing-hardware": ("hardware: {accelerator: H200, count: 4}\n", ""),
    "E-missing-metric": ("metric: {axis: decode_rate}\n", ""),
    "E-missing-workload": ("workload: {", "note: {"),
    "E-gpus": ("parallelism: {tp: 4}", "parallelism: {tp: 4, pp: 2}"),
    "E-accept-length": ("accept_length: 2.5", "accept_length: 6.01"),
    "E-acceptance": ("acceptance: measured, ", ""),
    "E-axis": ("axis: decode_rate", "axis: speed"),
    "E-unit": ("unit: tok/s", "unit: ms"),
    "E-tail": ("statistic: median", "statistic: P90"),
    "E-runs": ("count: 6", "count: 0"),
    "E-negative": ("value: 223.50", "value: -1"),
    "W-load": (", concurrency: 1", ""),
    "E-commit": (", version: 0.33.0", ", version: 0.33.0, commit: 0.33.0"),
    "W-version": (", version: 0.33.0", ""),
    "W-one-run": ("count: 6", "count: 1"),
    "W-prefix-cache": (", prefix_cache: cleared", ""),
    "W-warm-cache": ("prefix_cache: cleared", "prefix_cache: warm"),
    "W-random-acceptance": (
        "dataset: ShareGPT, seed: 42, chat_template: true",
        "dataset: random ids, seed: 42, chat_template: false",
    ),
    "W-golden": (
        "speculation: {method: ngram, draft_tokens: 5, acceptance: measured, accept_length: 2.5}",
        "speculation: {method: dspark, draft_tokens: 5, acceptance: simulated, accept_length: 5.5}",
    ),
    "W-approximations": ("approximations: none\n", ""),
    "W-quality": ("checked: yes", "checked: no"),
    "W-excludes": ("metric: {axis: decode_rate}", "metric: {axis: output_throughput}\nexcludes: [full prefill]"),
    "W-output-length": ("ignore_eos: true", "ignore_eos: false"),
    "W-ignore-eos": ("ignore_eos: true, ", ""),
    "W-temperature": ("temperature: 0, ", ""),
    "W-command": ("launch: {argv: [vllm, serve, m]}\n", ""),
}


def breaking(rule: str) -> str:
    """The sound card with that change which breaks one rule."""
    if rule == "E-missing-workload":
        start, end = SOUND.index("workload: {"), SOUND.index("runs: {")
        return SOUND[:start] + SOUND[end:]
    text = SOUND.replace(*BREAKS[rule])
    return text.replace("meta-llama/Llama-3.1-8B", "deepseek-ai/DeepSeek-V4.1-Flash") if rule == "W-golden" else text


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_each_rule_fires_on_the_card_that_breaks_it(rule: str) -> None:
    text = breaking(rule)
    assert text != SOUND
    assert rule in broken(text)


@pytest.mark.parametrize(
    ("layout", "count"),
    [
        ("{tp: 4}", 4),
        ("{tp: 2, pp: 2}", 4),
        ("{tp: 2, dp: 2}", 4),
        ("{dp: 2, ep: 2, dp_attention: true}", 2),
        ("{ep: 4}", 4),
    ],
)
def test_gpu_counts_that_fit_their_parallelism_are_no_finding(layout: str, count: int) -> None:
    text = SOUND.replace("{tp: 4}", layout).replace("count: 4", f"count: {count}")
    assert "E-gpus" not in broken(text)


def test_every_field_that_is_not_stated_becomes_a_question() -> None:
    read = read_card("note: nothing else\n")
    assert read.card
    assert questions(read.card) == NEEDED
    assert completeness(read.card) == 0
