"""Asking for a claim or a card to be measured again: what would run is shown first, then confirmed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from app.accounts.store import note_use
from app.cards.row import conditions, title
from app.cards.store import Writer
from app.errors import AppError, ConflictError, InvalidInputError
from app.jobs.as_measured import again
from app.jobs.choices import Choices
from app.jobs.here import obstacles, proposed, wants
from app.jobs.matching import needs_of
from app.jobs.plans import from_card
from app.jobs.store import NewJob, submit
from app.language import ENGLISH, _, speaking
from app.replay.store import ReplayKey, Reply, once
from app.web.forms import CARD_FORM
from app.web.reading import cards, catalogue, jobs, measurements, now
from app.web.render import respond
from app.web.reproduce_page import FIELDS, Asked, chosen, reproduce_page
from app.web.state import address
from app.web.visitor import signed_in, visitor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastapi import Response
    from sqlmodel import Session

    from app.accounts.tokens import Actor
    from app.db import Database
    from app.jobs.here import Obstacle
    from app.jobs.plans import Planned
    from app.randomness import Randomness
    from app.settings import Settings

router = APIRouter(default_response_class=HTMLResponse)
MOST_SEED = 2**48


class _Of:
    """What is to be measured again, and how a plan is made of it. Raises NotFoundError."""

    def __init__(self, request: Request, kind: str, name: str) -> None:
        if kind == "claims" and catalogue(request).claim(name).card is not None:
            kind = "cards"  # a card's row among the claims: its own plan is the card's
        self.path = f"/{kind}/{quote(name)}"
        self.claim_id = name if kind == "claims" else None
        self.card_id = name if kind == "cards" else None
        self.make: Callable[[int, Choices], Planned]
        if kind == "claims":
            row = catalogue(request).claim(name)
            self.heading = f"{row.headline}: {row.title}"
            self.conditions = row.conditions
            of = measurements(request).plan_of(row.evidence.measurement) if row.evidence else None
            self.make = lambda seed, choices: again(row, of, seed, choices)
        else:
            record = cards(request).card(name)
            self.heading = title(record)
            self.conditions = conditions(record.card)
            self.make = lambda seed, choices: from_card(record.card, seed, choices)


@router.get("/claims/{claim_id}/reproduce")
def reproduce_claim(request: Request, claim_id: str) -> HTMLResponse:
    """What would run to measure a claim again, or what is missing for it. Raises NotFoundError."""
    return _page(request, _Of(request, "claims", claim_id), request.query_params)


@router.get("/cards/{card_id}/reproduce")
def reproduce_card(request: Request, card_id: str) -> HTMLResponse:
    """The same of a card."""
    return _page(request, _Of(request, "cards", card_id), request.query_params)


@router.post("/claims/{claim_id}/reproduce", response_model=None)
def ask_for_claim(request: Request, claim_id: str, form: Annotated[dict[str, str], CARD_FORM]) -> Response:
    """303 to the job; the page with what is wrong where it cannot be asked for."""
    return _asked(request, _Of(request, "claims", claim_id), form)


@router.post("/cards/{card_id}/reproduce", response_model=None)
def ask_for_card(request: Request, card_id: str, form: Annotated[dict[str, str], CARD_FORM]) -> Response:
    """The same of a card."""
    return _asked(request, _Of(request, "cards", card_id), form)


def _asked(request: Request, of: _Of, form: Mapping[str, str]) -> Response:
    moment = now(request)
    try:
        actor = signed_in(request, "submit")
        seed = _seed(form.get("seed", ""))
        choices = chosen(form)
        with speaking(ENGLISH):  # its assumptions are kept with the job
            planned = of.make(seed, choices)
        if planned.plan is None:
            raise ConflictError(
                _("not attemptable as it stands: {missing}").format(missing="; ".join(of.make(seed, choices).missing))
            )
        new = NewJob(planned.plan, planned.accelerator, of.claim_id, of.card_id, assumptions=planned.assumptions)
        randomness = cast("Randomness", request.app.state.randomness)
        second = cast("Settings", request.app.state.settings).two_people

        def work(session: Session) -> Reply:
            note_use(session, actor, moment)
            return Reply(201, submit(session, new, Writer.of(actor), moment, randomness, second=second))

        # One page's button pressed twice asks once: its seed is drawn for it alone.
        key = ReplayKey.of(actor.id, f"reproduce-{seed}", of.path, planned.plan.model_dump_json())
        reply, _replayed = once(cast("Database", request.app.state.database), key, moment, work)
    except AppError as error:
        return _page(request, of, form, error)
    return RedirectResponse(f"/jobs/{reply.body}", 303)


def _seed(given: str) -> int:
    if not (given.isascii() and given.isdigit() and len(given) <= 15 and int(given) < MOST_SEED):
        raise InvalidInputError(_("this form lacks the seed that it was shown with; open the page again"))
    return int(given)


def _page(request: Request, of: _Of, given: Mapping[str, str], error: AppError | None = None) -> HTMLResponse:
    actor = visitor(request)
    seed = int.from_bytes(cast("Randomness", request.app.state.randomness).take(6), "big")
    planned: Planned | None = None
    found: tuple[Obstacle, ...] = ()
    fleet, release = jobs(request).fleet(), None
    try:
        choices = chosen(given)
        planned = of.make(seed, choices)
        wanted = wants(planned, of.conditions, choices)
        release = None if error or choices != Choices() else proposed(wanted, of.conditions.engine.name, fleet)
        if release:
            given, choices = {"version": release}, Choices(version=release)
            planned = of.make(seed, choices)
            wanted = wants(planned, of.conditions, choices)
        found = obstacles(wanted, fleet)
    except InvalidInputError as wrong:
        error = error or wrong
    plan = planned.plan if planned else None
    typed = [(name, given[name]) for name in FIELDS if given.get(name)]
    lacking = jobs(request).lacking(needs_of(plan, planned.accelerator)) if planned and plan else {}
    context = reproduce_page(
        Asked(of.heading, of.path, given, seed, planned, found, lacking, release),
        error=error,
        why_not=_why_not(actor),
        sign_in="" if actor else f"/sign-in?next={quote(address(f'{of.path}/reproduce', typed))}",
    )
    return respond(request, context, status=error.status if error else 200, headers={"Cache-Control": "no-store"})


def _why_not(actor: Actor | None) -> str:
    if actor is None:
        return _("To ask for this, sign in.")
    return "" if actor.may("submit") else _("To ask for a measurement needs the scope `submit`; yours allows less.")
