"""`serve --runner`: one command starts a server with a runner beside it, and ends both however it ends."""

from __future__ import annotations

import os
import select
import signal
import stat
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from app.accounts.queries import Accounts
from app.commands.local_runner import OWNER, provide_token
from tests.storage.test_commands import COMMAND, environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.db import Database
    from tests.conftest import StillClock

__all__ = ["environment"]  # a fixture


@pytest.fixture
def bare(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """Of a machine on which no engine is installed, behind a proxy that does not exist."""
    return {**environment, "XDG_CACHE_HOME": str(tmp_path / "cache"), "HTTP_PROXY": "http://127.0.0.1:9"}


class Started:
    """`serve --runner` once its runner has come up. The runner holds our standard error too, so that its end is the
    end of that."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stderr is not None and process.stdout is not None
        self.said = ""
        for line in process.stderr:
            self.said += line
            if line.startswith("runner local asks"):
                self.address = line.split()[3]
                return
        pytest.fail(self.said)

    def both_end(self) -> str:
        """What they said last. Fails where one of them lives on."""
        assert self.process.stderr is not None
        assert self.process.wait(60) in (0, -signal.SIGTERM, -signal.SIGINT, -signal.SIGKILL)
        rest = ""
        while True:  # a byte may come from the runner alone by now
            assert select.select([self.process.stderr], [], [], 60)[0], "the runner lives on"
            data = os.read(self.process.stderr.fileno(), 1 << 16).decode()
            if not data:
                return rest
            rest += data


@contextmanager
def started(environment: dict[str, str]) -> Iterator[Started]:
    process = subprocess.Popen(
        [*COMMAND, "serve", "--runner"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None and process.stdout is not None
    try:
        yield Started(process)
    finally:
        process.kill()
        process.wait(30)
        process.stdout.close()
        process.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_runner_is_started_with_a_token_of_its_own_and_both_end(
    bare: dict[str, str], tmp_path: Path, number: signal.Signals
) -> None:
    with started(bare) as running:
        token = (tmp_path / "data" / "runner" / "token").read_text().strip()
        assert httpx.get(f"{running.address}/healthz", trust_env=False).status_code == 200
        running.process.send_signal(number)
        last = running.both_end()
        assert running.process.stdout is not None
        told = running.process.stdout.read()
    assert "sign-in?link=" in told, "the runner's own token signs nobody in"
    assert token not in running.said + last + told
    assert "benchcard engine install vllm==" in told
    assert str(tmp_path / "data" / "models") in told
    assert not (tmp_path / "cache").exists(), "nothing is installed unasked"


def test_the_token_is_kept_for_its_owner_alone_and_one_that_is_lost_is_revoked(
    database: Database, clock: StillClock, tmp_path: Path
) -> None:
    file = tmp_path / "token"

    def provided() -> list[bool]:
        """Of every token of the local runner, whether it was revoked."""
        provide_token(database, file)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        actor = accounts.of_token(file.read_text().strip())
        assert actor is not None and actor.scopes == {"runner"}
        return sorted(row.revoked_at is not None for row in accounts.tokens() if row.name == OWNER)

    accounts = Accounts(database, clock)
    assert provided() == provided() == [False]
    file.unlink()
    assert provided() == [False, True]
    file.write_text("no token")
    file.chmod(0o644)
    assert provided() == [False, True, True]
