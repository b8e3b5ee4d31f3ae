"""`benchcard import`: what other tools' result files hold, and their cards on a server."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.api.import_answers import read_in
from app.api.import_schema import RecordImport
from app.client import ServerError
from app.commands.exits import FOUND, HELP, OK, USAGE
from app.commands.server import options, towards_server
from app.protocol.english import counted
from app.results.importers import TOOL_NAMES, read
from app.results.recording import read_chosen

if TYPE_CHECKING:
    from app.api.import_schema import ImportRead
    from app.client import Client
    from app.results.importers import Format
    from app.settings import Settings

EXAMPLE = "benchcard import result.json --set engine.version=0.33.0 --set hardware='4x H200' --record"


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "import",
        help="read other tools' result files, and with --record put them on a server as cards",
        parents=[options()],
        epilog=f"{HELP}. For example: {EXAMPLE}",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--format", choices=["auto", *TOOL_NAMES], default="auto", help="the tool; found out by itself")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=_answer,
        metavar="FIELD=VALUE",
        dest="answers",
        help="what the files do not say, by the card's field; goes into each card that lacks it",
    )
    parser.add_argument("--record", action="store_true", help="send the files and record their cards; needs a token")
    parser.add_argument("--json", action="store_true", help="without --record: everything read, as JSON")
    parser.set_defaults(run=_import)


def _answer(text: str) -> tuple[str, str]:
    field, separator, value = text.partition("=")
    if not separator or not field or not value:
        raise argparse.ArgumentTypeError(f"`{text}` is not FIELD=VALUE, such as engine.version=0.33.0")
    return field, value


def _import(given: argparse.Namespace, settings: Settings) -> int:
    if given.record:
        return towards_server(_record)(given, settings)
    return max(_show(file, given) for file in given.files)


def _show(file: Path, given: argparse.Namespace) -> int:
    """What the file holds, read here; nothing is sent."""
    data = _bytes(file)
    if data is None:
        return USAGE
    chosen: Format | None = None if given.format == "auto" else given.format
    report = read(file.name, data, chosen)
    for problem in report.problems:
        place = ":".join(str(part) for part in (file, problem.line, problem.column or 1) if part and problem.line)
        print(f"{place or file}: {f'{problem.path}: ' if problem.path else ''}{problem.message}", file=sys.stderr)
    if not report.imported:
        return FOUND
    found = read_in(report)
    if given.json:
        print(found.model_dump_json(indent=2))
        return OK
    answers = dict(given.answers)
    reading = read_chosen(report, (), answers, lambda card: card)
    _tell(file, found, answers)
    wrong = [error for error in reading.errors if error.field in answers]
    for error in wrong:
        print(f"{file}: --set {error.field}: {error.message}", file=sys.stderr)
    return FOUND if wrong else OK


def _tell(file: Path, found: ImportRead, answers: dict[str, str]) -> None:
    version = f" {found.tool_version}" if found.tool_version else ""
    count = len(found.cards)
    print(f"{file}: {found.tool}{version}, {counted(count, 'measurement')}")
    for card in found.cards:
        where = f" ({card.where})" if card.where else ""
        print(f"  {card.part}. {card.headline} {card.axis}{where}")
        for warning in card.warnings:
            print(f"     mind {warning.trap}: {warning.field}: {warning.message}")
    asked = {item.field: item.question for card in found.cards for item in card.questions if item.field not in answers}
    if asked:
        print("  The file does not say; answer with --set FIELD=VALUE:")
        print("\n".join(f"     {field}: {question}" for field, question in asked.items()))


def _record(given: argparse.Namespace, client: Client) -> int:
    """Every file, whatever became of the one before; a server that refuses for another reason ends it."""
    return max(_record_file(file, given, client) for file in given.files)


def _record_file(file: Path, given: argparse.Namespace, client: Client) -> int:
    data = _bytes(file)
    if data is None:
        return USAGE
    try:
        read_there = client.import_file(data, file.name, given.format)
        wanted = RecordImport(answers=dict(given.answers))
        stored = client.record_import(read_there.sha256, wanted)
    except ServerError as error:
        if error.code not in ("card_invalid", "body_invalid", "invalid_input"):
            raise
        for detail in error.details:
            where = f":{detail.line}:{detail.column or 1}" if detail.line and error.code == "invalid_input" else ""
            print(f"{file}{where}: {detail.field}: {detail.message}", file=sys.stderr)
        return FOUND
    for item in stored.items:
        print(f"{file}: {item.id} recorded, {item.completeness} % complete")
    return OK


def _bytes(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError as error:
        print(f"{file}: {error.strerror}", file=sys.stderr)
        return None
