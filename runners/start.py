"""The commands `runner start` and `runner clear-quarantine`."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

from runners import config, machine_facts, spool
from runners.client import Client
from runners.config import ConfigError
from runners.events import Me
from runners.executor import Local
from runners.gpu import GpuError
from runners.loop import Loop, fresh
from runners.spool import Spool, SpoolError

if TYPE_CHECKING:
    import argparse

    from runners.config import Config

STDIN = 0
WRONG, SETUP = 2, 4  # exit statuses, as everywhere in `benchcard`


def run_start(given: argparse.Namespace) -> int:
    """Until it is stopped; 2 for a wrong file, 4 where this machine or the token cannot be used."""
    try:
        found = config.read(given.config)
        if (token := found.token()) and found.shows_token():
            _say(f"others on this machine can read {found.token_file}; `chmod 600 {found.token_file}` keeps it to you")
        return asyncio.run(_start(found, token, while_open=given.while_input_is_open))
    except ConfigError as error:
        _say(str(error))
        return WRONG
    except (SpoolError, GpuError) as error:
        _say(str(error))
        return SETUP


async def _start(found: Config, token: str, *, while_open: bool) -> int:
    kept = Spool(found.data)
    try:
        me = Me(found.name, fresh(), machine_facts.version(), machine_facts.capabilities(found))
        engines = ", ".join(f"{item.name} {item.version} ({item.device})" for item in me.capabilities.engines)
        _say(f"runner {found.name} asks {found.server} for jobs; engines: {engines or 'none'}")
        if kept.quarantine:
            _say(f"in quarantine until `benchcard runner clear-quarantine`: {kept.quarantine}")
        loop = Loop(me, Client(found.server, token, kept), kept, Local(found), _say)
        if while_open:
            _end_with_input(loop)
        return await loop.run()
    finally:
        kept.close()


def _end_with_input(runner: Loop) -> None:
    """Whoever holds the other end of our standard input is gone once it closes, however that came."""
    running = asyncio.get_running_loop()

    def read() -> None:
        if not os.read(STDIN, 1 << 16):
            running.remove_reader(STDIN)
            runner.end_now()

    running.add_reader(STDIN, read)


def run_clear(given: argparse.Namespace) -> int:
    """The owner has looked at the machine."""
    try:
        found = config.read(given.config)
    except ConfigError as error:
        _say(str(error))
        return WRONG
    reason = spool.quarantine_of(found.data)
    spool.clear_quarantine(found.data)
    sys.stdout.write(f"cleared: {reason}\n" if reason else "it was in no quarantine\n")
    return 0


def _say(message: str) -> None:
    sys.stderr.write(f"{message}\n")
    sys.stderr.flush()
