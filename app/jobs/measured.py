"""Reading measurements."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import func

from app.errors import NotFoundError
from app.ids import could_be_id
from app.jobs.measurements import TRACE
from app.jobs.queries import MEASUREMENT, before, of_name, parts_of_attempt
from app.jobs.rows import MeasurementPage, MeasurementRow
from app.protocol.outcome import Report

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlmodel import Session

    from app.db import Database
    from app.jobs.rows import PartRow
    from app.protocol.plan import Plan


class Measurements:
    """The read side of measurements."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(
        self,
        claims: Sequence[str] = (),
        cards: Sequence[str] = (),
        cursor: str | None = None,
        limit: int = 50,
        *,
        kinds: Sequence[str] = (),
    ) -> MeasurementPage:
        """Measurements, the newest first. Raises InvalidInputError for a cursor or limit that cannot be."""
        later = before(MEASUREMENT, cursor, limit)
        filters = {"claim_id": claims, "card_id": cards, "kind": kinds}
        chosen = [MEASUREMENT.c[name].in_(values) for name, values in filters.items() if values]
        page = sa.select(MEASUREMENT).where(*chosen, *later).order_by(MEASUREMENT.c.number.desc()).limit(limit + 1)
        with self._database.read() as session:
            count = sa.select(func.count()).select_from(MEASUREMENT).where(*chosen)
            total = session.connection().execute(count).scalar_one()
            rows = session.connection().execute(page).all()
            items = tuple(_row(session, row) for row in rows[:limit])
        return MeasurementPage(items, total, str(items[-1].number) if len(rows) > limit else None)

    def one(self, measurement_id: str) -> MeasurementRow:
        """Raises NotFoundError."""
        if could_be_id(measurement_id):
            asked = sa.select(MEASUREMENT).where(MEASUREMENT.c.id == measurement_id)
            with self._database.read() as session:
                found = session.connection().execute(asked).first()
                if found is not None:
                    return _row(session, found)
        message = f"there is no measurement `{measurement_id[:80]}`"
        raise NotFoundError(message, [{"field": "id", "message": message}])

    def plan_of(self, measurement_id: str | None) -> Plan | None:
        """The plan that a measurement was executed by; None where there is none here."""
        asked = sa.select(MEASUREMENT.c.report).where(MEASUREMENT.c.id == measurement_id)
        with self._database.read() as session:
            report = session.connection().execute(asked).scalar()
        return Report.model_validate_json(report).plan if report else None

    def computed_from(self, digests: Collection[str]) -> tuple[str, ...]:
        """Ids of the measurements whose numbers were computed from one of these traces, the newest first."""
        named = sa.select(TRACE.c.measurement_id).where(TRACE.c.sha256.in_(digests))
        asked = sa.select(MEASUREMENT.c.id).where(MEASUREMENT.c.id.in_(named)).order_by(MEASUREMENT.c.number.desc())
        with self._database.read() as session:
            return tuple(session.connection().execute(asked).scalars())

    def part(self, measurement_id: str, name: str) -> PartRow:
        """A file of it: a trace, or the report. Raises NotFoundError."""
        return of_name(self.one(measurement_id).parts, name)


def _row(session: Session, stored: sa.Row[Any]) -> MeasurementRow:
    given = dict(stored._mapping)
    parsed = {name: json.loads(given.pop(name) or "null") for name in ("report", "numbers", "verdict")}
    of_job = stored.job_id is not None and stored.epoch is not None
    parts = parts_of_attempt(session, stored.job_id, stored.epoch) if of_job else ()
    return MeasurementRow(**given, **parsed, parts=parts)
