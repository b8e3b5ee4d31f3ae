"""The tools' answers: the same as on their pages, from the same parameters."""

from typing import Annotated

from fastapi import APIRouter, Query, Request

from app.api.access import INVALID, NOT_FOUND, catalogue
from app.api.tools_schema import CapacityQuery, SpeculationQuery, WorkloadQuery
from app.claims.queries import parsed
from app.errors import InvalidInputError
from app.tools import references
from app.tools.capacity import capacity
from app.tools.from_claim import speculation_of
from app.tools.schema import Answer, WorkloadAnswer
from app.tools.speculation import speculation
from app.tools.workload import Known, workload

router = APIRouter(prefix="/api/v1/tools", tags=["tools"])


@router.get("/workload", responses=INVALID)
def workload_tool(request: Request, query: Annotated[WorkloadQuery, Query()]) -> WorkloadAnswer:
    """Which axis decides for a workload, why in numbers, and which claims were measured near its shape."""
    claims = catalogue(request)
    rows = {name: parsed(found.text) for name, found in claims.present(references.IDS).items()}
    return workload(query.model_dump(), Known(rows, claims.workloads()))


@router.get("/capacity", responses=INVALID)
async def capacity_tool(query: Annotated[CapacityQuery, Query()]) -> Answer:
    """How many sequences fit into what a GPU has left for the KV cache."""
    return capacity(query.model_dump())


@router.get("/speculation", responses=NOT_FOUND)
def speculation_tool(request: Request, query: Annotated[SpeculationQuery, Query()]) -> Answer:
    """Break-even acceptance, and the rate at another acceptance, by constant step time."""
    typed = {name: text for name, text in query.model_dump(exclude={"claim"}).items() if text}
    if query.claim:
        claims = catalogue(request)
        row = claims.claim(query.claim)
        taken = speculation_of(row, claims.all_of_source(row.source.id))
        if taken.why:
            message = f"nothing can be taken from the claim `{row.id}`: {taken.why}"
            raise InvalidInputError(message, [{"field": "claim", "message": message}])
        typed = {**taken.typed, **typed}
    return speculation(typed, query.claim)
