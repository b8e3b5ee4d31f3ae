"""Claims as JSON and CSV: one filter for both, the same as the page's."""

from typing import TYPE_CHECKING, Annotated, cast

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

from app.api.access import INVALID, NOT_FOUND, Answers, catalogue
from app.api.csv_rows import HEADER, csv_lines
from app.api.documents import claim_json, list_json
from app.api.schema import ApiClaim, ClaimList, ClaimListQuery, ClaimQuery
from app.asked import root
from app.claims.queries import LONGEST_PAGE
from app.claims.quoting import Quotation, quote_claim
from app.claims.rows import FACETS, ClaimFilter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.catalogue.queries import Catalogue
    from app.claims.queries import DocumentPage
    from app.jobs.here import Fleet
    from app.jobs.queries import Jobs

router = APIRouter(prefix="/api/v1", tags=["claims"])
CSV: Answers = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "a header, then one line a claim"}
}


@router.get("/claims", response_model=ClaimList, responses=INVALID)
def list_claims(request: Request, query: Annotated[ClaimListQuery, Query()]) -> Response:
    """Claims in the table's order, a page at a time."""
    page = catalogue(request).documents(filter_of(query), query.sort, query.cursor, query.limit)
    return Response(list_json(page, fleet(request)), media_type="application/json")


@router.get("/claims.csv", response_class=Response, responses={**INVALID, **CSV})
def claims_as_csv(request: Request, query: Annotated[ClaimQuery, Query()]) -> Response:
    """All claims that the filter leaves, as CSV. Text that a spreadsheet would run as a formula gets an apostrophe."""
    claims, wanted = catalogue(request), filter_of(query)
    first = claims.documents(wanted, query.sort, limit=LONGEST_PAGE)  # refuses a bad filter before anything is sent
    lines = _csv(claims, wanted, query, first)
    return StreamingResponse(lines, media_type="text/csv; charset=utf-8; header=present")


@router.get("/claims/{claim_id}", response_model=ApiClaim, responses=NOT_FOUND)
def one_claim(request: Request, claim_id: str) -> Response:
    """One claim with everything that is known of it."""
    found = catalogue(request).documents_of([claim_id])[0]
    return Response(claim_json(found, fleet(request)), media_type="application/json")


@router.get("/claims/{claim_id}/citation", responses=NOT_FOUND)
def citation_of_claim(request: Request, claim_id: str) -> Quotation:
    """The claim to quote, with what it measures, against what, its conditions and caveats: as text, Markdown, HTML."""
    return quote_claim(catalogue(request).claim(claim_id), root(request))


def fleet(request: Request) -> "Fleet":
    return cast("Jobs", request.app.state.jobs).fleet()


def filter_of(query: ClaimQuery) -> ClaimFilter:
    chosen = ((facet, tuple(map(str, getattr(query, facet)))) for facet in FACETS)
    return ClaimFilter(tuple((facet, values) for facet, values in chosen if values), query.q)


def _csv(claims: "Catalogue", wanted: ClaimFilter, query: ClaimQuery, page: "DocumentPage") -> "Iterator[str]":
    """Page by page, so that neither memory nor a database transaction is held for the whole list."""
    yield HEADER
    while True:
        yield csv_lines(document.text for document in page.items)
        if page.next is None:
            return
        page = claims.documents(wanted, query.sort, page.next, LONGEST_PAGE)
