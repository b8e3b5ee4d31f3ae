"""Whether this server works, and on what."""

from fastapi import APIRouter, Request

from app.api.access import INVALID, NO_PARAMETERS, catalogue, database
from app.api.schema import Health

router = APIRouter(tags=["health"])


@router.get("/healthz", responses=INVALID, dependencies=NO_PARAMETERS)
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
