"""What attempts and bundles found, on record: numbers computed from their traces, and the verdict on the claim.

What reads files stands outside the transaction, what writes rows inside the caller's.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from pydantic import ValidationError
from sqlmodel import SQLModel

import app.jobs.tables  # noqa: F401 (declares the tables)
from app.claims.queries import Claims, parsed
from app.claims.schema import Reproduction
from app.claims.store import raise_version, set_reproduction, stored_row
from app.compare.reproduction import Verdict
from app.errors import ConflictError, InvalidInputError
from app.ids import letters
from app.jobs.judged import judged
from app.jobs.store import JOB, alone, assumptions_of, no_job
from app.protocol.english import refusal
from app.protocol.outcome import REPORT, Report
from app.protocol.plan import Plan
from app.protocol.reasons import failed, said

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sqlmodel import Session

    from app.claims.schema import ClaimRow
    from app.db import Database
    from app.randomness import Randomness
    from app.results.files import Files, Kept

MEASUREMENT, TRACE = SQLModel.metadata.tables["measurement"], SQLModel.metadata.tables["measurement_trace"]
MOST_REPORT = 16 << 20
VERIFIED = "verified from trace"
SHIPPED_BY = "Benchcard"
Json = dict[str, Any]


@dataclass(frozen=True)
class Found:
    """What is put on record: all of it computed here."""

    report: Report
    numbers: Json
    verdict: Verdict | None
    claim_id: str | None
    card_id: str | None


@dataclass(frozen=True)
class Reported:
    """What an attempt sent and what it was asked for: all that its numbers are computed from."""

    report: Report
    traces: dict[str, Path]
    plan: Plan
    of: tuple[str | None, str | None]  # claim and card
    assumptions: tuple[str, ...]


def reported(database: Database, files: Files, job_id: str, parts: Mapping[str, str]) -> Reported:
    """Read an attempt's report. `parts`: name -> SHA-256, all of them kept in `files`.

    Raises NotFoundError for no such job, InvalidInputError where the report itself is none.
    """
    with database.read() as session:
        asked = sa.select(JOB.c.plan, JOB.c.claim_id, JOB.c.card_id, JOB.c.assumptions).where(JOB.c.id == job_id)
        job = session.connection().execute(asked).first()
    if job is None:
        raise no_job(job_id)
    report = _report(files, parts)
    traces = {name: files.path(sha256) for name, sha256 in parts.items() if name != REPORT}
    plan, of = Plan.model_validate_json(job.plan), (job.claim_id, job.card_id)
    return Reported(report, traces, plan, of, tuple(assumptions_of(job.assumptions) or ()))


def found_elsewhere(
    database: Database, report: Report, numbers: Json, of: tuple[str | None, str | None], assumptions: Sequence[str]
) -> Found:
    """What a bundle holds, with the verdict on the claim or card as it stands here; one that is not here is not named.
    `of`: claim and card."""
    here = Claims(database).present([name for name in of if name])
    return found(database, report, numbers, (_one(of[0], here), _one(of[1], here)), assumptions)


def _one(name: str | None, here: Mapping[str, object]) -> str | None:
    return name if name in here else None


def found(
    database: Database, report: Report, numbers: Json, of: tuple[str | None, str | None], assumptions: Sequence[str]
) -> Found:
    """With the verdict on the claim, or on the card's own number, where there is one. `of`: claim and card."""
    claim = _claim(database, of[0] or of[1])
    return Found(report, numbers, judged(claim, report, numbers, assumptions) if claim else None, *of)


def record(
    session: Session, new: Found, job_id: str, epoch: int, by: str, now: dt.datetime, randomness: Randomness
) -> str:
    """Put an attempt's measurement on record; again, it is the same one. Returns its id."""
    here = (MEASUREMENT.c.job_id == job_id, MEASUREMENT.c.epoch == epoch)
    known = session.connection().execute(sa.select(MEASUREMENT.c.id).where(*here)).scalar()
    if known is not None:
        return str(known)
    of_job = {"job_id": job_id, "epoch": epoch, "trust": "runner"}
    origin = of_job | {"id": _free_id(session, randomness), "created_by": by, "created_at": now}
    return _insert(session, new, origin)


def record_bundle(
    session: Session, new: Found, kept: Kept, by: str, now: dt.datetime, randomness: Randomness
) -> tuple[str, bool]:
    """Put a bundle's measurement on record, once for the same traces. Returns its id, and whether it is new.
    Raises ConflictError as `known_by_traces` does."""
    alone(session)
    known = known_by_traces(session, new.numbers, kept.sha256)
    if known is not None:
        return known, False
    of_bundle = {"bundle_sha256": kept.sha256, "bundle_size": kept.size, "trust": VERIFIED}
    origin = of_bundle | {"id": _free_id(session, randomness), "created_by": by, "created_at": now}
    return _insert(session, new, origin), True


def known_by_traces(session: Session, numbers: Json, bundle_sha256: str) -> str | None:
    """The measurement on record that a bundle holds, however it is packed: the same traces are the same measurement;
    without any trace, the same bytes. Raises ConflictError where only some of the traces are those of one: a run that
    was measured is told with the others of its measurement, or not at all."""
    named = sa.select(MEASUREMENT.c.id).where(MEASUREMENT.c.bundle_sha256 == bundle_sha256)
    same_bytes = session.connection().execute(named).scalar()
    if same_bytes is not None:
        return str(same_bytes)
    digests = traces_of(numbers)
    sharing = sa.select(TRACE.c.measurement_id).where(TRACE.c.sha256.in_(digests))
    asked = sa.select(TRACE.c.measurement_id, TRACE.c.sha256).where(TRACE.c.measurement_id.in_(sharing))
    in_order = asked.join(MEASUREMENT, MEASUREMENT.c.id == TRACE.c.measurement_id).order_by(MEASUREMENT.c.number)
    known: dict[str, set[str]] = {}
    for row in session.connection().execute(in_order).all():
        known.setdefault(row.measurement_id, set()).add(row.sha256)
    for name, traces in known.items():
        if traces == digests:
            return name
    for name, traces in known.items():
        shared = len(traces & digests)
        message = f"{shared} of its {len(digests)} traces are those of the measurement {name}, which has {len(traces)}"
        raise ConflictError(f"{message}: runs of one measurement are not those of another")
    return None


def record_shipped(session: Session, new: Found, kept: Kept, measurement_id: str, now: dt.datetime) -> None:
    """Put a bundle that ships with the catalogue on record, under its id: in the place of the one
    that shipped before it. Raises ConflictError where a measurement of this installation has that id."""
    here = MEASUREMENT.c.id == measurement_id
    shipped = sa.and_(here, MEASUREMENT.c.created_by == SHIPPED_BY, MEASUREMENT.c.job_id.is_(None))
    session.connection().execute(
        sa.delete(TRACE).where(TRACE.c.measurement_id.in_(sa.select(MEASUREMENT.c.id).where(shipped)))
    )
    session.connection().execute(sa.delete(MEASUREMENT).where(shipped))
    if session.connection().execute(sa.select(MEASUREMENT.c.id).where(here)).first() is not None:
        raise ConflictError(f"the shipped evidence {measurement_id} has the id of another measurement here")
    of_bundle = {"id": measurement_id, "bundle_sha256": kept.sha256, "bundle_size": kept.size, "trust": VERIFIED}
    _insert(session, new, of_bundle | {"created_by": SHIPPED_BY, "created_at": now})


def renew(session: Session, claim_id: str | None = None) -> int:
    """Make rows of claims say how measuring them again went: by the newest verdict of a job, else by that of a bundle,
    which is marked as imported (its traces are true to its numbers, and nobody here saw its machine), else the failure
    of the newest job. One claim, or all. Returns how many rows changed."""
    verdicts = _verdicts(session, claim_id)
    wanted = _failures(session, claim_id) | verdicts[True] | verdicts[False]
    changed = sum(set_reproduction(session, name, reproduction) for name, reproduction in wanted.items())
    if changed:
        raise_version(session)
    return changed


def judge_again(session: Session, of: str) -> None:
    """Set every measurement of a claim or a card against it as it stands now, and make its row say so."""
    row = stored_row(session, of)
    if row is None:
        return
    here = sa.func.coalesce(MEASUREMENT.c.claim_id, MEASUREMENT.c.card_id) == of
    columns = [MEASUREMENT.c[name] for name in ("id", "report", "numbers", "verdict")]
    of_job = MEASUREMENT.outerjoin(JOB, JOB.c.id == MEASUREMENT.c.job_id)
    measured = sa.select(*columns, JOB.c.assumptions).select_from(of_job).where(here)
    for item in session.connection().execute(measured).all():
        assumed = assumptions_of(item.assumptions) or ()
        if item.verdict:
            assumed = Verdict.model_validate_json(item.verdict).assumptions
        verdict = judged(row, read_report(item.report.encode()), json.loads(item.numbers), assumed)
        of_item = sa.update(MEASUREMENT).where(MEASUREMENT.c.id == item.id)
        session.connection().execute(of_item.values(verdict=verdict.model_dump_json()))
    renew(session, of)


def judge_changed(session: Session) -> None:
    """The same for every claim whose number is another than the one that its newest measurement was set against."""
    of = sa.func.coalesce(MEASUREMENT.c.claim_id, MEASUREMENT.c.card_id)
    asked = sa.select(of.label("of"), MEASUREMENT.c.verdict).where(MEASUREMENT.c.verdict.is_not(None))
    rows = session.connection().execute(asked.order_by(MEASUREMENT.c.number)).all()
    claimed = {row.of: Verdict.model_validate_json(row.verdict).claimed for row in rows if row.of is not None}
    for name, headline in claimed.items():
        row = stored_row(session, name)
        if row is not None and row.headline != headline:
            judge_again(session, name)
    renew(session)


def renew_of_job(session: Session, job_id: str) -> None:
    """The same for the claim or card of a job, where it has one."""
    asked = sa.select(sa.func.coalesce(JOB.c.claim_id, JOB.c.card_id)).where(JOB.c.id == job_id)
    of = session.connection().execute(asked).scalar()
    if of is not None:
        renew(session, of)


def _report(files: Files, parts: Mapping[str, str]) -> Report:
    sha256 = parts.get(REPORT)
    if sha256 is None:
        raise _no_report(f"an attempt that succeeded has the part `{REPORT}`, and this one has none")
    path = files.path(sha256)
    try:
        if path.stat().st_size > MOST_REPORT:
            raise _no_report(f"the report is larger than {MOST_REPORT // 1024**2} MB")
        return read_report(path.read_bytes())
    except OSError as error:
        raise _no_report(f"the report's file is gone: {error.strerror}") from error


def read_report(data: bytes) -> Report:
    """Raises InvalidInputError with the place of every problem."""
    try:
        return Report.model_validate_json(data)
    except ValidationError as error:
        details: list[dict[str, object]] = [
            {"field": ".".join(map(str, ("report", *item["loc"]))), "message": refusal(item)} for item in error.errors()
        ]
        first = details[0]
        raise InvalidInputError(f"{REPORT}: {first['field']}: {first['message']}", details[:50]) from error


def _no_report(message: str) -> InvalidInputError:
    return InvalidInputError(message, [{"field": f"parts.{REPORT}", "message": message}])


def _claim(database: Database, claim_id: str | None) -> ClaimRow | None:
    """None for a claim that is not there (any more), and for a card without a number."""
    known = Claims(database).present([claim_id]) if claim_id else {}
    return parsed(known[claim_id].text) if claim_id in known else None


def traces_of(numbers: Json) -> set[str]:
    """The digests of the traces that a measurement's numbers were computed from."""
    runs = [run for of_set in numbers["sets"] for run in of_set["runs"]]
    return {run["trace_sha256"] for run in runs if run["trace_sha256"]}


def _insert(session: Session, new: Found, origin: dict[str, Any]) -> str:
    runs = [run for of_set in new.numbers["sets"] for run in of_set["runs"]]
    row = {
        "runs": len(runs),
        "usable": sum(run["valid"] for run in runs),
        "claim_id": new.claim_id,
        "card_id": new.card_id,
        "kind": new.report.plan.kind,
        "report": new.report.model_dump_json(),
        "numbers": json.dumps(new.numbers, allow_nan=False),
        "verdict": new.verdict.model_dump_json() if new.verdict else None,
    }
    session.connection().execute(sa.insert(MEASUREMENT), {**row, **origin})
    traces = [{"measurement_id": origin["id"], "sha256": digest} for digest in sorted(traces_of(new.numbers))]
    if traces:
        session.connection().execute(sa.insert(TRACE), traces)
    if of := new.claim_id or new.card_id:
        renew(session, of)
    return str(origin["id"])


def _verdicts(session: Session, claim_id: str | None) -> dict[bool, dict[str, Reproduction]]:
    """The newest of each claim, by whether they were imported."""
    of = sa.func.coalesce(MEASUREMENT.c.claim_id, MEASUREMENT.c.card_id)
    asked = sa.select(MEASUREMENT.c.id, MEASUREMENT.c.job_id, MEASUREMENT.c.verdict, of.label("of"))
    asked = asked.where(MEASUREMENT.c.verdict.is_not(None))
    asked = asked.where(of == claim_id if claim_id else of.is_not(None))
    rows = session.connection().execute(asked.order_by(MEASUREMENT.c.number)).all()
    return {
        imported: {row.of: _reproduction(row) for row in rows if (row.job_id is None) is imported}
        for imported in (True, False)
    }


def _reproduction(row: Any) -> Reproduction:
    verdict = Verdict.model_validate_json(row.verdict)
    kept = {name: getattr(verdict, name) for name in ("status", "measured", "low", "high", "share")}
    imported = row.job_id is None
    kept["text"] = f"Measured elsewhere, {VERIFIED}: {said(verdict.text)}" if imported else said(verdict.text)
    kept["differences"] = [item.label for item in verdict.differences]
    return Reproduction.model_validate({**kept, "measurement": row.id, "imported": imported, "job": row.job_id})


def _failures(session: Session, claim_id: str | None) -> dict[str, Reproduction]:
    of = sa.func.coalesce(JOB.c.claim_id, JOB.c.card_id)
    asked = sa.select(JOB.c.id, JOB.c.failure, JOB.c.message, of.label("of")).where(JOB.c.state == "failed")
    asked = asked.where(of == claim_id if claim_id else of.is_not(None))
    rows = session.connection().execute(asked.order_by(JOB.c.number))
    return {
        row.of: Reproduction(status="failed", text=f"attempt failed: {failed(row.failure)}", job=row.id) for row in rows
    }


def _free_id(session: Session, randomness: Randomness) -> str:
    """`m3h7k2qd4`."""
    while True:
        measurement_id = f"m{letters(randomness)}"
        taken = sa.select(MEASUREMENT.c.number).where(MEASUREMENT.c.id == measurement_id)
        if session.connection().execute(taken).first() is None:
            return measurement_id
