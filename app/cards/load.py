"""Card text (YAML or JSON, which YAML contains) -> card and findings. Pure: no database, no clock."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

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
    from collections.abc import Collection, Iterable

    from app.yaml_tree import Path

MOST_BYTES = 256 * 1024
MOST_VALUES = 10_000
MOST_FINDINGS = 100  # of form; a text with more is no card
TOO_LONG = F_("a card has at most {number} KB of text")
Syntax = Literal["yaml", "json"]
PARSERS = {"yaml": yaml_tree.parse, "json": json_tree.parse}


@dataclass(frozen=True)
class ReadCard:
    """`card` is None where a finding is an error of form; then `rest` is what can be read without it, None where
    nothing can. Findings are sorted by place."""

    card: Card | None
    findings: tuple[Finding, ...]
    document: Document | None = field(default=None, repr=False, compare=False)
    rest: Card | None = None

    @property
    def readable(self) -> Card | None:
        """As much of the card as can be read."""
        return self.card or self.rest

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
    card, wrong = _validated(document)
    if len(document.problems) > MOST_FINDINGS:
        return ReadCard(None, _of_form(document))
    blocks = frozenset(choice.block for choice in still_open)
    judged = [item for item in findings(card, blocks) if not any(_touch(item.field, path) for path in wrong)]
    found = [_at(item, document) for item in judged]
    for choice in still_open:
        message = F_("still lists its choices (`{choices}`); keep one").format(choices=choice.text)
        found.append(Finding("W-choice", "warning", choice.field, message, choice.place))
    found += _of_form(document)
    whole, rest = (None, card) if document.problems else (card, None)
    return ReadCard(whole, tuple(sorted(found, key=_order)), document, rest)


def _validated(document: Document) -> tuple[Card, Collection[str]]:
    """The card without what no card takes, and the fields that were left out so. Each becomes a problem of the
    document, told once where its text was refused already."""
    tree, told = document.data, {problem.path for problem in document.problems}
    wrong = set(told)
    while True:
        try:
            return Card.model_validate(tree), wrong
        except ValidationError as error:
            if wrong == told:  # what comes later only follows from what was left out
                for path, message in islice(explain(error, Card), MOST_FINDINGS + 1):
                    if path_text(path) not in told:
                        document.problem(path, message)
            paths = [tuple(item["loc"]) for item in error.errors(include_url=False, include_context=False)]
        wrong |= {path_text(path) for path in paths}
        tree = _without({_standing(tree, path) for path in paths}, tree, ())


def _standing(tree: Any, path: Path) -> Path:
    """`path`, or what it is missing in."""
    for depth, part in enumerate(path):
        if not isinstance(tree, dict | list) or (isinstance(tree, dict) and part not in tree):
            return path[:depth]
        tree = tree[part]  # type: ignore[index]  # the number of an entry, where it is a list
    return path


def _without(gone: Collection[Path], tree: Any, path: Path) -> Any:
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    kept = {key: _without(gone, inner, (*path, key)) for key, inner in entries if (*path, key) not in gone}
    return kept if isinstance(tree, dict) else [*kept.values()] if isinstance(tree, list) else tree


def _touch(one: str, other: str) -> bool:
    """Whether one path is the other, or stands in it."""
    shorter, longer = sorted((one, other), key=len)
    return bool(shorter) and longer.startswith(shorter) and longer[len(shorter) :][:1] in ("", ".", "[")


def _order(finding: Finding) -> tuple[bool, bool, int, int, str]:
    """By place; what is missing has none, and comes behind the other errors."""
    place, missing = finding.place, finding.rule.startswith("E-missing-")
    return (
        finding.severity != "error",
        missing,
        place.line if place else 0,
        place.column if place else 0,
        finding.rule,
    )


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
