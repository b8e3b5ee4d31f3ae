"""A stored measurement's bundle, from the database and the files beside it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import sqlalchemy as sa

from app.claims.queries import Claims, parsed
from app.jobs.evidence import Asked, contents
from app.jobs.measured import Measurements
from app.jobs.store import JOB, assumptions_of
from app.protocol.lease import MOST_LOG
from app.protocol.outcome import REPORT
from app.protocol.plan import Plan
from app.results import bundle

if TYPE_CHECKING:
    from pathlib import Path

    from app.claims.schema import ClaimRow
    from app.db import Database
    from app.jobs.logs import Logs
    from app.jobs.rows import MeasurementRow
    from app.results.files import Files


def write_bundle(database: Database, files: Files, logs: Logs, measurement_id: str, target: Path) -> None:
    """Write it to `target`; that of an imported measurement is the one that came. Raises NotFoundError, OSError."""
    row = Measurements(database).one(measurement_id)
    if row.bundle_sha256 is not None:
        shutil.copyfile(files.path(row.bundle_sha256), target)
        return
    traces = {part.name: files.path(part.sha256) for part in row.parts if part.name != REPORT}
    log = logs.read(row.job_id, row.epoch, 0, MOST_LOG) if row.job_id and row.epoch else b""
    bundle.write(target, contents(row, _asked(database, row), traces, _claim(database, row), log))


def _asked(database: Database, row: MeasurementRow) -> Asked:
    with database.read() as session:
        asked = sa.select(JOB.c.plan, JOB.c.assumptions).where(JOB.c.id == row.job_id)
        job = session.connection().execute(asked).one()
    return Asked(Plan.model_validate_json(job.plan), assumptions_of(job.assumptions) or ())


def _claim(database: Database, row: MeasurementRow) -> ClaimRow | None:
    of = row.claim_id or row.card_id
    known = Claims(database).present([of]) if of else {}
    return parsed(known[of].text) if of in known else None
