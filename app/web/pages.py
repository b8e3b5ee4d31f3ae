"""All pages, router by router."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.web.asked import NOTED_QUERY
from app.web.routes import (
    about,
    axes,
    card_retracting,
    card_writing,
    cards,
    changelog,
    claims,
    compare,
    configurations,
    docs,
    feed,
    imports,
    job_approving,
    job_asking,
    job_cancelling,
    jobs,
    language,
    measurements,
    measurements_beside,
    pictures,
    runners,
    session,
    sources,
    status_badges,
    tools,
    verdicts,
)
from app.web.speaking import IN_ENGLISH

if TYPE_CHECKING:
    from fastapi import FastAPI

PARTS = (
    about,
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
    measurements_beside,  # before the address that takes any id
    measurements,
    tools,
    verdicts,
    session,
    language,
    changelog,
)
TRAVELLING = (status_badges, pictures, feed)  # what travels is the same for everybody


def include(application: FastAPI) -> None:
    """Each by itself, as in app.api.router."""
    for part in TRAVELLING:
        application.include_router(part.router, dependencies=[IN_ENGLISH, NOTED_QUERY], include_in_schema=False)
    for part in PARTS:
        application.include_router(part.router, dependencies=[NOTED_QUERY], include_in_schema=False)
