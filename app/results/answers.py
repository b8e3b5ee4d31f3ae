"""What a person says of a file's measurements that the file does not, put into its cards. Pure."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.cards.load import read_card
from app.cards.rules import Finding
from app.cards.short import FORMS, parallelism
from app.language import F_

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.cards.load import ReadCard
    from app.results.importers import Imported


def answered(imported: Imported, answers: Mapping[str, str]) -> ReadCard:
    """The card with each answer in the field that it names (`engine.version`), where the file states none there.

    The card is read like any other, so an answer may use the short forms, and a bad one is a finding. What the
    importer warned of stays with the card as findings `I-...`.
    """
    tree = imported.card.model_dump(mode="json", exclude_none=True)
    problems = [finding for field, text in answers.items() if text.strip() and (finding := _put(tree, field, text))]
    read = read_card(json.dumps(tree), "card", "json")
    found = [
        *problems,
        *(replace(finding, place=None) for finding in read.findings),  # a place in a text that nobody typed
        *(Finding(f"I-{said.trap}", "warning", said.field, said.message) for said in imported.warnings),
    ]
    return replace(read, findings=tuple(sorted(found, key=lambda finding: finding.severity)), document=None)


def states(imported: Imported, field: str, text: str) -> bool:
    """Whether the file itself says all that this answer could: a field, or each that a short form stands for."""
    block, _, part = field.partition(".")
    held = getattr(imported.card, block, None)
    said = FORMS[field](text) if field in FORMS else None
    if held is not None and isinstance(said, dict):
        return all(getattr(held, name, None) is not None for name in said)
    return (getattr(held, part, None) if part else held) is not None


def _put(tree: dict[str, Any], field: str, text: str) -> Finding | None:
    block, _, part = field.partition(".")
    text = text.strip()
    if field == "launch.argv":
        try:
            _fill(tree, block, {part: shlex.split(text)})
        except ValueError as error:
            return Finding("E-form", "error", field, F_("is no command line: {why}").format(why=str(error).lower()))
    elif field == "parallelism.tp" and not text.isdigit():
        _fill(tree, block, parallelism(text))
    elif part:
        _fill(tree, block, {part: text})
    else:
        said = FORMS[field](text) if field in FORMS else text
        if isinstance(said, dict):
            _fill(tree, block, said)
        else:
            tree.setdefault(block, said)
    return None


def _fill(tree: dict[str, Any], block: str, said: dict[str, Any]) -> None:
    """What the file states stands."""
    held = tree.setdefault(block, {})
    if isinstance(held, dict):
        for part, value in said.items():
            held.setdefault(part, value)
