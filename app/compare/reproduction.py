"""What measuring a claim again says of it: one word, and everything that it rests on. Pure.

The rule, in the order in which it is asked (`rules` has it for the page that explains it):

1. Nothing was measured: `never_tried`, or `failed` with its class. What a run would still need stands beside it
   (app.jobs.here).
2. A run that is no result (its client lagged, requests failed, the cache was warm, ...), fewer than three repeats, or
   a claim without a number leaves it `inconclusive`, whatever the numbers were.
3. The measured number is the median of the repeats, its interval the 95 % percentile bootstrap interval of that
   median. Of a ratio it is the median of the ratios of interleaved pairs, with the interval of that.
4. An interval wider than a tenth of the number leaves its place open: it stands nowhere.
5. The claim reaches over its printed precision: half a step of its last digit to both sides, of its range where it
   prints one, a twentieth more where it says "about". "At least" has no upper end; "within" reaches from nothing to
   the number; "up to" and "nearly" are taken at their number, the best that they promise.
6. Where the interval and the claim's reach overlap, the number stands `within`, else `below` or `above`: as numbers,
   whichever of the two is better.
7. Any stated fact of the setup that differs makes it `different_setup`: where the number stands is told beside it,
   and refutes nothing. What only one side states is listed and changes nothing.
8. A measurement that came as a bundle is judged like any other. It speaks for its claim only where none was made here,
   marked as imported: its numbers follow from its traces, and nobody here saw its machine.
"""

from __future__ import annotations

import math
from decimal import Decimal
from statistics import median
from typing import TYPE_CHECKING, Literal

from app.axes import AXES
from app.claims.schema import Fact, Text
from app.claims.wording import number, with_unit
from app.compare.printed import end_points, last_digit
from app.compare.setup import Setup, SetupDifference
from app.language import F_, N_, _, as_number
from app.protocol.english import counted
from runners.load.statistics import bootstrap_median

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.claims.schema import ClaimRow

Status = Literal["never_tried", "failed", "different_setup", "inconclusive", "below", "within", "above"]
Standing = Literal["below", "within", "above", "open"]

FEWEST = 3  # repeats; below it there is no interval
WIDEST = Decimal("0.1")  # interval, as a share of the number (of the factor that a change in per cent stands for)
ABOUT = Decimal("0.05")
DIGITS = 6  # of a computed number

WORDS: dict[Status, str] = {
    "never_tried": N_("never tried"),
    "failed": N_("failed"),
    "different_setup": N_("different setup"),
    "inconclusive": N_("inconclusive"),
    "below": N_("below the claim"),
    "within": N_("within the claim"),
    "above": N_("above the claim"),
}
STANDS: dict[Standing, str] = {
    "below": N_("below the claim"),
    "within": N_("within the claim"),
    "above": N_("above the claim"),
    "open": N_("nowhere: the noise is too wide"),
}


class Verdict(Fact):
    """`standing` says where the number lies whatever the setup; None where nothing can be said. `low` and `high` are
    the interval's ends, `claimed_low` and `claimed_high` those of what the claim reaches over (None: no end). `share`
    is measured / claimed, for a change in per cent of the factors behind it."""

    status: Status
    text: Text  # one sentence
    standing: Standing | None = None
    measured: Decimal | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    unit: Text | None = None
    repeats: int = 0
    claimed: Text | None = None
    claimed_low: Decimal | None = None
    claimed_high: Decimal | None = None
    share: Decimal | None = None
    differences: tuple[SetupDifference, ...] = ()
    left_open: tuple[SetupDifference, ...] = ()
    assumptions: tuple[Text, ...] = ()  # what was measured where the claim states nothing, or something else was chosen
    reasons: tuple[Text, ...] = ()  # why it is inconclusive, what is missing, how it failed
    how: Text | None = None  # how the number was computed
    outputs: Text | None = None  # of two servers: whether they gave the same outputs


NEVER_TRIED = Verdict(status="never_tried", text=N_("Nobody has measured this claim again here."))


def rules() -> tuple[tuple[str, str], ...]:
    """The rule as (short name, sentence), in the order in which it is asked."""
    return (
        ("measured", _("Where nothing was measured, it was never tried, cannot be run here for a reason, or failed.")),
        ("valid", _("A run that is no result leaves the verdict inconclusive, and so does a claim without a number.")),
        (
            "repeats",
            _("At least {fewest} repeats are needed; the number is their median, with its bootstrap interval.").format(
                fewest=FEWEST
            ),
        ),
        ("pairs", _("A ratio is the median of the ratios of interleaved pairs, with the interval of that.")),
        (
            "noise",
            _("An interval wider than {widest} of the number is too wide to say where the number stands.").format(
                widest=as_number(f"{WIDEST:.0%}")
            ),
        ),
        (
            "reach",
            _("A claim reaches half a step of its last printed digit to both sides, over its range if it has one."),
        ),
        ("about", _("A claim that says about reaches {about} further.").format(about=as_number(f"{ABOUT:.0%}"))),
        ("bounds", _("“At least” has no upper end; “within” reaches down to nothing; “up to” is taken at its number.")),
        ("within", _("Where the interval and the claim's reach overlap, the number is within, else below or above.")),
        ("setup", _("A stated fact that differs makes it a different setup, which refutes nothing.")),
        ("open", _("A fact that one side does not state is listed and changes nothing.")),
        (
            "imported",
            _("A bundle's measurement speaks for a claim where none was made here, and is called imported."),
        ),
    )


def failed(claim: ClaimRow, failure: str, message: str) -> Verdict:
    """The attempt ended before anything was measured; says nothing about the claim."""
    words = failure.replace("_", " ")
    said = f"{words}: {message}" if message else words
    return Verdict(
        status="failed",
        text=_("The attempt failed ({words}).").format(words=words),
        claimed=claim.headline,
        reasons=(said,),
    )


MOST = 1e15  # as of a card's number (app.cards.schema)


def judge(claim: ClaimRow, values: Sequence[float], between: Setup, *, reasons: Sequence[str], how: str) -> Verdict:
    """The verdict of repeats in the claim's own unit. `reasons` say why their runs are no result, where they are not.

    For a ratio or a change `values` are those of the pairs (`paired`).
    """
    reach = claimed(claim)
    problems = [*(reasons or _unusable(claim, values)), *([] if reach else [_("the source prints no number")])]
    known = Verdict(
        status="inconclusive",
        text=_("Nothing can be said: {first}.").format(first=problems[0]) if problems else "-",
        unit=claim.unit,
        repeats=len(values),
        claimed=claim.headline,
        differences=between.differences,
        left_open=between.left_open,
        reasons=tuple(problems),
        how=how,
    )
    interval = None if problems else bootstrap_median(values)
    if reach is None or interval is None:
        return known
    middle, low, high = (_decimal(item) for item in (median(values), *interval))
    wide = _wide(claim, middle, low, high)
    standing: Standing = "open" if wide else _stands(reach, low, high)
    status: Status = "different_setup" if between.differences else "inconclusive" if standing == "open" else standing
    found = {"measured": middle, "low": low, "high": high, "claimed_low": reach[0], "claimed_high": reach[1]}
    said = {"status": status, "standing": standing, "text": _sentence(claim, middle, standing, between)}
    return known.model_copy(
        update={**found, **said, "share": _share(claim, middle), "reasons": (wide,) if wide else ()}
    )


def paired(claim: ClaimRow, pairs: Sequence[tuple[float, float]]) -> list[float]:
    """(baseline, with the change) of each pair -> the ratio or the change in per cent as the claim prints it.

    A source may print a ratio either way round ("46x lower"): its end points tell which, else a ratio above 1 on an
    axis where less is better is taken for how many times less.
    """
    factors = [after / before if before else math.inf for before, after in pairs]
    if claim.unit == "%":
        return [(factor - 1) * 100 for factor in factors]
    return [1 / factor if factor else math.inf for factor in factors] if _inverted(claim) else factors


def claimed(claim: ClaimRow) -> tuple[Decimal | None, Decimal | None] | None:
    """What a claim reaches over, None for an end that it has not; None where it prints no number."""
    ends = _printed(claim)
    if ends is None:
        return None
    low, high = min(ends), max(ends)
    step = max(last_digit(end) for end in ends) / 2
    more = ABOUT * max(abs(low), abs(high)) if claim.approximate else Decimal(0)
    if claim.bound == "within":
        return min(low, Decimal(0)) - step - more, max(high, Decimal(0)) + step + more
    at_least = claim.bound in ("at_least", "more_than")
    return low - step - more, None if at_least else high + step + more


def _printed(claim: ClaimRow) -> tuple[Decimal, Decimal] | None:
    if claim.value is not None:
        return claim.value, claim.value
    if claim.low is not None and claim.high is not None:
        return claim.low, claim.high
    points = end_points(claim)
    if points is None or claim.kind == "absolute":
        return None
    factor = points[1] / points[0]
    found = round((factor - 1) * 100 if claim.unit == "%" else factor, 3)
    return found, found


def _inverted(claim: ClaimRow) -> bool:
    printed, points = _printed(claim), end_points(claim)
    if printed is None:
        return False
    if points is not None:
        factor = points[1] / points[0]
        return abs(1 / factor - printed[0]) < abs(factor - printed[0])
    axis = AXES.get(claim.axis)
    return axis is not None and axis.direction == "lower" and printed[0] > 1


def _unusable(claim: ClaimRow, values: Sequence[float]) -> list[str]:
    if len(values) < FEWEST:
        return [
            _(F_("only {said_repeats}: an interval needs {fewest}")).format(
                said_repeats=counted(len(values), "repeat"), fewest=FEWEST
            )
        ]
    if not all(map(math.isfinite, values)):
        return [_(F_("a repeat has no finite number: requests of it failed"))]
    if claim.unit != "%" and any(value <= 0 for value in values):
        return [_(F_("a repeat has a number that is not above 0, which nothing measured here can be"))]
    if any(abs(value) > MOST for value in values):
        return [
            _(F_("a repeat has a number above {number}, which nothing measured here can be")).format(
                number=as_number(f"{MOST:g}")
            )
        ]
    return []


def _wide(claim: ClaimRow, middle: Decimal, low: Decimal, high: Decimal) -> str:
    """Why the interval is too wide; "" where it is not."""
    whole = abs(_factor(claim, middle))
    if high - low <= WIDEST * whole * (100 if claim.unit == "%" else 1):
        return ""
    return _(F_("the interval from {number_low} to {number_high} is wider than {number_widest} of the number")).format(
        number_low=number(low), number_high=number(high), number_widest=as_number(f"{WIDEST:.0%}")
    )


def _factor(claim: ClaimRow, value: Decimal) -> Decimal:
    return 1 + value / 100 if claim.unit == "%" else value


def _stands(reach: tuple[Decimal | None, Decimal | None], low: Decimal, high: Decimal) -> Standing:
    if reach[0] is not None and high < reach[0]:
        return "below"
    return "above" if reach[1] is not None and low > reach[1] else "within"


def _share(claim: ClaimRow, middle: Decimal) -> Decimal | None:
    printed = _printed(claim)
    if printed is None:
        return None
    low, high = (_factor(claim, end) for end in printed)
    own, nearest = _factor(claim, middle), min(max(_factor(claim, middle), min(low, high)), max(low, high))
    return _decimal(float(own / nearest)) if nearest else None


def _sentence(claim: ClaimRow, middle: Decimal, standing: Standing, between: Setup) -> str:
    said = _(F_("{number} measured against {number_claimed}: {said}")).format(
        number=with_unit(number(middle), claim.unit), number_claimed=claim.headline, said=_(STANDS[standing])
    )
    if not between.differences:
        return f"{said}."
    labels = ", ".join(item.label for item in between.differences)
    return _(F_("{said}, in a setup that differs in {list}; that refutes nothing.")).format(said=said, list=labels)


def _decimal(value: float) -> Decimal:
    return Decimal(f"{Decimal(f'{value:.{DIGITS}g}'):f}")
