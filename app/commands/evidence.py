"""`benchcard evidence` and `benchcard verify`: a measurement that can be checked on any machine."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from app.apart import bounded_memory, taken_memory
from app.client import ServerError
from app.commands.exits import FOUND, HELP, OK, SETUP, USAGE
from app.commands.server import options, towards_server
from app.errors import ConflictError, InvalidInputError
from app.installation import opened
from app.jobs.apart import MOST_MEMORY
from app.jobs.evidence import check
from app.jobs.export import write_bundle
from app.jobs.logs import Logs
from app.protocol.reasons import said
from app.results.bundle import CHECKED, BundleError
from app.results.files import Files

if TYPE_CHECKING:
    import argparse

    from app.client import Client
    from app.settings import Settings

USES = "benchcard evidence MEASUREMENT [--out FILE]  |  benchcard evidence import FILE [--server URL] [--token TOKEN]"


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "write a measurement of this installation as one file, or give such a file to a server: evidence import FILE"
    evidence = commands.add_parser("evidence", help=text, epilog=HELP, usage=USES, parents=[options()])
    evidence.add_argument("measurement", metavar="MEASUREMENT", help="its id; it is looked up in BENCHCARD_DATA")
    evidence.add_argument("file", nargs="?", type=Path, metavar="FILE", help="of `evidence import`: needs a token")
    evidence.add_argument("--out", type=Path, metavar="FILE", help="MEASUREMENT.zip in this folder")
    evidence.set_defaults(run=_evidence)
    text = "check every hash of a bundle and compute every number again from its traces; needs no server"
    verify = commands.add_parser("verify", help=text, epilog=HELP)
    verify.add_argument("bundle", type=Path, metavar="BUNDLE")
    verify.set_defaults(run=_verify)


def _evidence(given: argparse.Namespace, settings: Settings) -> int:
    if given.measurement == "import" and given.file is not None:
        return towards_server(_import)(given, settings)
    if given.measurement == "import" or given.file is not None:
        print(f"usage: {USES}", file=sys.stderr)
        return USAGE
    if not settings.database_url and not (settings.data / "benchcard.db").exists():
        message = f"there is no installation in {settings.data}; name its data folder by BENCHCARD_DATA"
        print(f"benchcard evidence: {message}, or fetch /api/v1/measurements/ID/evidence", file=sys.stderr)
        return SETUP
    target = given.out or Path(f"{given.measurement}.zip")
    try:
        with opened(settings) as database:
            files, logs = Files(settings.data / "files"), Logs(settings.data / "logs")
            write_bundle(database, files, logs, given.measurement, target)
    except OSError as error:
        print(f"benchcard evidence: {target}: {error.strerror or error}", file=sys.stderr)
        return USAGE
    print(f"written to {target}")
    return OK


def _import(given: argparse.Namespace, client: Client) -> int:
    """Give a bundle to a server, which checks it as `verify` does."""
    try:
        data = given.file.read_bytes()
    except OSError as error:
        print(f"benchcard evidence: {given.file}: {error.strerror}", file=sys.stderr)
        return USAGE
    try:
        measurement, new = client.import_bundle(data)
    except ServerError as error:
        if error.code not in (InvalidInputError.code, ConflictError.code):
            raise
        for message in [detail.message for detail in error.details] or [str(error)]:
            print(f"{given.file}: {message}", file=sys.stderr)
        return FOUND
    known = "" if new else "; its traces are on record already, nothing was recorded"
    print(f"{given.file}: {measurement.id}, {measurement.trust}: {measurement.status.replace('_', ' ')}{known}")
    return OK


def _verify(given: argparse.Namespace, _: Settings) -> int:
    if not given.bundle.is_file():
        print(f"benchcard verify: {given.bundle}: no such file", file=sys.stderr)
        return USAGE
    bounded = bounded_memory(taken_memory() + MOST_MEMORY)
    with tempfile.TemporaryDirectory(prefix="benchcard-verify-") as folder, bounded:
        try:
            found = check(given.bundle, Path(folder))
        except BundleError as error:
            for problem in error.problems:
                print(f"{given.bundle}: {problem.path or 'the bundle'}: {problem.message}")
            return FOUND
        except MemoryError:
            print(f"{given.bundle}: the bundle: it needs more memory than a bundle should")
            return FOUND
    for difference in found.differences:
        print(f"{given.bundle}: {difference}")
    if found.differences:
        print(f"not verified: {len(found.differences)} of its statements do not follow from its traces")
        return FOUND
    runs = sum(len(item["runs"]) for item in found.numbers["sets"])
    print(f"verified: {len(found.files)} files have their hashes; every number follows from the traces of {runs} runs")
    print(*(f"checked: {text}" for text in CHECKED), sep="\n")
    print(*(f"taken on trust: {text}" for text in found.on_trust), sep="\n")
    for reason in found.numbers["reasons"]:
        print(f"no result: {said(reason)}")
    return OK
