"""Plans measured on this machine through an app and a runner of their own, each result kept as an evidence bundle.

    python -m bench.measured WANTED.json ... --out FOLDER --models FOLDER [--tools FOLDER] [--seconds S]

WANTED.json is what POST /api/v1/jobs takes: `{"plan": ...}`, or `{"claim_id": ..., "choices": ...}`. Everything that
would need an approval is approved: run only what you have read. Engines are those of `benchcard engine list`; MODELS
is a runner's store of models. After S seconds, or once the runner takes no more jobs, what has not ended is cancelled.
Each line of the output is one job:

    NAME STATE MEASUREMENT SECONDS
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from bench.listening import listening

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDED = {"succeeded", "failed", "cancelled"}
POLL_S, STOPS_S = 0.5, 120.0
CONFIG = """
name = "bench"
server = "{server}"
token_file = "runner.token"
data = "runner"
[policy]
approved = true
[site]
models = "{models}"
"""


@dataclass(frozen=True)
class App:
    """A served installation in `folder`."""

    folder: Path
    url: str
    tokens: dict[str, str]

    def ask(self, method: str, path: str, who: str = "submit", **options: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        answer = httpx.request(
            method, f"{self.url}/api/v1{path}", headers=headers, trust_env=False, timeout=300, **options
        )
        answer.raise_for_status()
        return answer


def _benchcard(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app.cli", *words], env=_environment(folder), capture_output=True, text=True, check=True
    )


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "BENCHCARD_DATA": str(folder / "data")}


@contextmanager
def _process(folder: Path, name: str, words: list[str], **more: str) -> Iterator[subprocess.Popen[bytes]]:
    """`benchcard WORDS` with its output in NAME.log; told to end at the end."""
    with (folder / f"{name}.log").open("ab") as log:
        started = subprocess.Popen(
            [sys.executable, "-m", "app.cli", *words], env=_environment(folder) | more, stdout=log, stderr=log
        )
        try:
            yield started
        finally:
            started.send_signal(signal.SIGTERM)
            started.wait(STOPS_S)


@contextmanager
def served(folder: Path) -> Iterator[App]:
    with _process(folder, "app", ["serve"], PORT="0") as process:
        url = listening(process, folder / "app.log")
        yield App(folder, url, {scope: _token(folder, scope) for scope in ("submit", "maintain", "runner")})


def _token(folder: Path, scope: str) -> str:
    return _benchcard(folder, "token", "create", "--scope", scope, "--name", scope).stdout.split()[-1]


def submitted(app: App, wanted: dict[str, Any]) -> str:
    """The id of the job, which is approved where that is needed."""
    job = app.ask("POST", "/jobs", json=wanted).json()
    if job["state"] == "awaiting_approval":
        app.ask("POST", f"/jobs/{job['id']}/approve", "maintain", json={})
    return str(job["id"])


def works(app: App, runner: subprocess.Popen[bytes]) -> bool:
    """Whether the runner lives and is not quarantined: a machine that is lent by the minute waits for nobody."""
    standings = [item["standing"] for item in app.ask("GET", "/runners").json()["items"]]
    return runner.poll() is None and "quarantined" not in standings


def ended(app: App, job: str, until: float, runner: subprocess.Popen[bytes]) -> dict[str, Any]:
    """The job once it has ended; cancelled where it has not by then, or nobody would run it."""
    asked = False
    while True:
        found: dict[str, Any] = app.ask("GET", f"/jobs/{job}").json()
        if found["state"] in ENDED:
            return found
        if not asked and (time.monotonic() > until or not works(app, runner)):
            app.ask("POST", f"/jobs/{job}/cancel", json={})
            asked = True
        time.sleep(POLL_S)


def kept(app: App, name: str, job: dict[str, Any]) -> None:
    """The bundle and the log; without a measurement the log alone."""
    (app.folder / f"{name}.job.json").write_text(json.dumps(job, indent=1))
    (app.folder / f"{name}.log").write_bytes(app.ask("GET", f"/jobs/{job['id']}/log").content)
    if job.get("measurement_id"):
        bundle = app.folder / f"{job['measurement_id']}.zip"
        _benchcard(app.folder, "evidence", job["measurement_id"], "--out", str(bundle))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("wanted", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--tools", type=Path, nargs=2, help="the Pythons of vllm bench serve and sglang.bench_serving")
    parser.add_argument("--seconds", type=float, default=3600.0)
    given = parser.parse_args()
    until = time.monotonic() + given.seconds
    given.out.mkdir(parents=True, exist_ok=True)
    with served(given.out) as app:
        config = given.out / "runner.toml"
        (given.out / "runner.token").write_text(app.tokens["runner"])
        tools = (
            f'[site.tools]\nvllm_bench = "{given.tools[0]}"\nsglang_bench = "{given.tools[1]}"\n' if given.tools else ""
        )
        config.write_text(CONFIG.format(server=app.url, models=given.models.resolve()) + tools)
        jobs = {file.stem: submitted(app, json.loads(file.read_text())) for file in given.wanted}
        with _process(given.out, "runner", ["runner", "start", "--config", str(config)]) as runner:
            for name, job in jobs.items():
                begun = time.monotonic()
                done = ended(app, job, until, runner)
                kept(app, name, done)
                print(name, done["state"], done.get("measurement_id"), round(time.monotonic() - begun), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
