"""A queue on each database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.jobs.factories import Queue, queue_in

if TYPE_CHECKING:
    from pathlib import Path

    from app.db import Database
    from tests.conftest import StillClock


@pytest.fixture
def queue(database: Database, clock: StillClock, tmp_path: Path) -> Queue:
    return queue_in(database, clock, tmp_path)
