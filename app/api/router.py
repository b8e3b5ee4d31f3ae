"""The whole API as one router."""

from __future__ import annotations

from fastapi import APIRouter

from app.api import cards, claims, compare, evidence, health, imports, jobs, measurements, runner, sources
from app.api.access import STRICT_QUERY

router = APIRouter(dependencies=[STRICT_QUERY])
for part in (claims, sources, compare, cards, imports, jobs, measurements, evidence, runner, health):
    router.include_router(part.router)
