"""Whether this server works, on what, and what its API is."""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from app.api.access import INVALID, catalogue, database
from app.api.schema import Health

router = APIRouter(tags=["health"])


@router.get("/healthz", responses=INVALID)
def health(request: Request) -> Health:
    """Reads the catalogue, so that a broken database is an error here too."""
    storage, claims = database(request), catalogue(request)
    index = claims.index()
    return Health(
        status="ok",
        version=request.app.version,
        database=storage.version(),
        warnings=storage.warnings(),
        claims=len(index),
        sources=len(claims.sources()),
        catalogue_version=index.version,
    )


@router.get("/metrics", include_in_schema=False)
def metrics(request: Request) -> Response:
    """For Prometheus. Open to everybody, like /healthz: it holds numbers alone, and asking often costs little."""
    return Response(request.app.state.metrics.shown(), media_type=CONTENT_TYPE_LATEST)


@router.get("/api/openapi.json", include_in_schema=False)
def description(request: Request) -> JSONResponse:
    """The API's description for machines. Built on first use, in a thread: it takes half a second."""
    return JSONResponse(request.app.openapi())
