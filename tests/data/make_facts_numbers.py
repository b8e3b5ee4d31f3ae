"""Write facts_numbers.json: every number of the facts files, entry by entry, for tests/test_facts_coverage.py.

    python -m tests.data.make_facts_numbers FOLDER

FOLDER holds tables.yaml, table_locators.yaml, claims.yaml and reproducible.yaml. `result_numbers` come from the fields
that bear a published result, with multiplicity; `other_numbers` from everything else that is said of the source.
Left out as no fact of a source: addresses, file paths, commit hashes, the copies that were read, and what the facts
plan themselves (priorities, risks, predictions, recipes, model shapes, rejected sources, pairs).
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MANIFEST = Path(__file__).with_name("facts_numbers.json")

NOT_OF_THE_SOURCE = {
    "id", "url", "read_in", "stored_copy", "where",
    "priority", "rank", "reproduce", "predicted", "est_device_s", "risk", "verdict_class",
}  # fmt: skip
TABLE_RESULTS = {
    "value", "effect", "off", "on_eager", "on_graph", "d_eager_pct", "d_graph_pct", "tps", "accept", "tpgs",
    "p90_interactivity", "total_tps_gpu", "out_tps_gpu", "ttft_ms", "tpot_ms",
}  # fmt: skip

NOISE = re.compile(
    r"https?://\S+"
    r"|\S*/\S*\.(?:py|md|jsx|ya?ml|sh|html|json|svg)\b\S*"
    r"|\b[\w.-]+\.(?:py|md|jsx|ya?ml|sh|html|json|svg)\b"
    r"|\(date line [^)]*\)"
    r"|\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b"  # a commit
)
TOKEN = re.compile(
    r"(?<![A-Za-z0-9_.])(?:"
    r"(?P<verbatim>(?:19|20)\d\d-\d\d(?:-\d\d)?(?!\d)"  # a date
    r"|\d+(?:\.\d+){2,}(?:\.?(?:post|rc|dev)\d+)?)"  # a version
    r"|(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?)(?P<suffix>[A-Za-z]*)"
    r")(?![A-Za-z0-9])"
)
MULTIPLES = {"K": 1000, "k": 1000, "M": 1_000_000}


def normal(number: Decimal) -> str:
    """The one spelling under which equal numbers meet: no sign, no exponent, no trailing zeros."""
    return format(abs(number).normalize(), "f")


def numbers_in(text: str) -> list[str]:
    """Numbers of a text in their normal spelling, dates and versions as they stand; digits in names do not count."""
    found = []
    for match in TOKEN.finditer(re.sub(r"\bv(?=\d)", "", text)):
        if match["verbatim"]:
            found.append(match["verbatim"])
        else:
            factor = MULTIPLES.get(match["suffix"], 1)
            found.append(normal(Decimal(match["number"].replace(",", "")) * factor))
    return found


def facts_numbers(folder: Path) -> list[dict[str, Any]]:
    """The manifest of a facts folder."""
    tables = _read(folder / "tables.yaml")
    entries = [*_tables(tables), *_locators(_read(folder / "table_locators.yaml"), tables)]
    for entry in _read(folder / "claims.yaml")["claims"]:
        entries.append(_entry("claims.yaml", entry, _claim_results))
    for entry in _read(folder / "reproducible.yaml")["entries"]:
        entries.append(_entry("reproducible.yaml", entry, _reproducible_results))
    return entries


def _read(path: Path) -> Any:
    """All scalars stay the strings that were written."""
    return yaml.load(path.read_text(), Loader=yaml.BaseLoader)


def _row(file: str, entry: str, hint: str, results: list[str], texts: list[str]) -> dict[str, Any]:
    """`texts` hold the results too: what they say beyond the results are the other numbers."""
    every = Counter(number for text in texts for number in numbers_in(NOISE.sub(" ", text)))
    other = every - Counter(results)
    return {
        "file": file,
        "entry": entry,
        "source_hint": hint,
        "result_numbers": sorted(results),
        "other_numbers": sorted(other),
    }


def _entry(file: str, entry: dict[str, Any], results: Callable[[dict[str, Any]], Iterator[str]]) -> dict[str, Any]:
    texts = [text for _, text in _leaves(entry)]
    return _row(file, entry["id"], entry["source"]["url"], [*results(entry)], texts)


def _leaves(tree: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every scalar with the key it stands under."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            if name not in NOT_OF_THE_SOURCE:
                yield from _leaves(value, name)
    elif isinstance(tree, list):
        for value in tree:
            yield from _leaves(value, key)
    else:
        yield key, tree


def _results_of(text: str) -> list[str]:
    """Numbers of a value without its conditions: "1.2x at 8K" and "338 (concurrency 10)" bear one result each."""
    return numbers_in(re.sub(r"\([^)]*\)|\bat (?:about )?[\d.,]+\S*", " ", text))


def _claim_results(entry: dict[str, Any]) -> Iterator[str]:
    yield from _results_of(entry["value"])
    if "->" in entry["unit"] or " vs " in entry["unit"]:  # the end points of a ratio are written into its unit
        yield from numbers_in(entry["unit"])


def _reproducible_results(entry: dict[str, Any]) -> Iterator[str]:
    for _, text in _leaves(entry["value"]):
        yield from _results_of(text)
    for floor in entry.get("ci_floors_same_server", ()):
        for bound in re.findall(r"[<>] ([\d,.]+)", floor["claim"]):
            yield from numbers_in(bound)


def _tables(tables: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for block, content in tables.items():
        for part, tree in content.items():
            if part in NOT_OF_THE_SOURCE:
                continue
            leaves = [*_leaves(tree, part)]
            results = [number for key, text in leaves if key in TABLE_RESULTS for number in _results_of(text)]
            yield _row("tables.yaml", f"{block}.{part}", content["url"], results, [text for _, text in leaves])


def _locators(locators: list[dict[str, str]], tables: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for item in locators:
        hint = tables[item["block"].split(".")[0]]["url"]
        yield _row("table_locators.yaml", item["block"], hint, [], [item["locator"], item["check"]])


def as_text(entries: list[dict[str, Any]]) -> str:
    """One entry a line, so that a change shows where it is."""
    return "[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries) + "\n]\n"


if __name__ == "__main__":
    MANIFEST.write_text(as_text(facts_numbers(Path(sys.argv[1]))))
