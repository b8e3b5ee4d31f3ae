"""The ratio lint R1-R10: what is wrong with a printed ratio, or with dividing one of two numbers by the other. Pure.

A finding marks a number; it changes no verdict by itself. R2-R5 read the same facts as the differences do and say what
they do to a ratio.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from app.axes import AXES
from app.claims.schema import Acceptance, Conditions
from app.compare.conditions import COMPARED, OFF, acceptance_text, diff, is_forced, laid_over, settle
from app.compare.hardware import NO_WEIGHTS, memory_limit
from app.compare.printed import recomputed
from app.compare.ratio import change_of
from app.compare.rules import against
from app.compare.schema import Reason
from app.compare.words import SCOPES, sentence, significant
from app.language import N_, _, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.catalogue.models import ModelWeights
    from app.claims.schema import Claim, ClaimRow
    from app.compare.conditions import FieldDiff
    from app.compare.pair import Pair
    from app.compare.schema import Severity

RULES: dict[str, str] = {
    "R1": N_("What a ratio divides by, or the number that it divides by, is not given."),
    "R2": N_("Numerator and denominator ran another workload."),
    "R3": N_("Numerator and denominator ran at another load."),
    "R4": N_("Speculation, or a forced acceptance, on one side only."),
    "R5": N_("Another cache policy: the ratio measures the cache."),
    "R6": N_("The source admits a defect of what it divides by."),
    "R7": N_("The printed ratio does not follow from the printed end points."),
    "R8": N_("A part's ratio is not the whole's."),
    "R9": N_("Its source, or another, contradicts it."),
    "R10": N_("Above what memory bandwidth allows one stream."),
}
WORKLOAD = ("workload.name", "workload.input_tokens", "workload.output_tokens", "workload.temperature")
LOAD = "load.concurrency"
CACHE = "workload.prefix_cache"
COLD = {"off", "cleared"}  # two ways to have no hit
_WHO = {False: N_("Its source contradicts itself"), True: N_("Another source contradicts it")}
PARTS = ("kernel", "path", "layer", "forward_pass")


def lint(
    claim: ClaimRow, others: Sequence[ClaimRow] = (), weights: Mapping[str, ModelWeights] = NO_WEIGHTS
) -> tuple[Reason, ...]:
    """What is wrong with one published number. `others` may hold the claims that it names: its denominator, its
    end-to-end effect, its pair at equal load. In a reason, `a` is the denominator's side and `b` the claim's own."""
    known = {other.id: other for other in others} | {claim.id: claim}
    found = [*_contradicted(claim), *_memory(claim, weights), *_part(claim, known)]
    if claim.kind != "absolute":
        found += [
            *_denominator(claim, known),
            *_sides(claim, known),
            *_flaw(claim),
            *recomputed(claim),
        ]
    return tuple(sorted(found, key=lambda reason: (int(reason.rule[1:]), reason.message)))


def lint_pair(pair: Pair, others: Sequence[ClaimRow] = ()) -> list[Reason]:
    """What is wrong with dividing two absolute numbers of one axis."""
    if not pair.absolute or not pair.same_axis:
        return []
    known = {row.id: row for row in (*others, pair.a, pair.b)}
    differing = {item.field: item for item in pair.diffs.values() if item.state == "differs"}
    alone = len({change_of(field) for field in differing}) == 1
    reasons = [*_unequal(differing, alone, _equal_terms((pair.a, pair.b), known))]
    if "speculation" in pair.matters:
        reasons += _speculation_of(pair.a, pair.b)
    a, b = (_admitted_flaw(side, (pair.a, pair.b, *others)) for side in (pair.a, pair.b))
    if a or b:
        side = pair.a if a else pair.b
        message = _("{headline} has a defect that its source admits: {a}").format(
            headline=side.headline, a=sentence(a or b)
        )
        reasons.append(_reason("R6", "baseline", a, b, message))
    return reasons


def _admitted_flaw(side: ClaimRow, rows: Sequence[ClaimRow]) -> str | None:
    """The defect that a row which divides by `side` says that it has."""
    return next((row.baseline.flaw for row in rows if row.baseline.claim == side.id and row.baseline.flaw), None)


def _reason(rule: str, field: str, a: str | None, b: str | None, message: str, severity: Severity = "lint") -> Reason:
    return Reason(rule=rule, severity=severity, field=field, a=a, b=b, message=message)


def _denominator(claim: ClaimRow, known: Mapping[str, ClaimRow]) -> Iterator[Reason]:
    given = claim.baseline
    if given.kind == "not_stated":
        yield _reason(
            "R1",
            "baseline",
            None,
            claim.headline,
            _("What {headline} divides by is not stated.").format(headline=claim.headline),
        )
    elif given.value is None and claim.before is None and given.claim not in known:
        message = _("The number that {headline} divides by is not given ({given}).").format(
            headline=claim.headline, given=against(given)
        )
        yield _reason("R1", "baseline", against(given), claim.headline, message)


def denominator(claim: ClaimRow, known: Mapping[str, ClaimRow]) -> ClaimRow | None:
    """The claim that a ratio divides by, or the ratio's own conditions with what the source says to differ."""
    given = claim.baseline
    if given.claim is not None and given.claim in known and given.claim != claim.id:
        under = known[given.claim]
        conditions = laid_over(under.conditions, given.conditions) if given.conditions else under.conditions
        return settle(under.model_copy(update={"conditions": conditions}))
    if given.conditions is None and given.acceptance is None:
        return None
    conditions = laid_over(claim.conditions, given.conditions) if given.conditions else claim.conditions
    acceptance = given.acceptance or claim.acceptance
    if given.acceptance is None and _method(conditions) != _method(claim.conditions):
        acceptance = Acceptance(kind="not_stated")
    return settle(claim.model_copy(update={"conditions": conditions, "acceptance": acceptance}))


def _method(conditions: Conditions) -> str | None:
    return conditions.speculation.method


def _sides(claim: ClaimRow, known: Mapping[str, ClaimRow]) -> Iterator[Reason]:
    own, under = settle(claim), denominator(claim, known)
    if under is None:
        return
    groups = AXES[claim.axis].matters if claim.axis in AXES else frozenset()
    differing = {item.field: item for item in diff(under, own, groups, frozenset()) if item.state == "differs"}
    alone = claim.baseline.kind == "other_configuration" and len({change_of(field) for field in differing}) == 1
    yield from _unequal(differing, alone, _equal_terms((claim,), known))
    if "speculation" in groups:
        yield from _speculation_of(under, own)


def _unequal(differing: Mapping[str, FieldDiff], alone: bool, equal_terms: str) -> Iterator[Reason]:
    """R2, R3 and R5. A length or a load that differs `alone` is what the ratio is about, and no defect of it."""
    workload = [differing[field] for field in WORKLOAD if field in differing]
    if workload and not (alone and "workload.name" not in differing):
        names = listed([item.label for item in workload])
        text = "; ".join(_("{label} {a} against {b}").format(label=item.label, a=item.a, b=item.b) for item in workload)
        first = workload[0]
        yield _reason(
            "R2",
            first.field,
            first.a,
            first.b,
            _("A ratio of the two would mix workloads ({names}): {text}.").format(names=names, text=text),
        )
    if LOAD in differing and not alone:
        item = differing[LOAD]
        message = _("A ratio of the two would mix loads: {a} against {b}.{equal_terms}").format(
            a=item.a, b=item.b, equal_terms=equal_terms
        )
        yield _reason("R3", LOAD, item.a, item.b, message)
    if CACHE in differing and not {differing[CACHE].a, differing[CACHE].b} <= COLD:
        item = differing[CACHE]
        message = _("Prefix cache {a} against {b}: a ratio of the two measures the cache policy.").format(
            a=item.a, b=item.b
        )
        yield _reason("R5", CACHE, item.a, item.b, message)


def _equal_terms(claims: Sequence[ClaimRow], known: Mapping[str, ClaimRow]) -> str:
    """The pair that the source measured at equal load, and its ratio, in one sentence; else nothing."""
    named = next((claim.equal_terms for claim in claims if claim.equal_terms), None)
    top, under = (known.get(claim_id) for claim_id in named or ("", ""))
    if top is None or under is None or not top.value or not under.value:
        return ""
    load = COMPARED[LOAD].read(top)
    at = _("At {load}").format(load=load) if load else _("At equal load")
    return _(" {at} the source has {headline} against {headline_2}: {value}x.").format(
        at=at, headline=top.headline, headline_2=under.headline, value=significant(top.value / under.value)
    )


def _speculation_of(a: Claim, b: Claim) -> Iterator[Reason]:
    speculates = [_speculates(side) for side in (a, b)]
    forced = [is_forced(side) for side in (a, b)]
    silent = "not_stated" in (a.acceptance.kind, b.acceptance.kind)
    if None in speculates or (speculates[0] == speculates[1] and (silent or forced[0] == forced[1])):
        return
    texts = [acceptance_text(side) for side in (a, b)]
    if speculates[0] == speculates[1]:
        message = _("Forced acceptance on one side only: {first} against {second}.").format(
            first=texts[0], second=texts[1]
        )
    else:
        on = (texts[1] if speculates[1] else texts[0]) or _("acceptance not stated")
        message = _(
            "Speculation on one side only: a ratio of the two holds at its acceptance ({on}) and at no other."
        ).format(on=on)
    yield _reason("R4", "acceptance", texts[0], texts[1], message)


def _speculates(side: Claim) -> bool | None:
    if side.acceptance.kind in ("measured", "simulated", "synthetic"):
        return True
    method = side.conditions.speculation.method
    return None if method is None else method != OFF


def _flaw(claim: ClaimRow) -> Iterator[Reason]:
    flaw = claim.baseline.flaw
    if flaw:
        message = _("What {headline} divides by has a defect that the source admits: {flaw}").format(
            headline=claim.headline, flaw=sentence(flaw)
        )
        yield _reason("R6", "baseline", flaw, claim.headline, message)


def _part(claim: ClaimRow, known: Mapping[str, ClaimRow]) -> Iterator[Reason]:
    if claim.scope not in PARTS:
        return
    part = _(SCOPES[claim.scope])
    if claim.end_to_end is None:
        if claim.kind == "absolute":
            return
        message = _("{headline} is about {part}; no effect on the whole is given.").format(
            headline=claim.headline, part=part
        )
        yield _reason("R8", "scope", None, part, message, "note")
        return
    whole = known.get(claim.end_to_end)
    effect = whole.headline if whole else _("the effect is in {end_to_end}").format(end_to_end=claim.end_to_end)
    message = _("{headline} is about {part}; for the whole the source gives {effect}.").format(
        headline=claim.headline, part=part, effect=effect
    )
    yield _reason("R8", "scope", effect, part, message)


def _contradicted(claim: ClaimRow) -> Iterator[Reason]:
    for item in claim.contradictions:
        yield _reason("R9", "contradictions", None, claim.headline, f"{_(_WHO[item.across])}: {item.text}")


def _memory(claim: ClaimRow, weights: Mapping[str, ModelWeights]) -> Iterator[Reason]:
    rate, limit = one_stream_rate(claim), memory_limit(claim, weights)
    if rate is None or limit is None or rate <= limit.tok_s or claim.conditions.speculation.method not in (None, OFF):
        return
    if claim.acceptance.kind in ("measured", "simulated", "synthetic"):
        return
    likely = _("likely total tokens, speculation or another unit")
    message = _("{headline} is above the memory limit: {likely}. {arithmetic}.").format(
        headline=claim.headline, likely=likely, arithmetic=limit.arithmetic
    )
    yield _reason("R10", "value", limit.arithmetic, claim.headline, message)


def one_stream_rate(claim: Claim) -> Decimal | None:
    """tok/s of one stream: the decode rate itself, or 1000 / TPOT at concurrency 1."""
    axis = AXES.get(claim.axis)
    if claim.kind != "absolute" or axis is None or not claim.value or claim.value < 0:
        return None
    if axis.memory_limited:
        return claim.value
    alone = claim.conditions.load.concurrency == "1" or claim.conditions.load.batch == "1"
    return Decimal(1000) / claim.value if claim.axis == "tpot" and alone else None
