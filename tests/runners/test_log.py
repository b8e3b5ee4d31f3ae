"""A log keeps its beginning and its end, and says what it dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.log import BoundedLog, last_lines

if TYPE_CHECKING:
    from pathlib import Path


def written(path: Path, parts: list[bytes]) -> bytes:
    log = BoundedLog(path, head=100, tail=200)
    for part in parts:
        log.write(part)
    log.close()
    return path.read_bytes()


@pytest.mark.parametrize("size", [1, 7, 100, 101, 5000])
def test_head_and_tail_are_kept_whatever_the_sizes_of_the_writes(size: int, tmp_path: Path) -> None:
    whole = b"".join(b"line %06d\n" % number for number in range(500))
    kept = written(tmp_path / "log", [whole[start : start + size] for start in range(0, len(whole), size)])
    head, _, rest = kept.partition(b"\n[")
    dropped, _, tail = rest.partition(b" bytes of this log were dropped here]\n")
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert len(head) == 100
    assert 100 <= len(tail) <= 200
    assert int(dropped) == len(whole) - len(head) - len(tail)
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


@given(st.lists(st.binary(max_size=60), max_size=5))
def test_a_short_log_is_kept_as_it_is(tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]) -> None:
    assert written(tmp_path_factory.mktemp("log") / "log", parts) == b"".join(parts)


def test_the_last_lines_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "log", head=20, tail=40)
    for number in range(50):
        log.write(b"line %d\n" % number)
        assert last_lines(tmp_path / "log", 1) == [f"line {number}"]
    log.write(b"half \xff")
    assert last_lines(tmp_path / "log", 2) == ["line 49", "half \\xff"]
    log.close()
    assert last_lines(tmp_path / "log", 2) == ["line 49", "half \\xff"]
