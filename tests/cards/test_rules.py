"""Every rule of a card fires on the card that breaks it, and on no sound card."""

from __future__ import annotations

import json

import pytest
import yaml

from app.cards.completeness import NEEDED, completeness, questions
from app.cards.from_claim import repeat_of
from app.cards.load import read_card
from app.cards.rules import RULES
from app.catalogue.folder import read_catalogue
from app.catalogue.rows import rows
from app.results.answers import answered
from app.settings import Settings
from tests.importers.factories import FIXTURES, fixture

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
    "E-off": ("method: ngram", "method: None"),
    "E-temperature": ("temperature: 0", "temperature: -1"),
    "E-rate": ("concurrency: 1", "concurrency: 1, rate: 0"),
    "E-also": ("quality:", "also: [{axis: ttft, value: 41, unit: ms}, {axis: speed, value: 1, unit: ms}]\nquality:"),
    "E-input-tokens": ("input_tokens: 4096", "input_tokens: 1.024"),
    "E-output-tokens": ("output_tokens: 1024", "output_tokens: -5"),
    "E-accelerator": ("accelerator: H200", "accelerator: 4x H200"),
    "E-layout": ("parallelism: {tp: 4}", "parallelism: TPx"),
    "E-percentile": ("statistic: median", "statistic: P150"),
    "E-spread": ("value: 223.50", "value: 223.50, spread: abc"),
    "E-source": ("quality:", "source: htp://example.org/post\nquality:"),
    "W-release": ("version: 0.33.0", "version: latest"),
    "W-commit": ("version: 0.33.0", "commit: main"),
    "W-revision": ("revision: abc", "revision: main"),
    "W-layout": ("parallelism: {tp: 4}", "parallelism: prefill apart"),
    "W-weights-type": ("weights: bf16", "weights: auto"),
    "W-kv-type": ("kv: bf16", "kv: auto"),
    "W-method": ("method: ngram", "method: on"),
    "W-input-tokens": ("input_tokens: 4096", "input_tokens: as in ShareGPT"),
    "W-output-tokens": ("output_tokens: 1024", "output_tokens: median 1.024"),
    "W-cache-state": ("prefix_cache: cleared", "prefix_cache: abc"),
    "W-statistic": ("statistic: median", "statistic: 5"),
    "W-limit": ("metric: {axis: decode_rate}", "metric: {axis: decode_rate, constraint: fast}"),
    "W-source": ("quality:", "source: not a url\nquality:"),
    "W-outside": ("value: 223.50", "value: 223.50, spread: 870.1 to 875.9"),
    "W-secret": ("launch: {argv: [vllm, serve, m]}", "launch: {argv: [vllm, serve, m, --api-key, abc]}"),
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


# What people write in words, and what tools write, is no slip.
SAID = [
    (
        "workload.input_tokens",
        ["8K", "1M", "444.0", "mean 32.06", "median 142000", "up to 8192", "20000 +-15 %"],
    ),
    (
        "workload.output_tokens",
        ["256, 512 and 256", "at most 200, about 105 came out", "sweep 256 to 9000", "1-2048"],
    ),
    ("parallelism", ["TP8 + EP8", "P/D, decode EP72", "DP attention of 8", "prefill 4 x 2 GPUs, DP + EP", "TP4 PP2"]),
    ("result.spread", ["std 32.969 over 2 runs", "220.1 to 224.9", "95 % bootstrap interval of the median 220 to 225"]),
    (
        "source",
        ["https://example.org/post", "http://127.0.0.1:8000/x", "MLPerf Inference v6.0, closed/HPE"],
    ),
    ("engine.version", ["0.5.14 (custom image)", "nightly-cd10ed6f", "with PR 39674", "0.5.x"]),
    ("engine.commit", ["835c390", "d59c1ddf7", "7322accddbc1d302213342c97d1b516fda209af1"]),
    ("runs.statistic", ["median (P50)", "mean of 10 runs", "whole run"]),
    ("workload.prefix_cache", ["cleared before each run", "92.2 % hit rate", "Off", "warm (96 %)"]),
    ("speculation", ["off", "None", "NO"]),
    ("metric.constraint", ["150 TPS (not defined)", "p90_interactivity > 50 tok/s"]),
    ("launch.env", ["{VLLM_MAX_TOKENS: 5, TOKENIZERS_PARALLELISM: false, HF_TOKEN: ..., OPENAI_API_KEY: $KEY}"]),
]


def saying(path: str, text: str) -> str:
    """The sound card with one value put in."""
    block, _, part = path.partition(".")
    document = yaml.load(SOUND, yaml.BaseLoader)
    value = yaml.load(text, yaml.BaseLoader) if text.startswith("{") else text
    document[block] = {**document.get(block, {}), part: value} if part else value
    return json.dumps(document)


@pytest.mark.parametrize(("path", "text"), [(path, text) for path, texts in SAID for text in texts])
def test_a_value_that_means_one_thing_is_no_finding(path: str, text: str) -> None:
    own = path.partition(".")[0]
    found = {item.rule for item in read_card(saying(path, text)).findings if item.field.startswith(own)}
    assert found <= {"E-gpus", "W-one-run"}


# What reads as another value than was meant, or leads nowhere.
SLIPS = [
    ("workload.input_tokens", ["-5", "1.024", "1,024", "142.000", "0", "1024.5", "1 024", "mean -5"]),
    ("parallelism", ["TPx", "TP", "TP=4", "tp 4", "4", "TP4 EPx"]),
    ("result.spread", ["abc", "875.9 to 870.1"]),
    (
        "source",
        ["www.example.org/post", "example.org/post", "https://", "file:///tmp/x", "https://["],
    ),
    ("runs.statistic", ["P150", "p100"]),
    ("also", ["[{axis: ttft, value: -1, unit: ms}]", "[{axis: ttft, value: 1, unit: tok/s}]"]),
]


@pytest.mark.parametrize(("path", "text"), [(path, text) for path, texts in SLIPS for text in texts])
def test_a_slip_is_an_error_of_its_field(path: str, text: str) -> None:
    written = SOUND + f"also: {text}\n" if path == "also" else saying(path, text)
    own = path.partition(".")[0]
    assert [item for item in read_card(written).errors if item.field.startswith(own)]


def test_what_is_not_known_is_not_filled_in() -> None:
    found = [item for item in read_card(SOUND.replace("bf16, kv", "N/A, kv")).findings if item.rule == "W-unsaid"]
    assert [(item.field, item.message.partition(":")[0]) for item in found] == [("dtypes.weights", "says N/A")]


def test_what_the_catalogue_and_result_files_say_is_refused_by_no_rule() -> None:
    """They may lack what a card needs, and the source may not say how drafts were accepted."""
    sources = [loaded.source for loaded in read_catalogue(Settings().catalogue)]
    begun = [read_card(repeat_of(row)[0]) for source in sources for row in rows(source, sources)]
    imported = [answered(one, {}) for path in FIXTURES for one in fixture(path.name).imported]
    errors = {(item.rule, item.message) for read in (*begun, *imported) for item in read.errors}
    assert {rule for rule, _ in errors if not rule.startswith("E-missing")} == {"E-acceptance"}
