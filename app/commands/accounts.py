"""`benchcard token` and `benchcard sign-in`: who may write. They work on the server's own database, beside it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from app.accounts.queries import Accounts
from app.accounts.store import add_link, add_token, revoke_token
from app.accounts.tokens import LINK_LIFE, SCOPES, new_secret, new_token
from app.clock import SystemClock
from app.commands.exits import OK
from app.errors import InvalidInputError
from app.installation import made_ready, opened
from app.randomness import SystemRandomness

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.db import Database
    from app.settings import Settings

    Action = Callable[[argparse.Namespace, Database], int]

OPERATOR, SCRIPT = "maintainer", "script"
ONE_PERSON = (
    "nobody approves a job of their own here (BENCHCARD_SECOND_APPROVER; unset it is so where other machines can reach "
    "the server), and everybody of one name counts as one person: say whose this is with --name NAME"
)


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    token = commands.add_parser("token", help="what scripts sign in with").add_subparsers(
        required=True, metavar="ACTION"
    )
    create = token.add_parser("create", help="make a token and print it, once")
    create.add_argument("--scope", action="append", choices=SCOPES, required=True, help="may be given several times")
    create.add_argument("--name", type=_name, help=f"shown as the author of what it records ({SCRIPT})")
    create.set_defaults(run=_on_database(_create))
    token.add_parser("list", help="all tokens, without their secrets").set_defaults(run=_on_database(_list))
    revoke = token.add_parser("revoke", help="end a token and the browsers that signed in with it")
    revoke.add_argument("id", metavar="ID")
    revoke.set_defaults(run=_on_database(_revoke))
    sign_in = commands.add_parser("sign-in", help="print a link that signs one browser in, once")
    sign_in.add_argument("--name", type=_name, help=f"shown as the author ({OPERATOR})")
    sign_in.set_defaults(run=_sign_in)


def sign_in_address(database: Database, server: str, name: str = OPERATOR) -> str:
    """A new one-time link to the server at that address; the one before it ends."""
    secret = new_secret(SystemRandomness())
    scopes = ("submit", "maintain")
    database.write(lambda session: add_link(session, secret, name, scopes, SystemClock().now()))
    return f"{server}/sign-in?link={secret}"


def first_sign_in(settings: Settings, server: str) -> str | None:
    """A link for whoever starts a server on which nobody can sign in yet; None on every other."""
    with opened(settings) as database:
        nobody = Accounts(database, SystemClock()).nobody_yet()
        return sign_in_address(database, server) if nobody else None


def _on_database(action: Action) -> Callable[[argparse.Namespace, Settings], int]:
    def run(given: argparse.Namespace, settings: Settings) -> int:
        asks = given.scope != ["runner"] if "scope" in given else "name" in given
        if settings.two_people and asks and given.name is None:
            raise InvalidInputError(ONE_PERSON)
        with made_ready(settings) as database:  # the command may come before the first start
            return action(given, database)

    return run


def _create(given: argparse.Namespace, database: Database) -> int:
    token = new_token(SystemRandomness())
    database.write(lambda session: add_token(session, token, given.name or SCRIPT, given.scope, SystemClock().now()))
    print(token)
    return OK


def _list(_: argparse.Namespace, database: Database) -> int:
    for row in Accounts(database, SystemClock()).tokens():
        used = f"last used {row.last_used_at:%Y-%m-%d %H:%M}" if row.last_used_at else "never used"
        state = f"revoked {row.revoked_at:%Y-%m-%d %H:%M}" if row.revoked_at else used
        print(f"{row.id}\t{row.name}\t{row.scopes}\tmade {row.created_at:%Y-%m-%d %H:%M}\t{state}")
    return OK


def _revoke(given: argparse.Namespace, database: Database) -> int:
    database.write(lambda session: revoke_token(session, given.id, SystemClock().now()))
    print(f"{given.id} revoked")
    return OK


def _sign_in(given: argparse.Namespace, settings: Settings) -> int:
    def action(given: argparse.Namespace, database: Database) -> int:
        print(sign_in_address(database, settings.address(), given.name or OPERATOR))
        print(f"valid once, for {LINK_LIFE.total_seconds() / 60:.0f} minutes")
        return OK

    return _on_database(action)(given, settings)


def _name(text: str) -> str:
    """A name to be shown: short and printable."""
    name = text.strip()
    if not 1 <= len(name) <= 80 or not name.isprintable():
        raise argparse.ArgumentTypeError("a name has 1 to 80 printable characters")
    return name
