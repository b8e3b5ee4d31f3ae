"""What lies between two claims and is no field of their conditions: differences and notes. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.compare.conditions import acceptance_text, forced_length
from app.compare.rules import Finding, Rule, against, stated
from app.compare.spread import ends_text
from app.compare.words import KINDS
from app.language import N_, _

if TYPE_CHECKING:
    from app.claims.schema import Claim, ClaimRow
    from app.compare.pair import Pair


def _set_against(pair: Pair) -> Finding | None:
    """Where one of the two is a ratio, what either is set against belongs into the reasons."""
    if (pair.a.kind == "absolute") == (pair.b.kind == "absolute"):
        return None
    a, b = (_set_against_text(side) for side in (pair.a, pair.b))
    return Finding(
        a,
        b,
        _("{headline} is set against: {a}. {headline_2} is set against: {b}.").format(
            headline=pair.a.headline, a=a, headline_2=pair.b.headline, b=b
        ),
    )


def _set_against_text(claim: Claim) -> str:
    return "nothing" if claim.baseline.kind == "none" else against(claim.baseline)


def _printed_form(pair: Pair) -> Finding | None:
    if pair.a.kind == pair.b.kind or "absolute" in (pair.a.kind, pair.b.kind):
        return None
    a, b = _(KINDS[pair.a.kind]), _(KINDS[pair.b.kind])
    return Finding(
        a,
        b,
        _("{headline} is {a}, {headline_2} {b}.").format(
            headline=pair.a.headline, a=a, headline_2=pair.b.headline, b=b
        ),
    )


def _round(pair: Pair) -> Finding | None:
    if pair.same_round or pair.repetition:
        return None
    a, b = (_measured_in(side, pair) for side in (pair.a, pair.b))
    if not pair.same_source:
        return Finding(a, b, _("They were measured in two places: {a}, and {b}.").format(a=a, b=b))
    if pair.a.round_place and pair.b.round_place:
        return Finding(a, b, _("They belong to two rounds of measurements: {a}, and {b}.").format(a=a, b=b))
    return Finding(a, b, _("The source does not say that they were measured in one round."))


def _measured_in(side: ClaimRow, pair: Pair) -> str:
    if not pair.same_source:
        return side.source.title
    return side.round_place.title if side.round_place else _("round not stated")


def _repetition(pair: Pair) -> Finding | None:
    if pair.repetition is None:
        return None
    side, repeated = pair.repetition
    by = side.measured_by or side.source.publisher
    dependent = [item.text for item in side.caveats if item.kind == "not_independent"]
    independence = _(" It is not independent: {dependent}").format(dependent=" ".join(dependent)) if dependent else ""
    if repeated in (pair.a.id, pair.b.id):
        said = _("{headline} is a repetition of {repeated} with the author's code and script, by {by}.")
    else:
        said = _("Both repeat {repeated} with the author's code and script, by {by}.")
    message = said.format(headline=side.headline, repeated=repeated, by=by) + independence
    return Finding(_repeats(pair.a), _repeats(pair.b), message)


def _repeats(side: ClaimRow) -> str:
    return _("repeats {repeats}").format(repeats=side.repeats) if side.repeats else _("the original")


def _both_forced(pair: Pair) -> Finding | None:
    lengths = [forced_length(side) for side in (pair.a, pair.b)]
    item = pair.diffs.get("acceptance")
    if item is None or item.state != "equal" or None in lengths:
        return None
    a, b = acceptance_text(pair.a), acceptance_text(pair.b)
    return Finding(a, b, _("Both ran under forced acceptance ({a}): neither is a speed of real decoding.").format(a=a))


def _spread(pair: Pair) -> Finding | None:
    a, b = ends_text(pair.a), ends_text(pair.b)
    if not pair.absolute or not pair.same_axis or (a is None and b is None):
        return None
    return Finding(a, b, _("Lowest and highest of the repeats: {a}.").format(a=stated(a, b)))


def _read_off_chart(pair: Pair) -> Finding | None:
    a, b = (_reading(side) for side in (pair.a, pair.b))
    if a is None and b is None:
        return None
    return Finding(a, b, _("A number was read off a chart by a third party; its source does not print it."))


def _reading(claim: Claim) -> str | None:
    return next((item.text for item in claim.caveats if item.kind == "third_party_reading"), None)


BESIDE: tuple[Rule, ...] = (
    Rule("set-against", "difference", "baseline", N_("What a ratio and a number are set against."), _set_against),
    Rule(
        "printed-form", "difference", "kind", N_("A factor and a percentage are two forms of a ratio."), _printed_form
    ),
    Rule(
        "round", "difference", "round", N_("Numbers of two rounds differ by more than their stated conditions."), _round
    ),
    Rule(
        "repetition",
        "note",
        "round",
        N_("A repetition with the author's script confirms a number, not a method."),
        _repetition,
    ),
    Rule("both-forced", "note", "acceptance", N_("Forced acceptance on both sides."), _both_forced),
    Rule("spread", "note", "value", N_("How far the repeats of each number lie apart, where that is known."), _spread),
    Rule("read-off-chart", "note", "value", N_("A number that only a third party read."), _read_off_chart),
)
