"""A claim -> what it states of the speculation tool's fields. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.axes import AXES
from app.compare.conditions import OFF, accept_length
from app.compare.verdict import compare
from app.language import _, in_english

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.claims.schema import ClaimRow

COUNTED = {"vLLM": "vllm", "SGLang": "sglang"}
BREAK_EVEN = "Break-even accept length"  # as the comparison calls it in English


@dataclass(frozen=True)
class Taken:
    """`typed` are the fields that the claim fills; `off` is the claim that gave the rate without speculation; `why`
    says what keeps the claim from filling them, "" where it does."""

    typed: dict[str, str]
    off: str = ""
    why: str = ""


def speculates(claim: ClaimRow) -> bool:
    """Whether the claim is the rate of one stream with a stated acceptance."""
    return not _unfit(claim)


def speculation_of(claim: ClaimRow, others: Sequence[ClaimRow]) -> Taken:
    """`others` are the claims of the same source: one that is the same run with speculation off gives the rate without.
    What the two differ in besides is the comparison's to judge (app.compare.verdict)."""
    if why := _unfit(claim):
        return Taken({}, why=why)
    given, length = claim.conditions, accept_length(claim)
    typed = {
        "counted": COUNTED.get(given.engine.name or "", ""),
        "rate": _text(claim.value),
        "acceptance": _text(length),
        "kind": claim.acceptance.kind if claim.acceptance.kind in ("measured", "simulated", "synthetic") else "",
        "draft_tokens": _text(given.speculation.draft_tokens),
    }
    off = next((row for row in others if _is_off(claim, row)), None)
    if off is not None:
        typed["off_rate"] = _text(off.value)
    return Taken({name: text for name, text in typed.items() if text}, off.id if off else "")


def _text(value: object) -> str:
    return "" if value is None else f"{value}"


def _unfit(claim: ClaimRow) -> str:
    """Why nothing can be taken from a claim, "" where it can."""
    axis = AXES.get(claim.axis)
    if claim.kind != "absolute" or claim.value is None:
        return _("it is no single number but a ratio, a change or a range")
    if axis is None or not axis.memory_limited:
        return _("it is not the rate of one stream")
    if claim.conditions.speculation.method == OFF:
        return _("it ran without speculation")
    return "" if accept_length(claim) is not None else _("it states no acceptance length")


@in_english
def _is_off(claim: ClaimRow, other: ClaimRow) -> bool:
    """Whether `other` is the same run without speculation, and nothing else was changed between them."""
    if other.conditions.speculation.method != OFF or other.axis != claim.axis or other.value is None:
        return False
    return any(item.title == BREAK_EVEN for item in compare(other, claim, (), {}).derivations)
