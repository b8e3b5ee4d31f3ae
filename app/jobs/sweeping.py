"""Leases that ran out are put back while nobody asks for work, too: a job whose only runner died does not run for ever.

A runner that asks for work sweeps as well (app.jobs.leases); this is for the hours in which none does.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from fastapi.concurrency import run_in_threadpool

from app.jobs.leases import EXPIRED, sweep
from app.jobs.states import BEAT, LEASE
from app.jobs.store import left_alone, settle

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import AsyncIterator, Awaitable, Callable

    from app.clock import Clock
    from app.db import Database

    Wait = Callable[[float], Awaitable[bool]]  # seconds -> whether to stop

LOG = logging.getLogger("benchcard")


@asynccontextmanager
async def swept(database: Database, clock: Clock, *, second: bool) -> AsyncIterator[None]:
    """Sweep as long as the block lasts. Afterwards nothing of it is under way, so the database may be closed."""
    over = asyncio.Event()

    async def wait(seconds: float) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), seconds)
        return over.is_set()

    sweeping = asyncio.create_task(keep_sweeping(database, clock, wait, second=second), name="sweeping")
    try:
        yield
    finally:
        over.set()
        await sweeping


async def keep_sweeping(database: Database, clock: Clock, wait: Wait, *, second: bool) -> None:
    """Sweep whenever `wait` comes back, until it says to stop; what goes wrong once is logged and tried again.

    The first time comes a whole lease after the start. Runners could renew nothing while the server was away, and
    whoever finished meanwhile sends its result within a minute: it shall still find the job its own.
    """
    over = await wait(LEASE.total_seconds())
    while not over:
        try:
            count = await run_in_threadpool(partial(put_back, database, clock.now(), second=second))
        except Exception:
            LOG.exception("expired leases could not be looked for; in %d s again", BEAT.total_seconds())
        else:
            if count:
                LOG.info("%d jobs put back: their runners were not heard of in time", count)
        over = await wait(BEAT.total_seconds())


def put_back(database: Database, now: dt.datetime, *, second: bool) -> int:
    """Put back the jobs whose leases have expired; returns how many. What is queued for runners alone that start it
    unasked waits for approval again once none of them is up. Where there is nothing to do nothing is written."""
    with database.read() as session:
        expired = session.connection().execute(EXPIRED.limit(1), {"now": now}).first() is not None
        left = left_alone(session, now)
    if left:
        database.write(lambda session: settle(session, now, second=second))
    return database.write(lambda session: sweep(session, now)) if expired else 0
