"""`benchcard claims` and `benchcard compare`: what a server holds, for people and for scripts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pydantic import ValidationError

from app.api.schema import ClaimListQuery
from app.claims.rows import FACETS
from app.commands.exits import FOUND, HELP, OK, USAGE
from app.commands.server import options, towards_server
from app.protocol.english import refusal

if TYPE_CHECKING:
    import argparse

    from app.client import Client
    from app.compare.schema import Comparison


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    claims = commands.add_parser("claims", help="list claims and cards", parents=[options()], epilog=HELP)
    for facet in FACETS:
        name = f"--{facet.replace('_', '-')}"
        text = ClaimListQuery.model_fields[facet].description
        claims.add_argument(name, action="append", default=[], metavar="VALUE", dest=facet, help=text)
    claims.add_argument("--q", default="", metavar="WORDS", help="words that must all occur")
    claims.add_argument("--sort", default="rank", help="rank, newest, value, or =-value for the largest first")
    claims.add_argument("--limit", type=int, default=50, help="at most this many, 1 to 500")
    claims.add_argument("--json", action="store_true", help="the API's list: items, total, next")
    claims.set_defaults(run=towards_server(_claims))
    compare = commands.add_parser("compare", help="set two claims side by side", parents=[options()], epilog=HELP)
    compare.add_argument("a", metavar="A", help="id of a claim or card")
    compare.add_argument("b", metavar="B", help="id of another; a ratio is B / A")
    compare.add_argument("--json", action="store_true", help="the API's comparison")
    compare.set_defaults(run=towards_server(_compare))


def _claims(given: argparse.Namespace, client: Client) -> int:
    asked = {name: getattr(given, name) for name in (*FACETS, "q", "sort", "limit")}
    try:
        query = ClaimListQuery.model_validate(asked)
    except ValidationError as error:
        for item in error.errors():
            print(f"benchcard claims: --{item['loc'][0]}: {refusal(item)}", file=sys.stderr)
        return USAGE
    page = client.claims(query)
    if given.json:
        print(page.model_dump_json(indent=2))
        return OK
    for claim in page.items:
        on = f"{claim.engine or 'engine not stated'}, {claim.model or 'model not stated'}"
        print(f"{claim.id}\t{claim.headline}\t{claim.axis}\t{on}\t{claim.title}")
    print(f"{len(page.items)} of {page.total}", file=sys.stderr)
    return OK


def _compare(given: argparse.Namespace, client: Client) -> int:
    found = client.compare(given.a, given.b)
    print(found.model_dump_json(indent=2) if given.json else _worded(found))
    return FOUND if found.verdict == "not_comparable" else OK


def _worded(found: Comparison) -> str:
    lines = [found.verdict.replace("_", " "), found.summary]
    if found.ratio:
        lines.append(f"{found.ratio.text} ({found.ratio.conditions})")
    lines += [f"- {reason.severity.replace('_', ' ')} {reason.rule}: {reason.message}" for reason in found.reasons]
    return "\n".join(lines)
