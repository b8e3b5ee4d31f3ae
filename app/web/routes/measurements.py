"""Measurements: the list, one of them, and the data of its charts."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, cast
from zipfile import BadZipFile

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from app.asked import root
from app.errors import InvalidInputError, NotFoundError
from app.results.bundle import one_file
from app.web.contexts import Trouble
from app.web.measurement_numbers import first_shown, runs_of, twin_of
from app.web.measurement_page import (
    Chosen,
    beside_names,
    drawn,
    measurement_list_page,
    measurement_page,
    of_claim,
    report_of,
)
from app.web.reading import catalogue, measurements, now, present
from app.web.render import respond
from app.web.run_charts import CHARTS, Beside, run_csv
from app.web.run_view import RunView, run_view
from app.web.wording import plain
from runners.load import trace_file
from runners.load.trace_file import TraceError

if TYPE_CHECKING:
    from app.jobs.rows import MeasurementPage, MeasurementRow
    from app.results.files import Files

router = APIRouter(default_response_class=HTMLResponse)
MOST_BYTES = 256 << 20  # of a trace's columns once unpacked; a page draws none that is larger
FILTERS = ("claim_id", "card_id")


@router.get("/measurements")
def list_of_measurements(request: Request) -> HTMLResponse:
    """Measurements, the newest first."""
    given = {name: [item for item in request.query_params.getlist(name) if item] for name in FILTERS}
    cursor = request.query_params.get("cursor") or None
    pairs = [(name, value) for name, values in given.items() for value in values]
    page, cursor, troubles = _page(request, given, cursor)
    claims = present(catalogue(request), filter(None, map(of_claim, page.items)))
    context = measurement_list_page(page, claims, pairs, cursor, troubles, now(request))
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
def one_measurement(request: Request, measurement_id: str, run: str = "") -> HTMLResponse:
    """A measurement with one of its runs. Raises NotFoundError."""
    row = measurements(request).one(measurement_id)
    runs = runs_of(row.numbers)
    chosen = _chosen(request, row, _place(row, run)) if runs else None
    of = of_claim(row)
    claim = present(catalogue(request), [of]).get(of) if of else None
    return respond(request, measurement_page(row, claim, chosen, root(request)))


def _place(row: MeasurementRow, given: str) -> int:
    """Which run is asked for, from 1. Raises NotFoundError."""
    runs = runs_of(row.numbers)
    if not given:
        return first_shown(runs)
    if not (given.isascii() and given.isdigit() and len(given) <= 6 and 1 <= int(given) <= len(runs)):
        message = f"the measurement has the runs 1 to {len(runs)}, no `{given[:20]}`"
        raise NotFoundError(message, [{"field": "run", "message": message}])
    return int(given)


def _chosen(request: Request, row: MeasurementRow, place: int) -> Chosen:
    """A run with the one on the other server that was made beside it, where that one is a result too."""
    chosen, twin = _alone(request, row, place), twin_of(runs_of(row.numbers), place)
    if chosen.view is None or twin is None:
        return chosen
    other = _alone(request, row, twin).view
    return replace(chosen, beside=Beside(beside_names(row, place), other) if other else None)


def _alone(request: Request, row: MeasurementRow, place: int) -> Chosen:
    run = runs_of(row.numbers)[place - 1][1]
    if run["trace_sha256"] is None:
        return Chosen(place, None, "The trace of this run is not here or cannot be read.")
    files, bundle = cast("Files", request.app.state.files), row.bundle_sha256
    source = files.path(bundle or run["trace_sha256"])
    try:
        view = _view(source, f"traces/{run['trace']}" if bundle else None)
    except (TraceError, OSError, KeyError, BadZipFile):
        return Chosen(place, None, "The trace of this run is not here or cannot be read.")
    trouble = "" if view else "This trace is too large to be drawn here; its numbers stand above."
    return Chosen(place, view, trouble)


@lru_cache(maxsize=32)
def _view(source: Path, within: str | None) -> RunView | None:
    """None for a trace that is too large. `within` is its place in a bundle. A file's name is the digest of its bytes,
    so what was read once stays true."""
    if within is None:
        return _read(source)
    with tempfile.NamedTemporaryFile(prefix="trace-", suffix=".parquet") as made:
        made.writelines(one_file(source, within))
        made.flush()
        return _read(Path(made.name))


def _read(trace: Path) -> RunView | None:
    return None if trace_file.unpacked_bytes(trace) > MOST_BYTES else run_view(trace_file.read(trace))


@router.get("/measurements/{measurement_id}/chart.csv", response_class=Response)
def chart_data(request: Request, measurement_id: str, run: str = "", chart: str = "") -> Response:
    """The data of a chart, with its caveats in the first lines. Raises NotFoundError."""
    row = measurements(request).one(measurement_id)
    place = _place(row, run) if runs_of(row.numbers) else 1
    chosen = _chosen(request, row, place) if runs_of(row.numbers) else Chosen(place, None, "")
    of = drawn(row, report_of(row), place)
    text = run_csv(chart, chosen.view, row.numbers["front"], of, chosen.beside)
    if text is None:
        message = f"there is no chart `{chart[:40]}` of this run; there may be {', '.join(CHARTS)}"
        raise NotFoundError(message, [{"field": "chart", "message": message}])
    name = f'attachment; filename="{row.id}-run{place}-{chart}.csv"'
    return Response(text, media_type="text/csv; charset=utf-8", headers={"Content-Disposition": name})
