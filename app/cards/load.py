"""Card text (YAML or JSON, which YAML contains) -> card and findings. Pure: no database, no clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from app.cards.rules import Finding, findings
from app.cards.schema import Card
from app.cards.short import expand
from app.yaml_tree import Document, explain, parse

if TYPE_CHECKING:
    from app.yaml_tree import Place

MOST_BYTES = 256 * 1024


@dataclass(frozen=True)
class ReadCard:
    """`card` is None where a finding is an error of form; findings are sorted by place."""

    card: Card | None
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "error")


def read_card(text: str, file: str = "card") -> ReadCard:
    """Every problem of form and every broken rule at once, each with its line and column."""
    if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        return ReadCard(None, (_form("", f"a card has at most {MOST_BYTES // 1024} KB of text"),))
    document = parse(text, file)
    if not isinstance(document.data, dict):
        if not document.problems:
            document.problem((), "a card is a mapping: one `key: value` a line")
        return ReadCard(None, _of_form(document))
    still_open = expand(document)
    try:
        card = Card.model_validate(document.data)
    except ValidationError as error:
        for path, message in explain(error, Card):
            document.problem(path, message)
        return ReadCard(None, _of_form(document))
    if document.problems:
        return ReadCard(None, _of_form(document))
    blocks = frozenset(choice.block for choice in still_open)
    found = [_at(finding, document) for finding in findings(card, blocks)]
    for choice in still_open:
        message = f"still lists its choices (`{choice.text}`); keep one"
        found.append(Finding("W-choice", "warning", choice.field, message, choice.place))
    return ReadCard(card, tuple(sorted(found, key=_order)))


def _order(finding: Finding) -> tuple[bool, int, int, str]:
    place = finding.place
    return (finding.severity != "error", place.line if place else 0, place.column if place else 0, finding.rule)


def _of_form(document: Document) -> tuple[Finding, ...]:
    return tuple(_form(problem.path, problem.message, problem.place) for problem in sorted(document.problems))


def _form(field: str, message: str, place: Place | None = None) -> Finding:
    return Finding("E-form", "error", field, message, place)


def _at(finding: Finding, document: Document) -> Finding:
    return Finding(
        finding.rule, finding.severity, finding.field, finding.message, document.place(tuple(finding.field.split(".")))
    )
