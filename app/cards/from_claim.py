"""A published claim -> the beginning of a card that measures it again: its conditions, no result. Pure.

What a card holds as a number and the claim only in words is not taken over; it is named instead.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.cards import names, short
from app.cards.export import tree_to_yaml
from app.cards.schema import Card, Parallelism
from app.language import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.claims.schema import ClaimRow, Conditions

WHOLE = re.compile(r"\d{1,9}")
NUMBER = re.compile(r"\d+(\.\d+)?")
AS_NUMBERS = {"concurrency": WHOLE, "turns": WHOLE, "seed": WHOLE, "rate": NUMBER, "temperature": NUMBER}
AS_WORDS = {
    "concurrency": N_("concurrency"),
    "turns": N_("turns"),
    "seed": N_("seed"),
    "rate": N_("rate"),
    "temperature": N_("temperature"),
}
FORCED = ("simulated", "synthetic")


def repeat_of(row: ClaimRow) -> tuple[str, tuple[str, ...]]:
    """The card's YAML, and what of the claim's conditions could not be taken over, in words."""
    left_out: list[str] = []
    tree = {key: value for key, value in _tree(row, left_out) if value}
    ordered = {key: tree[key] for key in Card.model_fields if key in tree}
    return tree_to_yaml(ordered), tuple(left_out)


def _tree(row: ClaimRow, left_out: list[str]) -> Iterator[tuple[str, Any]]:
    given = row.conditions
    yield "engine", _stated(given.engine.model_dump())
    yield "model", _stated(given.model.model_dump())
    hardware = {"accelerator": given.hardware.accelerator, "count": given.hardware.count, "host": given.hardware.system}
    yield "hardware", _stated(hardware)
    yield "parallelism", parallelism(given.parallelism, given.model.id)
    yield "dtypes", _stated(given.dtypes.model_dump())
    yield "speculation", _speculation(row)
    listed = [{"name": item.name, "on": "true" if item.on else "false"} for item in given.approximations or ()]
    yield "approximations", listed
    yield "workload", _stated(_workload(given, left_out))
    yield "runs", _stated({"statistic": row.statistic, "tool": given.client})
    yield "metric", _stated({"axis": row.axis, "constraint": given.limit})
    yield "repeats", row.id
    if given.execution:
        left_out.append(f"{_('execution')}: {given.execution}")
    batch = given.load.batch
    if batch and not WHOLE.fullmatch(batch):
        left_out.append(f"{_('batch')}: {batch}")


def _stated(block: dict[str, Any]) -> dict[str, str]:
    return {key: _text(value) for key, value in block.items() if value is not None}


def _text(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _speculation(row: ClaimRow) -> dict[str, str]:
    """How acceptance was forced is a condition; a measured length is a result of the claim's own run."""
    given, acceptance = row.conditions.speculation, row.acceptance
    if given.method is None or given.method == "off":
        return _stated({"method": given.method})
    forced = acceptance.kind in FORCED
    return _stated(
        {
            "method": given.method,
            "draft_tokens": given.draft_tokens,
            "acceptance": acceptance.kind if forced or acceptance.kind == "measured" else None,
            "accept_length": (acceptance.target or acceptance.length) if forced else None,
        }
    )


def _workload(given: Conditions, left_out: list[str]) -> dict[str, Any]:
    load = given.load
    block = {
        **given.workload.model_dump(exclude={"requests"}),
        "concurrency": load.concurrency or (load.batch if load.batch and WHOLE.fullmatch(load.batch) else None),
        "rate": load.rate,
    }
    for name, pattern in AS_NUMBERS.items():
        text = block[name]
        if text is not None and not pattern.fullmatch(text):
            left_out.append(f"{_(AS_WORDS[name])}: {text}")
            block[name] = None
    if given.workload.requests:
        left_out.append(f"{_('requests')}: {given.workload.requests}")
    return block


def parallelism(text: str | None, model: str | None) -> dict[str, str]:
    """The sizes behind the catalogue's spelling; the spelling itself as a note where they would not give it again."""
    if text is None:
        return {}
    sizes = _sizes(text)
    known = Parallelism.model_validate(sizes)
    return sizes if names.parallelism(known, model) == text else {"note": text}


def _sizes(text: str) -> dict[str, str]:
    split = re.fullmatch(r"attention (TP|DP)(\d+), MoE (TP|EP)(\d+)(?: \+ (.+))?", text)
    if not split:
        found = short.parallelism(text.replace(" + ", " "))
        return found if isinstance(found, dict) else {"note": text}
    attention, size, experts, spread, more = split.groups()
    main = {"tp": size} if attention == "TP" else {"dp": size, "dp_attention": "true"}
    main["ep"] = "1" if experts == "TP" else spread
    rest = short.parallelism(more.replace(" + ", " ")) if more else {}
    return {**main, **rest} if isinstance(rest, dict) else {"note": text}
