"""What an attempt found, as the server finds it, but in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.jobs.measurements import Found, found, reported
from app.jobs.numbers import compute

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.db import Database
    from app.results.files import Files


def prepare(database: Database, files: Files, job_id: str, parts: Mapping[str, str]) -> Found:
    sent = reported(database, files, job_id, parts)
    numbers = compute(sent.report, sent.traces, sent.plan)
    return found(database, sent.report, numbers, sent.of, sent.assumptions)
