"""Arithmetic on printed numbers: the steps behind a speculative rate, the share behind a kernel's gain. Pure.

Every result is derived, not measured, and carries its assumption.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.axes import AXES
from app.compare.conditions import OFF, accept_length, forced_length, forced_state, is_forced
from app.compare.schema import Derivation
from app.compare.words import significant
from app.language import N_, _, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from decimal import Decimal

    from app.claims.schema import Claim, ClaimRow

CONSTANT_STEP = N_("derived; assumes constant step time")
ONLY_THE_KERNEL = N_(
    "derived; assumes that only this part changed, at one context length, and that nothing overlaps it"
)


def steps_per_second(rate: Decimal, length: Decimal) -> Decimal:
    """Verify steps per second of a stream that gains `length` tokens a step at `rate` tok/s."""
    return rate / length


def break_even_length(off: Decimal, on: Decimal, length: Decimal) -> Decimal:
    """Tokens a step at which speculation, as fast as `on` at `length`, is no faster than `off` without it."""
    return off / steps_per_second(on, length)


def rate_at(rate: Decimal, length: Decimal, other: Decimal) -> Decimal:
    """The rate of the same steps at another acceptance."""
    return steps_per_second(rate, length) * other


def cycle_ms(rate: Decimal, length: Decimal) -> Decimal:
    """Time of one draft-and-verify cycle in ms."""
    return 1000 / steps_per_second(rate, length)


def time_share(speedup: Decimal, saved: Decimal) -> Decimal:
    """The share f of the whole time that a part had, when `speedup` of it saved the share `saved` of the whole.

    With g the gain in rate, saved = 1 - 1/(1 + g); Amdahl's law gives saved = f (1 - 1/speedup).
    """
    return saved / (1 - 1 / speedup)


def alone(claim: ClaimRow, others: Sequence[ClaimRow] = ()) -> tuple[Derivation, ...]:
    """What one speculative rate of a single stream implies: its cycle, and its rate at the lengths that `others` of
    the same model ran at."""
    known = _stream(claim)
    if known is None:
        return ()
    rate, length = known
    which = _which(claim)
    text = _("{headline} ({which}) is {rate} steps/s: one verify cycle takes {rate_2} ms.").format(
        headline=claim.headline,
        which=which,
        rate=significant(steps_per_second(rate, length), 4),
        rate_2=significant(cycle_ms(rate, length)),
    )
    found = [Derivation(title=_("Verify cycle"), text=text, assumption=_(CONSTANT_STEP))]
    same_model = [row for row in others if row.conditions.model.id == claim.conditions.model.id]
    lengths = sorted({other for row in same_model if (other := _other_length(claim, row)) is not None})
    found += [_at(claim, rate, length, other) for other in lengths]
    return tuple(found)


def between(a: ClaimRow, b: ClaimRow, *, one_change: bool) -> tuple[Derivation, ...]:
    """What two claims imply together. The break-even length needs a pair in which speculation is the `one_change`."""
    found = [*_break_even(a, b)] if one_change else []
    for side, other in ((a, b), (b, a)):
        found += [*_forced_at_real(side, other), *_share(side, other)]
    return tuple(found)


def _break_even(a: ClaimRow, b: ClaimRow) -> Iterator[Derivation]:
    for off, on in ((a, b), (b, a)):
        known = _stream(on)
        if off.conditions.speculation.method != OFF or known is None or off.value is None or off.axis != on.axis:
            continue
        rate, length = known
        steps = steps_per_second(rate, length)
        text = _(
            "{headline} ({on}) is {steps} steps/s. Without speculation it is {headline_2}, so "
            "speculation breaks even at {value} tokens a step."
        ).format(
            headline=on.headline,
            on=_which(on),
            steps=significant(steps, 4),
            headline_2=off.headline,
            value=significant(break_even_length(off.value, rate, length)),
        )
        yield Derivation(title=_("Break-even accept length"), text=text, assumption=_(CONSTANT_STEP))


def _forced_at_real(side: ClaimRow, other: ClaimRow) -> Iterator[Derivation]:
    """A forced rate carried over to the length that the other side had on the same model."""
    known, length = _stream(side), _other_length(side, other)
    if known is None or length is None or not is_forced(side):
        return
    if side.conditions.model.id is not None and side.conditions.model.id == other.conditions.model.id:
        yield _at(side, *known, length)


def _at(claim: ClaimRow, rate: Decimal, length: Decimal, other: Decimal) -> Derivation:
    text = _("The steps of {headline} ({claim}) at {other} tokens a step would give about {rate} tok/s.").format(
        headline=claim.headline,
        claim=_which(claim),
        other=number(other, "f"),
        rate=significant(rate_at(rate, length, other)),
    )
    return Derivation(
        title=_("Rate at acceptance {other}").format(other=number(other, "f")), text=text, assumption=_(CONSTANT_STEP)
    )


def _stream(claim: ClaimRow) -> tuple[Decimal, Decimal] | None:
    """Rate and accept length of a speculating single stream."""
    axis, length = AXES.get(claim.axis), accept_length(claim)
    if axis is None or not axis.memory_limited or claim.kind != "absolute" or length is None:
        return None
    return (claim.value, length) if claim.value is not None and claim.value > 0 else None


def _other_length(claim: ClaimRow, other: ClaimRow) -> Decimal | None:
    """The accept length of `other`, unless both were forced to one target or stand at one length."""
    one_target = is_forced(other) and forced_state(claim, other) == "equal"
    length = accept_length(other)
    return None if one_target or length == accept_length(claim) else length


def _which(claim: Claim) -> str:
    forced = forced_length(claim)
    if claim.acceptance.length is None:
        return _("forced length {forced}").format(forced=number(forced or 0, "f"))
    return _("measured length {length}").format(length=number(claim.acceptance.length, "f")) + (
        _(", forced to {forced}").format(forced=number(forced, "f")) if forced else ""
    )


def _share(part: ClaimRow, whole: ClaimRow) -> Iterator[Derivation]:
    """The share of the time that a part can have had, over all corners of both ranges."""
    if part.end_to_end != whole.id:
        return
    speedups = [factor for factor in _factors(part) if factor > 1]
    saved = [1 - 1 / factor for factor in _factors(whole) if factor > 1]
    shares = [time_share(speedup, share) * 100 for speedup in speedups for share in saved]
    if not shares:
        return
    low, high = (number(share, ".0f") for share in (min(shares), max(shares)))
    span = low if low == high else f"{low}-{high}"
    text = _("{headline} for the part and {headline_2} for the whole: the part had about {span} % of the time.").format(
        headline=part.headline, headline_2=whole.headline, span=span
    )
    yield Derivation(title=_("Share of the time"), text=text, assumption=_(ONLY_THE_KERNEL))


def _factors(claim: ClaimRow) -> list[Decimal]:
    """The ends of a printed gain as speed-up factors: a time that shrinks by d is a rate that grows by 1 / (1 - d);
    an absolute time gains what its baseline was longer."""
    if claim.kind == "absolute":
        before, lower = claim.baseline.value, claim.axis in AXES and AXES[claim.axis].direction == "lower"
        return [before / claim.value] if lower and before and claim.value else []
    ends = [claim.value] if claim.value is not None else [claim.low, claim.high]
    given = [end for end in ends if end is not None]
    if claim.kind == "ratio":
        return given
    shares = [1 + end / 100 for end in given]
    return [1 / share if share < 1 else share for share in shares if share > 0]
