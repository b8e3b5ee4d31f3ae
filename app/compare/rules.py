"""What a rule of the comparison is, and the one rule that reads every condition field. Pure.

A rule reads a Pair and gives what it found or None. Replacing a stated fact by "not stated" may only add findings or
make them heavier, never remove one: a comparison must not become better by knowing less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.compare.conditions import NOT_STATED
from app.compare.schema import Reason
from app.compare.words import capital
from app.language import N_, _

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.claims.schema import Baseline
    from app.compare.conditions import FieldDiff
    from app.compare.pair import Pair
    from app.compare.schema import Severity


BASELINES = {
    "own_earlier_build": N_("own earlier build"),
    "feature_off": N_("feature off"),
    "other_engine": N_("other engine"),
    "other_hardware": N_("other hardware"),
    "other_configuration": N_("other configuration"),
    "other_model": N_("other model"),
    "estimate": N_("estimate"),
    "not_stated": NOT_STATED,
    "none": N_("none"),
}


@dataclass(frozen=True)
class Rule:
    """`says` is the rule in one sentence, for the page that explains the verdicts."""

    id: str
    severity: Severity
    field: str
    says: str
    check: Callable[[Pair], Finding | None]


@dataclass(frozen=True)
class Finding:
    """What a rule's check gives: both values and a sentence; `clause` continues "These two cannot be ranked: ..."."""

    a: str | None
    b: str | None
    message: str
    clause: str = ""


def apply(rule: Rule, pair: Pair) -> tuple[Reason, str] | None:
    """The reason that the rule gives for this pair, with its clause for the summary."""
    found = rule.check(pair)
    if found is None:
        return None
    reason = Reason(rule=rule.id, severity=rule.severity, field=rule.field, a=found.a, b=found.b, message=found.message)
    return reason, found.clause


def conditions(pair: Pair, taken: frozenset[str]) -> list[Reason]:
    """A reason for every field that differs or is not stated, but for those that a rule has already `taken`."""
    return [
        _difference(item) if item.state == "differs" else _not_stated(item)
        for item in pair.diffs.values()
        if item.state in ("differs", "not_stated") and item.field not in taken and not _within_engine(pair, item)
    ]


def _difference(item: FieldDiff) -> Reason:
    message = _("{label}: {a} against {b}.").format(label=capital(item.label), a=item.a, b=item.b)
    return Reason(rule="condition", severity="difference", field=item.field, a=item.a, b=item.b, message=message)


def _not_stated(item: FieldDiff) -> Reason:
    detail = "" if item.a is None or item.b is None else _(", not stated to the same detail")
    message = f"{capital(item.label)}: {stated(item.a, item.b)}{detail}."
    return Reason(rule="not-stated", severity="not_stated", field=item.field, a=item.a, b=item.b, message=message)


def _within_engine(pair: Pair, item: FieldDiff) -> bool:
    """Two engines have two version lines: their versions are part of that one difference."""
    engine = pair.diffs.get("engine.name")
    both = item.a is not None and item.b is not None
    return item.field == "engine.version" and both and engine is not None and engine.state == "differs"


def against(baseline: Baseline) -> str:
    """What a number is set against, in a few words; a defect that the source admits is part of it."""
    text = baseline.text or _(BASELINES[baseline.kind])
    return (
        _("{text} (admitted flaw: {flaw})").format(text=text, flaw=baseline.flaw.rstrip(".")) if baseline.flaw else text
    )


def stated(a: str | None, b: str | None) -> str:
    """Both values side by side."""
    if a is None and b is None:
        return _("not stated by either")
    return _("{a} against {b}").format(a=_(NOT_STATED) if a is None else a, b=_(NOT_STATED) if b is None else b)
