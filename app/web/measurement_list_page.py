"""Measurements -> the context of the page that lists them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.claims.words import axis_name
from app.compare.reproduction import WORDS
from app.language import _
from app.protocol.english import counted
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
    from app.web.contexts import Trouble


def measurement_list_page(
    page: Page,
    claims: Mapping[str, ClaimRow],
    pairs: Sequence[tuple[str, str]],
    cursor: str | None,
    troubles: Sequence[Trouble],
    now: dt.datetime,
) -> MeasurementListPage:
    """`claims`: those that were measured again, by id."""
    return MeasurementListPage(
        shell=Shell(_("Measurements"), _("What runners found, and what it says of the claims."), "/measurements"),
        count=counted(page.total, "measurement"),
        troubles=tuple(troubles),
        lines=tuple(_line(row, claims.get(of_claim(row)), now) for row in page.items),
        filtered=bool(pairs),
        first_url=address("/measurements", pairs) if cursor else "",
        next_url=address("/measurements", [*pairs, ("cursor", page.next)]) if page.next else "",
        json_url=address("/api/v1/measurements", pairs),
    )


def _line(row: MeasurementRow, claim: ClaimRow | None, now: dt.datetime) -> MeasurementLine:
    report, verdict = report_of(row), verdict_of(row)
    about = Link(row.claim_id, f"/claims/{row.claim_id}") if row.claim_id else None
    about = about or (Link(row.card_id, f"/cards/{row.card_id}") if row.card_id else None)
    return MeasurementLine(
        url=f"/measurements/{row.id}",
        status=row.status,
        word=_(WORDS[verdict.status]) if verdict else _(row.status.replace("_", " ")),
        text=verdict.text if verdict else what_runs_say(row, runs_of(row.numbers)),
        what=measured(report),
        axis=axis_name(claim.axis) if claim else "",
        dummy=report.plan.on_random_weights,
        about=about,
        trust=row.trust,
        by=row.created_by,
        age=age(row.created_at, now),
    )
