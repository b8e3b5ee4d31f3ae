"""When two claims do not answer one question: the table of blocking rules, in the reader's order. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.axes import AXES
from app.claims.words import axis_of
from app.compare.conditions import acceptance_text, is_forced
from app.compare.pair import PER_NODE
from app.compare.rules import Finding, Rule, against, stated
from app.compare.words import KINDS, SCOPES, axis_name, sentence, what_it_is
from app.language import N_, _, listed

if TYPE_CHECKING:
    from app.claims.schema import Claim
    from app.compare.pair import Pair

# Windows that open before the prefill: a number that leaves the prefill out is none of them.
WITH_PREFILL = frozenset(
    {
        "e2e_latency",
        "interactivity_e2e",
        "output_throughput",
        "total_throughput",
        "output_per_gpu",
        "total_per_gpu",
        "per_gpu_at_limit",
        "request_throughput",
        "run_duration",
    }
)


def _retracted(pair: Pair) -> Finding | None:
    """Only a card can be taken back."""
    reasons = [side.card.retracted if side.card else None for side in (pair.a, pair.b)]
    said = [reason for reason in reasons if reason is not None]
    if not said:
        return None
    a, b = (_("retracted") if reason is not None else _("not retracted") for reason in reasons)
    message = _("A number that its author took back is no number: {said}").format(said="; ".join(said))
    return Finding(a, b, message, _("a card among them was retracted"))


def _axis(pair: Pair) -> Finding | None:
    if pair.same_axis:
        return None
    a, b = pair.a, pair.b
    message = _("{headline} is {a}; {headline_2} is {b}.").format(
        headline=a.headline, a=what_it_is(a), headline_2=b.headline, b=what_it_is(b)
    )
    clause = _("one is {a}, the other is {b}").format(a=what_it_is(a), b=what_it_is(b))
    return Finding(axis_of(a), axis_of(b), message, clause)


def _axis_not_defined(pair: Pair) -> Finding | None:
    """`undefined_per_gpu` may be set against itself within one source, which counts its tokens in one way."""
    unknown = {"not_defined"} if pair.same_source else {"not_defined", "undefined_per_gpu"}
    if not pair.same_axis or (pair.a.axis in AXES and pair.a.axis not in unknown):
        return None
    name = axis_name(pair.a.axis)
    clause = _("what these numbers measure is not defined where they were published")
    return Finding(name, name, _("The source does not define what is measured, so it may be two things."), clause)


def _axis_version(pair: Pair) -> Finding | None:
    a, b = pair.a.axis_version, pair.b.axis_version
    if not pair.same_axis or a == b:
        return None
    name = axis_name(pair.a.axis)
    message = _("They were recorded under versions {a} and {b} of the definition of {name}.").format(
        a=a, b=b, name=name
    )
    return Finding(str(a), str(b), message, _("the definition of {name} changed between them").format(name=name))


def _kind(pair: Pair) -> Finding | None:
    a, b = pair.a, pair.b
    if (a.kind == "absolute") == (b.kind == "absolute"):
        return None
    one, two = _(KINDS[a.kind]), _(KINDS[b.kind])
    message = _("{headline} is {one}, {headline_2} {two}: a ratio says nothing about the size of a number.").format(
        headline=a.headline, one=one, headline_2=b.headline, two=two
    )
    return Finding(one, two, message, _("one is {one}, the other {two}").format(one=one, two=two))


def _scope(pair: Pair) -> Finding | None:
    a, b = _(SCOPES[pair.a.scope]), _(SCOPES[pair.b.scope])
    if a == b:
        return None
    message = _("{headline} is about {a}, {headline_2} about {b}: a part's gain is not the whole's.").format(
        headline=pair.a.headline, a=a, headline_2=pair.b.headline, b=b
    )
    return Finding(a, b, message, _("one is about {a}, the other about {b}").format(a=a, b=b))


def _baseline(pair: Pair) -> Finding | None:
    """Of two ratios. A ratio means nothing without what it divides by, so an unnamed baseline matches nothing."""
    one, two = pair.a.baseline, pair.b.baseline
    if "absolute" in (pair.a.kind, pair.b.kind):
        return None
    named = all(item.kind not in ("not_stated", "none") and item.key is not None for item in (one, two))
    if named and (one.kind, one.key) == (two.kind, two.key):
        return None
    a, b = against(one), against(two)
    if not named:
        return Finding(
            a, b, _("What at least one of the two ratios divides by is not stated."), _("a baseline is not stated")
        )
    message = _("{headline} divides by: {a}. {headline_2} divides by: {b}.").format(
        headline=pair.a.headline, a=a, headline_2=pair.b.headline, b=b
    )
    return Finding(a, b, message, _("each is set against something else"))


def _ladder(pair: Pair) -> Finding | None:
    one, two = pair.a.ladder, pair.b.ladder
    if one is None or two is None or not pair.same_source or one.ladder != two.ladder or one.segment == two.segment:
        return None
    first, last = sorted((one.step, two.step))
    between = [item for item in one.breaks if first <= item.after_step < last]
    reasons = " ".join(sentence(reason) for item in between for reason in item.reasons)
    message = _("The source's ladder breaks between step {first} and step {last}. {reasons}").format(
        first=first, last=last, reasons=reasons
    )
    titles = listed([item.title[:1].lower() + item.title[1:] for item in between])
    return Finding(
        _("step {step}").format(step=one.step),
        _("step {step}").format(step=two.step),
        message,
        _("the ladder of their source breaks between them ({titles})").format(titles=titles),
    )


def _apart(pair: Pair) -> Finding | None:
    """Only steps of one ladder have the break for their reason; every other outsider has the round's own."""
    rounds = [side.round_place for side in (pair.a, pair.b)]
    reasons = [place.apart if place else None for place in rounds]
    if not any(reasons) or _ladder(pair) or (rounds[0] and rounds[1] and rounds[0].id == rounds[1].id):
        return None
    a, b = (place.title if place else None for place in rounds)
    why = " ".join(sentence(reason) for reason in dict.fromkeys(reasons) if reason)
    return Finding(a, b, why, _("one of them was measured apart from everything else, in a way that is not described"))


def _acceptance_open(pair: Pair) -> Finding | None:
    """An acceptance that is not stated could be forced to any length, and so could a speed that follows from it."""
    item = pair.diffs.get("acceptance")
    if item is None or item.state != "not_stated":
        return None
    known = [side.acceptance.kind == "measured" for side in (pair.a, pair.b)]
    if all(known):
        return None
    a, b = acceptance_text(pair.a), acceptance_text(pair.b)
    message = _("Acceptance: {a}. It may have been forced, which sets the speed.").format(a=stated(a, b))
    return Finding(a, b, message, _("whether drafted tokens were really accepted is not stated"))


def _acceptance_forced(pair: Pair) -> Finding | None:
    item = pair.diffs.get("acceptance")
    forced = [is_forced(side) for side in (pair.a, pair.b)]
    if item is None or item.state != "differs" or not any(forced):
        return None
    a, b = acceptance_text(pair.a), acceptance_text(pair.b)
    if all(forced):
        message = _("Acceptance was forced on both sides, to different lengths: {a} against {b}.").format(a=a, b=b)
        return Finding(a, b, message, _("acceptance was forced to different lengths"))
    if "none" in (pair.a.acceptance.kind, pair.b.acceptance.kind):
        return None
    prompts = pair.diffs.get("workload.name")
    too = _(" The prompts differ too.") if prompts and prompts.state == "differs" else ""
    message = _(
        "Acceptance: {a} against {b}. A forced acceptance sets the speed whatever the text is, "
        "so the gap between the two is not the cost of simulating.{too}"
    ).format(a=a, b=b, too=too)
    return Finding(a, b, message, _("acceptance is forced on one side and real on the other"))


def _model(pair: Pair) -> Finding | None:
    item = pair.diffs.get("model.id")
    if item is None or item.state in ("equal", "held"):
        return None
    if item.state == "differs":
        message = _("Two models: {a} and {b}.").format(a=item.a, b=item.b)
        return Finding(item.a, item.b, message, _("one is {a}, the other {b}").format(a=item.a, b=item.b))
    message = _("Model: {a}.").format(a=stated(item.a, item.b))
    return Finding(item.a, item.b, message, _("the model is not stated"))


def _unit(pair: Pair) -> Finding | None:
    a, b = pair.a, pair.b
    if not pair.same_axis or a.kind != b.kind or pair.same_unit:
        return None
    nodes = PER_NODE in (a.unit, b.unit)
    why = _(" How many GPUs a node holds is not stated.") if nodes else ""
    message = _("{unit} and {unit_2} cannot be converted into each other.{why}").format(
        unit=a.unit, unit_2=b.unit, why=why
    )
    return Finding(
        a.unit,
        b.unit,
        message,
        _("{unit} and {unit_2} cannot be converted into each other").format(unit=a.unit, unit_2=b.unit),
    )


def _number(pair: Pair) -> Finding | None:
    if has_number(pair.a) and has_number(pair.b):
        return None
    a, b = pair.a, pair.b
    message = _("{headline} against {headline_2}: a number is missing, in a chart only or not given at all.").format(
        headline=a.headline, headline_2=b.headline
    )
    return Finding(a.headline, b.headline, message, _("a number is missing on at least one side"))


def has_number(claim: Claim) -> bool:
    ends = claim.before is not None and claim.after is not None
    return claim.value is not None or (claim.low is not None and claim.high is not None) or ends


def _prefill(pair: Pair) -> Finding | None:
    without = [_leaves_prefill_out(side) for side in (pair.a, pair.b)]
    if not pair.same_axis or pair.a.axis not in WITH_PREFILL or without[0] == without[1]:
        return None
    a, b = (_("prefill not counted") if out else _("prefill counted") for out in without)
    message = _("Prefill is left out on one side of {axis}: {a} against {b}.").format(
        axis=axis_name(pair.a.axis), a=a, b=b
    )
    return Finding(a, b, message, _("one leaves the prefill out"))


def _leaves_prefill_out(claim: Claim) -> bool:
    return any(item.kind == "prefill_not_counted" for item in claim.caveats)


BLOCKING: tuple[Rule, ...] = (
    Rule("retracted", "blocking", "card", N_("A number that its author took back compares with nothing."), _retracted),
    Rule("axis", "blocking", "axis", N_("Two numbers of two metrics answer two questions."), _axis),
    Rule(
        "axis-not-defined",
        "blocking",
        "axis",
        N_("A metric that its source does not define matches nothing."),
        _axis_not_defined,
    ),
    Rule(
        "axis-version",
        "blocking",
        "axis_version",
        N_("A definition that changed is another definition."),
        _axis_version,
    ),
    Rule("kind", "blocking", "kind", N_("A ratio and an absolute number have no common scale."), _kind),
    Rule("scope", "blocking", "scope", N_("A kernel's gain is not a layer's, and a layer's not the whole's."), _scope),
    Rule(
        "baseline", "blocking", "baseline", N_("Two ratios match only where they divide by the same thing."), _baseline
    ),
    Rule(
        "ladder-break",
        "blocking",
        "ladder",
        N_("Steps on two sides of a break in a ladder were measured otherwise."),
        _ladder,
    ),
    Rule(
        "round-apart",
        "blocking",
        "round",
        N_("A round that its source keeps apart matches nothing outside it."),
        _apart,
    ),
    Rule(
        "acceptance-forced",
        "blocking",
        "acceptance",
        N_("Forced acceptance matches only the same forced length, or speculation off."),
        _acceptance_forced,
    ),
    Rule(
        "acceptance-not-stated",
        "blocking",
        "acceptance",
        N_("An acceptance that is not stated may have been forced."),
        _acceptance_open,
    ),
    Rule("model", "blocking", "model.id", N_("Two models do different work for one token."), _model),
    Rule("unit", "blocking", "unit", N_("Units that no stated fact converts cannot be set side by side."), _unit),
    Rule("number", "blocking", "value", N_("Without a number on both sides there is nothing to compare."), _number),
    Rule("prefill", "blocking", "prefill", N_("A number that leaves the prefill out is not end to end."), _prefill),
)
