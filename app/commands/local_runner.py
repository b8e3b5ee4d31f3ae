"""The runner that `benchcard serve --runner` starts beside the server: its token, its file, its process.

It takes jobs over HTTP as every runner does. Its standard input is a pipe of ours: when that closes, however this
process ended, it ends too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlmodel import SQLModel

from app.accounts.queries import Accounts
from app.accounts.store import add_token, revoke_token
from app.accounts.tokens import new_token
from app.clock import SystemClock
from app.installation import opened
from app.randomness import SystemRandomness
from app.storage.named import RUNNER
from runners.engines import install

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlmodel import Session

    from app.db import Database
    from app.settings import Settings

TOKENS = SQLModel.metadata.tables["token"]
OWNER = "local runner (benchcard serve --runner)"
STOP_S = 90.0  # an attempt's end: its engine stopped and looked after, the server told
POLL_S = 0.1
CONFIG = """\
# Written by `benchcard serve --runner` at each start. For a runner with a policy of its own, copy it elsewhere and
# start that one with `benchcard runner start --config FILE`.
name = "local"
server = "{server}"
token_file = "token"
data = "kept"
[policy]
approved = true
[site]
models = "../models"
"""


class LocalRunner:
    """A running one."""

    def __init__(self, settings: Settings, server: str) -> None:
        """Start it for the server at that address. Raises OSError where its folder cannot be written."""
        folder = settings.data.resolve() / RUNNER
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with opened(settings) as database:
            provide_token(database, folder / "token")
        (folder / "runner.toml").write_text(CONFIG.format(server=server))
        here = "127.0.0.1,localhost,::1"  # never through a proxy
        others = os.environ.get("NO_PROXY") or os.environ.get("no_proxy")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "app.cli", "runner", "start", "--config", "runner.toml", "--while-input-is-open"],
            cwd=folder,
            env={**os.environ, "NO_PROXY": f"{others},{here}" if others else here},
            stdin=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us: we end it while the server can still hear of it
        )

    def stop(self, hurry: Callable[[], bool]) -> None:
        """End it with what it runs; at once where somebody is in a `hurry`. Nothing of an engine is left either way."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        until = time.monotonic() + STOP_S
        while self._process.poll() is None and not hurry() and time.monotonic() < until:
            time.sleep(POLL_S)
        self._process.kill()
        self._process.wait()


def missing(data: Path) -> list[str]:
    """What a runner here lacks before it can start an engine, each with the way to mend it."""
    found = []
    if not install.listed():
        engine, version, _ = install.builds()[-1].rsplit("-", 2)
        found.append(
            f"the local runner has no engine to start: `benchcard engine install {engine}=={version}` installs one "
            "(several GB; the CPU build where there is no GPU); then start again"
        )
    models = data / "models"
    if not models.is_dir() or not any(models.iterdir()):
        found.append(
            f"the local runner has no model: put one into {models}/NAME (config.json and tokenizer are enough for a "
            "job on random weights)"
        )
    return found


def provide_token(database: Database, file: Path) -> None:
    """A token that is valid, in a file for its owner alone. One whose file is gone is revoked: its runner's name would
    stay with it."""
    kept = file.read_text().strip() if file.exists() else ""
    actor = Accounts(database, SystemClock()).of_token(kept)
    if actor is not None and actor.may("runner"):
        return
    token, now = new_token(SystemRandomness()), SystemClock().now()
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as opened_file:
        opened_file.write(f"{token}\n")
    file.chmod(0o600)
    old = sa.select(TOKENS.c.id).where(TOKENS.c.name == OWNER, TOKENS.c.revoked_at.is_(None))

    def renew(session: Session) -> None:
        for token_id in session.connection().execute(old).scalars().all():
            revoke_token(session, token_id, now)
        add_token(session, token, OWNER, ("runner",), now)

    database.write(renew)
