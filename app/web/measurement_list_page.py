"""Measurements -> the context of the page that lists them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.claims.words import NOT_STATED, axis_name
from app.compare.reproduction import WORDS
from app.language import N_, _, day
from app.protocol.english import counted
from app.web.axes_example import shown
from app.web.contexts import Link, Shell
from app.web.job_words import age, measured
from app.web.measurement_contexts import MeasurementLine, MeasurementListPage
from app.web.measurement_numbers import runs_of
from app.web.measurement_page import of_claim, report_of, verdict_of, what_runs_say
from app.web.state import address

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence

    from app.claims.schema import ClaimRow
    from app.jobs.rows import MeasurementPage as Page
    from app.jobs.rows import MeasurementRow
    from app.protocol.plan import Plan
    from app.web.contexts import Trouble

Json = dict[str, Any]

TRUST = {"runner": N_("runner"), "verified from trace": N_("verified from trace")}


def measurement_list_page(
    page: Page,
    claims: Mapping[str, ClaimRow],
    pairs: Sequence[tuple[str, str]],
    cursor: str | None,
    troubles: Sequence[Trouble],
    measured_at: Mapping[str, dt.datetime | None],
    now: dt.datetime,
) -> MeasurementListPage:
    """`claims`: those that were measured again, by id. `measured_at`: of each measurement, where a record says so."""
    return MeasurementListPage(
        shell=Shell(_("Measurements"), _("What runners found, and what it says of the claims."), "/measurements"),
        count=counted(page.total, "measurement"),
        troubles=tuple(troubles),
        lines=tuple(_line(row, claims.get(of_claim(row)), measured_at.get(row.id), now) for row in page.items),
        filtered=bool(pairs),
        first_url=address("/measurements", pairs) if cursor else "",
        next_url=address("/measurements", [*pairs, ("cursor", page.next)]) if page.next else "",
        json_url=address("/api/v1/measurements", pairs),
    )


def _line(
    row: MeasurementRow, claim: ClaimRow | None, measured_at: dt.datetime | None, now: dt.datetime
) -> MeasurementLine:
    report, verdict = report_of(row), verdict_of(row)
    about = Link(row.claim_id, f"/claims/{row.claim_id}") if row.claim_id else None
    about = about or (Link(row.card_id, f"/cards/{row.card_id}") if row.card_id else None)
    return MeasurementLine(
        url=f"/measurements/{row.id}",
        status=row.status,
        word=_(WORDS[verdict.status]) if verdict else _(row.status.replace("_", " ")),
        text=verdict.text if verdict else what_runs_say(row, runs_of(row.numbers)),
        what=measured(report),
        loads=_loads(report.plan),
        output=_output(row.numbers),
        axis=axis_name(claim.axis) if claim else "",
        dummy=report.plan.on_random_weights,
        about=about,
        measured=day(measured_at) if measured_at else _(NOT_STATED),
        trust=_(TRUST.get(row.trust, row.trust)),
        by=row.created_by,
        age=age(row.created_at, now),
    )


def _loads(plan: Plan) -> str:
    """ "concurrency 1, 16, 64"; tokens counted in two ways are two loads of one concurrency."""
    streams = list(dict.fromkeys(str(point.concurrency) for point in plan.points if point.concurrency))
    rates = list(dict.fromkeys(f"{point.rate:g}" for point in plan.points if point.rate is not None))
    said = [f"concurrency {', '.join(streams)}"] if streams else []
    said += [f"{', '.join(rates)} requests/s"] if rates else []
    return "; ".join(said)


def _output(numbers: Json) -> str:
    """Medians of the loads that are a result; of the whole machine where it has no GPU."""
    valid = [item for item in numbers["sets"] if item["valid"]]
    if not valid:
        return _("no result")
    unit = "tok/s/GPU" if valid[0]["per_gpu"] else "tok/s"
    found = sorted(float((item["per_gpu"] or item)["output_tok_s"]) for item in valid)
    low, high = shown(found[0]), shown(found[-1])
    if low == high:
        return f"{low} {unit}"
    return _("{low} to {high} {unit}").format(low=low, high=high, unit=unit)
