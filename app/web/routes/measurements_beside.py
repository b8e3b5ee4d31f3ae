"""Two to four measurements set side by side, and the data of their charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response

from app.errors import NotFoundError
from app.jobs.numbers import load_said
from app.language import _
from app.web.asked import notes
from app.web.beside_page import MOST, beside_csv, beside_page, place_at, shared_loads, side_of
from app.web.contexts import Trouble
from app.web.reading import measurements
from app.web.render import respond
from app.web.routes.measurements import view_of
from app.web.run_charts import CURVES, SWEEP
from app.web.speaking import IN_ENGLISH
from app.web.state import read_ids
from app.web.wording import plain

if TYPE_CHECKING:
    from app.jobs.rows import MeasurementRow
    from app.web.beside_page import Side

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/measurements/compare")
async def measurements_beside(request: Request, load: str = "", above: str = "") -> HTMLResponse:
    """`ids` repeated or with commas; of each sweep the best load `above` a speed. What names nothing is told; the rest
    is still shown."""
    rows, missing = await run_in_threadpool(_rows, request)
    sides, load, trouble = await _sides(request, rows, load)
    newest = (await run_in_threadpool(measurements(request).page, [], [])).items
    troubles = [*notes(request), *missing, *trouble]
    page = beside_page(sides, load, newest, troubles, above)
    refused = len(_asked(request)) > MOST or (page.best is not None and page.best.trouble)
    status = 422 if refused else 404 if missing or trouble else 200
    return respond(request, page, status=status, noted=True)


def _asked(request: Request) -> tuple[str, ...]:
    return read_ids(request.query_params.getlist("ids"))


def _rows(request: Request) -> tuple[list[MeasurementRow], list[Trouble]]:
    given = _asked(request)
    rows, troubles = [], []
    if len(given) > MOST:
        text = _("{most} measurements at most are set side by side; the first {most} of {count} are shown").format(
            most=MOST, count=len(given)
        )
        troubles.append(Trouble("ids", text))
    for wanted in given[:MOST]:
        try:
            rows.append(measurements(request).one(wanted))
        except NotFoundError as error:
            troubles.append(Trouble("ids", plain(error.message)))
    return rows, troubles


async def _sides(request: Request, rows: list[MeasurementRow], wanted: str) -> tuple[list[Side], str, list[Trouble]]:
    """With the views at the load that is asked for, or at the first that all have."""
    loads = shared_loads(rows) if len(rows) > 1 else []
    troubles = []
    if wanted and wanted not in loads:
        said = _("not all of them have a result at `{load}`").format(load=wanted[:40])
        if loads:
            said += "; " + _("they share {loads}").format(loads=", ".join(map(load_said, loads)))
        troubles.append(Trouble("load", said))
    load = wanted if wanted in loads else loads[0] if loads else ""
    if not load:
        return [side_of(row) for row in rows], "", troubles
    views = [(await view_of(request, row, place_at(row, load))).view for row in rows]
    return [side_of(row, view) for row, view in zip(rows, views, strict=True)], load, troubles


@router.get("/measurements/compare.csv", response_class=Response, dependencies=[IN_ENGLISH])
async def beside_data(request: Request, chart: str = "", load: str = "") -> Response:
    """The data of a chart, with its caveats in the first lines. Raises NotFoundError."""
    rows, missing = await run_in_threadpool(_rows, request)
    sides, load, trouble = await _sides(request, rows, load)
    text = None if missing or trouble else await run_in_threadpool(beside_csv, chart, sides, load)
    if text is None:
        message = f"there is no chart `{chart[:40]}` of these; there may be {', '.join((SWEEP, *CURVES))}"
        raise NotFoundError(message, [{"field": "chart", "message": message}])
    name = f'attachment; filename="{"-".join(row.id for row in rows)}-{chart}.csv"'
    return Response(text, media_type="text/csv; charset=utf-8", headers={"Content-Disposition": name})
