"""What the pages take from an address, and the note on what they did not take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Depends, Request

from app.asked import Parameters, declared, read_query, route_of
from app.cards.form import INPUTS
from app.cards.queries import CardFilter
from app.claims.rows import FACETS
from app.jobs.queries import JobFilter
from app.tools import capacity, speculation, workload_fields
from app.web.contexts import Trouble
from app.web.reproduce_page import FIELDS as REPRODUCE
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.asked import Misread

# By route, besides what the route's own function declares.
TAKES = {
    "/": Parameters(one=frozenset(("q", "sort", "cursor")), many=frozenset((*FACETS, "col", "ids"))),
    "/cards": Parameters(one=frozenset(("cursor",)), many=frozenset(CardFilter.__dataclass_fields__)),
    "/cards/new": Parameters(one=frozenset(("from", "claim", *INPUTS))),
    "/cards/{card_id}": Parameters(one=frozenset(("revision",))),
    "/cards/{card_id}/revisions": Parameters(one=frozenset(("from", "to"))),
    "/configurations": Parameters(one=frozenset(("engine", "model"))),
    "/compare/picture.png": Parameters(many=frozenset(("ids",))),
    "/compare/badge.svg": Parameters(many=frozenset(("ids",))),
    "/compare": Parameters(one=frozenset(("a", "b", "q")), many=frozenset(("ids",))),
    "/jobs": Parameters(one=frozenset(("cursor",)), many=frozenset(JobFilter.__dataclass_fields__)),
    "/jobs/{job_id}": Parameters(one=frozenset(("seen", "asked"))),
    "/claims/{claim_id}/reproduce": Parameters(one=frozenset(REPRODUCE)),
    "/cards/{card_id}/reproduce": Parameters(one=frozenset(REPRODUCE)),
    "/measurements": Parameters(one=frozenset(("cursor",)), many=frozenset(("claim_id", "card_id"))),
    "/measurements/compare": Parameters(many=frozenset(("ids",))),
    "/measurements/compare.csv": Parameters(many=frozenset(("ids",))),
    "/tools/workload": Parameters(one=frozenset(field.name for field in workload_fields.FIELDS)),
    "/tools/capacity": Parameters(one=frozenset(field.name for field in capacity.FIELDS)),
    "/tools/speculation": Parameters(one=frozenset(("claim", *(field.name for field in speculation.FIELDS)))),
    "/sign-in": Parameters(one=frozenset(("link", "next"))),
}


async def _note_misread(request: Request) -> None:
    """Unlike the API, a page shows what can be shown, with a note on the rest."""
    route = route_of(request)
    request.state.misread = read_query(request, TAKES.get(route.path, Parameters()) | declared(route))


NOTED_QUERY = Depends(_note_misread)


def misread(request: Request) -> Sequence[Misread]:
    """None where no page's route was reached."""
    found: Sequence[Misread] = getattr(request.state, "misread", ())
    return found


def notes(request: Request) -> tuple[Trouble, ...]:
    return tuple(Trouble(item.field, plain(item.message)) for item in misread(request))


def is_wrong(request: Request) -> bool:
    """Whether part of what was asked is missing. A parameter that means nothing here (a tracker's) takes none away."""
    return any(not item.unknown for item in misread(request))
