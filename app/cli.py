"""The `benchcard` command."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn
from pydantic import ValidationError

from app.catalogue.load import load_catalogue
from app.catalogue.store import read_files
from app.clock import SystemClock
from app.commands import accounts, cards, imports, reading
from app.commands.exits import HELP
from app.db import Database
from app.errors import AppError
from app.logs import start_logging
from app.main import create_app, prepare
from app.settings import Settings
from runners import arguments as measuring

if TYPE_CHECKING:
    from collections.abc import Sequence

LOG = logging.getLogger("benchcard")
DESCRIPTION = "Published serving numbers beside what they mean."
GRACE = 10  # seconds that requests under way are given after a stop signal


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    given = _parser().parse_args(arguments)
    try:
        return int(given.run(given, Settings()))
    except ValidationError as error:
        for item in error.errors():
            print(f"setting {'.'.join(map(str, item['loc']))}: {item['msg']}", file=sys.stderr)
    except (AppError, ValueError) as error:
        print(f"benchcard: {error}", file=sys.stderr)
    except BrokenPipeError:  # whoever read our output (`head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchcard", description=DESCRIPTION, epilog=HELP)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    serve = commands.add_parser(
        "serve", help="migrate, load the catalogue, serve pages and API (HOST, PORT, BENCHCARD_DATA)"
    )
    serve.set_defaults(run=_serve)
    catalogue = commands.add_parser("catalogue", help="the shipped facts").add_subparsers(
        required=True, metavar="ACTION"
    )
    check = catalogue.add_parser(
        "check", help="report every problem of the catalogue, with FILES beside the shipped ones"
    )
    check.add_argument("files", nargs="*", type=Path, metavar="FILES")
    check.set_defaults(run=_check)
    backup = commands.add_parser("backup", help="copy the SQLite database to FILE while it is in use")
    backup.add_argument("file", type=Path, metavar="FILE")
    backup.set_defaults(run=_backup)
    for part in (cards, imports, reading, accounts):
        part.add(commands)
    measuring.add_commands(commands)
    return parser


def _serve(_: argparse.Namespace, settings: Settings) -> int:
    start_logging()
    changes = prepare(settings, SystemClock())
    done = ", ".join(f"{count} {change}" for change, count in sorted(changes.items()))
    LOG.info("catalogue loaded: %s", done or "no sources")
    link = accounts.first_sign_in(settings)
    if link:
        LOG.info("sign in once, within an hour: %s", link)
    run_server(settings)
    return 0


def run_server(settings: Settings) -> None:
    """Serve until a stop signal, on a database that is ready."""
    start_logging()
    LOG.info("serving on http://%s:%d", settings.host, settings.port)
    uvicorn.run(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_config=None,
        timeout_graceful_shutdown=GRACE,
        server_header=False,
    )


def _check(given: argparse.Namespace, settings: Settings) -> int:
    shipped = {file.resolve(): file for file in sorted(settings.catalogue.glob("*.yaml"))}
    files = shipped | {file.resolve(): file for file in given.files}
    loaded = load_catalogue(read_files(files.values()))
    print(f"{sum(len(item.source.claims) for item in loaded)} claims in {len(loaded)} sources: no problems")
    return 0


def _backup(given: argparse.Namespace, settings: Settings) -> int:
    database = Database(settings.url())
    try:
        database.backup(given.file)
    finally:
        database.close()
    print(f"copied to {given.file}")
    return 0
