"""Sentences that are kept in English are said again in the reader's language, each with what stood in its places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.cards.caveats import caveats
from app.cards.load import read_card
from app.cards.rules import RULES
from app.language import ENGLISH, speaking
from app.locale import languages
from app.retold import retold
from tests.cards.factories import record, sound
from tests.cards.test_rules import BREAKS, breaking

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def indonesian() -> Iterator[None]:
    with speaking(languages()["id"]):
        yield


@pytest.mark.parametrize("rule", [rule.id for rule in RULES])
def test_every_rules_finding_is_said_again(rule: str) -> None:
    found = [finding for finding in read_card(breaking(rule)).findings if finding.rule == rule]
    assert found
    for finding in found:
        said = retold(finding.message)
        assert said is not None, finding.message
        assert said != finding.message


def test_findings_are_english_whoever_asks() -> None:
    texts = [*(breaking(rule) for rule in BREAKS), *WRONG]
    told = [read_card(text).findings for text in texts]
    with speaking(ENGLISH):
        assert told == [read_card(text).findings for text in texts]


WRONG = {
    "concurrency: 1": "bukan kunci yang dikenal; mungkin maksud Anda `workload.concurrency`?",
    "hardware: {count: 2.5}": "di sini seharusnya bilangan bulat, yang diterima `2.5`",
    "engine: {nam: vllm}": "bukan kunci yang dikenal; mungkin maksud Anda `name`?",
    "runs: {count: x}": "bukan angka (tulis dengan titik desimal, tanpa pemisah ribuan), yang diterima `x`",
    "hardware: {count: 0}": "harus paling sedikit 1, yang diterima `0`",
    "engine: {name: ''}": "harus berisi 1 karakter atau lebih, yang diterima ``",
    "raw: [{name: a, sha256: b}]": "diharapkan SHA-256: 64 digit heksadesimal, 0 sampai 9 dan a sampai f, seperti yang "
    "dicetak `sha256sum`, yang diterima `b`",
    "metric: Decode Rate": "diharapkan kunci sebuah sumbu, seperti decode_rate; daftarnya di /axes, yang diterima "
    "`Decode Rate`",
    "engine: n/a": "berbunyi n/a: kosongkan, artinya tidak disebutkan",
    "- 1": "kartu adalah mapping: satu `key: value` per baris",
    "engine: {name: vllm}\nengine: {name: vllm}": "`engine` ada dua kali; sisakan satu",
    "note: !x 1": "tag (!x) tidak diterima; hapus",
    "quality: {checked: perhaps}": "diharapkan true atau false, yang diterima `perhaps`",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_with_the_form_of_a_card_is_said_again(text: str) -> None:
    assert WRONG[text] in [retold(finding.message) for finding in read_card(text).findings]


OWN = sound(
    speculation="{method: dspark, draft_tokens: 5, acceptance: simulated, accept_length: 5.5}",
    model="{id: a, weights: dummy}",
    approximations="swa on",
    excludes="[full prefill]",
    source="https://example.org/",
    runs="1 | 6",
)


@pytest.mark.parametrize("text", [*(breaking(rule) for rule in BREAKS), OWN])
def test_every_caveat_of_a_card_is_said_again(text: str) -> None:
    for caveat in caveats(record(text, "a mistake")):
        assert retold(caveat.text) not in (None, caveat.text), caveat.text


def test_a_count_a_name_and_alternatives_follow() -> None:
    assert (
        retold("needs 4 or 8 GPUs, but the card says 1 GPU") == "memerlukan 4 atau 8 GPU, tetapi kartu menyebut 1 GPU"
    )
    assert retold("Acceptance length is 6.01, above its ceiling: 5 draft tokens + 1.") == (
        "Acceptance length adalah 6.01, di atas batas atasnya: 5 token draft + 1."
    )


def test_what_nobody_made_from_a_form_is_left_alone() -> None:
    assert retold("a sentence of somebody's own") is None
    assert retold("acceptance is excellent; real text may give less") is None  # `excellent` is no word of ours


def test_a_sentence_longer_than_any_of_ours_is_left_alone() -> None:
    """To find a form in it could take minutes."""
    (told,) = (finding.message for finding in read_card("runs: {count: x}").findings if "`x`" in finding.message)
    assert retold(told.replace("`x`", f"`{'x' * 100}`")) is not None
    assert retold(told.replace("`x`", f"`{'x' * 3000}`")) is None
