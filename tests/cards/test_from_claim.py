"""A card that begins as a repeat of a published claim: the claim's conditions, and no result."""

from __future__ import annotations

import pytest

from app.cards.from_claim import parallelism, repeat_of
from app.cards.load import read_card
from app.catalogue.load import load_catalogue
from app.catalogue.rows import rows
from app.settings import Settings
from tests.compare.factories import FORCED, row

MISSING = {"E-missing-engine", "E-missing-model", "E-missing-hardware", "E-missing-workload", "E-acceptance"}


def test_conditions_are_taken_over_and_the_result_is_left_to_who_measures() -> None:
    text, left_out = repeat_of(row(id="claim-1", **FORCED))
    card = read_card(text).card
    assert card is not None
    assert (card.repeats, card.result, card.metric and card.metric.axis) == ("claim-1", None, "decode_rate")
    assert card.speculation is not None
    assert (card.speculation.acceptance, str(card.speculation.accept_length)) == ("simulated", "5.5")
    assert "execution: CUDA graph" in left_out


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("TP8", {"tp": "8"}),
        ("DEP2", {"dp": "2", "ep": "2", "dp_attention": "true"}),
        ("attention TP4, MoE EP4", {"tp": "4", "ep": "4"}),
        ("attention TP4, MoE TP4", {"tp": "4", "ep": "1"}),
        ("attention DP8, MoE EP16", {"dp": "8", "ep": "16", "dp_attention": "true"}),
        ("TP8 + DP2", {"tp": "8", "dp": "2"}),
        ("attention TP8, MoE TP4", {"note": "attention TP8, MoE TP4"}),
        ("prefill TP2, decode DEP8", {"note": "prefill TP2, decode DEP8"}),
        (None, {}),
    ],
)
def test_a_spelling_becomes_sizes_only_where_they_give_it_again(text: str, sizes: dict[str, str]) -> None:
    assert parallelism(text, "DeepSeek-V4.1-Flash") == sizes


def test_what_a_card_cannot_hold_is_named() -> None:
    given = {"conditions.load": {"concurrency": "16 to 64"}, "conditions.client": "AIPerf"}
    text, left_out = repeat_of(row(**given))
    assert "concurrency" not in text
    assert "concurrency: 16 to 64" in left_out
    assert "tool: AIPerf" in text


def test_every_shipped_claim_makes_a_card_that_lacks_only_what_its_source_does_not_state() -> None:
    files = [(path.name, path.read_text()) for path in sorted(Settings().catalogue.glob("*.yaml"))]
    sources = [loaded.source for loaded in load_catalogue(files)]
    wrong = {}
    for source in sources:
        for claim in rows(source, sources):
            read = read_card(repeat_of(claim)[0])
            errors = [item for item in read.errors if item.rule not in MISSING]
            if errors:
                wrong[claim.id] = errors
    assert not wrong
