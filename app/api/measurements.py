"""Measurements as JSON, and the files that they were computed from."""

from typing import TYPE_CHECKING, Annotated, cast

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from app.api.access import INVALID, NOT_FOUND, Answers
from app.api.job_answers import measurements
from app.api.job_schema import BestAnswer, BestQuery, MeasurementDetail, MeasurementList, MeasurementListQuery
from app.jobs.best import best
from app.marks import marked_file

if TYPE_CHECKING:
    from app.jobs.measured import Measurements
    from app.results.files import Files

router = APIRouter(prefix="/api/v1/measurements", tags=["measurements"])

RAW: Answers = {200: {"content": {"application/octet-stream": {}}, "description": "the file as the runner sent it"}}
MEDIA_TYPES = {".json": "application/json", ".parquet": "application/vnd.apache.parquet"}


@router.get("", responses=INVALID)
def list_measurements(request: Request, query: Annotated[MeasurementListQuery, Query()]) -> MeasurementList:
    """Measurements, the newest first."""
    page = _measured(request).page(query.claim_id, query.card_id, query.cursor, query.limit, kinds=query.kind)
    return measurements(page)


@router.get("/{measurement_id}", responses=NOT_FOUND)
def one_measurement(request: Request, measurement_id: str) -> MeasurementDetail:
    """A measurement with what was started, its numbers, and the list of its files."""
    return MeasurementDetail.model_validate(_measured(request).one(measurement_id))


@router.get("/{measurement_id}/best", responses={**NOT_FOUND, **INVALID})
def best_load(request: Request, measurement_id: str, query: Annotated[BestQuery, Query()]) -> BestAnswer:
    """Of a sweep: the measured load with the highest total throughput per GPU whose P90 interactivity is above a limit.

    `best` is null where no measured load is: nothing is inferred between two of them.
    """
    row = _measured(request).one(measurement_id)
    return BestAnswer.model_validate(best(row.kind, row.numbers, query.above))


@router.get("/{measurement_id}/parts/{name}", response_class=Response, responses={**RAW, **NOT_FOUND})
def measurement_part(request: Request, measurement_id: str, name: str) -> Response:
    """A file of a measurement, byte for byte: `report.json`, or a trace as Parquet."""
    part = _measured(request).part(measurement_id, name)
    path = cast("Files", request.app.state.files).path(part.sha256)
    kind = next((kind for end, kind in MEDIA_TYPES.items() if name.endswith(end)), "application/octet-stream")
    return marked_file(request, path, part.sha256, kind, part.name)


def _measured(request: Request) -> "Measurements":
    return cast("Measurements", request.app.state.measurements)
