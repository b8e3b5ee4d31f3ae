"""The server killed (-9) while it works: what it acknowledged is there afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.crashes import crash

if TYPE_CHECKING:
    from pathlib import Path


def test_nothing_acknowledged_is_missing_after_kills(tmp_path: Path) -> None:
    told, wrong = crash(tmp_path, kills=2, workers=2)
    assert wrong == []
    assert told.ends
