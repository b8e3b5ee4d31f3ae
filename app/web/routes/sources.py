"""Sources: the list, one source, and the data of its charts and tables as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from app.errors import NotFoundError
from app.language import _
from app.web.reading import catalogue, present
from app.web.render import respond
from app.web.source_charts import ladder_csv, table_csv
from app.web.source_page import mentioned, source_page, sources_page
from app.web.speaking import IN_ENGLISH

if TYPE_CHECKING:
    from app.catalogue.queries import Catalogue
    from app.catalogue.schema import Source
    from app.claims.schema import ClaimRow

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/sources")
def sources(request: Request) -> HTMLResponse:
    return respond(request, sources_page(catalogue(request).sources()))


@router.get("/sources/{source_id}")
def source(request: Request, source_id: str) -> HTMLResponse:
    reading = catalogue(request)
    found = reading.source(source_id)
    rows = reading.all_of_source(source_id)
    return respond(request, source_page(found, rows, _named(reading, found, rows)))


@router.get("/sources/{source_id}/{part}.csv", dependencies=[IN_ENGLISH])
def data(request: Request, source_id: str, part: str) -> Response:
    """A ladder's or table's data, headed by its source and caveats."""
    reading = catalogue(request)
    found = reading.source(source_id)
    names = _named(reading, found, reading.all_of_source(source_id))
    texts = [ladder_csv(found, item, names) for item in found.ladders if item.id == part]
    texts += [table_csv(found, item, names) for item in found.tables if item.id == part]
    if not texts:
        known = [item.id for item in found.ladders] + [item.id for item in found.tables]
        message = _("`{source_id}` has no ladder or table `{part}`; it has {known}").format(
            source_id=source_id, part=part, known=", ".join(known) or "none"
        )
        raise NotFoundError(message)
    name = f'attachment; filename="{source_id}-{part}.csv"'
    return Response(texts[0], media_type="text/csv; charset=utf-8", headers={"Content-Disposition": name})


def _named(reading: Catalogue, found: Source, rows: list[ClaimRow]) -> dict[str, ClaimRow]:
    own = {row.id: row for row in rows}
    return own | present(reading, mentioned(found) - own.keys())
