"""Cards for tests: complete by default, so that a test states only what it is about."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from app.cards.load import read_card
from app.cards.record import CardRecord, Retraction, Revision

if TYPE_CHECKING:
    from app.cards.schema import Card

NOW = dt.datetime(2026, 11, 29, 12, 0, tzinfo=dt.UTC)
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


def sound(**lines: str | None) -> str:
    """The sound card with its top-level keys replaced or added; None takes one out."""
    kept = [line for line in SOUND.replace(",\n  ", ", ").splitlines() if line.partition(":")[0] not in lines]
    return "\n".join([*kept, *(f"{key}: {value}" for key, value in lines.items() if value is not None)]) + "\n"


def card(text: str = SOUND) -> Card:
    read = read_card(text)
    assert read.card is not None, read.findings
    return read.card


def record(text: str = SOUND, retracted: str | None = None, **fields: Any) -> CardRecord:
    read = read_card(text)
    assert read.card is not None, read.findings
    revision = Revision(1, read.card, read.findings, 1, "Ana", None, NOW)
    retraction = Retraction(NOW, "Ben", retracted) if retracted else None
    around = {"id": "card-1", "newest": 1, "author": "Ana", "owner": "token", "created": NOW}
    return CardRecord(**{**around, "revision": revision, "retraction": retraction, **fields})
