"""A backup holds one moment whole, a damaged one is told, and a restored one is what was copied."""

from __future__ import annotations

import sqlite3
import subprocess
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import insert
from sqlmodel import SQLModel

from app.cli import main
from app.commands.exits import FOUND, OK, USAGE
from app.jobs.tables import MeasurementTable
from app.settings import ROOT
from app.storage.named import NAMING
from tests.operations.conftest import LOG, NOW, Installation, sha256

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def backup(installation: Installation, tmp_path: Path, capsys: Capture) -> Path:
    """Of two imports and a job, whole."""
    installation.imported(b"one")
    installation.imported(b"two")
    installation.job()
    installation.keep(b"nobody names this")
    assert main(["backup", str(tmp_path / "copy")]) == OK
    capsys.readouterr()
    return tmp_path / "copy"


def test_a_backup_holds_the_files_that_rows_name_and_of_a_log_what_was_acknowledged(backup: Path) -> None:
    found = everything(backup)
    digests = [sha256(data) for data in (b"one", b"two", b"trace of j1")]
    files = {f"files/{digest[:2]}/{digest}" for digest in digests}
    assert found.keys() == {"backup.json", "SHA256SUMS", "benchcard.db", "logs/j1/1.log", *files}
    assert found["logs/j1/1.log"] == LOG
    assert not list(backup.parent.glob("*.part"))


def test_the_sums_are_read_by_the_usual_tool(backup: Path) -> None:
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=backup, check=True)


def test_a_check_says_that_a_backup_is_whole_and_touches_nothing(backup: Path, capsys: Capture) -> None:
    before = everything(backup)
    assert main(["restore", "--check", str(backup)]) == OK
    told = capsys.readouterr().out
    assert "result_import 2" in told
    assert "4 files" in told
    assert everything(backup) == before


def test_a_restored_folder_is_what_was_copied(
    backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("BENCHCARD_DATA", str(tmp_path / "new"))
    assert main(["restore", str(backup)]) == OK
    told = capsys.readouterr().out
    assert "restored into" in told
    assert "1 jobs were taken back from their runners" in told
    kept, found = everything(backup), everything(tmp_path / "new")
    before, after = (rows(folder / "benchcard.db") for folder in (backup, tmp_path / "new"))
    assert before - after == {
        line for line in before if line.startswith(('INSERT INTO "job"', 'INSERT INTO "attempt"'))
    }
    assert len(after) == len(before)
    for name in ("backup.json", "SHA256SUMS", "benchcard.db"):
        del kept[name]
    del found["benchcard.db"]
    assert found == kept
    assert main(["token", "list"]) == OK


def rows(database: Path) -> set[str]:
    """Everything in it, as SQL."""
    with closing(sqlite3.connect(f"file:{database}?immutable=1", uri=True)) as connection:
        return set(connection.iterdump())


def test_a_folder_in_use_is_not_restored_into(backup: Path, installation: Installation, capsys: Capture) -> None:
    before = everything(installation.data)
    assert main(["restore", str(backup)]) == USAGE
    assert "empty data folder" in capsys.readouterr().err
    assert everything(installation.data).keys() == before.keys()


def test_a_backup_is_never_overwritten(backup: Path, capsys: Capture) -> None:
    before = everything(backup)
    assert main(["backup", str(backup)]) == USAGE
    assert "overwrites nothing" in capsys.readouterr().err
    assert everything(backup) == before


def change(backup: Path, what: str) -> None:
    place = f"files/{sha256(b'one')[:2]}/{sha256(b'one')}"
    if what == "file gone":
        (backup / place).unlink()
    elif what == "file changed":
        (backup / place).write_bytes(b"onE")
    elif what == "log shortened":
        (backup / "logs/j1/1.log").write_bytes(LOG[:-1])
    elif what == "database torn":
        whole = (backup / "benchcard.db").read_bytes()
        (backup / "benchcard.db").write_bytes(whole[: len(whole) // 2])
    elif what == "database gone":
        (backup / "benchcard.db").unlink()
    else:
        with closing(sqlite3.connect(backup / "benchcard.db")) as connection:
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute(what)
            connection.commit()


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("file gone", "is not there"),
        ("file changed", "other bytes"),
        ("log shortened", "logs/j1/1.log holds other bytes"),
        ("database torn", "SHA-256"),
        ("database gone", "benchcard.db is not there"),
        ("DELETE FROM result_import", "result_import has 0 rows, 2 when"),
        ("UPDATE alembic_version SET version_num = '9999'", "9999 of a newer Benchcard"),
        ("UPDATE attempt_part SET job_id = 'gone'", "name a row that is not there"),
        ("UPDATE attempt_part SET size = 3", "other bytes than its row says"),
    ],
)
def test_every_damage_is_found_and_nothing_of_it_restored(
    backup: Path, what: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    change(backup, what)
    assert main(["restore", "--check", str(backup)]) == FOUND
    assert told in capsys.readouterr().err
    monkeypatch.setenv("BENCHCARD_DATA", str(tmp_path / "new"))
    assert main(["restore", str(backup)]) == FOUND
    assert "nothing was restored" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_what_is_no_backup_is_told(installation: Installation, tmp_path: Path, capsys: Capture) -> None:
    for wrong in (tmp_path / "nowhere", installation.data):
        assert main(["restore", "--check", str(wrong)]) == USAGE
        assert "is no backup" in capsys.readouterr().err


@pytest.mark.parametrize("damage", ["gone", "changed"])
def test_a_file_that_is_not_whole_is_told_by_backup_and_check(
    damage: str, installation: Installation, tmp_path: Path, capsys: Capture
) -> None:
    digest = installation.imported(b"one")
    place = installation.data / "files" / digest[:2] / digest
    place.unlink()
    if damage == "changed":
        place.write_bytes(b"onE")
    for arguments in (["backup", str(tmp_path / "copy")], ["restore", "--check", str(tmp_path / "copy")]):
        assert main(arguments) == FOUND
        assert (
            f"files/{digest[:2]}/{digest} is named by a row and was not there, or not whole" in capsys.readouterr().err
        )
    assert everything(tmp_path / "copy").keys() == {"SHA256SUMS", "backup.json", "benchcard.db"}


def test_a_backup_that_cannot_be_is_told_and_leaves_nothing(
    installation: Installation, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["backup", str(tmp_path / "none" / "copy")]) == USAGE
    assert "there is no folder" in capsys.readouterr().err
    monkeypatch.setenv("BENCHCARD_DATA", str(tmp_path / "empty"))
    assert main(["backup", str(tmp_path / "copy")]) == USAGE
    assert "there is no database at" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_a_backup_under_steady_writes_has_every_row_and_file_that_was_acknowledged(
    installation: Installation, tmp_path: Path
) -> None:
    acknowledged: list[str] = []
    some, enough = threading.Event(), threading.Event()

    def write() -> None:
        while not enough.is_set():
            acknowledged.append(installation.imported(f"result {len(acknowledged)}".encode()))
            if len(acknowledged) == 50:
                some.set()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        assert some.wait(60)
        before = list(acknowledged)
        status = main(["backup", str(tmp_path / "copy")])
    finally:
        enough.set()
        writer.join(60)
    assert status == OK
    assert main(["restore", "--check", str(tmp_path / "copy")]) == OK
    with closing(sqlite3.connect(tmp_path / "copy" / "benchcard.db")) as copy:
        rows = [digest for (digest,) in copy.execute("SELECT sha256 FROM result_import ORDER BY rowid")]
    assert len(before) >= 50
    assert rows[: len(before)] == before
    for digest in rows:
        assert (tmp_path / "copy" / "files" / digest[:2] / digest).exists()


def test_every_column_that_names_a_file_is_known_to_backup_and_cleaning() -> None:
    naming = {
        name
        for name, table in SQLModel.metadata.tables.items()
        if any("sha256" in column.name for column in table.columns)
    }
    # An imported card repeats its import's digest; an attempt's log has its place by job and epoch; a trace is part of
    # its attempt or lies in its bundle; what a card calls its raw data may lie anywhere.
    assert naming - {"result_import_card", "attempt", "measurement_trace", "card_raw"} == set(NAMING)


def older(installation: Installation, revision: str) -> None:
    """Give the database the tables of an older Benchcard."""
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    with installation.database.migration_connection() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


@pytest.mark.parametrize("revision", ["0001", "0002", "0003", "0004", "0005", "0006"])
def test_a_database_of_an_older_benchcard_is_backed_up_and_restored(
    installation: Installation, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, revision: str
) -> None:
    """Before an update is when a backup is wanted most."""
    bundle = installation.keep(b"a bundle")
    row = {
        "id": "m1",
        "kind": "point",
        "report": "{}",
        "numbers": '{"sets": []}',
        "trust": "t",
        "created_by": "Ana",
        "runs": 0,
        "usable": 0,
    }
    named = {**row, "bundle_sha256": bundle, "bundle_size": 8, "created_at": NOW}
    installation.database.write(lambda session: session.execute(insert(MeasurementTable).values(**named)))
    older(installation, revision)
    assert main(["backup", str(tmp_path / "old")]) == OK, capsys.readouterr().err
    assert main(["data", "unused"]) == OK
    assert main(["restore", "--check", str(tmp_path / "old")]) == OK
    holds = f"files/{bundle[:2]}/{bundle}" in everything(tmp_path / "old")
    assert holds == (revision >= "0004")
    monkeypatch.setenv("BENCHCARD_DATA", str(tmp_path / "restored"))
    assert main(["restore", str(tmp_path / "old")]) == OK, capsys.readouterr().err
