"""Measurements: the list, one of them, and the data of its charts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response

from app.asked import root
from app.errors import InvalidInputError, NotFoundError
from app.jobs.evidence import recorded_at
from app.jobs.measurements import traces_of
from app.language import _
from app.web.contexts import Trouble
from app.web.measurement_list_page import measurement_list_page
from app.web.measurement_numbers import first_shown, runs_of, twin_of
from app.web.measurement_page import (
    Chosen,
    Known,
    beside_names,
    drawn,
    measurement_page,
    of_claim,
    report_of,
)
from app.web.reading import cards, catalogue, measurements, now, present
from app.web.render import respond
from app.web.run_apart import UNREADABLE
from app.web.run_charts import CHARTS, Beside, run_csv
from app.web.speaking import IN_ENGLISH
from app.web.wording import plain

if TYPE_CHECKING:
    import datetime as dt

    from app.jobs.rows import MeasurementPage, MeasurementRow
    from app.results.files import Files
    from app.web.run_apart import RunViews

router = APIRouter(default_response_class=HTMLResponse)
FILTERS = ("claim_id", "card_id")


@router.get("/measurements")
def list_of_measurements(request: Request) -> HTMLResponse:
    """Measurements, the newest first."""
    given = {name: [item for item in request.query_params.getlist(name) if item] for name in FILTERS}
    cursor = request.query_params.get("cursor") or None
    pairs = [(name, value) for name, values in given.items() for value in values]
    page, cursor, troubles = _page(request, given, cursor)
    claims = present(catalogue(request), filter(None, map(of_claim, page.items)))
    measured_at = {row.id: _measured_at(request, row) for row in page.items}
    context = measurement_list_page(page, claims, pairs, cursor, troubles, measured_at, now(request))
    return respond(request, context, status=422 if troubles else 200)


def _page(
    request: Request, given: dict[str, list[str]], cursor: str | None
) -> tuple[MeasurementPage, str | None, list[Trouble]]:
    reading = measurements(request)
    try:
        return reading.page(given["claim_id"], given["card_id"], cursor), cursor, []
    except InvalidInputError as error:
        return reading.page(given["claim_id"], given["card_id"]), None, [Trouble("cursor", plain(error.message))]


@router.get("/measurements/{measurement_id}")
async def one_measurement(request: Request, measurement_id: str, run: str = "", above: str = "") -> HTMLResponse:
    """A measurement with one of its runs; of a sweep the best load `above` a speed. Raises NotFoundError."""
    row = await run_in_threadpool(measurements(request).one, measurement_id)
    chosen = await _chosen(request, row, _place(row, run)) if runs_of(row.numbers) else None

    def shown() -> HTMLResponse:
        of = of_claim(row)
        claim = present(catalogue(request), [of]).get(of) if of else None
        published, named = catalogue(request).computed_from(row.id), cards(request).naming(traces_of(row.numbers))
        known = Known(_measured_at(request, row), published, named, above, run_asked=bool(run))
        page = measurement_page(row, claim, chosen, root(request), known)
        return respond(request, page, status=422 if page.best and page.best.trouble else 200)

    return await run_in_threadpool(shown)


def _measured_at(request: Request, row: MeasurementRow) -> dt.datetime | None:
    """When it was recorded where it was made; None where its bundle is not here any more."""
    if row.bundle_sha256 is None:
        return row.created_at
    return recorded_at(cast("Files", request.app.state.files).path(row.bundle_sha256))


def _place(row: MeasurementRow, given: str) -> int:
    """Which run is asked for, from 1. Raises NotFoundError."""
    runs = runs_of(row.numbers)
    if not given:
        return first_shown(runs)
    if not (given.isascii() and given.isdigit() and len(given) <= 6 and 1 <= int(given) <= len(runs)):
        message = _("the measurement has the runs 1 to {count}, no `{value}`").format(count=len(runs), value=given[:20])
        raise NotFoundError(message, [{"field": "run", "message": message}])
    return int(given)


async def _chosen(request: Request, row: MeasurementRow, place: int) -> Chosen:
    """A run with the one on the other server that was made beside it, where that one is a result too."""
    chosen, twin = await view_of(request, row, place), twin_of(runs_of(row.numbers), place)
    if chosen.view is None or twin is None:
        return chosen
    other = (await view_of(request, row, twin)).view
    return replace(chosen, beside=Beside(beside_names(row, place), other) if other else None)


async def view_of(request: Request, row: MeasurementRow, place: int) -> Chosen:
    run = runs_of(row.numbers)[place - 1][1]
    if run["trace_sha256"] is None:
        return Chosen(place, None, _(UNREADABLE))
    files, bundle = cast("Files", request.app.state.files), row.bundle_sha256
    source, within = files.path(bundle or run["trace_sha256"]), f"traces/{run['trace']}" if bundle else ""
    made = await cast("RunViews", request.app.state.run_views).made(source, within)
    return Chosen(place, made.view, _(made.trouble))


@router.get("/measurements/{measurement_id}/chart.csv", response_class=Response, dependencies=[IN_ENGLISH])
async def chart_data(request: Request, measurement_id: str, run: str = "", chart: str = "") -> Response:
    """The data of a chart, with its caveats in the first lines. Raises NotFoundError."""
    row = await run_in_threadpool(measurements(request).one, measurement_id)
    place = _place(row, run) if runs_of(row.numbers) else 1
    chosen = await _chosen(request, row, place) if runs_of(row.numbers) else Chosen(place, None, "")

    def made() -> str | None:
        of = drawn(row, report_of(row), place)
        return run_csv(chart, chosen.view, row.numbers["front"], of, chosen.beside)

    text = await run_in_threadpool(made)
    if text is None:
        message = f"there is no chart `{chart[:40]}` of this run; there may be {', '.join(CHARTS)}"
        raise NotFoundError(message, [{"field": "chart", "message": message}])
    name = f'attachment; filename="{row.id}-run{place}-{chart}.csv"'
    return Response(text, media_type="text/csv; charset=utf-8", headers={"Content-Disposition": name})
