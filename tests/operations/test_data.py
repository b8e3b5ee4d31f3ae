"""What lies in the data folder is told, and evidence is removed by no command."""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING

import pytest

from app.cli import main
from app.clock import SystemClock
from app.commands.exits import OK, USAGE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.operations.conftest import Installation

Capture = pytest.CaptureFixture[str]


def aged(path: Path, days: int) -> Path:
    moment = (SystemClock().now() - dt.timedelta(days=days)).timestamp()
    os.utime(path, (moment, moment))
    return path


@pytest.fixture
def filled(installation: Installation) -> Installation:
    """Evidence, a file without a row, an old and a fresh upload that did not end, and a file of somebody else; all but
    the fresh upload are 40 days old."""
    installation.imported(b"evidence")
    installation.job()
    installation.keep(b"no row")
    files = installation.data / "files"
    for name in ("arriving-old", "arriving-fresh"):
        (files / name).write_bytes(b"half a fi")
    (installation.data / "notes.txt").write_text("mine")
    for path in installation.data.rglob("*"):
        if path.is_file() and path.name != "arriving-fresh":
            aged(path, 40)
    return installation


def test_sizes_are_told_by_kind(filled: Installation, capsys: Capture) -> None:
    assert main(["data", "sizes"]) == OK
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    told = {kind: (files, size) for kind, files, size, _ in lines}
    assert told["files"] == ("3 files", f"{len(b'evidence' + b'no row' + b'trace of j1')} bytes")
    assert told["arriving"] == ("2 files", "18 bytes")
    assert told["logs"] == ("1 file", "27 bytes")
    assert told["other"] == ("1 file", "4 bytes")
    assert told["database"][0] != "0 files"


def test_what_no_row_names_is_listed_with_size_and_age(filled: Installation, capsys: Capture) -> None:
    assert main(["data", "unused"]) == OK
    *lines, last = capsys.readouterr().out.splitlines()
    assert sorted(tuple(line.split("\t")[1:]) for line in lines) == [
        ("6 bytes", "40 days old"),
        ("9 bytes", "0 days old"),
        ("9 bytes", "40 days old"),
    ]
    assert last.startswith("3 files that nothing names, 24 bytes")


def test_cleaning_removes_old_unfinished_uploads_and_nothing_else(filled: Installation, capsys: Capture) -> None:
    before = {path for path in filled.data.rglob("*") if path.is_file()}
    assert main(["data", "clean", "--older-than", "30"]) == OK
    after = {path for path in filled.data.rglob("*") if path.is_file()}
    assert before - after == {filled.data / "files" / "arriving-old"}
    told = capsys.readouterr().out
    assert "removed\tfiles/arriving-old" in told
    assert "1 unfinished uploads removed" in told


@pytest.mark.parametrize("days", ["0", "-1", "1.5", "", "all", "99999"])
def test_a_wrong_age_removes_nothing(days: str, filled: Installation) -> None:
    before = {path for path in filled.data.rglob("*") if path.is_file()}
    with pytest.raises(SystemExit):
        main(["data", "clean", "--older-than", days])
    assert {path for path in filled.data.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("action", [["sizes"], ["unused"], ["clean", "--older-than", "1"]])
def test_a_mistyped_data_folder_is_told_and_not_made(
    action: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("BENCHCARD_DATA", str(tmp_path / "dta"))
    assert main(["data", *action]) == USAGE
    assert "dta" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
