"""All pages, as one router."""

from __future__ import annotations

from fastapi import APIRouter

from app.web.asked import NOTED_QUERY
from app.web.routes import (
    axes,
    card_retracting,
    card_writing,
    cards,
    claims,
    compare,
    configurations,
    docs,
    imports,
    job_approving,
    job_asking,
    job_cancelling,
    jobs,
    measurements,
    runners,
    session,
    sources,
    status_badges,
)

router = APIRouter(include_in_schema=False, dependencies=[NOTED_QUERY])
for part in (
    claims,
    sources,
    card_writing,
    cards,
    card_retracting,
    configurations,
    axes,
    compare,
    docs,
    imports,
    jobs,
    job_cancelling,
    job_approving,
    job_asking,
    runners,
    measurements,
    status_badges,
    session,
):
    router.include_router(part.router)
