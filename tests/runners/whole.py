"""The whole path: the real app behind a socket, a real runner process, and a job from its submission to its numbers."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from app.accounts.store import add_token
from app.accounts.tokens import new_token
from app.main import create_app
from app.randomness import SystemRandomness
from app.settings import Settings
from tests.conftest import migrate
from tests.live import live

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.protocol.plan import Plan

RANDOM = SystemRandomness()


@dataclass
class App:
    """The app, and what people do with it."""

    url: str
    tokens: dict[str, str]

    def ask(self, method: str, path: str, who: str, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        with httpx.Client(base_url=self.url, headers=headers, trust_env=False, timeout=60) as http:
            answer = http.request(method, f"/api/v1{path}", **options)
        assert answer.is_success, answer.text
        return answer.json() if "json" in answer.headers["content-type"] else answer.content

    def submit(self, plan: Plan) -> str:
        """A job that a maintainer has approved where that was needed."""
        job = self.ask("POST", "/jobs", "submit", json={"plan": plan.model_dump(mode="json")})
        if job["state"] == "awaiting_approval":
            self.ask("POST", f"/jobs/{job['id']}/approve", "maintain", json={})
        return str(job["id"])

    def wait(self, job: str, true: Callable[[dict[str, Any]], bool], limit_s: float) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _ in range(int(limit_s * 4)):
            found = self.ask("GET", f"/jobs/{job}", "submit")
            if true(found):
                return found
            select.select([], [], [], 0.25)
        raise AssertionError(found)


@contextmanager
def served(folder: Path) -> Iterator[App]:
    """With a token for each scope."""
    settings = Settings(data=folder)
    folder.mkdir()
    migrate(settings.url())
    app = create_app(settings)
    tokens = {scope: new_token(RANDOM) for scope in ("submit", "maintain", "runner")}
    now = app.state.clock.now()
    for scope, token in tokens.items():
        app.state.database.write(lambda session, s=scope, t=token: add_token(session, t, s, [s], now))
    try:
        with live(app) as url:
            yield App(url, tokens)
    finally:
        app.state.database.close()


@contextmanager
def runner(config: Path, **env: str) -> Iterator[subprocess.Popen[str]]:
    """A runner process, stopped at the end and given its time."""
    command = [sys.executable, "-m", "runners", "runner", "start", "--config", str(config)]
    with subprocess.Popen(command, env={**os.environ, **env}, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            for name in (signal.SIGTERM, signal.SIGINT):  # of two equal ones still waiting, the system delivers one
                process.send_signal(name)  # nothing where it has ended
            ended = process.poll() is not None  # then only what it has left can hold its output open
            try:
                process.communicate(timeout=30 if ended else 200)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def ended(job: dict[str, Any]) -> bool:
    return job["state"] in {"succeeded", "failed", "cancelled"}
