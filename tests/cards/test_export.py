"""Exporting a card gives YAML that reads back as the same card, byte for byte after one normalisation."""

from __future__ import annotations

import unicodedata
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.cards.export import to_yaml
from app.cards.load import read_card
from app.cards.schema import Card

texts = (
    st.text(
        st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t"), min_size=1, max_size=30
    )
    .map(lambda text: unicodedata.normalize("NFC", text))
    .filter(lambda text: text.strip() == text and " | " not in text and "\t|" not in text)
)
sane = st.decimals(0, 10**12, allow_nan=False, allow_infinity=False, places=4)
counts = st.integers(1, 10**6)


def block(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


variables = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,9}", fullmatch=True)
cards = block(
    engine=block(name=texts, version=texts, commit=texts),
    model=block(id=texts, weights=st.sampled_from(["real", "dummy"])),
    hardware=block(accelerator=texts, count=counts, host=texts),
    parallelism=block(tp=counts, ep=counts, dp_attention=st.booleans(), note=texts),
    approximations=st.lists(st.fixed_dictionaries({"name": texts, "on": st.booleans()}), max_size=3),
    workload=block(
        input_tokens=texts, seed=st.integers(-(2**63), 2**63 - 1), temperature=sane, ignore_eos=st.booleans()
    ),
    result=st.fixed_dictionaries({"value": sane, "unit": texts}),
    excludes=st.lists(texts, max_size=3),
    launch=block(argv=st.lists(texts, max_size=4), env=st.dictionaries(variables, texts | st.just(""), max_size=3)),
    note=texts,
)


@settings(max_examples=300)
@given(cards, texts)
def test_yaml_of_a_card_reads_back_as_that_card_and_writes_the_same_bytes(fields: dict[str, Any], title: str) -> None:
    card = Card.model_validate({**fields, "title": title})
    once = to_yaml(card)
    read = read_card(once)
    assert read.card is not None, (once, read.findings)
    assert to_yaml(read.card) == once
    assert read.card.model_dump(exclude_none=True, exclude_defaults=True) == card.model_dump(
        exclude_none=True, exclude_defaults=True
    )


def test_a_short_card_is_written_out_in_full() -> None:
    read = read_card("hardware: 4x GB300\nparallelism: DEP2\nspeculation: off\n")
    assert read.card
    assert to_yaml(read.card) == (
        "hardware:\n  accelerator: GB300\n  count: 4\n"
        "parallelism:\n  dp: 2\n  ep: 2\n  dp_attention: true\n"
        "speculation:\n  method: off\n"
    )


def test_text_that_would_read_back_as_something_else_is_quoted() -> None:
    text = to_yaml(Card.model_validate({"title": "null", "note": "a: b # c", "source": "- x"}))
    assert text == 'title: "null"\nsource: "- x"\nnote: "a: b # c"\n'


def test_a_card_that_states_nothing_reads_back_too() -> None:
    assert to_yaml(Card()) == "{}\n"
    assert read_card("{}\n").card == Card()
