"""The whole API, router by router."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.api import cards, claims, compare, evidence, health, imports, jobs, measurements, runner, sources, tools
from app.api.access import STRICT_QUERY

if TYPE_CHECKING:
    from fastapi import FastAPI

PARTS = (claims, sources, compare, tools, cards, imports, jobs, measurements, evidence, runner, health)


def include(application: FastAPI) -> None:
    """Each by itself, not as one router of routers: FastAPI matches an address twice at every such level."""
    for part in PARTS:
        application.include_router(part.router, dependencies=[STRICT_QUERY])
