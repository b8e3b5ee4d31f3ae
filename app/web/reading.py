"""How a page gets at claims, cards, jobs and measurements: those that the application was built with."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from app.catalogue.models import weights
from app.claims.queries import parsed
from app.compare.verdict import compare
from app.errors import InvalidInputError
from app.language import _
from app.web.measurement_page import report_of
from app.web.state import read_ids

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

    from fastapi import Request

    from app.cards.queries import CardRow, Cards
    from app.catalogue.queries import Catalogue
    from app.claims.schema import ClaimRow
    from app.compare.schema import Comparison
    from app.jobs.measured import Measurements
    from app.jobs.queries import Jobs


def catalogue(request: Request) -> Catalogue:
    return cast("Catalogue", request.app.state.catalogue)


def cards(request: Request) -> Cards:
    return cast("Cards", request.app.state.cards)


def jobs(request: Request) -> Jobs:
    return cast("Jobs", request.app.state.jobs)


def measurements(request: Request) -> Measurements:
    return cast("Measurements", request.app.state.measurements)


def now(request: Request) -> dt.datetime:
    return cast("dt.datetime", request.app.state.clock.now())


def measured_again(request: Request, claim_id: str) -> list[CardRow]:
    """The standing cards with a result that repeat a claim, the newest first; plans and retracted ones say nothing."""
    return [card for card in cards(request).repeating(claim_id) if card.state == "measured"]


def on_random_weights(request: Request, row: ClaimRow) -> bool:
    """Whether what a claim's badge says was measured on random weights: the number again here, or its own."""
    again = row.reproduction.measurement
    if again is not None and report_of(measurements(request).one(again)).plan.on_random_weights:
        return True
    return row.evidence is not None and row.conditions.model.weights == "dummy"


def present(reading: Catalogue, claims: Iterable[str]) -> dict[str, ClaimRow]:
    """Those of `claims` that the catalogue has, by id. A list of ours may name more than an installation loads."""
    return {claim: parsed(found.text) for claim, found in reading.present(list(dict.fromkeys(claims))).items()}


def compared(request: Request, what: str) -> tuple[ClaimRow, ClaimRow, Comparison]:
    """The two claims that the address names as `ids`, as on the page, and what comes of them. `what` is asked for.

    Raises NotFoundError, InvalidInputError for more or fewer.
    """
    ids = read_ids(request.query_params.getlist("ids"))
    if len(ids) != 2:
        raise InvalidInputError(
            _("a {what} is of two claims: `{path}?ids=A&ids=B`").format(what=what, path=request.url.path)
        )
    reading = catalogue(request)
    a, b = reading.claims(ids)
    return a, b, compare(a, b, of_sources(reading, (a, b)), weights())


def of_sources(reading: Catalogue, rows: Iterable[ClaimRow]) -> list[ClaimRow]:
    """Every claim of the sources of `rows`: what a comparison looks at besides the claims themselves."""
    return [row for source in dict.fromkeys(row.source.id for row in rows) for row in reading.all_of_source(source)]
