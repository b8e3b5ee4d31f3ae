"""Sources as JSON."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from app.api.access import INVALID, NOT_FOUND, catalogue
from app.api.schema import SourceItem, SourceList, SourceListQuery
from app.catalogue.schema import Source
from app.errors import InvalidInputError

router = APIRouter(prefix="/api/v1", tags=["sources"])


@router.get("/sources", responses=INVALID)
def list_sources(request: Request, query: Annotated[SourceListQuery, Query()]) -> SourceList:
    """Sources, the newest first, a page at a time."""
    rows = catalogue(request).sources()
    ids = [row.id for row in rows]
    if query.cursor is not None and query.cursor not in ids:
        message = "this cursor belongs to another list; leave it out to begin at the first page"
        raise InvalidInputError(message, [{"field": "cursor", "message": message}])
    start = ids.index(query.cursor) + 1 if query.cursor else 0
    page = [SourceItem.model_validate(asdict(row)) for row in rows[start : start + query.limit]]
    more = start + query.limit < len(rows)
    return SourceList(items=page, total=len(rows), next=page[-1].id if more else None)


@router.get("/sources/{source_id}", response_model=Source, responses=NOT_FOUND)
def one_source(request: Request, source_id: str) -> Response:
    """A source with its claims, ladders, tables, contradictions, corrections and notes."""
    return Response(catalogue(request).source_document(source_id), media_type="application/json")
