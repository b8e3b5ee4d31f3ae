"""S13: secrets that were used are in no log, no error page, no database and no backup."""

from __future__ import annotations

import json
import logging
import re
import secrets
import signal
import sqlite3
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING

import httpx
import pytest

from app.cli import main
from app.logs import JsonFormatter
from tests.storage.test_commands import COMMAND, environment, serving

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["environment"]  # a fixture


def everything(*folders: Path) -> bytes:
    return b"".join(path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file())


def ask(server: httpx.Client, token: str, link: str, cookies: list[str]) -> list[httpx.Response]:
    """Sign in and write in every way, rightly and wrongly, and break the server on the way."""
    wrong = "bcr_" + secrets.token_urlsafe(32)
    cookies.append(wrong)
    bearer, bad = {"Authorization": f"Bearer {token}"}, {"Authorization": f"Bearer {wrong}"}
    answers = [
        server.get("/sign-in", params={"link": link}),
        server.post("/sign-in", data={"link": link}),
        server.post("/sign-in", data={"link": link}),
        server.post("/sign-in", data={"token": token}),
        server.post("/sign-in", data={"token": wrong}),
        server.get("/api/v1/claims", params={"token": token}),
        server.get("/", params={"token": token, "access_token": wrong}),
        server.post("/api/v1/cards", content="engine: [", headers=bearer),
        server.post("/api/v1/cards", content="engine: x", headers=bad),
        server.post("/api/v1/cards", content="engine: x", headers={"Authorization": f"Basic {wrong}"}),
        server.post("/api/v1/cards", content="engine: x", headers={"Authorization": token}),
        server.get("/import"),
    ]
    cookies += [value for answer in answers for value in answer.cookies.values()]
    return answers


def test_no_secret_is_written_anywhere(
    environment: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    used: list[str] = []
    assert main(["token", "create", "--scope", "submit"]) == 0
    token = capsys.readouterr().out.strip()
    assert main(["sign-in"]) == 0
    link = re.search(r"link=([\w-]+)", capsys.readouterr().out)
    assert link is not None
    with serving(environment) as (process, port, lines):
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as server:
            answers = ask(server, token, link[1], used)
            with closing(sqlite3.connect(tmp_path / "data" / "benchcard.db")) as broken:
                broken.execute("ALTER TABLE card RENAME TO gone")
        for path in ("/cards", "/api/v1/cards"):  # a failure ends its connection
            with httpx.Client(base_url=f"http://127.0.0.1:{port}") as server:
                answers.append(server.get(path, headers={"Cookie": f"benchcard={used[-1]}"}))
        process.send_signal(signal.SIGTERM)
        out, rest = process.communicate(timeout=30)
    log = "".join(lines) + rest
    assert main(["backup", str(tmp_path / "copy")]) == 0
    told = "".join(answer.text for answer in answers if answer.is_error)
    stored = everything(tmp_path / "data", tmp_path / "copy")
    assert {answer.status_code for answer in answers} >= {200, 401, 422, 500}
    assert len(set(used)) >= 3, "a wrong token and two sessions"
    for secret in (token, link[1], *used):
        assert secret not in log
        assert secret not in out
        assert secret not in told
        assert secret.encode() not in stored
    assert f'"actor": "{token[:12]}"' in log
    failed = [answer for answer in answers if answer.status_code == 500]
    entries = [json.loads(line) for line in log.splitlines()]
    for answer in failed:
        of_request = [entry for entry in entries if entry.get("request") == answer.headers["x-request-id"]]
        assert any("no such table" in entry.get("exception", "") for entry in of_request)
        assert any(entry.get("status") == 500 for entry in of_request)
        assert answer.headers["x-request-id"] in answer.text


def test_the_databases_password_is_in_no_line(environment: dict[str, str]) -> None:
    password = secrets.token_hex(8)
    url = f"postgresql://ana:{password}@127.0.0.1:1/cards"
    for arguments in (["serve"], ["token", "list"], ["backup", "copy"], ["restore", "copy"]):
        given = {**environment, "BENCHCARD_DATABASE_URL": url}
        done = subprocess.run([*COMMAND, *arguments], env=given, capture_output=True, text=True, check=False)
        assert done.returncode
        assert password not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("refused bcr_" + "Aa0_-" * 8 + "xyz", "refused bcr_Aa0_-Aa0..."),
        ("GET /sign-in?link=" + "Aa0_-" * 8, "GET /sign-in?link=..."),
        ("cannot reach postgresql://ana:pa:ss%40word@host/db", "cannot reach postgresql://ana:...@host/db"),
        ("see http://127.0.0.1:8000/cards", "see http://127.0.0.1:8000/cards"),
    ],
)
def test_what_a_library_repeats_is_cut_out_of_the_log(said: str, left: str) -> None:
    record = logging.LogRecord("library", logging.ERROR, __file__, 1, said, (), None)
    assert json.loads(JsonFormatter().format(record))["message"] == left
