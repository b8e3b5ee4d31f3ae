"""Pairs of claims that people set against each other: the shipped list, read once. Pure but for the reading."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.catalogue.texts import read_list
from app.claims.schema import Fact, Slug, Text
from app.errors import CatalogueError

if TYPE_CHECKING:
    from app.catalogue.check import Known
    from app.yaml_tree import Document

FILE = Path(__file__).with_name("pairs.yaml")


class Pair(Fact):
    """Two claims that meet often, with what comparing them must give (a test holds app/compare to it)."""

    a: Slug
    b: Slug
    verdict: Literal["comparable", "comparable_with_differences", "not_comparable"]
    title: Text
    why: Text


def read_pairs(name: str, text: str, known: Known | None = None) -> tuple[Document, tuple[Pair, ...]]:
    """The sound pairs; the document carries every problem and its place. `known`: the claims that there are."""
    document, listed = read_list(name, text, Pair)
    seen: set[frozenset[str]] = set()
    for index, pair in listed.items():
        both = frozenset((pair.a, pair.b))
        if len(both) == 1:
            document.problem((index, "b"), f"`{pair.b}` is the claim of `a`; a pair has two")
        elif both in seen:
            document.problem((index,), f"`{pair.a}` and `{pair.b}` are a pair already; keep one")
        seen.add(both)
        for key, claim in (("a", pair.a), ("b", pair.b)):
            if known and known.lacks(claim):
                document.problem((index, key), f"`{claim}` is no claim of the catalogue")
    return document, tuple(listed.values())


def load_pairs(name: str, text: str) -> tuple[Pair, ...]:
    """Raises CatalogueError with every problem and its place."""
    document, found = read_pairs(name, text)
    if document.problems:
        raise CatalogueError(sorted(document.problems))
    return found


@cache
def pairs() -> tuple[Pair, ...]:
    """The shipped pairs, in the order of their file."""
    return load_pairs(FILE.name, FILE.read_text(encoding="utf-8"))


def partners(claim: str) -> dict[str, Pair]:
    """The claims that `claim` is often set beside."""
    return {pair.b if pair.a == claim else pair.a: pair for pair in pairs() if claim in (pair.a, pair.b)}
