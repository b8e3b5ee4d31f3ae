"""What a reader must mind about a card's number: its findings, and its own words on what it leaves out. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cards.fields import label, sentence
from app.claims.schema import Caveat
from app.language import F_, N_

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.cards.record import CardRecord
    from app.cards.schema import Card
    from app.claims.schema import CaveatKind

TAKEN_BACK = F_("taken back by {by}: {reason}")
LEAVES_OUT = F_("leaves out: {what}")
# Findings that say only that something is missing, gathered into one caveat.
NOT_STATED = {
    "W-load": N_("the load"),
    "W-version": N_("the engine's version"),
    "W-prefix-cache": N_("the prefix cache's state"),
    "W-ignore-eos": N_("ignore_eos"),
    "W-temperature": N_("the temperature"),
    "W-approximations": N_("approximations"),
    "W-command": N_("the launch command"),
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
        yield "retracted", TAKEN_BACK.format(by=record.retraction.by, reason=record.retraction.reason)
    if card.model and card.model.weights == "dummy":
        yield "random_weights", F_("measured on random weights: the output says nothing about the model")
    yield from _forced(card)
    for item in card.excludes or ():
        yield ("prefill_not_counted" if "prefill" in item.casefold() else "scope"), LEAVES_OUT.format(what=item)
    on = [item.name for item in card.approximations or () if item.on]
    if on:
        yield "approximation_on", F_("measured with an approximation on: {names}").format(names=", ".join(on))
    if card.source:
        retells = F_("a published number, recorded by {author}; Benchcard did not check it against {source}")
        yield "other", retells.format(author=record.author, source=card.source)
    for finding in record.revision.findings:
        kind = KINDS.get(finding.rule) or ("method" if finding.rule.startswith("I-") else None)
        if kind:
            yield kind, sentence(finding.field, finding.message)
    missing = [NOT_STATED[finding.rule] for finding in record.revision.findings if finding.rule in NOT_STATED]
    open_choices = [label(finding.field) for finding in record.revision.findings if finding.rule == "W-choice"]
    if missing or open_choices:
        yield "not_stated", F_("not stated: {list}").format(list=", ".join([*missing, *open_choices]))


def _forced(card: Card) -> Iterator[tuple[CaveatKind, str]]:
    spec = card.speculation
    if spec is None or spec.acceptance not in ("simulated", "synthetic"):
        return
    form = F_("acceptance is {said}; real text may give less")
    if spec.accept_length is not None:
        form = F_("acceptance is {said} to {length}; real text may give less")
        if spec.draft_tokens is not None:
            form = F_("acceptance is {said} to {length} of at most {most}; real text may give less")
    drafts = spec.draft_tokens or 0
    yield "simulated_acceptance", form.format(said=spec.acceptance, length=spec.accept_length, most=drafts + 1)


def _sentence(text: str) -> str:
    text = text[0].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else f"{text}."
