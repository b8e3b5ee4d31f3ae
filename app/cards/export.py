"""A card as the YAML that people read: one spelling for every card, so that a second export gives the same bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.cards.schema import Card

PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/+@%()<>=^-]*")
READ_AS_NOTHING = {"null", "Null", "NULL", "~"}


def to_yaml(card: Card) -> str:
    """The card in the schema's key order, without the fields that are not stated."""
    return tree_to_yaml(card.model_dump(mode="json", exclude_none=True)) or "{}\n"


def tree_to_yaml(tree: dict[str, Any]) -> str:
    """A mapping without nulls in block style; "" for an empty one."""
    return "".join(_lines(tree, 0))


def flow(value: Any) -> str:
    """A value on one line, as YAML's braces and brackets write it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key)}: {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return "null" if value is None else scalar(value)


def _lines(block: dict[str, Any], depth: int) -> list[str]:
    lines = []
    for key, value in block.items():
        lead = "  " * depth + f"{scalar(key)}:"
        if isinstance(value, dict):
            inner = _lines(value, depth + 1)
            lines += [f"{lead}\n", *inner] if inner else [f"{lead} {{}}\n"]
        elif isinstance(value, list):
            lines += [f"{lead}\n", *_items(value, depth + 1)] if value else [f"{lead} []\n"]
        else:
            lines.append(f"{lead} {scalar(value)}\n")
    return lines


def _items(items: list[Any], depth: int) -> list[str]:
    lines = []
    for item in items:
        if isinstance(item, dict):
            inner = _lines(item, depth + 1)
            first = inner[0].lstrip()
            lines += ["  " * depth + f"- {first}", *inner[1:]]
        else:
            lines.append("  " * depth + f"- {scalar(item)}\n")
    return lines


def scalar(value: Any) -> str:
    """One value, in quotes where it would be read as something else without."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    if PLAIN.fullmatch(text) and text not in READ_AS_NOTHING and not text.endswith(" ") and " | " not in text:
        return text
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char == "\n":
        return "\\n"
    code = ord(char)
    if code < 32 or code in (0x7F, 0x85, 0xA0, 0x2028, 0x2029, 0xFEFF) or 0x80 <= code < 0xA0:
        return f"\\u{code:04x}"
    return char
