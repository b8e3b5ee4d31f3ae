"""The claims table and one claim's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.asked import root
from app.catalogue.models import weights
from app.catalogue.pairs import partners
from app.claims.queries import parsed
from app.claims.rows import FACETS
from app.compare.lint import lint
from app.compare.verdict import compare
from app.errors import InvalidInputError, NotFoundError
from app.jobs.here import here
from app.language import N_, _
from app.web.asked import notes
from app.web.claim_page import claim_page, named_claims
from app.web.claim_table import headlines, results
from app.web.contexts import Shell, TablePage, Trouble
from app.web.reading import catalogue, jobs, measured_again, on_random_weights, present
from app.web.render import respond
from app.web.state import TableState, read_state
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.catalogue.queries import Catalogue
    from app.claims.queries import Document, DocumentPage
    from app.claims.schema import ClaimRow
    from app.compare.schema import Comparison

ALL = tuple(FACETS)
router = APIRouter(default_response_class=HTMLResponse)
ABOUT = N_("Published LLM-serving numbers: what each measures, against what, under which conditions, and what to mind.")


@router.get("/")
def table(request: Request) -> HTMLResponse:
    """The table, or the part that a filter changes. A value that cannot be taken is named and left out."""
    reading = catalogue(request)
    state, problems = read_state(request.query_params.getlist)
    page, state, refused = _page(reading, state)
    chosen, missing = _chosen(reading, state.ids)
    told = [*notes(request), *(Trouble(problem.name, problem.message) for problem in problems)]
    part = results(state, page, chosen, [*told, *refused, *missing], jobs(request).fleet())
    pair = headlines(_rows(page), _verdict) if state.unfiltered else None
    context = TablePage(Shell(part.title, _(ABOUT), "/"), state.filter.q, pair, part)
    wrong = bool(refused or missing) or any(not problem.passing for problem in problems)
    headers = {"HX-Push-Url": state.url()}
    return respond(request, context, part=part, status=422 if wrong else 200, headers=headers, noted=True)


def _page(reading: Catalogue, state: TableState) -> tuple[DocumentPage, TableState, list[Trouble]]:
    """The page asked for; where parts of the question cannot be taken, the page without them."""
    try:
        return reading.documents(state.filter, state.sort, state.cursor, facets=ALL), state, []
    except InvalidInputError as error:
        refused = [Trouble(str(detail["field"]), plain(str(detail["message"]))) for detail in error.details]
    index = reading.index()
    searchable = all(trouble.name != "q" for trouble in refused)
    kept = state.keeping(lambda facet, value: value in index.known(facet, (value,)), q=searchable)
    return reading.documents(kept.filter, kept.sort, kept.cursor, facets=ALL), kept, refused


def _chosen(reading: Catalogue, ids: Sequence[str]) -> tuple[list[Document], list[Trouble]]:
    """The claims that the reader has chosen so far; those that are not there are told."""
    try:
        return reading.documents_of(ids) if ids else [], []
    except NotFoundError as error:
        missing = [Trouble("ids", plain(str(detail["message"]))) for detail in error.details]
        return list(reading.present(ids).values()), missing


def _rows(page: DocumentPage) -> Iterator[ClaimRow]:
    return (parsed(document.text) for document in page.items)


def _verdict(a: ClaimRow, b: ClaimRow) -> Comparison:
    return compare(a, b, (), weights())


@router.get("/claims/{claim_id}")
def claim(request: Request, claim_id: str) -> HTMLResponse:
    """One claim with everything that is known of it. Raises NotFoundError with near ids."""
    reading = catalogue(request)
    document = reading.documents_of([claim_id])[0].text
    row = parsed(document)
    context = claim_page(
        row,
        lint=lint(row, reading.all_of_source(row.source.id), weights()),
        names=present(reading, [*partners(row.id), *named_claims(row)]),
        cards=measured_again(request, row.id),
        root=root(request),
        here=here(document, jobs(request).fleet()),
        dummy=on_random_weights(request, row),
    )
    return respond(request, context)
