"""What lies between two claims and is no field of their conditions: differences and notes. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.compare.conditions import acceptance_text, forced_length
from app.compare.rules import Finding, Rule, against, stated
from app.compare.spread import ends_text
from app.compare.words import KINDS

if TYPE_CHECKING:
    from app.claims.schema import Claim, ClaimRow
    from app.compare.pair import Pair


def _set_against(pair: Pair) -> Finding | None:
    """Where one of the two is a ratio, what either is set against belongs into the reasons."""
    if (pair.a.kind == "absolute") == (pair.b.kind == "absolute"):
        return None
    a, b = (_set_against_text(side) for side in (pair.a, pair.b))
    return Finding(a, b, f"{pair.a.headline} is set against: {a}. {pair.b.headline} is set against: {b}.")


def _set_against_text(claim: Claim) -> str:
    return "nothing" if claim.baseline.kind == "none" else against(claim.baseline)


def _printed_form(pair: Pair) -> Finding | None:
    if pair.a.kind == pair.b.kind or "absolute" in (pair.a.kind, pair.b.kind):
        return None
    a, b = KINDS[pair.a.kind], KINDS[pair.b.kind]
    return Finding(a, b, f"{pair.a.headline} is {a}, {pair.b.headline} {b}.")


def _round(pair: Pair) -> Finding | None:
    if pair.same_round or pair.repetition:
        return None
    a, b = (_measured_in(side, pair) for side in (pair.a, pair.b))
    if not pair.same_source:
        return Finding(a, b, f"They were measured in two places: {a}, and {b}.")
    if pair.a.round_place and pair.b.round_place:
        return Finding(a, b, f"They belong to two rounds of measurements: {a}, and {b}.")
    return Finding(a, b, "The source does not say that they were measured in one round.")


def _measured_in(side: ClaimRow, pair: Pair) -> str:
    if not pair.same_source:
        return side.source.title
    return side.round_place.title if side.round_place else "round not stated"


def _repetition(pair: Pair) -> Finding | None:
    if pair.repetition is None:
        return None
    side, repeated = pair.repetition
    by = side.measured_by or side.source.publisher
    dependent = [item.text for item in side.caveats if item.kind == "not_independent"]
    independence = f" It is not independent: {' '.join(dependent)}" if dependent else ""
    what = "Both repeat" if repeated not in (pair.a.id, pair.b.id) else f"{side.headline} is a repetition of"
    message = f"{what} {repeated} with the author's code and script, by {by}.{independence}"
    return Finding(_repeats(pair.a), _repeats(pair.b), message)


def _repeats(side: ClaimRow) -> str:
    return f"repeats {side.repeats}" if side.repeats else "the original"


def _both_forced(pair: Pair) -> Finding | None:
    lengths = [forced_length(side) for side in (pair.a, pair.b)]
    item = pair.diffs.get("acceptance")
    if item is None or item.state != "equal" or None in lengths:
        return None
    a, b = acceptance_text(pair.a), acceptance_text(pair.b)
    return Finding(a, b, f"Both ran under forced acceptance ({a}): neither is a speed of real decoding.")


def _spread(pair: Pair) -> Finding | None:
    a, b = ends_text(pair.a), ends_text(pair.b)
    if not pair.absolute or not pair.same_axis or (a is None and b is None):
        return None
    return Finding(a, b, f"Lowest and highest of the repeats: {stated(a, b)}.")


def _read_off_chart(pair: Pair) -> Finding | None:
    a, b = (_reading(side) for side in (pair.a, pair.b))
    if a is None and b is None:
        return None
    return Finding(a, b, "A number was read off a chart by a third party; its source does not print it.")


def _reading(claim: Claim) -> str | None:
    return next((item.text for item in claim.caveats if item.kind == "third_party_reading"), None)


BESIDE: tuple[Rule, ...] = (
    Rule("set-against", "difference", "baseline", "What a ratio and a number are set against.", _set_against),
    Rule("printed-form", "difference", "kind", "A factor and a percentage are two forms of a ratio.", _printed_form),
    Rule("round", "difference", "round", "Numbers of two rounds differ by more than their stated conditions.", _round),
    Rule(
        "repetition",
        "note",
        "round",
        "A repetition with the author's script confirms a number, not a method.",
        _repetition,
    ),
    Rule("both-forced", "note", "acceptance", "Forced acceptance on both sides.", _both_forced),
    Rule("spread", "note", "value", "How far the repeats of each number lie apart, where that is known.", _spread),
    Rule("read-off-chart", "note", "value", "A number that only a third party read.", _read_off_chart),
)
