"""Which server a command talks to, and how its refusals are told."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from app.client import Client, ServerError
from app.commands.exits import FOUND, SERVER

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.settings import Settings

    Action = Callable[[argparse.Namespace, Client], int]


def options() -> argparse.ArgumentParser:
    """A parent parser with the options that every command towards a server takes."""
    parent = argparse.ArgumentParser(add_help=False)
    parent.add_argument(
        "--server", metavar="URL", help="default: BENCHCARD_SERVER, else this machine's BENCHCARD_HOST and PORT"
    )
    parent.add_argument("--token", help="default: BENCHCARD_TOKEN; better there, where no process list shows it")
    return parent


def towards_server(action: Action) -> Callable[[argparse.Namespace, Settings], int]:
    """The action with a client of the chosen server; what the server refuses goes to standard error."""

    def run(given: argparse.Namespace, settings: Settings) -> int:
        address = given.server or os.environ.get("BENCHCARD_SERVER") or settings.address()
        with Client(address, given.token or os.environ.get("BENCHCARD_TOKEN")) as client:
            try:
                return action(given, client)
            except ServerError as error:
                print(f"benchcard: {error}", file=sys.stderr)
                return FOUND if error.code == "card_invalid" else SERVER

    return run
