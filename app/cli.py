"""The `benchcard` command."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.catalogue.folder import read_catalogue
from app.catalogue.models import weights
from app.catalogue.pairs import pairs
from app.commands import accounts, cards, evidence, imports, jobs, operations, reading, runners
from app.commands.exits import FOUND, HELP, OK, SETUP, USAGE
from app.errors import AppError, InvalidInputError, SetupError
from app.serve import serve
from app.settings import read_settings
from runners import arguments as measuring

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.settings import Settings

DESCRIPTION = "Published serving numbers beside what they mean."
STATUSES = {SetupError: SETUP, InvalidInputError: USAGE}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    given = _parser().parse_args(arguments)
    try:
        return int(given.run(given, read_settings()))
    except AppError as error:
        print(f"benchcard: {error}", file=sys.stderr)
        return next((status for kind, status in STATUSES.items() if isinstance(error, kind)), FOUND)
    except BrokenPipeError:  # whoever read our output (`head`) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchcard", description=DESCRIPTION, epilog=HELP)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    server = commands.add_parser(
        "serve", help="migrate, load the catalogue, serve pages and API (BENCHCARD_HOST, PORT, BENCHCARD_DATA)"
    )
    server.add_argument(
        "--runner", action="store_true", help="with a runner that executes jobs on this machine (make run RUNNER=1)"
    )
    server.set_defaults(run=lambda given, settings: serve(settings, runner=given.runner))
    catalogue = commands.add_parser("catalogue", help="the shipped facts").add_subparsers(
        required=True, metavar="ACTION"
    )
    check = catalogue.add_parser(
        "check", help="report every problem of the catalogue, with FILES beside the shipped ones"
    )
    check.add_argument("files", nargs="*", type=Path, metavar="FILES")
    check.set_defaults(run=_check)
    for part in (cards, imports, reading, jobs, runners, evidence, accounts, operations):
        part.add(commands)
    measuring.add_commands(commands)
    return parser


def _check(given: argparse.Namespace, settings: Settings) -> int:
    loaded = read_catalogue(settings.catalogue, given.files)
    claims = sum(len(item.source.claims) for item in loaded)
    print(f"{claims} claims in {len(loaded)} sources, {len(weights())} models, {len(pairs())} pairs: no problems")
    return OK


if __name__ == "__main__":
    sys.exit(main())
