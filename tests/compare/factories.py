"""Rows for tests: complete by default, so that a test states only what it is about.

`row()` is one stream of DeepSeek on SGLang with everything stated, in a round that holds nothing equal by itself; an
override is a dotted field of the claim.
"""

from __future__ import annotations

import datetime as dt
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from app.claims.conditions import FIELDS
from app.claims.schema import Claim, ClaimRow
from app.claims.wording import headline

if TYPE_CHECKING:
    from app.compare.schema import Comparison

DAY = dt.date(2026, 11, 29)
CLAIM: dict[str, Any] = {
    "id": "a",
    "title": "one stream",
    "value": "100",
    "unit": "tok/s",
    "kind": "absolute",
    "axis": "decode_rate",
    "scope": "end_to_end",
    "statistic": "median",
    "locator": "table 1",
    "stated_in": "table",
    "baseline": {"kind": "none"},
    "conditions": {
        "engine": {"name": "SGLang", "version": "1.0"},
        "model": {"id": "DeepSeek-V4.1-Flash", "weights": "real"},
        "hardware": {"accelerator": "GB300", "count": 4, "cpu_binding": "unbound"},
        "parallelism": "attention TP4, MoE TP4",
        "dtypes": {"weights": "FP4", "kv": "FP8"},
        "speculation": {"method": "off", "draft_tokens": None},
        "approximations": (),
        "execution": "CUDA graph",
        "workload": {
            "name": "random ids",
            "input_tokens": "4096",
            "output_tokens": "1024",
            "dataset": "random ids, seed 42",
            "temperature": "0",
            "prefix_cache": "cleared",
        },
        "load": {"concurrency": "1", "rate": "closed loop"},
        "limit": "none",
        "client": "author's script",
    },
    "acceptance": {"kind": "none"},
}
SOURCE = {
    "id": "post",
    "title": "A post",
    "url": None,
    "date": "2026-10-07",
    "publisher": "An engine's team",
    "interest": "its own",
}
ROUND: dict[str, Any] = {"id": "post/final", "title": "final table", "varies": tuple(FIELDS)}
FORCED = {
    "conditions.speculation": {"method": "DSpark", "draft_tokens": 5},
    "acceptance": {"kind": "simulated", "target": "5.5", "length": "5.505", "ceiling": "6"},
}
MEASURED = {
    "conditions.speculation": {"method": "DSpark", "draft_tokens": 5},
    "acceptance": {"kind": "measured", "length": "3.17", "ceiling": "6"},
}


def claim(**overrides: Any) -> Claim:
    """A claim; overrides by dotted name: `claim(**{"conditions.load.concurrency": "64"})`."""
    return Claim.model_validate(_overridden(CLAIM, overrides))


def row(**overrides: Any) -> ClaimRow:
    """A row of the source `post`, in one round and on no ladder unless told otherwise."""
    around = {"source": SOURCE, "retrieved": DAY, "last_checked": DAY, "headline": "-", "round_place": ROUND}
    built = ClaimRow.model_validate(_overridden({**CLAIM, **around}, overrides))
    return built.model_copy(update={"headline": headline(built)})


def ratio(**overrides: Any) -> ClaimRow:
    """A ratio of 2 against the same build with something off."""
    baseline = {"kind": "feature_off", "key": "replay-off", "text": "replay off"}
    return row(**{"value": "2", "unit": "x", "kind": "ratio", "baseline": baseline, **overrides})


def rules(found: Comparison, severity: str) -> list[tuple[str, str]]:
    """(rule, field) of the reasons of one severity, in their order."""
    return [(reason.rule, reason.field) for reason in found.reasons if reason.severity == severity]


def message(found: Comparison, rule: str) -> str:
    """The one sentence that a rule gave."""
    (text,) = {reason.message for reason in found.reasons if reason.rule == rule}
    return text


def _overridden(base: dict[str, Any], overrides: dict[str, Any]) -> dict[str, Any]:
    built = deepcopy(base)
    for name, value in deepcopy(overrides).items():  # a later override may reach into an earlier one's value
        *parents, last = name.split(".")
        place = built
        for parent in parents:
            place = place[parent]
        place[last] = value
    return built
