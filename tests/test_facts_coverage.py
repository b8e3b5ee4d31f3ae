"""Every number of the facts that the catalogue was written from stands in the catalogue."""

from __future__ import annotations

import json
import os
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.catalogue.load import load_catalogue
from tests.data.make_facts_numbers import MANIFEST, facts_numbers, normal, numbers_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.catalogue.schema import Source
    from app.claims.schema import Claim

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "app" / "catalogue" / "sources"
FACTS = Path(os.environ.get("BENCHCARD_FACTS", ROOT.parent / "shared" / "facts"))
ENTRIES: list[dict[str, Any]] = json.loads(MANIFEST.read_text())
NAMES = [f"{entry['file']}: {entry['entry']}" for entry in ENTRIES]

# References, and dates of the catalogue itself: what they hold is no statement of the source.
NO_STATEMENT = {
    "round", "supersedes", "repeats", "end_to_end", "equal_terms", "claims", "claim", "cells", "rank",
    "retrieved", "last_checked",
}  # fmt: skip


@cache
def catalogue() -> tuple[Source, ...]:
    files = [(path.name, path.read_text()) for path in sorted(SOURCES.glob("*.yaml"))]
    return tuple(item.source for item in load_catalogue(files))


def carriers(entry: dict[str, Any]) -> Iterator[tuple[Source, list[Claim]]]:
    """The sources that carry an entry, with its claims: those named after it, or all of the source of a table."""
    for source in catalogue():
        if entry["file"] in {"claims.yaml", "reproducible.yaml"}:
            claims = [claim for claim in source.claims if named_after(claim.id, entry["entry"])]
        else:
            claims = list(source.claims) if entry["source_hint"] in (source.url, *source.more_urls) else []
        if claims:
            yield source, claims


def named_after(claim_id: str, entry_id: str) -> bool:
    return claim_id == entry_id or claim_id.startswith(f"{entry_id}-")


def claim_numbers(claim: Claim) -> Iterator[str]:
    """The numbers that a claim bears as numbers, not in words."""
    baseline = claim.baseline
    acceptances = [claim.acceptance, *([baseline.acceptance] if baseline.acceptance else [])]
    found = [claim.value, claim.low, claim.high, claim.before, claim.after, baseline.value]
    found += [number for item in acceptances for number in (item.length, item.target, item.ceiling)]
    found += [other.value for other in claim.beside]
    return (normal(number) for number in found if number is not None)


def said(tree: Any) -> Iterator[str]:
    """Everything that a source's document says, as text; of its ids only a model's is a statement."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key not in NO_STATEMENT and (key != "id" or "weights" in tree):
                yield from said(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from said(value)
    elif tree is not None:
        yield str(tree)


@cache
def numbers_said(source_id: str) -> frozenset[str]:
    (source,) = (source for source in catalogue() if source.id == source_id)
    document = source.model_dump(mode="json")
    texts = [*said(document["claims"]), *said(document)]
    numbers = {number for text in texts for number in numbers_in(text)}
    dates = {number for number in numbers if number[4:5] == "-"}
    return frozenset(numbers | {date[:7] for date in dates} | {date[:4] for date in dates})  # a day says its month


def lines(numbers: Counter[str]) -> str:
    return ", ".join(number if count == 1 else f"{number} ({count} times)" for number, count in sorted(numbers.items()))


@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
def test_every_result_is_a_number_of_a_claim(entry: dict[str, Any]) -> None:
    borne = Counter(number for _, claims in carriers(entry) for claim in claims for number in claim_numbers(claim))
    missing = Counter(entry["result_numbers"]) - borne
    assert not missing, f"{entry['file']}, {entry['entry']}: no claim bears {lines(missing)}"


@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
def test_every_other_number_is_said_by_the_source(entry: dict[str, Any]) -> None:
    sources = [source.id for source, _ in carriers(entry)]
    assert sources, f"{entry['file']}, {entry['entry']}: no source carries this entry"
    missing = Counter(entry["other_numbers"]) - Counter({number for name in sources for number in numbers_said(name)})
    assert not missing, f"{entry['file']}, {entry['entry']}: nothing in {', '.join(sources)} says {lines(missing)}"


@pytest.mark.skipif(not FACTS.is_dir(), reason="the facts folder is not here (set BENCHCARD_FACTS)")
def test_the_manifest_is_that_of_the_facts() -> None:
    assert facts_numbers(FACTS) == ENTRIES, "run python -m tests.data.make_facts_numbers FOLDER"
