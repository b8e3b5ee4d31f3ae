"""Our own measurements, which ship with the catalogue as evidence bundles: `evidence/ID.zip` beside its sources.

They are checked like anybody's, when an installation first meets them, and keep their ids: a claim of the catalogue
names the measurement that its number was computed from.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from app.errors import SetupError
from app.jobs.evidence import check
from app.jobs.measurements import MEASUREMENT, found_elsewhere, record_shipped
from app.results.bundle import BundleError
from app.results.files import file_digest

if TYPE_CHECKING:
    from app.clock import Clock
    from app.db import Database
    from app.jobs.evidence import Checked
    from app.results.files import Files

FOLDER = "evidence"
PIECE = 1 << 20


def record_all(database: Database, files: Files, sources: Path, clock: Clock) -> list[str]:
    """Put every bundle that is not yet there on record. Returns the ids of the new ones. Raises SetupError for a
    bundle whose numbers are not those of its traces, ConflictError where its id is taken, NoSpaceError."""
    found = sorted((sources.parent / FOLDER).glob("*.zip"))
    with database.read() as session:
        asked = sa.select(MEASUREMENT.c.bundle_sha256).where(MEASUREMENT.c.bundle_sha256.is_not(None))
        known = set(session.connection().execute(asked).scalars())
    new = [file for file in found if file_digest(file) not in known]
    for file in new:
        _record(database, files, file, clock)
    return [file.stem for file in new]


def checked(file: Path) -> Checked:
    """What a shipped bundle holds. Raises SetupError where it is none, or its numbers are not those of its traces."""
    with tempfile.TemporaryDirectory(prefix="benchcard-shipped-") as folder:
        try:
            found = check(file, Path(folder))
        except BundleError as error:
            raise SetupError(f"the shipped evidence {file.name} is damaged: {error}") from error
    if found.differences:
        raise SetupError(f"the shipped evidence {file.name} does not hold: {found.differences[0]}")
    return found


def _record(database: Database, files: Files, file: Path, clock: Clock) -> None:
    bundle = checked(file)
    about = bundle.measurement
    found = found_elsewhere(database, bundle.report, bundle.numbers, (about.claim_id, about.card_id), about.assumptions)
    with files.arriving(file.stat().st_size) as arriving, file.open("rb") as data:
        while piece := data.read(PIECE):
            arriving.write(piece)
        kept = arriving.keep()
    database.write(lambda session: record_shipped(session, found, kept, file.stem, clock.now()))
