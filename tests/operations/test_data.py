"""What lies in the data folder is told, and evidence is removed by no command."""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING

import pytest

from app.cli import main
from app.clock import SystemClock
from app.commands.exits import OK, SETUP, USAGE

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
    assert "1 unfinished upload removed, 9 bytes" in told


def test_what_a_check_left_unpacked_is_an_upload_that_did_not_end(filled: Installation, capsys: Capture) -> None:
    left = filled.data / "files" / "arriving-bundle-x" / "traces" / "t.parquet"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    aged(left, 40)
    assert main(["data", "clean", "--older-than", "30"]) == OK
    assert "removed\tfiles/arriving-bundle-x/traces/t.parquet" in capsys.readouterr().out
    assert not (filled.data / "files" / "arriving-bundle-x").exists()


def test_a_file_that_only_looks_like_an_upload_stays(filled: Installation) -> None:
    mine = filled.data / "files" / "mine" / "arriving-soon"
    mine.parent.mkdir()
    mine.write_bytes(b"mine")
    aged(mine, 40)
    assert main(["data", "clean", "--older-than", "30"]) == OK
    assert mine.exists()


def test_a_file_where_a_folder_should_be_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (tmp_path / "files").write_text("mine")
    monkeypatch.setenv("BENCHCARD_DATA", str(tmp_path))
    assert main(["data", "sizes"]) == OK
    assert "other\t1 file\t4 bytes" in capsys.readouterr().out


def test_folders_that_lie_on_another_disk_are_looked_into(
    filled: Installation, tmp_path: Path, capsys: Capture
) -> None:
    (filled.data / "files").rename(tmp_path / "elsewhere")
    (filled.data / "files").symlink_to(tmp_path / "elsewhere")
    assert main(["data", "sizes"]) == OK
    told = {line.split("\t")[0]: line.split("\t")[1] for line in capsys.readouterr().out.splitlines()}
    assert (told["files"], told["arriving"], told["other"]) == ("3 files", "2 files", "1 file")
    assert main(["data", "clean", "--older-than", "30"]) == OK
    assert not (tmp_path / "elsewhere" / "arriving-old").exists()


def test_a_name_that_breaks_lines_or_is_no_text_is_told_in_one_line(filled: Installation, capsys: Capture) -> None:
    for name in (b"new\nline\t", b"\xff"):
        (filled.data / "files" / os.fsdecode(name)).write_bytes(b"x")
    assert main(["data", "unused"]) == OK
    lines = capsys.readouterr().out.splitlines()
    assert {len(line.split("\t")) for line in lines[:-1]} == {3}
    assert {line.split("\t")[0] for line in lines} >= {"files/new\\nline\\t", "files/\\xff"}


def test_what_was_removed_before_a_file_that_cannot_be_is_told(
    filled: Installation, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = filled.data / "files" / "arriving-old-second"
    second.write_bytes(b"x")
    aged(second, 35)
    remove = os.unlink

    def held(path: str | Path, **options: object) -> None:
        if str(path).endswith("arriving-old-second"):
            raise PermissionError(13, "Permission denied")
        remove(path)

    monkeypatch.setattr(os, "unlink", held)
    assert main(["data", "clean", "--older-than", "30"]) == SETUP
    told = capsys.readouterr()
    assert "removed\tfiles/arriving-old\t" in told.out
    assert "files/arriving-old-second cannot be removed: Permission denied" in told.err


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
