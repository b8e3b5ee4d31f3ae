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
from app.language import N_, _, ngettext
from app.retold import retold
from app.web.card_contexts import BlockPart, Example, FieldLine, RuleLine, SchemaPage
from app.web.card_page import SEVERITIES, judged
from app.web.contexts import Fact, Shell
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

ABOUT = N_(
    "Every field of a bench card, its type, unit and short forms, every rule that judges a card, and example cards."
)
EXAMPLES = {
    "long": (N_("A card in full"), LONG),
    "short": (N_("The same kind of card in its short forms"), FILLED),
    "template": (N_("An article's template, as printed: the choices are still open"), SHORT),
}


def schema_page() -> SchemaPage:
    return SchemaPage(
        shell=Shell(_("Card schema"), _(ABOUT), "/cards"),
        blocks=tuple(_blocks()),
        moved=tuple(
            Fact(
                key, _("short for {field}: {forms}").format(field=f"{block}.{part}", forms=", ".join(SHORT_FORMS[key]))
            )
            for key, (block, part) in MOVED.items()
        ),
        rules=tuple(
            RuleLine(rule.id, rule.severity, _(SEVERITIES[rule.severity]), rule.field, _(rule.says))
            for rule in (*RULES, *ELSEWHERE)
        ),
        needed=tuple(Fact(need.field, _(need.question)) for need in NEEDED),
        examples=tuple(_example(key, _(heading), text) for key, (heading, text) in EXAMPLES.items()),
    )


def _blocks() -> Iterator[BlockPart]:
    lines: dict[str, list[FieldLine]] = {name: [] for name in Card.model_fields}
    for path, kind, always in leaves():
        doc = FIELDS[path]
        block = path.partition(".")[0].removesuffix("[]")
        lines[block].append(
            FieldLine(path, _kind(kind), always and "." in path, _(doc.unit), plain(_(doc.says)), doc.example)
        )
    single = [line for block, fields in lines.items() for line in fields if line.path == block]
    for block, fields in lines.items():
        if fields[0].path != block or block in SHORT_FORMS:
            yield BlockPart(block, SHORT_FORMS.get(block, ()), tuple(fields))
    yield BlockPart(_("single lines"), (), tuple(line for line in single if line.path not in SHORT_FORMS))


def _kind(text: str) -> str:
    """The values of a choice (`real | dummy`) are what is written, in every language."""
    return retold(text) or _(text)


def _example(key: str, heading: str, text: str) -> Example:
    read = read_card(text)
    count = len(read.findings)
    warned = ngettext("It is taken, with {n} warning.", "It is taken, with {n} warnings.", count).format(n=count)
    verdict = warned if count else _("It is taken.")
    return Example(f"example-{key}", heading, text, verdict, tuple(judged(item) for item in read.findings))
