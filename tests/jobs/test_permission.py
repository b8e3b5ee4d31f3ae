"""What is judged again after a job was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from app.errors import InvalidInputError
from app.jobs.store import JOB
from tests.jobs.factories import MAY, plan

if TYPE_CHECKING:
    from tests.jobs.factories import Queue


def test_what_never_runs_by_now_cannot_be_approved(queue: Queue) -> None:
    job = queue.submit(plan=plan())
    newer = plan(launch={"flags": {"trust-remote-code": True}}).model_dump_json()
    queue.database.write(
        lambda session: session.connection().execute(sa.update(JOB).where(JOB.c.id == job).values(plan=newer))
    )
    with pytest.raises(InvalidInputError, match="trust-remote-code"):
        queue.approve(job, MAY)
    assert queue.job(job).state == "awaiting_approval"
