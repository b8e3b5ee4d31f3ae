"""The command: serving, checking and copying, with errors that say what to mend."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from app.catalogue.models import weights
from app.catalogue.pairs import pairs
from app.cli import main
from app.logs import JsonFormatter
from app.main import create_app
from app.settings import Settings
from tests.conftest import Client
from tests.storage.test_load import source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.db import Database

COMMAND = [sys.executable, "-m", "app.cli"]


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A data folder and a catalogue of one small source."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "one.yaml").write_text(source("one", "one-a", "one-b"))
    given = {
        "BENCHCARD_DATA": str(tmp_path / "data"),
        "BENCHCARD_CATALOGUE": str(folder),
        "PORT": "0",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return {**os.environ}


@contextmanager
def serving(environment: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], int, list[str]]]:
    """A server process that has said its port, and the lines of its log so far."""
    process = subprocess.Popen(
        [*COMMAND, "serve"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    lines: list[str] = []
    try:
        for line in process.stderr:
            lines.append(line)
            found = re.search(r"serving on http://127\.0\.0\.1:(\d+)", line)
            if found:
                break
        else:
            pytest.fail("the server ended: " + "".join(lines))
        yield process, int(found[1]), lines
    finally:
        process.kill()
        process.wait(30)
        process.stdout.close()
        process.stderr.close()


def test_serve_migrates_loads_answers_and_stops_when_told(environment: dict[str, str]) -> None:
    with serving(environment) as (process, port, lines):
        health = httpx.get(f"http://127.0.0.1:{port}/healthz").json()
        assert (health["status"], health["claims"], health["sources"]) == ("ok", 2, 1)
        process.send_signal(signal.SIGTERM)
        rest = process.communicate(timeout=30)[1]
    assert process.returncode in (0, -signal.SIGTERM)  # uvicorn ends by the signal it was sent, after its work
    entries: list[dict[str, Any]] = [json.loads(line) for line in (*lines, *rest.splitlines()) if line.strip()]
    assert all({"time", "level", "logger"} <= set(entry) for entry in entries)
    assert "catalogue loaded: 1 added" in [entry.get("message") for entry in entries]
    assert "Application shutdown complete." in [entry.get("message") for entry in entries]
    asked = next(entry for entry in entries if entry["logger"] == "benchcard.request")
    assert (asked["method"], asked["path"], asked["status"]) == ("GET", "/healthz", 200)


def test_a_query_of_ten_megabytes_does_not_break_the_server(environment: dict[str, str]) -> None:
    with serving(environment) as (_, port, _lines):
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            request = (
                b"GET /api/v1/claims?q=" + b"x" * 10_000_000 + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            )
            try:
                connection.sendall(request)
                answer = connection.recv(1000)
            except OSError:  # hung up on, which is an answer too
                answer = b"HTTP/1.1 414 "
        assert answer.startswith(b"HTTP/1.1 4")
        assert httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200


def test_a_wrong_catalogue_stops_the_start_with_every_problem(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "sources" / "one.yaml").write_text(source("one", "a").replace("unit: tok/s", "unit: parsec"))
    (tmp_path / "sources" / "two.yaml").write_text("id: two\ntitel: A\n")
    done = subprocess.run([*COMMAND, "serve"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.search(r"one\.yaml:\d+:\d+: claims\[0\]\.unit: `parsec`", done.stderr)
    assert re.search(r"two\.yaml:2:8: titel: .*did you mean `title`", done.stderr)
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("environment")
def test_check_reports_the_catalogue_and_a_file_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["catalogue", "check"]) == 0
    assert (
        capsys.readouterr().out
        == f"2 claims in 1 sources, {len(weights())} models, {len(pairs())} pairs: no problems\n"
    )
    own = tmp_path / "mine.yaml"
    own.write_text(source("mine", "mine-a", extra="repeats: one-a"))
    assert main(["catalogue", "check", str(own)]) == 0
    own.write_text(source("mine", "one-a"))
    assert main(["catalogue", "check", str(own)]) == 1
    assert re.search(r"`one-a` is already a claim of `(one|mine)`", capsys.readouterr().err)


def test_an_absurdly_long_address_is_logged_in_part(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "benchcard.request")
    app = create_app(Settings(database_url=database.url.render_as_string(hide_password=False)))
    assert Client(app).get("/" + "x" * 50_000).status_code == 404
    app.state.database.close()
    line = JsonFormatter().format(caplog.records[-1])
    assert len(line) < 3000
    assert json.loads(line)["status"] == 404


def test_a_log_line_tells_an_exception_with_its_place() -> None:
    try:
        raise LookupError("lost")
    except LookupError:
        record = logging.LogRecord("benchcard", logging.ERROR, __file__, 1, "it %s", ("broke",), sys.exc_info())
    entry = json.loads(JsonFormatter().format(record))
    assert (entry["level"], entry["message"]) == ("error", "it broke")
    assert "LookupError: lost" in entry["exception"]
