"""`benchcard card`: check files here, submit them to a server, get one back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from app.cards.completeness import completeness
from app.cards.load import read_bytes
from app.client import ServerError
from app.commands.exits import FOUND, HELP, OK, USAGE
from app.commands.server import options, towards_server
from app.protocol.english import counted

if TYPE_CHECKING:
    import argparse

    from app.cards.load import Syntax
    from app.client import Client
    from app.settings import Settings


class Found(Protocol):
    """A finding, from here or from a server."""

    @property
    def rule(self) -> str | None: ...
    @property
    def severity(self) -> str | None: ...
    @property
    def field(self) -> str: ...
    @property
    def message(self) -> str: ...


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    card = commands.add_parser("card", help="bench cards", epilog=HELP).add_subparsers(required=True, metavar="ACTION")
    check = card.add_parser("check", help="report every problem of card files; needs no server", epilog=HELP)
    check.add_argument("files", nargs="+", type=Path, metavar="FILE", help="YAML, or JSON where it ends in .json")
    check.set_defaults(run=_check)
    submit = card.add_parser("submit", help="record card files on a server", parents=[options()], epilog=HELP)
    submit.add_argument("files", nargs="+", type=Path, metavar="FILE", help="YAML, or JSON where it ends in .json")
    submit.set_defaults(run=towards_server(_submit))
    get = card.add_parser("get", help="print a card", parents=[options()], epilog=HELP)
    get.add_argument("id", metavar="ID")
    form = get.add_mutually_exclusive_group()
    form.add_argument("--yaml", action="store_true", help="the card as people write it (the default)")
    form.add_argument("--json", action="store_true", help="the card with its findings and revision")
    get.set_defaults(run=towards_server(_get))


def _check(given: argparse.Namespace, _: Settings) -> int:
    return max(_check_file(file) for file in given.files)


def _check_file(file: Path) -> int:
    data = _read(file)
    if data is None:
        return USAGE
    read = read_bytes(data, str(file), _syntax(file))
    for finding in read.findings:
        place = finding.place
        _tell(file, (place.line, place.column) if place else (1, 1), finding)
    if read.card is None or read.errors:
        return FOUND
    print(f"{file}: no errors, {_counted(len(read.findings))}, {completeness(read.card)} % complete")
    return OK


def _submit(given: argparse.Namespace, client: Client) -> int:
    """Every file, whatever became of the one before; a server that refuses for another reason ends it."""
    return max(_submit_file(file, client) for file in given.files)


def _submit_file(file: Path, client: Client) -> int:
    data = _read(file)
    if data is None:
        return USAGE
    try:
        stored = client.submit_card(data, _syntax(file))
    except ServerError as error:
        if error.code != "card_invalid":
            raise
        for detail in error.details:
            _tell(file, (detail.line or 1, detail.column or 1), detail)
        return FOUND
    for finding in stored.findings:
        _tell(file, (finding.line or 1, finding.column or 1), finding)
    print(f"{file}: {stored.id} recorded, {_counted(len(stored.findings))}, {stored.completeness} % complete")
    return OK


def _get(given: argparse.Namespace, client: Client) -> int:
    if given.json:
        print(client.card(given.id).model_dump_json(indent=2))
    else:
        print(client.card_yaml(given.id), end="")
    return OK


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError as error:
        print(f"{file}: {error.strerror}", file=sys.stderr)
        return None


def _syntax(file: Path) -> Syntax:
    return "json" if file.suffix.lower() == ".json" else "yaml"


def _tell(file: Path, place: tuple[int, int], finding: Found) -> None:
    where = f"{finding.field}: " if finding.field else ""
    print(f"{file}:{place[0]}:{place[1]}: {finding.severity} {finding.rule}: {where}{finding.message}")


def _counted(warnings: int) -> str:
    return counted(warnings, "warning")
