"""Measurements in which several clients measured one server -> the page on how far clients agree. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.jobs.agreement import AGREES
from app.language import N_, _, day, number
from app.web.agreement_contexts import AgreementPage, AgreementPart
from app.web.agreement_points import held_points, worst
from app.web.contexts import Fact, Shell
from app.web.job_words import DUMMY_TEXT, measured
from app.web.measurement_page import report_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.jobs.rows import MeasurementRow

ABOUT = N_("One server, measured by several load tools by turns, each held against the server's own counters.")
EXAMPLE = """{
  "kind": "agreement", "tools": ["vllm_bench"], "repeats": 5,
  "sides": [{"name": "a", "label": "", "launch": {
    "engine": "vllm", "version": "0.25.1", "model": "Qwen/Qwen3-0.6B", "weights": "dummy", "gpus": 1}}],
  "workload": {"input_tokens": 1024, "output_tokens": 256, "seed": 1, "prefix_cache": "cleared"},
  "points": [{"concurrency": 1, "requests": 16}, {"concurrency": 64, "requests": 512}]
}"""


def agreement_page(rows: Sequence[MeasurementRow]) -> AgreementPage:
    """The newest measurement first."""
    return AgreementPage(
        shell=Shell(_("Do clients agree?"), _(ABOUT), "/axes"),
        share=number(AGREES * 100, ".0f") + " %",
        parts=tuple(agreement_part(row) for row in rows),
        example=EXAMPLE,
        json_url="/api/v1/measurements?kind=agreement",
    )


def agreement_part(row: MeasurementRow) -> AgreementPart:
    report = report_of(row)
    work = report.plan.workload
    gpus = ", ".join(dict.fromkeys(gpu.name for gpu in report.machine.gpus))
    facts = (
        Fact(_("Machine"), gpus or report.machine.processor),
        Fact(
            _("Repeats"),
            _("{repeats}, the clients by turns, each the first in turn").format(repeats=report.plan.repeats),
        ),
        Fact(
            _("Requests"),
            _("{input_tokens} tokens in, {output_tokens} out").format(
                input_tokens=number(work.input_tokens), output_tokens=number(work.output_tokens)
            ),
        ),
        Fact(_("Measured"), day(row.created_at)),
    )
    return AgreementPart(
        url=f"/measurements/{row.id}",
        heading=measured(report),
        dummy=_(DUMMY_TEXT) if report.plan.on_random_weights else "",
        facts=facts,
        points=held_points(row.numbers),
        worst=worst(row.numbers),
    )
