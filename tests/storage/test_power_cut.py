"""D3: after a power cut at any moment the database is whole and holds everything that was acknowledged.

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
from app.jobs.logs import Logs
from app.replay.store import ReplayKey, Reply, once
from app.results.files import Files
from tests.cards.factories import card, sound
from tests.conftest import StillClock
from tests.jobs.factories import ANA, RANDOM, Queue, queue_in
from tests.storage.power import Acknowledged, Disk, Written, cuts

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable

    from sqlmodel import Session

LONG = bool(os.environ.get("BENCHCARD_TEST_LONG"))
ROUNDS, CUTS = (60, 2000) if LONG else (12, 80)
PAGES = 30  # in the write-ahead log before they are copied into the database: often, so that cuts fall into that, too
LINE = b"a line\n"
State = dict[str, list[tuple[Any, ...]]]


class Watched(Database):
    """Notes when each write was answered, and what the database held then."""

    def __init__(self, url: str, disk: Disk) -> None:
        super().__init__(url)
        self._disk = disk
        self.states: list[State] = []
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
    """`before`: the files as they were when it began; `states`: after each write that was acknowledged."""

    disk: Disk
    before: dict[str, bytes]
    states: list[State]


def everything(database: Database) -> State:
    with database.read() as session:
        tables = sorted(SQLModel.metadata.tables)
        return {name: [tuple(row) for row in session.execute(text(f"SELECT * FROM {name}"))] for name in tables}


def work(database: Database, queue: Queue) -> None:
    """Jobs and cards as the application writes them."""
    database.write(lambda session: session.execute(text(f"PRAGMA wal_autocheckpoint={PAGES}")))
    for number in range(ROUNDS):
        job_work(database, queue, number)
        card_work(database, queue.clock.now(), number)


def job_work(database: Database, queue: Queue, number: int) -> None:
    """One job that fails, is cancelled, or is lost."""
    job = queue.submit()
    once(database, ReplayKey.of("ana", f"key-{number}", "submit"), queue.clock.now(), lambda _: Reply(201, job))
    of = queue.taken(runner=f"r{number}", boot_id=f"boot-{number:04d}")
    queue.start(*of)
    queue.beat(*of, done=number, total=number)
    queue.log(*of, 0, LINE)
    queue.part(*of, "report.json", b"{}" * number)
    if number % 3 == 0:
        queue.finish(*of, "bad_flag", log={"size": len(LINE), "sha256": hashlib.sha256(LINE).hexdigest()})
    elif number % 3 == 1:
        queue.cancel(of[0])
    queue.later(91)


def card_work(database: Database, now: dt.datetime, number: int) -> None:
    """A card; every other one is revised and retracted."""
    made = database.write(lambda session: create(session, draft(number), ANA, now, RANDOM))
    if number % 2:
        database.write(lambda session: revise(session, made.id, 1, draft(number + 1000), ANA, now))
        database.write(lambda session: retract(session, made.id, "wrong", ANA, now))


def draft(number: int) -> Draft:
    text = sound(result=f"{{value: {number}.5, unit: tok/s}}", title=f"card {number} {'of many words ' * 50}")
    return Draft(card(text), read_card(text).findings)


def record(template: Path, folder: Path) -> Recorded:
    """Work on a disk that remembers. Afterwards databases are opened as ever."""
    file = folder / "benchcard.db"
    file.write_bytes(template.read_bytes())
    with Disk() as disk, pytest.MonkeyPatch.context() as patch:
        patch.setattr(app.db, "sqlite_module", disk.driver)
        database = Watched(f"sqlite:///{file}", disk)
        work(database, queue_in(database, StillClock(), folder))
        database.close()
    return Recorded(disk, {file.name: template.read_bytes()}, database.states)


@pytest.fixture(scope="module")
def recorded(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return record(sqlite_template, tmp_path_factory.mktemp("recorded"))


def problems(recorded: Recorded, folder: Path, count: int, seed: int) -> list[str]:
    """What is wrong after a power cut, at half of the moments just after a write was acknowledged."""
    dice, found = random.Random(seed), []
    events = recorded.disk.events
    answered = [place + 1 for place, event in enumerate(events) if isinstance(event, Acknowledged)]
    moments = dice.choices(answered, k=count // 2) + dice.choices(range(1, len(events) + 1), k=count - count // 2)
    for moment, acknowledged, files in cuts(recorded.disk, recorded.before, moments, dice):
        wrong = after(files, folder, recorded.states[acknowledged : acknowledged + 2])
        found += [f"after {moment} of {len(events)} events, seed {seed}: {wrong}"] if wrong else []
    return found


def after(files: dict[str, bytes], folder: Path, possible: list[State]) -> str:
    """What is wrong with a database that is found so; "" where it is as after the last write that was acknowledged,
    or as after the one under way."""
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
        state = everything(database)
        return "" if state in possible else "a write that was acknowledged is gone, or half of one is there"
    except Exception as error:
        return str(error)
    finally:
        database.close()


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
    setting: str, sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pragmas = tuple(f"synchronous={setting}" if item == "synchronous=FULL" else item for item in app.db.PRAGMAS)
    assert pragmas != app.db.PRAGMAS
    monkeypatch.setattr(app.db, "PRAGMAS", pragmas)
    less = record(sqlite_template, tmp_path)
    assert problems(less, tmp_path / "after", 20, 1)
