"""The card's schema and rules -> their documentation. Pure: what the page says is what the validator does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cards.completeness import NEEDED
from app.cards.examples import FILLED, LONG, SHORT
from app.cards.fields import FIELDS, SHORT_FORMS, leaves
from app.cards.load import read_card
from app.cards.rules import ELSEWHERE, RULES
from app.cards.schema import Card
from app.cards.short import MOVED
from app.protocol.english import counted
from app.web.card_contexts import BlockPart, Example, FieldLine, RuleLine, SchemaPage
from app.web.card_page import judged
from app.web.contexts import Fact, Shell
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

ABOUT = "Every field of a bench card, its type, unit and short forms, every rule that judges a card, and example cards."
EXAMPLES = {
    "long": ("A card in full", LONG),
    "short": ("The same kind of card in its short forms", FILLED),
    "template": ("An article's template, as printed: the choices are still open", SHORT),
}


def schema_page() -> SchemaPage:
    return SchemaPage(
        shell=Shell("Card schema", ABOUT, "/cards"),
        blocks=tuple(_blocks()),
        moved=tuple(
            Fact(key, f"short for {block}.{part}: {', '.join(SHORT_FORMS[key])}")
            for key, (block, part) in MOVED.items()
        ),
        rules=tuple(RuleLine(rule.id, rule.severity, rule.field, rule.says) for rule in (*RULES, *ELSEWHERE)),
        needed=tuple(Fact(need.field, need.question) for need in NEEDED),
        examples=tuple(_example(key, heading, text) for key, (heading, text) in EXAMPLES.items()),
    )


def _blocks() -> Iterator[BlockPart]:
    lines: dict[str, list[FieldLine]] = {name: [] for name in Card.model_fields}
    for path, kind, always in leaves():
        doc = FIELDS[path]
        block = path.partition(".")[0].removesuffix("[]")
        lines[block].append(FieldLine(path, kind, always and "." in path, doc.unit, plain(doc.says), doc.example))
    single = [line for block, fields in lines.items() for line in fields if line.path == block]
    for block, fields in lines.items():
        if fields[0].path != block or block in SHORT_FORMS:
            yield BlockPart(block, SHORT_FORMS.get(block, ()), tuple(fields))
    yield BlockPart("single lines", (), tuple(line for line in single if line.path not in SHORT_FORMS))


def _example(key: str, heading: str, text: str) -> Example:
    read = read_card(text)
    count = len(read.findings)
    verdict = "It is taken" + (f", with {counted(count, 'warning')}." if count else ".")
    return Example(f"example-{key}", heading, text, verdict, tuple(judged(item) for item in read.findings))
