"""`benchcard runners`: those that take jobs from a server, as it sees them. What runs on their machines is
`benchcard runner`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.commands.exits import HELP, OK
from app.commands.server import options, towards_server

if TYPE_CHECKING:
    import argparse

    from app.api.job_schema import RunnerItem
    from app.client import Client


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    runners = commands.add_parser("runners", help="those that take jobs from a server", epilog=HELP).add_subparsers(
        required=True, metavar="ACTION"
    )
    listed = runners.add_parser("list", help="how each stands, retired ones too", parents=[options()], epilog=HELP)
    listed.set_defaults(run=towards_server(_list))
    for action, text in (
        ("drain", "let one end what it has and take no more"),
        ("retire", "take one out of service: it is refused from then on, and what it measured keeps its name"),
        ("resume", "let one take jobs again, after any of these or a quarantine"),
    ):
        parser = runners.add_parser(action, help=text, parents=[options()], epilog=HELP)
        parser.add_argument("name", metavar="NAME")
        parser.set_defaults(run=towards_server(_change), action=action)


def _list(_: argparse.Namespace, client: Client) -> int:
    for item in client.runners().items:
        print(_line(item))
    return OK


def _change(given: argparse.Namespace, client: Client) -> int:
    print(_line(client.change_runner(given.name, given.action)))
    return OK


def _line(item: RunnerItem) -> str:
    why = item.quarantine or item.trouble or (f"by {item.retired_by}" if item.retired_at else "")
    jobs = ", ".join(item.jobs)
    return "\t".join((item.name, item.standing, f"last seen {item.seen_at:%Y-%m-%d %H:%M} UTC", jobs or why))
