"""What a reader must mind about a card's number: its findings, and its own words on what it leaves out. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cards.fields import label, sentence
from app.claims.schema import Caveat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.cards.record import CardRecord
    from app.cards.schema import Card
    from app.claims.schema import CaveatKind

# Findings that say only that something is missing, gathered into one caveat.
NOT_STATED = {
    "W-load": "the load",
    "W-version": "the engine's version",
    "W-prefix-cache": "the prefix cache's state",
    "W-ignore-eos": "ignore_eos",
    "W-temperature": "the temperature",
    "W-approximations": "approximations",
    "W-command": "the launch command",
}
KINDS: dict[str, CaveatKind] = {
    "W-quality": "quality_not_checked",
    "W-one-run": "one_run",
    "W-warm-cache": "cached_tokens_counted",
    "W-random-acceptance": "random_prompt",
    "W-golden": "method",
    "W-output-length": "method",
    "W-repeats": "method",
}


def caveats(record: CardRecord) -> tuple[Caveat, ...]:
    """Every caveat of the card's newest revision, the gravest first."""
    return tuple(Caveat(kind=kind, text=_sentence(text)) for kind, text in _said(record))


def _said(record: CardRecord) -> Iterator[tuple[CaveatKind, str]]:
    card = record.card
    if record.retraction:
        yield "retracted", f"taken back by {record.retraction.by}: {record.retraction.reason}"
    if card.model and card.model.weights == "dummy":
        yield "random_weights", "measured on random weights: the output says nothing about the model"
    yield from _forced(card)
    for item in card.excludes or ():
        yield ("prefill_not_counted" if "prefill" in item.casefold() else "scope"), f"leaves out: {item}"
    on = [item.name for item in card.approximations or () if item.on]
    if on:
        yield "approximation_on", f"measured with an approximation on: {', '.join(on)}"
    if card.source:
        text = f"a published number, recorded by {record.author}; Benchcard did not check it against {card.source}"
        yield "other", text
    for finding in record.revision.findings:
        kind = KINDS.get(finding.rule) or ("method" if finding.rule.startswith("I-") else None)
        if kind:
            yield kind, sentence(finding.field, finding.message)
    missing = [NOT_STATED[finding.rule] for finding in record.revision.findings if finding.rule in NOT_STATED]
    open_choices = [label(finding.field) for finding in record.revision.findings if finding.rule == "W-choice"]
    if missing or open_choices:
        yield "not_stated", f"not stated: {', '.join([*missing, *open_choices])}"


def _forced(card: Card) -> Iterator[tuple[CaveatKind, str]]:
    spec = card.speculation
    if spec is None or spec.acceptance not in ("simulated", "synthetic"):
        return
    length = f" to {spec.accept_length}" if spec.accept_length is not None else ""
    ceiling = f" of at most {spec.draft_tokens + 1}" if length and spec.draft_tokens is not None else ""
    yield "simulated_acceptance", f"acceptance is {spec.acceptance}{length}{ceiling}; real text may give less"


def _sentence(text: str) -> str:
    text = text[0].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else f"{text}."
