"""Card text (YAML or JSON, which YAML contains) -> card and findings. Pure: no database, no clock."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from pydantic import ValidationError

from app import json_tree, yaml_tree
from app.cards.edit import NO_MAPPING
from app.cards.rules import Finding, findings
from app.cards.schema import Card
from app.cards.short import expand
from app.cards.text import clean
from app.language import F_, in_english
from app.yaml_tree import Document, Place, explain, path_text

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_BYTES = 256 * 1024
MOST_VALUES = 10_000
MOST_FINDINGS = 100  # of form; a text with more is no card
TOO_LONG = F_("a card has at most {number} KB of text")
Syntax = Literal["yaml", "json"]
PARSERS = {"yaml": yaml_tree.parse, "json": json_tree.parse}


@dataclass(frozen=True)
class ReadCard:
    """`card` is None where a finding is an error of form; findings are sorted by place."""

    card: Card | None
    findings: tuple[Finding, ...]
    document: Document | None = field(default=None, repr=False, compare=False)

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "error")

    def adding(self, found: Iterable[Finding]) -> ReadCard:
        """The same card with findings of others (app.cards.queries), each set to its place in the text."""
        placed = [_at(finding, self.document) if self.document else finding for finding in found]
        return replace(self, findings=tuple(sorted([*self.findings, *placed], key=_order)))


def decode(data: bytes) -> str | Finding:
    """The text of a file or a request; a finding with the place of the first byte that is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        column = len(data[start : error.start].decode("utf-8", "replace")) + 1
        place = Place(data.count(b"\n", 0, error.start) + 1, column)
        return _form("", F_("this byte is not UTF-8; save the text as UTF-8"), place)


def read_bytes(data: bytes, file: str = "card", syntax: Syntax = "yaml") -> ReadCard:
    """`read_card` for what comes from outside."""
    text = decode(data)
    return ReadCard(None, (text,)) if isinstance(text, Finding) else read_card(text, file, syntax)


@in_english
def read_card(text: str, file: str = "card", syntax: Syntax = "yaml") -> ReadCard:
    """Every problem of form and every broken rule at once, each with its line and column.

    `syntax` "json" is for scripts: the same keys and rules, read by JSON's own grammar.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        return ReadCard(None, (_form("", TOO_LONG.format(number=MOST_BYTES // 1024)),))
    document = PARSERS[syntax](text, file)
    if not isinstance(document.data, dict):
        if not document.problems:
            document.problem((), NO_MAPPING if syntax == "yaml" else F_("a card is a mapping: an object in braces"))
        return ReadCard(None, _of_form(document))
    if len(document.places) > MOST_VALUES:
        many = F_("holds more than {number} values; a card records one measurement")
        document.problem((), many.format(number=MOST_VALUES))
        return ReadCard(None, _of_form(document))
    clean(document)
    still_open = expand(document)
    try:
        card = Card.model_validate(document.data)
    except ValidationError as error:
        told = {problem.path for problem in document.problems}  # a text that was refused leaves a gap: told once
        for path, message in islice(explain(error, Card), MOST_FINDINGS + 1):
            if path_text(path) not in told:
                document.problem(path, message)
        return ReadCard(None, _of_form(document))
    if document.problems:
        return ReadCard(None, _of_form(document))
    blocks = frozenset(choice.block for choice in still_open)
    found = [_at(finding, document) for finding in findings(card, blocks)]
    for choice in still_open:
        message = F_("still lists its choices (`{choices}`); keep one").format(choices=choice.text)
        found.append(Finding("W-choice", "warning", choice.field, message, choice.place))
    return ReadCard(card, tuple(sorted(found, key=_order)), document)


def _order(finding: Finding) -> tuple[bool, int, int, str]:
    place = finding.place
    return (finding.severity != "error", place.line if place else 0, place.column if place else 0, finding.rule)


def _of_form(document: Document) -> tuple[Finding, ...]:
    problems = sorted(document.problems)
    found = [_form(problem.path, problem.message, problem.place) for problem in problems[:MOST_FINDINGS]]
    if len(problems) > MOST_FINDINGS:
        more = F_("and more: only the first {number} problems are listed").format(number=MOST_FINDINGS)
        found.append(_form("", more, problems[-1].place))
    return tuple(found)


def _form(field: str, message: str, place: Place | None = None) -> Finding:
    return Finding("E-form", "error", field, message, place)


def _at(finding: Finding, document: Document) -> Finding:
    return Finding(
        finding.rule, finding.severity, finding.field, finding.message, document.place(tuple(finding.field.split(".")))
    )
