"""Two claims -> a verdict with its reasons. Pure: what the pages and the API both show.

No winner is named anywhere: the verdict says whether two numbers answer one question, and what stands between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.claims.conditions import FIELDS
from app.compare.beside import BESIDE
from app.compare.blocking import BLOCKING
from app.compare.companions import companions
from app.compare.conditions import settle
from app.compare.hardware import NO_WEIGHTS
from app.compare.lint import lint, lint_pair
from app.compare.pair import Pair
from app.compare.ratio import ratio
from app.compare.rules import apply, conditions
from app.compare.schema import Comparison, Ratio, Reason
from app.compare.speculation import between
from app.compare.summary import blocked_summary, summary
from app.language import _

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.catalogue.models import ModelWeights
    from app.claims.schema import ClaimRow
    from app.compare.schema import Severity, Verdict

STRENGTH: tuple[Severity, ...] = ("blocking", "lint", "difference", "not_stated", "note")
# The order in which a reader asks: what is it, against what, of which model, under which acceptance, on which work.
READING_ORDER = (
    "card",
    "axis",
    "axis_version",
    "kind",
    "scope",
    "baseline",
    "ladder",
    "model.id",
    "acceptance",
    "speculation.method",
    "speculation.draft_tokens",
    "model.weights",
    "unit",
    "value",
    "prefill",
    "round",
    "workload.name",
    "workload.input_tokens",
    "workload.output_tokens",
    "workload.temperature",
    "workload.prefix_cache",
    "load.concurrency",
    "limit",
    *FIELDS,
    "contradictions",
)


def compare(
    a: ClaimRow,
    b: ClaimRow,
    others: Sequence[ClaimRow] = (),
    weights: Mapping[str, ModelWeights] = NO_WEIGHTS,
) -> Comparison:
    """Compare two claims. `others`: further claims of their sources, for numbers on other axes and at equal load."""
    if a.id == b.id:
        return _same_claim(a)
    pair = Pair(settle(a), settle(b))
    blocked = [found for rule in BLOCKING if (found := apply(rule, pair))]
    between_them = [found[0] for rule in BESIDE if (found := apply(rule, pair))]
    taken = frozenset(reason.field for reason, _ in blocked)
    plain = _sorted([*(reason for reason, _ in blocked), *between_them, *conditions(pair, taken)])
    marks = [*lint_pair(pair, others), *_marks(pair, others, weights)]
    verdict = _verdict(plain)
    shown = None if verdict == "not_comparable" else ratio(pair, plain)
    other_axes = companions(pair.a, pair.b, others)
    return Comparison(
        a=a.id,
        b=b.id,
        verdict=verdict,
        summary=blocked_summary(blocked) if blocked else summary(pair, plain, shown, other_axes),
        reasons=_sorted([*plain, *marks]),
        differences=tuple(reason for reason in plain if reason.severity == "difference"),
        ratio=shown if isinstance(shown, Ratio) else None,
        derivations=between(pair.a, pair.b, one_change=isinstance(shown, Ratio)),
        other_axes=other_axes,
    )


def _same_claim(claim: ClaimRow) -> Comparison:
    text = _("This is one and the same claim.")
    note = Reason(rule="same-claim", severity="note", field="id", a=claim.id, b=claim.id, message=text)
    return Comparison(
        a=claim.id, b=claim.id, verdict="comparable", summary=text, reasons=(note,), differences=(), ratio=None
    )


def _verdict(reasons: Sequence[Reason]) -> Verdict:
    severities = {reason.severity for reason in reasons}
    if "blocking" in severities:
        return "not_comparable"
    return "comparable_with_differences" if severities & {"difference", "not_stated"} else "comparable"


def _marks(pair: Pair, others: Sequence[ClaimRow], weights: Mapping[str, ModelWeights]) -> list[Reason]:
    """What the lint says of each number by itself, put on its side; what it says of both stands once."""
    known = [*others, pair.a, pair.b]
    found: dict[tuple[str, str], Reason] = {}
    for side, claim in (("a", pair.a), ("b", pair.b)):
        for reason in lint(claim, known, weights):
            key = (reason.rule, reason.message)
            earlier = found.get(key)
            update = {"a": None, "b": None, side: claim.headline}
            if earlier:
                update["a"] = earlier.a
            found[key] = reason.model_copy(update=update)
    return list(found.values())


def _sorted(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    def place(reason: Reason) -> tuple[int, int, str]:
        return STRENGTH.index(reason.severity), READING_ORDER.index(reason.field), reason.rule

    return tuple(sorted(reasons, key=place))
