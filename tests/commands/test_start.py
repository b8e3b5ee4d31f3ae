"""Starting: what an operator must mend is one clear line, and a start that is refused has written nothing."""

from __future__ import annotations

import logging
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from app.cli import main
from app.commands.exits import FOUND, OK, SETUP, USAGE
from app.errors import SetupError
from app.installation import opened
from app.settings import ROOT, Settings
from tests.conftest import migrate
from tests.storage.test_commands import COMMAND, environment, serving
from tests.storage.test_load import source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlmodel import Session

__all__ = ["environment"]  # a fixture
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _logs_as_before() -> Iterator[None]:
    """`serve` points the process's logs at a stream that ends with its test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def refused(capsys: Capture, arguments: tuple[str, ...] = ("serve",), status: int = SETUP) -> str:
    """What the command says, in one line, when it cannot do its work."""
    assert main(arguments) == status
    told = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("{")]
    assert len(told) == 1, told
    assert told[0].startswith("benchcard: ")
    return told[0]


@pytest.fixture
def data(environment: dict[str, str], tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_a_port_in_use_is_told_and_nothing_is_written(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setenv("PORT", str(port))
        told = refused(capsys)
    assert f"port {port} of 127.0.0.1 cannot be opened: Address already in use; stop what uses" in told
    assert not data.exists()


@pytest.mark.parametrize("host", ["no such host", "x" * 100, "192.0.2.1", "::g"])
def test_a_host_that_is_not_ours_is_told(
    host: str, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("BENCHCARD_HOST", host)
    assert "cannot be opened" in refused(capsys)
    assert not data.exists()


def test_a_wrong_catalogue_leaves_no_database_and_no_link(data: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "sources" / "one.yaml").write_text("id: one\n")
    assert main(["serve"]) == FOUND
    assert "sign-in?link" not in capsys.readouterr().err
    assert not data.exists()


@pytest.mark.parametrize("command", ["serve", "check"])
@pytest.mark.parametrize("there", [True, False])
def test_a_mistyped_catalogue_folder_withdraws_nothing(
    there: bool, command: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("BENCHCARD_CATALOGUE", str(tmp_path / "sorces"))
    if there:
        (tmp_path / "sorces").mkdir()
    told = refused(capsys, ("serve",) if command == "serve" else ("catalogue", "check"), USAGE)
    assert "BENCHCARD_CATALOGUE" in told
    assert "sorces" in told
    assert not data.exists()


def test_the_link_is_printed_once_the_server_serves(environment: dict[str, str]) -> None:
    with serving(environment) as (process, port, lines):
        assert process.stdout is not None
        link = re.search(r"http://127\.0\.0\.1:(\d+)/sign-in\?link=", process.stdout.readline())
        assert "sign-in?link" not in "".join(lines)
        assert link is not None
        assert int(link[1]) == port


def test_a_broken_list_beside_the_sources_stops_the_start_too(tmp_path: Path) -> None:
    for name in ("app", "migrations"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shipped = tmp_path / "app" / "catalogue"
    for file, broken in (
        (shipped / "models.yaml", "- {id: A}\n"),
        (shipped / "pairs.yaml", "- {a: gone, b: sglang-v41-step-16, verdict: same, title: T, why: W}\n- x\n"),
        (shipped / "sources" / "vllm-2026-10-07-deepseek-v41-flash.yaml", "id: [\n"),
    ):
        file.write_text(broken)
    given = {**os.environ, "BENCHCARD_DATA": str(tmp_path / "data"), "PORT": "0"}
    for command in (["serve"], ["catalogue", "check"]):
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", *command],
            cwd=tmp_path,
            env=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == FOUND
        assert re.search(r"models\.yaml:1:3: \[0\]\.active_params_b: is missing", done.stderr)
        assert re.search(r"pairs\.yaml:1:\d+: \[0\]\.verdict: ", done.stderr)
        assert re.search(r"pairs\.yaml:2:3: \[1\]: is a mapping", done.stderr)
        assert re.search(r"v41-flash\.yaml:2:1: this is not YAML", done.stderr)
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "data").exists()


COMMANDS = [("serve",), ("token", "list"), ("sign-in",)]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_file_in_the_place_of_the_data_folder_is_told(
    arguments: tuple[str, ...], data: Path, capsys: Capture
) -> None:
    data.write_text("")
    told = refused(capsys, arguments)
    assert f"{data} cannot be made: a file stands in its way" in told
    assert "BENCHCARD_DATA" in told


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_folder_in_the_place_of_the_database_is_told(arguments: tuple[str, ...], data: Path, capsys: Capture) -> None:
    (data / "benchcard.db").mkdir(parents=True)
    assert "benchcard.db cannot be used: unable to open database file" in refused(capsys, arguments)


@pytest.mark.parametrize("arguments", [*COMMANDS, ("backup", "copy")])
def test_a_file_that_is_no_database_is_told(
    arguments: tuple[str, ...], data: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data.mkdir()
    (data / "benchcard.db").write_bytes(b"not a database at all " * 1000)
    told = refused(capsys, arguments)
    assert "benchcard.db cannot be used: file is not a database" in told
    assert "benchcard backup" in told
    assert not list(tmp_path.glob("copy*"))


def test_a_torn_database_is_told(data: Path, capsys: Capture) -> None:
    data.mkdir()
    migrate(Settings(data=data).url())
    whole = (data / "benchcard.db").read_bytes()
    (data / "benchcard.db").write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    assert "malformed" in refused(capsys)


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_database_of_a_newer_version_is_told(arguments: tuple[str, ...], data: Path, capsys: Capture) -> None:
    data.mkdir()
    migrate(Settings(data=data).url())
    with sqlite3.connect(data / "benchcard.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    told = refused(capsys, arguments)
    assert "was made by a newer Benchcard: this one does not know its revision 9999" in told


LIMITED = """
import ctypes, os, resource, sys
from app.cli import main
if sys.argv[2] == "no space":
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
else:  # root without its capabilities is held to the folder's mode like everybody
    none = (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None).capset((ctypes.c_uint32 * 2)(0x20080522, 0), none) == 0
os.environ["BENCHCARD_DATA"] = sys.argv[1]
sys.exit(main(sys.argv[3:] or ["token", "list"]))
"""


@pytest.mark.parametrize("limit", ["no space", "read only"])
def test_a_disk_that_takes_no_data_is_told(limit: str, tmp_path: Path) -> None:
    """In a process of its own, which may write less than this one."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700 if limit == "no space" else 0o500)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(data), limit], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == SETUP, done.stderr
    assert re.fullmatch(r"benchcard: the database .*benchcard\.db cannot be used: .*; .*\n", done.stderr)


def test_a_read_only_database_file_is_told_in_one_line(tmp_path: Path) -> None:
    migrate(f"sqlite:///{tmp_path / 'benchcard.db'}")
    (tmp_path / "benchcard.db").chmod(0o400)
    command = [sys.executable, "-c", LIMITED, str(tmp_path), "read only", "token", "create", "--scope", "submit"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == SETUP, done.stderr
    assert re.fullmatch(r"benchcard: the database .* readonly database; let this user write the file .*\n", done.stderr)


def test_a_full_database_is_told(data: Path) -> None:
    data.mkdir()
    settings = Settings(data=data)
    migrate(settings.url())
    with pytest.raises(SetupError, match="full; free some space"), opened(settings) as database:
        database.write(fill)


def fill(session: Session) -> None:
    session.connection().exec_driver_sql("PRAGMA max_page_count=1")
    session.connection().exec_driver_sql("CREATE TABLE more AS SELECT zeroblob(1000000) AS zeros")


def test_a_mistake_of_ours_keeps_its_trace(data: Path) -> None:
    data.mkdir()
    settings = Settings(data=data)
    migrate(settings.url())
    with pytest.raises(IntegrityError), opened(settings) as database:
        database.write(lambda session: session.execute(text("INSERT INTO catalogue_state VALUES (2, 0)")))


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("postgresql://ana:secret@127.0.0.1:1/cards", "the PostgreSQL database postgresql://ana:***@127.0.0.1:1/cards"),
        ("postgresql://ana:secret@127.0.0.1/cards?sslmode=odd", "cannot be used"),
        ("postgresql://ana:secret@127.0.0.1/cards?colour=red", "cannot be used"),
    ],
)
def test_a_postgresql_that_is_not_there_is_told(
    url: str, told: str, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("BENCHCARD_DATABASE_URL", url)
    line = refused(capsys)
    assert told in line
    assert "see that the server runs" in line
    assert "secret" not in line


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "postgres://ana:secret@host/cards",
        "postgresql://ana:secret@host:port/cards",
        "mysql://ana:secret@host/cards",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///cards.db?mode=ro",
        "://",
    ],
)
@pytest.mark.parametrize("arguments", [*COMMANDS, ("backup", "copy")])
def test_a_url_that_names_no_database_is_told(
    url: str, arguments: tuple[str, ...], data: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("BENCHCARD_DATABASE_URL", url)
    told = refused(capsys, arguments, USAGE)
    assert "BENCHCARD_DATABASE_URL" in told
    assert "secret" not in told


def test_what_is_no_source_file_is_told(data: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "sources" / "folder.yaml").mkdir()
    (tmp_path / "sources" / "link.yaml").symlink_to("nowhere")
    (tmp_path / "sources" / "two.yaml").write_text(source("two", "two-a").replace("type: blog", "type: blob"))
    os.mkfifo(tmp_path / "sources" / "pipe.yaml")
    assert main(["catalogue", "check", str(tmp_path / "mine.yaml")]) == FOUND
    told = capsys.readouterr().err
    for name, what in (
        ("sources/folder.yaml", "is a folder"),
        ("sources/link.yaml", "is a link to nothing"),
        ("sources/pipe.yaml", "is no file"),
        ("mine.yaml", "there is no such file"),
    ):
        assert f"{tmp_path / name}:1:1: {what}" in told
    assert "type: " in told


def test_the_module_runs_as_the_command_does(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [*COMMAND, "catalogue", "check"], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (OK, "")
    assert done.stdout.startswith("2 claims in 1 sources")
