"""Pairs of claims that people set against each other: the shipped list, read once. Pure but for the reading."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from app.claims.schema import Fact, Slug, Text
from app.errors import CatalogueError
from app.yaml_tree import explain, parse

FILE = Path(__file__).with_name("pairs.yaml")


class Pair(Fact):
    """Two claims that meet often, with what comparing them must give (a test holds app/compare to it)."""

    a: Slug
    b: Slug
    verdict: Literal["comparable", "comparable_with_differences", "not_comparable"]
    title: Text
    why: Text


class PairFile(Fact):
    pairs: tuple[Pair, ...]


def load_pairs(name: str, text: str) -> tuple[Pair, ...]:
    """Raises CatalogueError with every problem and its place."""
    document = parse(text, name)
    try:
        found = PairFile.model_validate({"pairs": document.data} if isinstance(document.data, list) else document.data)
    except ValidationError as error:
        for path, message in explain(error, PairFile):
            document.problem(path[1:], message)
        raise CatalogueError(document.problems) from error
    if document.problems:
        raise CatalogueError(document.problems)
    return found.pairs


@cache
def pairs() -> tuple[Pair, ...]:
    """The shipped pairs, in the order of their file."""
    return load_pairs(FILE.name, FILE.read_text())


def partners(claim: str) -> dict[str, Pair]:
    """The claims that `claim` is often set beside."""
    return {pair.b if pair.a == claim else pair.a: pair for pair in pairs() if claim in (pair.a, pair.b)}
