"""The claims table and one claim's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.catalogue.models import weights
from app.catalogue.pairs import partners
from app.compare.lint import lint
from app.compare.verdict import compare
from app.errors import InvalidInputError, NotFoundError
from app.web.claim_page import claim_page, named_claims
from app.web.claim_table import headlines, results
from app.web.contexts import Shell, TablePage, Trouble
from app.web.reading import catalogue, present
from app.web.render import respond
from app.web.state import TableState, read_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.catalogue.queries import Catalogue
    from app.claims.rows import ClaimPage
    from app.claims.schema import ClaimRow

router = APIRouter(default_response_class=HTMLResponse)
ABOUT = "Published LLM-serving numbers: what each measures, against what, under which conditions, and what to mind."


@router.get("/")
def table(request: Request) -> HTMLResponse:
    """The table, or the part that a filter changes. A value that cannot be taken is named and left out."""
    reading = catalogue(request)
    state, problems = read_state(request.query_params.getlist)
    page, state, refused = _page(reading, state)
    elsewhere, missing = _elsewhere(reading, state.ids, page.items)
    told = [Trouble(problem.name, problem.message) for problem in problems]
    part = results(state, page, elsewhere, [*told, *refused, *missing])
    pair = headlines(page.items, compare) if state.unfiltered else None
    context = TablePage(Shell(part.title, ABOUT, "/"), state.filter.q, pair, part)
    wrong = bool(refused or missing) or any(not problem.passing for problem in problems)
    return respond(request, context, part=part, status=422 if wrong else 200, headers={"HX-Push-Url": state.url()})


def _page(reading: Catalogue, state: TableState) -> tuple[ClaimPage, TableState, list[Trouble]]:
    """The page asked for; where parts of the question cannot be taken, the page without them."""
    try:
        return reading.page(state.filter, state.sort, state.cursor), state, []
    except InvalidInputError as error:
        refused = [Trouble(str(detail["field"]), str(detail["message"])) for detail in error.details]
    facets = reading.index().facets
    kept = state.keeping(
        lambda facet, value: value in facets[facet].values, q=all(item.name != "q" for item in refused)
    )
    return reading.page(kept.filter, kept.sort, kept.cursor), kept, refused


def _elsewhere(
    reading: Catalogue, ids: Sequence[str], shown: Sequence[ClaimRow]
) -> tuple[list[ClaimRow], list[Trouble]]:
    """Chosen claims that are not on this page of the list."""
    here = {row.id for row in shown}
    try:
        return reading.claims([claim for claim in ids if claim not in here]), []
    except NotFoundError as error:
        return [], [Trouble("ids", str(detail["message"])) for detail in error.details]


@router.get("/claims/{claim_id}")
def claim(request: Request, claim_id: str) -> HTMLResponse:
    """One claim with everything that is known of it. Raises NotFoundError with near ids."""
    reading = catalogue(request)
    row = reading.claim(claim_id)
    beside = partners(row.id)
    found = present(reading, [*beside, *named_claims(row)])
    context = claim_page(
        row,
        lint=lint(row, reading.all_of_source(row.source.id), weights()),
        beside=[(found[other], pair.why) for other, pair in beside.items() if other in found],
        named=list(found.values()),
    )
    return respond(request, context)
