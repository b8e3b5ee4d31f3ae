"""A point of a measurement as a bench card: what was run and what came out, for those who keep cards. Pure."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from app.axes import AXES
from app.cards import schema as cards
from app.claims.schema import Conditions
from app.jobs.quantities import QUANTITIES, STATISTICS, value
from app.jobs.ran import conditions_of, sizes_of_launch
from runners.load.statistics import ENOUGH

if TYPE_CHECKING:
    import datetime as dt

    from app.protocol.outcome import Report

Json = dict[str, Any]
AXIS = "output_throughput"  # of a measurement that measured no claim again
SHOWN = ("ttft", "tpot", "decode_rate", "total_throughput", "interactivity_p90_slow")


def as_card(report: Report, of_set: Json, claim_id: str | None, axis: str | None, day: dt.date) -> cards.Card:
    """The card of one set of a measurement's numbers. A set that is no result has a card without a result."""
    axis = axis if axis in QUANTITIES else AXIS
    given, acceptance = conditions_of(report, of_set["side"], of_set["point"], Conditions())
    launch = next(side.launch for side in report.plan.sides if side.name == of_set["side"])
    work, point = report.plan.workload, report.plan.points[of_set["point"]]
    method = given.speculation.method
    fields: Json = {
        "engine": given.engine.model_dump(),
        "model": given.model.model_dump() | {"id": launch.model} if launch else None,
        "hardware": {"accelerator": given.hardware.accelerator, "count": given.hardware.count},
        "parallelism": {"tp": 1, **sizes_of_launch(launch)} if launch else None,
        "dtypes": given.dtypes.model_dump(),
        "speculation": {
            "method": method,
            "draft_tokens": given.speculation.draft_tokens,
            "acceptance": None if acceptance.kind in ("none", "not_stated") else acceptance.kind,
            "accept_length": acceptance.target,
        }
        if method
        else None,
        "workload": given.workload.model_dump(include={"input_tokens", "output_tokens", "dataset"})
        | {"seed": work.seed, "temperature": "0", "ignore_eos": True, "prefix_cache": given.workload.prefix_cache}
        | {"concurrency": point.concurrency, "rate": None if point.rate is None else str(point.rate)}
        | {"turns": work.turns},
        "runs": {"count": len(of_set["runs"]), "statistic": "median"},
        "metric": {"axis": axis},
        "launch": _launch(report, of_set["side"]),
        "raw": [_raw(run) for run in of_set["runs"] if run["trace_sha256"]],
        "repeats": claim_id,
        "note": f"client: Benchcard; {of_set['label']} at {of_set['load']}",
    }
    if of_set["valid"]:
        fields |= _results(of_set, str(axis), day)
    return _sayable(fields)


def _sayable(fields: Json) -> cards.Card:
    """Without the blocks that no card can say, such as an environment with a name that is too long: the report has
    them all."""
    try:
        return cards.Card.model_validate(fields)
    except ValidationError as error:
        wrong = {str(item["loc"][0]) for item in error.errors()}
        return cards.Card.model_validate({name: value for name, value in fields.items() if name not in wrong})


def _results(of_set: Json, axis: str, day: dt.date) -> Json:
    main = _number(of_set, axis)
    found: Json = {}
    if main is not None:
        ends = of_set["spread"].get(QUANTITIES[axis].key, {}).get("interval")
        of = "95 % bootstrap interval of the median" if len(of_set["runs"]) >= ENOUGH else "range of the runs"
        spread = f"{of} {ends[0]:.6g} to {ends[1]:.6g}" if ends else None
        if QUANTITIES[axis].per_gpu:
            spread = None  # the interval is that of all GPUs together
        unit = QUANTITIES[axis].unit
        found["result"] = {"value": main, "unit": unit, "spread": spread, "measured_at": day}
    others = [(name, _number(of_set, name)) for name in SHOWN if name != axis and name in AXES]
    found["also"] = [
        {"axis": name, "value": number, "unit": QUANTITIES[name].unit, "statistic": STATISTICS["median"]}
        for name, number in others
        if number is not None
    ]
    return found


def _number(of_set: Json, axis: str) -> Decimal | None:
    found = value(of_set, axis, "median", of_set["gpus"])
    if found is None or not 1e-12 < abs(found) < 1e12:
        return None
    return Decimal(f"{Decimal(f'{found:.6g}'):f}")


def _launch(report: Report, side: str) -> Json | None:
    told = next((item for item in report.sides if item.side == side), None)
    return {"argv": told.argv, "env": told.env} if told and told.argv else None


def _raw(run: Json) -> Json:
    return {"name": run["trace"], "sha256": run["trace_sha256"]}
