"""Axes, and two claims set side by side: the same verdict as on the page."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request

from app.api.access import INVALID, NOT_FOUND, catalogue
from app.api.schema import ApiAxis, AxisList, CompareQuery
from app.asked import root
from app.axes import AXES
from app.catalogue.models import weights
from app.claims.quoting import Quotation
from app.claims.schema import ClaimRow
from app.compare.quoting import quote_comparison
from app.compare.schema import Comparison
from app.compare.verdict import compare

router = APIRouter(prefix="/api/v1")


@router.get("/axes", tags=["axes"], responses=INVALID)
async def list_axes() -> AxisList:
    """Everything that a number can measure."""
    items = [ApiAxis.model_validate({**asdict(axis), "matters": sorted(axis.matters)}) for axis in AXES.values()]
    return AxisList(items=items, total=len(items))


@router.get("/compare", tags=["compare"], responses=NOT_FOUND)
def compare_claims(request: Request, query: Annotated[CompareQuery, Query()]) -> Comparison:
    """Whether two claims can be compared, with every reason; a ratio only where it means something."""
    return _compared(request, query)[2]


@router.get("/compare/citation", tags=["compare"], responses=NOT_FOUND)
def citation_of_comparison(request: Request, query: Annotated[CompareQuery, Query()]) -> Quotation:
    """The comparison to quote, both claims with axis, baseline, conditions and caveats: as text, Markdown and HTML."""
    return quote_comparison(*_compared(request, query), root(request))


def _compared(request: Request, query: CompareQuery) -> tuple[ClaimRow, ClaimRow, Comparison]:
    claims = catalogue(request)
    a, b = claims.claims([query.a, query.b])
    others = [row for source in dict.fromkeys((a.source.id, b.source.id)) for row in claims.all_of_source(source)]
    return a, b, compare(a, b, others, weights())
