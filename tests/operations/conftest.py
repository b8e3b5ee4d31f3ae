"""An installation with a database, a kept file, a trace and a log, as the commands find it by its settings."""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import insert

from app.db import Database
from app.jobs.tables import AttemptPartTable, AttemptTable, JobTable
from app.results.files import Files
from app.results.tables import ImportTable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlmodel import Session

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)
LOG = b"INFO ready\n"
JOB: dict[str, object] = {
    "kind": "point",
    "plan": "{}",
    "needs": "{}",
    "asks": "[]",
    "requested_by": "Ana",
    "owner": "o",
    "note": "",
    "message": "",
    "rank": 0,
    "created_at": NOW,
    "epoch": 1,
    "attempts": 1,
    "done": 0,
    "total": 0,
    "runner_failures": "{}",
}
ATTEMPT: dict[str, object] = {
    "epoch": 1,
    "runner": "r",
    "boot_id": "b",
    "leased_at": NOW,
    "state": "running",
    "message": "",
    "is_result": False,
    "log_dropped": 0,
}


@dataclass
class Installation:
    data: Path
    database: Database

    def keep(self, data: bytes) -> str:
        """Keep a file; no row names it yet."""
        with Files(self.data / "files").arriving(10**7) as arriving:
            arriving.write(data)
            return arriving.keep().sha256

    def imported(self, data: bytes) -> str:
        """A file that an import's row names."""
        sha256 = self.keep(data)
        row = {"sha256": sha256, "name": "r.json", "size": len(data), "format": "f", "report": "{}", "owner": "o"}
        self.database.write(lambda session: session.execute(insert(ImportTable).values(**row, created_at=NOW)))
        return sha256

    def job(self, log: bytes = LOG, state: str = "running", lease_until: dt.datetime | None = NOW) -> str:
        """A job whose attempt has a log and a trace; what lies behind the log was not acknowledged."""
        job = f"j{len(list((self.data / 'logs').glob('*'))) + 1}"
        folder = self.data / "logs" / job
        folder.mkdir(parents=True)
        (folder / "1.log").write_bytes(log + b"not acknowledged")
        trace = self.keep(f"trace of {job}".encode())

        part = {"job_id": job, "epoch": 1, "name": "p", "sha256": trace, "size": len(f"trace of {job}")}

        def add(session: Session) -> None:
            session.execute(insert(JobTable).values(**JOB, id=job, state=state, lease_until=lease_until))
            session.execute(insert(AttemptTable).values(**ATTEMPT, job_id=job, request_id=job, log_size=len(log)))
            session.execute(insert(AttemptPartTable).values(**part))

        self.database.write(add)
        return job


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installation]:
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("BENCHCARD_DATA", str(data))
    database = Database(f"sqlite:///{data / 'benchcard.db'}")
    database.migrate()
    yield Installation(data, database)
    database.close()
