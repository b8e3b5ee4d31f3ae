"""Two revisions of a card, field by field, in words that people read. Pure."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from app.cards.schema import Card
from app.claims.words import axis_name, fact_words
from app.language import as_number


@dataclass(frozen=True)
class Change:
    """One field whose statement changed; None stands for "not stated"."""

    field: str
    before: str | None
    after: str | None


def diff(old: Card, new: Card) -> tuple[Change, ...]:
    """Every field that differs, in the schema's order; numbers count as written, so 1.0 to 1.00 is a change."""
    before, after = statements(old), statements(new)
    order = _order(before, after)
    return tuple(
        Change(name, before.get(name), after.get(name)) for name in order if before.get(name) != after.get(name)
    )


def _order(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """The names of both in the schema's order of blocks; within a block those of the new card come first."""
    blocks: dict[str, list[str]] = {}
    for name in dict.fromkeys((*after, *before)):
        blocks.setdefault(name.partition(".")[0], []).append(name)
    return [name for block in Card.model_fields for name in blocks.get(block, ())]


def statements(card: Card) -> dict[str, str]:
    """Dotted name -> text of everything that the card states; a list is one text."""
    found: dict[str, str] = {}
    _collect(card.model_dump(mode="json", exclude_none=True), "", found)
    return found


def _collect(block: dict[str, Any], prefix: str, found: dict[str, str]) -> None:
    for key, value in block.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            _collect(value, f"{name}.", found)
        elif isinstance(value, list):
            found[name] = _listed(name, value)
        else:
            found[name] = fact_words(name, _text(value))


def _listed(name: str, items: list[Any]) -> str:
    if not items:
        return "none"
    if name == "launch.argv":
        return shlex.join(items)
    if name == "also":
        return "; ".join(f"{axis_name(item['axis'])}: {_item(_without_axis(item))}" for item in items)
    return ", ".join(_item(item) for item in items)


def _without_axis(figure: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in figure.items() if name != "axis"} | {"value": as_number(figure["value"])}


def _item(item: Any) -> str:
    """`swa-bounded-replay on`, `median 41.2 ms`: an entry of a list in one phrase."""
    if not isinstance(item, dict):
        return _text(item)
    return " ".join(("on" if value else "off") if isinstance(value, bool) else str(value) for value in item.values())


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
