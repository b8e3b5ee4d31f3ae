"""D3: after a power cut at any moment the database is whole and holds everything that was acknowledged, and so do the
files that it names.

A process that is killed cannot show this: what it wrote is in the system's memory, synced or not.
"""

from __future__ import annotations

import hashlib
import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text
from sqlmodel import SQLModel

import app.db
from app.cards.load import read_card
from app.cards.store import Draft, create, retract, revise
from app.db import Database
from app.jobs import logs as job_logs
from app.jobs import uploads
from app.jobs.logs import Logs
from app.jobs.measurements import Found, record
from app.jobs.numbers import compute
from app.protocol.outcome import REPORT
from app.replay.store import ReplayKey, Reply, once
from app.results import files as results_files
from app.results.files import Files
from tests.cards.factories import card, sound
from tests.conftest import StillClock
from tests.jobs.factories import ANA, RANDOM, Queue, finish, queue_in
from tests.jobs.runs import attempt, plan
from tests.storage.power import Acknowledged, Disk, Written, cuts, placed

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Sequence

    from sqlmodel import Session

LONG = bool(os.environ.get("BENCHCARD_TEST_LONG"))
ROUNDS, CUTS = (60, 2000) if LONG else (12, 80)
PAGES = 30  # in the write-ahead log before they are copied into the database: often, so that cuts fall into that, too
LINE = b"a line\n"
LOG = {"size": len(LINE), "sha256": hashlib.sha256(LINE).hexdigest()}
State = dict[str, list[tuple[Any, ...]]]


class Watched(Database):
    """Notes when each write was answered, and what the database held then."""

    def __init__(self, url: str, disk: Disk) -> None:
        super().__init__(url)
        self._disk = disk
        self.states: list[State] = []
        self.ends: list[int] = []  # the numbers of the writes by which an attempt succeeded
        self.note()

    def write(self, work: Callable[[Session], Any]) -> Any:
        result = super().write(work)
        self.note()
        return result

    def note(self) -> None:
        self._disk.events.append(Acknowledged(len(self.states)))
        self.states.append(everything(self))


@dataclass
class Recorded:
    """`folder`: where logs and parts lie; `before`: the files as they were when it began; `states`: after each write
    that was acknowledged, `ends` those by which an attempt succeeded."""

    folder: Path
    disk: Disk
    before: dict[str, bytes]
    states: list[State]
    ends: list[int]


def everything(database: Database) -> State:
    with database.read() as session:
        tables = sorted(SQLModel.metadata.tables)
        return {name: [tuple(row) for row in session.execute(text(f"SELECT * FROM {name}"))] for name in tables}


def work(database: Watched, queue: Queue, files: Files, measured: Measured) -> None:
    """Jobs and cards as the application writes them."""
    database.write(lambda session: session.execute(text(f"PRAGMA wal_autocheckpoint={PAGES}")))
    for number in range(ROUNDS):
        job_work(database, queue, files, measured, number)
        card_work(database, queue.clock.now(), number)


def job_work(database: Watched, queue: Queue, files: Files, measured: Measured, number: int) -> None:
    """One job that fails, is cancelled, is lost, or succeeds."""
    job = queue.submit()
    once(database, ReplayKey.of("ana", f"key-{number}", "submit"), queue.clock.now(), lambda _: Reply(201, job))
    of = queue.taken(runner=f"r{number}", boot_id=f"boot-{number:04d}")
    queue.start(*of)
    queue.beat(*of, done=number, total=number)
    queue.log(*of, 0, LINE)
    if number % 4 == 0:
        keep(queue, files, of, "trace.parquet", b"a part of what failed" * number)
        queue.finish(*of, "bad_flag", log=LOG)
    elif number % 4 == 1:
        queue.cancel(of[0])
    elif number % 4 == 2:
        succeed(database, queue, files, of, measured)
    queue.later(91)


def keep(queue: Queue, files: Files, of: tuple[str, int], name: str, data: bytes) -> str:
    """A part as the application takes it: kept first, then listed, then told. Returns its digest."""
    with files.arriving(len(data)) as arriving:
        arriving.write(data)
        kept = arriving.keep()
    queue.part(*of, name, data)
    return kept.sha256


def succeed(database: Watched, queue: Queue, files: Files, of: tuple[str, int], measured: Measured) -> None:
    """All parts of an attempt, then its end and its measurement as one write."""
    parts = {name: keep(queue, files, of, name, data) for name, data in measured.parts.items()}
    message = finish(of[1], parts=parts, log=LOG, request_id=queue.key())

    def end(session: Session) -> None:
        now = queue.clock.now()
        assert uploads.finish(session, queue.logs, of[0], message, queue.token, now) == "succeeded"
        record(session, measured.found, *of, "runner", now, RANDOM)

    database.write(end)
    database.ends.append(len(database.states) - 1)


def card_work(database: Database, now: dt.datetime, number: int) -> None:
    """A card; every other one is revised and retracted."""
    made = database.write(lambda session: create(session, draft(number), ANA, now, RANDOM))
    if number % 2:
        database.write(lambda session: revise(session, made.id, 1, draft(number + 1000), ANA, now))
        database.write(lambda session: retract(session, made.id, "wrong", ANA, now))


def draft(number: int) -> Draft:
    text = sound(result=f"{{value: {number}.5, unit: tok/s}}", title=f"card {number} {'of many words ' * 50}")
    return Draft(card(text), read_card(text).findings)


@dataclass
class Measured:
    """What a runner sends of an attempt that succeeds, and what the application makes of it."""

    parts: dict[str, bytes]
    found: Found


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    report, traces = attempt(tmp_path_factory.mktemp("measured"), plan(repeats=1))
    parts = {name: file.read_bytes() for name, file in traces.items()} | {REPORT: report.model_dump_json().encode()}
    return Measured(parts, Found(report, compute(report, traces, report.plan), None, None, None))


def recorded_in(folder: Path, template: Path, measured: Measured) -> Recorded:
    """Work on a disk that remembers. Afterwards databases are opened as ever."""
    file = folder / "benchcard.db"
    file.write_bytes(template.read_bytes())
    with Disk() as disk, pytest.MonkeyPatch.context() as patch:
        patch.setattr(app.db, "sqlite_module", disk.driver)
        disk.watch(patch)
        database = Watched(f"sqlite:///{file}", disk)
        work(database, queue_in(database, StillClock(), folder), Files(folder / "files"), measured)
        database.close()
    return Recorded(folder, disk, {file.name: template.read_bytes()}, database.states, database.ends)


@pytest.fixture(scope="module")
def recorded(sqlite_template: Path, measured: Measured, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return recorded_in(tmp_path_factory.mktemp("recorded"), sqlite_template, measured)


def problems(recorded: Recorded, folder: Path, count: int, seed: int) -> list[str]:
    """What is wrong after a power cut, at half of the moments just after a write was acknowledged."""
    dice, events = random.Random(seed), recorded.disk.events
    answered = [place + 1 for place, event in enumerate(events) if isinstance(event, Acknowledged)]
    moments = dice.choices(answered, k=count // 2) + dice.choices(range(1, len(events) + 1), k=count - count // 2)
    return problems_at(recorded, folder, moments, dice)


def problems_at(recorded: Recorded, folder: Path, moments: Sequence[int], dice: random.Random) -> list[str]:
    found = []
    for moment, acknowledged, files in cuts(recorded.disk, recorded.before, moments, dice):
        kept = placed(recorded.disk, moment, recorded.folder)
        wrong = after(files, folder, recorded.states[acknowledged : acknowledged + 2], recorded.folder, kept)
        found += [f"after {moment} of {len(recorded.disk.events)} events: {wrong}"] if wrong else []
    return found


def around_ends(recorded: Recorded) -> list[int]:
    """Every moment from the last part that was told of until the end was, and until the next write was."""
    told = [place for place, event in enumerate(recorded.disk.events) if isinstance(event, Acknowledged)]
    return [moment for number in recorded.ends for moment in range(told[number - 1] + 1, told[number + 1] + 1)]


def after(files: dict[str, bytes], folder: Path, possible: list[State], home: Path, kept: dict[Path, bytes]) -> str:
    """What is wrong with a database that is found so; "" where it is as after the last write that was acknowledged,
    or as after the one under way, and all logs and parts that it tells of are `kept` in the folder `home`."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    database = Database(f"sqlite:///{folder / 'benchcard.db'}")
    try:
        with database.read() as session:
            sound = list(session.execute(text("PRAGMA integrity_check")).scalars())
        if sound != ["ok"]:
            return str(sound[0])
        if everything(database) not in possible:
            return "a write that was acknowledged is gone, or half of one is there"
        return missing(database, home, kept)
    except Exception as error:
        return str(error)
    finally:
        database.close()


def missing(database: Database, home: Path, kept: dict[Path, bytes]) -> str:
    """What of the logs and parts that the database tells of is not on the disk."""
    files, logs = Files(home / "files"), Logs(home / "logs")
    with database.read() as session:
        parts = session.execute(text("SELECT DISTINCT sha256 FROM attempt_part")).scalars().all()
        attempts = session.execute(text("SELECT job_id, epoch, log_size FROM attempt WHERE log_size > 0")).all()
    gone = [sha256 for sha256 in parts if hashlib.sha256(kept.get(files.path(sha256), b"")).hexdigest() != sha256]
    short = [job for job, epoch, size in attempts if kept.get(logs.path(job, epoch), b"")[:size] != LINE]
    return "; ".join(
        [*(f"the part {item} is gone" for item in gone), *(f"the log of {item} is gone" for item in short)]
    )


def test_no_acknowledged_end_nor_its_measurement_parts_or_log_is_lost(recorded: Recorded, tmp_path: Path) -> None:
    """Cut at every moment of it, several times, for what was not synced may be there or not."""
    moments = around_ends(recorded) * (4 if LONG else 2)
    assert len(recorded.ends) == ROUNDS // 4
    assert problems_at(recorded, tmp_path / "after", moments, random.Random(2)) == []
    states = [recorded.states[number] for number in recorded.ends]
    assert [len(state["measurement"]) for state in states] == list(range(1, len(states) + 1))


@pytest.mark.parametrize("of", ["keep", "write"])
def test_the_simulation_catches_files_that_are_told_of_before_they_are_on_the_disk(
    of: str, sqlite_template: Path, measured: Measured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_files if of == "keep" else job_logs, "sync_folder", lambda _: None)
    less = recorded_in(tmp_path, sqlite_template, measured)
    found = problems_at(less, tmp_path / "after", around_ends(less), random.Random(1))
    assert found
    assert all("is gone" in item for item in found)


def test_no_acknowledged_write_is_lost_in_a_power_cut(recorded: Recorded, tmp_path: Path) -> None:
    assert problems(recorded, tmp_path / "after", CUTS, 1) == []


def test_the_cuts_fall_into_checkpoints_and_log_restarts_too(recorded: Recorded) -> None:
    written = [event for event in recorded.disk.events if isinstance(event, Written)]
    assert sum(event.file == "benchcard.db" for event in written) > 2 * PAGES
    assert sum(event.file == "benchcard.db-wal" and event.offset == 0 for event in written) > 2
    assert len(recorded.states) > 9 * ROUNDS


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> dict[Path, set[str]]:
    """What is on the disk for certain: by folder, the names in it when it was last synced; by file, none."""
    found: dict[Path, set[str]] = {}

    def fsync(handle: int) -> None:
        path = Path(f"/proc/self/fd/{handle}").resolve()
        found[path] = {item.name for item in path.iterdir()} if path.is_dir() else set()
        sync(handle)

    sync = os.fsync
    monkeypatch.setattr(os, "fsync", fsync)
    return found


def test_a_kept_file_and_a_log_have_their_names_on_the_disk_before_anybody_is_told(
    named: dict[Path, set[str]], tmp_path: Path
) -> None:
    files, logs = Files(tmp_path / "new" / "files"), Logs(tmp_path / "new" / "logs")
    for data in (b"one", b"two"):
        with files.arriving(10) as arriving:
            arriving.write(data)
            path = files.path(arriving.keep().sha256)
        logs.write(data.decode(), 1, 0, data)
        log = logs.path(data.decode(), 1)
        assert log in named
        for place in {path, log, *path.parents, *log.parents} - {tmp_path, *tmp_path.parents}:
            assert place.name in named.get(place.parent, set()), f"{place} can be gone after a power cut"


@pytest.mark.parametrize("setting", ["NORMAL", "OFF"])
def test_the_simulation_catches_a_database_that_syncs_too_little(
    setting: str, sqlite_template: Path, measured: Measured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pragmas = tuple(f"synchronous={setting}" if item == "synchronous=FULL" else item for item in app.db.PRAGMAS)
    assert pragmas != app.db.PRAGMAS
    monkeypatch.setattr(app.db, "PRAGMAS", pragmas)
    less = recorded_in(tmp_path, sqlite_template, measured)
    assert problems(less, tmp_path / "after", 20, 1)
    assert problems_at(less, tmp_path / "after", around_ends(less), random.Random(1))
