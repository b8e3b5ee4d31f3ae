"""Which server a command talks to, and how its refusals are told."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

import httpx

from app.client import Client, ServerError
from app.commands.exits import FOUND, SERVER
from app.errors import BodyInvalidError, CardInvalidError, InvalidInputError, NotFoundError
from app.yaml_tree import shown

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
        with Client(_address(given, settings), _token(given)) as client:
            try:
                return action(given, client)
            except ServerError as error:
                print(f"benchcard: {error}", file=sys.stderr)
                return FOUND if _is_answer(error) else SERVER

    return run


def _is_answer(error: ServerError) -> bool:
    """Whether the server answered "no": an id or a value names nothing, or a card or another body has errors. An
    address that it does not have is none: it is a server of another version, or no Benchcard."""
    if error.code == NotFoundError.code:
        return all(detail.field != "address" for detail in error.details)
    return error.code in (InvalidInputError.code, CardInvalidError.code, BodyInvalidError.code)


def _address(given: argparse.Namespace, settings: Settings) -> str:
    address = str(given.server or os.environ.get("BENCHCARD_SERVER") or settings.address())
    try:
        url = httpx.URL(address)
        fits = url.scheme in ("http", "https") and bool(url.host)
    except httpx.InvalidURL:
        fits = False
    if not fits:
        name = "--server" if given.server else "BENCHCARD_SERVER"
        msg = f"{name}: `{shown(address)}` is no address of a server; write it as http://HOST:PORT"
        raise InvalidInputError(msg)
    return address


def _token(given: argparse.Namespace) -> str | None:
    """The token, if one is set; a wrong one is not repeated, it may be near a right one."""
    token = given.token or os.environ.get("BENCHCARD_TOKEN")
    if token and not (token.isascii() and token.isprintable() and " " not in token):
        name = "--token" if given.token else "BENCHCARD_TOKEN"
        msg = f"{name} is no token: it holds a character that no token has; `benchcard token create` makes one"
        raise InvalidInputError(msg)
    return token or None
