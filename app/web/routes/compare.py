"""Two to four claims set side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from app.asked import root
from app.catalogue.models import weights
from app.catalogue.pairs import pairs
from app.claims.rows import ClaimFilter
from app.compare.verdict import compare
from app.errors import InvalidInputError, NotFoundError
from app.language import _
from app.web.asked import notes
from app.web.compare_page import MOST, Found, choose_page, compare_page
from app.web.contexts import Trouble
from app.web.reading import catalogue, of_sources, present
from app.web.render import respond
from app.web.state import read_ids
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.catalogue.pairs import Pair
    from app.catalogue.queries import Catalogue
    from app.claims.schema import ClaimRow

SHOWN = 12  # claims of a search

router = APIRouter(default_response_class=HTMLResponse)


@router.get("/compare")
def side_by_side(request: Request) -> HTMLResponse:
    """`ids` repeated or with commas, or `a` and `b`. What names nothing is told; the rest is still compared."""
    reading = catalogue(request)
    query = request.query_params
    named = [*query.getlist("ids"), *query.getlist("a"), *query.getlist("b")]
    given = read_ids(named)
    if len(given) == 1 and ",".join(named).count(given[0]) > 1:
        given *= 2  # a claim with itself
    rows, missing = _rows(reading, given)
    status = 422 if len(given) > MOST else 404 if missing else 200
    troubles = [*notes(request), *missing]
    if len(rows) < 2:
        found, wrong = _found(reading, query.get("q", ""))
        choosing = choose_page(rows, found, _often(reading), [*troubles, *wrong])
        return respond(request, choosing, status=422 if wrong else status, noted=True)
    others = of_sources(reading, rows)
    page = compare_page(rows, lambda a, b: compare(a, b, others, weights()), pairs(), troubles, root(request))
    return respond(request, page, status=status, noted=True)


def _found(reading: Catalogue, q: str) -> tuple[Found | None, list[Trouble]]:
    """What a search gives, and why it cannot be searched for; nothing was asked without a word."""
    if not q.strip():
        return None, []
    try:
        page = reading.page(ClaimFilter(q=q.strip()), limit=SHOWN, facets=())
    except InvalidInputError as error:
        return None, [Trouble("q", plain(str(error)))]
    return Found(q.strip(), page.items, page.total), []


def _rows(reading: Catalogue, given: Sequence[str]) -> tuple[list[ClaimRow], list[Trouble]]:
    troubles: list[Trouble] = []
    if len(given) > MOST:
        text = _("{most} claims at most are set side by side; the first {most} of {given} are shown").format(
            most=MOST, given=len(given)
        )
        troubles.append(Trouble("ids", text))
    wanted = given[:MOST]
    try:
        return reading.claims(wanted) if wanted else [], troubles
    except NotFoundError as error:
        troubles += [Trouble("ids", plain(str(detail["message"]))) for detail in error.details]
    found = present(reading, wanted)
    return [found[claim] for claim in wanted if claim in found], troubles


def _often(reading: Catalogue) -> list[Pair]:
    """The shipped pairs of which this installation has both claims."""
    listed = pairs()
    found = present(reading, [claim for pair in listed for claim in (pair.a, pair.b)])
    return [pair for pair in listed if pair.a in found and pair.b in found]
