"""Files are kept by what they hold, whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from app.errors import NoSpaceError, TooLargeError
from app.results.files import Files

if TYPE_CHECKING:
    from pathlib import Path

DATA = b"a result"
DIGEST = hashlib.sha256(DATA).hexdigest()


def kept_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_file_is_found_by_the_digest_of_its_bytes(tmp_path: Path) -> None:
    files = Files(tmp_path / "files")
    with files.arriving(100) as arriving:
        arriving.write(DATA[:3])
        arriving.write(DATA[3:])
        kept = arriving.keep()
    assert (kept.sha256, kept.size) == (DIGEST, len(DATA))
    assert files.path(DIGEST).read_bytes() == DATA
    assert kept_files(tmp_path) == [DIGEST]


def test_the_same_bytes_are_kept_once(tmp_path: Path) -> None:
    files = Files(tmp_path)
    for _ in range(2):
        with files.arriving(100) as arriving:
            arriving.write(DATA)
            arriving.keep()
    assert kept_files(tmp_path) == [DIGEST]


def test_what_is_not_kept_leaves_nothing(tmp_path: Path) -> None:
    files = Files(tmp_path)
    with files.arriving(100) as arriving:
        arriving.write(DATA)
        assert arriving.whole().sha256 == DIGEST
        assert arriving.path.read_bytes() == DATA
    assert kept_files(tmp_path) == []


def test_more_than_may_come_is_refused_while_it_comes(tmp_path: Path) -> None:
    with Files(tmp_path).arriving(1024**2) as arriving:
        arriving.write(b"x" * 1024**2)
        with pytest.raises(TooLargeError, match="at most 1 MB"):
            arriving.write(b"x")
    assert kept_files(tmp_path) == []


def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with Files(tmp_path).arriving(100) as arriving:
        arriving.write(DATA)
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(NoSpaceError, match="disk is full"):
            arriving.keep()
    assert kept_files(tmp_path) == []
