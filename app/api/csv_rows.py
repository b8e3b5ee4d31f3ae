"""Stored claims -> CSV lines. Pure."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Json = dict[str, Any]

# Text that begins with one of these is run as a formula by spreadsheets; a number is not text and stays as it is.
FORMULA = ("=", "+", "-", "@", "\t", "\r")

NUMBERS: dict[str, Callable[[Json], Any]] = {
    "value": lambda c: c["value"],
    "low": lambda c: c["low"],
    "high": lambda c: c["high"],
    "before": lambda c: c["before"],
    "after": lambda c: c["after"],
    "gpus": lambda c: c["conditions"]["hardware"]["count"],
    "draft_tokens": lambda c: c["conditions"]["speculation"]["draft_tokens"],
    "acceptance_length": lambda c: c["acceptance"]["length"],
    "acceptance_ceiling": lambda c: c["acceptance"]["ceiling"],
    "rank": lambda c: c["rank"],
}
COLUMNS: dict[str, Callable[[Json], Any]] = {
    "id": lambda c: c["id"],
    "record": lambda c: "card" if c.get("card") else "published",
    "headline": lambda c: c["headline"],
    "title": lambda c: c["title"],
    **{name: NUMBERS[name] for name in ("value", "low", "high", "before", "after")},
    "unit": lambda c: c["unit"],
    "points_unit": lambda c: c["points_unit"] or "",
    "approximate": lambda c: "yes" if c["approximate"] else "no",
    "bound": lambda c: c["bound"] or "",
    "kind": lambda c: c["kind"],
    "axis": lambda c: c["axis"],
    "scope": lambda c: c["scope"],
    "statistic": lambda c: c["statistic"],
    "baseline": lambda c: c["baseline"]["kind"],
    "baseline_text": lambda c: c["baseline"]["text"],
    "engine": lambda c: c["conditions"]["engine"]["name"],
    "engine_version": lambda c: c["conditions"]["engine"]["version"],
    "engine_commit": lambda c: c["conditions"]["engine"]["commit"],
    "model": lambda c: c["conditions"]["model"]["id"],
    "hardware": lambda c: c["conditions"]["hardware"]["accelerator"],
    "gpus": NUMBERS["gpus"],
    "parallelism": lambda c: c["conditions"]["parallelism"],
    "weights": lambda c: c["conditions"]["dtypes"]["weights"],
    "kv": lambda c: c["conditions"]["dtypes"]["kv"],
    "speculation": lambda c: c["conditions"]["speculation"]["method"],
    "draft_tokens": NUMBERS["draft_tokens"],
    "acceptance": lambda c: c["acceptance"]["kind"],
    "acceptance_length": NUMBERS["acceptance_length"],
    "acceptance_ceiling": NUMBERS["acceptance_ceiling"],
    "workload": lambda c: c["conditions"]["workload"]["name"],
    "input_tokens": lambda c: c["conditions"]["workload"]["input_tokens"],
    "output_tokens": lambda c: c["conditions"]["workload"]["output_tokens"],
    "prefix_cache": lambda c: c["conditions"]["workload"]["prefix_cache"],
    "concurrency": lambda c: c["conditions"]["load"]["concurrency"],
    "limit": lambda c: c["conditions"]["limit"],
    "caveats": lambda c: " ".join(dict.fromkeys(caveat["kind"] for caveat in c["caveats"])),
    "status": lambda c: c["reproduction"]["status"],
    "stated_in": lambda c: c["stated_in"],
    "locator": lambda c: c["locator"],
    "source": lambda c: c["source"]["id"],
    "source_title": lambda c: c["source"]["title"],
    "source_url": lambda c: c["source"]["url"],
    "source_date": lambda c: c["source"]["date"],
    "retrieved": lambda c: c["retrieved"],
    "last_checked": lambda c: c["last_checked"],
    "rank": NUMBERS["rank"],
}


def _lines(rows: Iterable[Iterable[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue()


HEADER = _lines([COLUMNS])


def csv_lines(documents: Iterable[str]) -> str:
    """One line a claim. A text that the source does not give is "not stated"; a missing number is an empty cell."""
    return _lines(_cells(json.loads(document)) for document in documents)


def _cells(claim: Json) -> list[str]:
    return [_cell(name, read(claim)) for name, read in COLUMNS.items()]


def _cell(name: str, value: Any) -> str:
    if name in NUMBERS:
        return "" if value is None else str(value)
    text = "not stated" if value is None else str(value)
    return f"'{text}" if text.startswith(FORMULA) else text
