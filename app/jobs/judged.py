"""A measurement against the claim that it measured again. Pure: app.compare.reproduction has the rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.compare.pareto import best_above
from app.compare.reproduction import judge, paired
from app.compare.setup import Setup, setup
from app.jobs.numbers import sweep_points
from app.jobs.quantities import QUANTITIES, in_unit, limit, statistic, value
from app.jobs.ran import as_claim
from app.language import F_

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.claims.schema import ClaimRow
    from app.compare.reproduction import Verdict
    from app.protocol.outcome import Report

Json = dict[str, Any]


def judged(claim: ClaimRow, report: Report, numbers: Json, assumptions: Sequence[str] = ()) -> Verdict:
    """The verdict of a measurement, with the `assumptions` of its plan, on which it rests. Never raises: what cannot be
    set against the claim is inconclusive, and why."""
    outputs = numbers["outputs"]["text"] if "outputs" in numbers else None
    known = {"assumptions": tuple(assumptions), "outputs": outputs}
    return _judged(claim, report, numbers).model_copy(update=known)


def _judged(claim: ClaimRow, report: Report, numbers: Json) -> Verdict:
    chosen, why = _chosen(claim, report, numbers)
    problem = _unsuited(claim, report) or ("" if chosen else why or F_("nothing was measured at the claim's load"))
    if chosen is None or problem:
        return judge(claim, (), Setup(), reasons=(problem,), how="-")
    point = int(chosen["point"])
    own = as_claim(claim, report, chosen["side"], point)
    other = as_claim(claim, report, "a", point) if claim.kind != "absolute" else None
    values, problems = _values(claim, numbers, chosen)
    reasons = [*_unmeasured(numbers, chosen, ratio=other is not None), *problems]
    return judge(claim, values, setup(claim, own, other), reasons=reasons, how=_how(claim, chosen))


def _unsuited(claim: ClaimRow, report: Report) -> str:
    if claim.axis not in QUANTITIES:
        return F_("what the claim measures ({axis}) is nothing that a load test measures").format(
            axis=claim.axis.replace("_", " ")
        )
    if claim.kind != "absolute" and report.plan.kind != "ab":
        return F_("the claim is a ratio, and one side alone was measured")
    return ""


def _chosen(claim: ClaimRow, report: Report, numbers: Json) -> tuple[Json | None, str]:
    """The set that stands for the claim: of a sweep the best point above the claim's limit, or the one of its load."""
    side = "b" if report.plan.kind == "ab" else "a"
    sets = [item for item in numbers["sets"] if item["side"] == side]
    if len(sets) == 1:
        return sets[0], ""
    least = limit(claim.conditions.limit)
    if least is not None:
        best = best_above(sweep_points(sets, side), least)
        return next((item for item in sets if best.point and item["load"] == best.point.label), None), best.text
    load = claim.conditions.load.concurrency or claim.conditions.load.batch
    return next((item for item in sets if item["load"] == f"concurrency {load}"), None), ""


def _unmeasured(numbers: Json, chosen: Json, *, ratio: bool) -> list[str]:
    """Why runs are no results: of the set itself, and of a ratio's other side."""
    sets = [chosen]
    if ratio:
        sets += [item for item in numbers["sets"] if (item["side"], item["point"]) == ("a", chosen["point"])]
    return [reason for item in sets for reason in item["reasons"]]


def _values(claim: ClaimRow, numbers: Json, chosen: Json) -> tuple[list[float], list[str]]:
    stat = statistic(claim)
    own = _of_runs(claim, chosen, stat)
    if claim.kind != "absolute":
        base = next(item for item in numbers["sets"] if (item["side"], item["point"]) == ("a", chosen["point"]))
        pairs = list(zip(_of_runs(claim, base, stat), own, strict=False))
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        return paired(claim, known), [] if len(known) == len(pairs) else [F_("a run has no number on the claim's axis")]
    converted = [None if number is None else in_unit(number, claim.axis, claim.unit) for number in own]
    found = [number for number in converted if number is not None]
    if len(found) == len(converted):
        return found, []
    if None in own:
        return found, [F_("a run has no number on the claim's axis")]
    return found, [
        F_("no factor between {unit} and {unit_2} is known").format(unit=QUANTITIES[claim.axis].unit, unit_2=claim.unit)
    ]


def _of_runs(claim: ClaimRow, of_set: Json, stat: str) -> list[float | None]:
    return [value(run, claim.axis, stat, of_set["gpus"]) for run in of_set["runs"]]


def _how(claim: ClaimRow, chosen: Json) -> str:
    quantity = QUANTITIES[claim.axis]
    one = F_("the {statistic} of its requests").format(statistic=statistic(claim))
    of_run = one if quantity.distribution else F_("the number of the whole run")
    load, runs, stated = chosen["load"], len(chosen["runs"]), claim.statistic
    if claim.kind != "absolute":
        plain = F_("{said_number} of each run; median of the ratios of pairs of runs at {load}")
        told = F_(
            "{said_number} of each run (the claim says {stated}); median of the ratios of pairs of runs at {load}"
        )
    else:
        plain = F_("{said_number} of each run; median of {runs} repeats at {load}")
        told = F_("{said_number} of each run (the claim says {stated}); median of {runs} repeats at {load}")
    return (told if stated else plain).format(said_number=of_run, stated=stated, runs=runs, load=load)
