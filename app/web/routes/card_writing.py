"""Recording and revising cards in the browser. Whatever happens to what was typed, it comes back."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, cast
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from app.accounts.store import note_use
from app.accounts.tokens import new_secret
from app.cards.form import INPUTS, from_fields, from_text
from app.cards.load import MOST_BYTES, TOO_LONG, ReadCard, read_card
from app.cards.store import Draft, Writer, create, revise
from app.claims.index import NOT_STATED
from app.errors import AppError, InvalidInputError, TooLargeError
from app.jobs.measurements import judge_again
from app.language import N_, _
from app.replay.store import ReplayKey, Reply, once
from app.web import card_begin
from app.web.card_form_contexts import FormPage
from app.web.card_form_page import Frame, Typed, check_part, editor
from app.web.contexts import Shell
from app.web.forms import CARD_FORM
from app.web.reading import cards, catalogue
from app.web.render import render, respond, wants_part
from app.web.visitor import may_change, signed_in, visitor
from app.web.wording import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlmodel import Session

    from app.accounts.tokens import Actor
    from app.cards.record import CardRecord
    from app.db import Database
    from app.web.card_begin import Begun

    Work = Callable[[Session, Actor, Draft], CardRecord]

router = APIRouter(default_response_class=HTMLResponse)
ABOUT = N_("Record a bench card: one measurement, yours or one that you read, with what is needed to judge it.")
SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
LONGEST_NOTE = 500
KNOWN = {"engine.name": "engine", "model.id": "model", "hardware.accelerator": "hardware"}
TO_YAML = N_("The YAML can be shown once this is mended")
TO_FORM = N_("The form can show this text once this is mended")


@router.get(card_begin.NEW)
def new_card(request: Request) -> HTMLResponse:
    """An empty form, one with the fields that the address names, a copy (`from`, a card's id) or a repeat (`claim`, a
    claim's id). Raises NotFoundError."""
    begun = _begun(request)
    return _page(request, begun, _typed(request, {"yaml": begun.text}), {})


@router.post(f"{card_begin.NEW}/check")
def check(request: Request, form: Annotated[dict[str, str], CARD_FORM]) -> HTMLResponse:
    """What recording the card as it stands would say. Stores nothing and needs no sign-in."""
    return HTMLResponse(render(check_part(_typed(request, form)), "part"))


@router.post(card_begin.NEW, response_model=None)
def record_card(request: Request, form: Annotated[dict[str, str], CARD_FORM]) -> Response:
    """303 to the card. The same form with the same card sent twice records one."""
    now, randomness = request.app.state.clock.now(), request.app.state.randomness

    def work(session: Session, actor: Actor, draft: Draft) -> CardRecord:
        return create(session, draft, Writer.of(actor), now, randomness)

    return _answered(request, form, _begun(request), work)


@router.get("/cards/{card_id}/edit")
def edit_card(request: Request, card_id: str) -> HTMLResponse:
    """The form with the card's newest revision. Raises NotFoundError."""
    record = cards(request).card(card_id)
    begun = card_begin.edit(record, str(record.newest))
    trouble = ""
    if record.retraction:
        trouble = _("This card was retracted ({reason}); record a new one.").format(reason=record.retraction.reason)
    elif (actor := visitor(request)) and not may_change(actor, record):
        other = _("This card belongs to {author}; only they or a maintainer may change it.")
        trouble = other.format(author=record.author)
    return _page(request, begun, _typed(request, {"yaml": begun.text}), {}, trouble=trouble)


@router.post("/cards/{card_id}/edit", response_model=None)
def save_card(request: Request, card_id: str, form: Annotated[dict[str, str], CARD_FORM]) -> Response:
    """303 to the card with its new revision."""
    record, now = cards(request).card(card_id), request.app.state.clock.now()
    given = form.get("revision", "")
    known = given.isascii() and given.isdigit() and len(given) < 9
    begun = card_begin.edit(record, given if known else str(record.newest))

    def work(session: Session, actor: Actor, draft: Draft) -> CardRecord:
        record = revise(session, card_id, int(begun.revision), draft, Writer.of(actor), now)
        judge_again(session, card_id)
        return record

    return _answered(request, form, begun, work)


def _begun(request: Request) -> Begun:
    asked = request.query_params
    if asked.get("from"):
        return card_begin.copy_of(cards(request).card(asked["from"]))
    if asked.get("claim"):
        return card_begin.repeat(catalogue(request).claim(asked["claim"]))
    return card_begin.filled(asked) if any(asked.get(path) for path in INPUTS) else card_begin.empty()


def _typed(request: Request, form: dict[str, str]) -> Typed:
    """The card as the form has it. A form whose hidden text is no card any more is shown as that text."""
    text = form.get("yaml", "")
    as_typed = {path: form.get(path, "") for path in INPUTS}
    if _too_long(text):  # then it is not even parsed
        return Typed("yaml", text, as_typed, read_card(text))
    found = from_fields(text, form) if form.get("tab") != "yaml" else None
    if found is not None:
        return Typed("form", found.text, found.values, _judged(request, found.text), found.problems)
    shown = from_text(text)
    return Typed("yaml", text, shown.values if shown else as_typed, _judged(request, text))


def _too_long(text: str) -> bool:
    return len(text.encode()) > MOST_BYTES


def _judged(request: Request, text: str) -> ReadCard:
    """What the rules and the other records say. Where nothing is written yet, everything is missing."""
    return cards(request).check(read_card(text if text.strip() else "{}"))


def _answered(request: Request, form: dict[str, str], begun: Begun, work: Work) -> Response:
    """What a posted form leads to: the other way of writing, the recorded card, or the form with what is wrong."""
    typed, to = _typed(request, form), form.get("to", "record")
    if to in ("form", "yaml"):
        return _turned(request, form, begun, typed, to)
    try:
        if _too_long(typed.text):
            raise TooLargeError(_(TOO_LONG).format(number=MOST_BYTES // 1024))
        if typed.blocked:
            return _page(request, begun, typed, form, status=422, tried=True)
        actor = signed_in(request, "submit")
        card_id = _stored(request, actor, typed, form, work)
    except AppError as error:
        trouble = _("Not recorded: {why}").format(why=error.message)
        return _page(request, begun, typed, form, trouble=trouble, status=error.status, tried=True)
    address = f"/cards/{quote(card_id)}"
    return Response(None, 204, {"HX-Redirect": address}) if wants_part(request) else RedirectResponse(address, 303)


def _stored(request: Request, actor: Actor, typed: Typed, form: dict[str, str], work: Work) -> str:
    """The id of the card. A form that was sent twice with the same content finds its first answer."""
    card = typed.read.card
    assert card is not None
    draft = Draft(card, typed.read.findings, _note(form))
    now, secret = request.app.state.clock.now(), form.get("once", "")
    name = f"form-{secret}-{sha256(typed.text.encode()).hexdigest()}"
    key = ReplayKey.of(actor.id, name, request.url.path) if SECRET.fullmatch(secret) else None

    def noted(session: Session) -> Reply:
        note_use(session, actor, now)
        return Reply(303, work(session, actor, draft).id)

    reply, _replayed = once(cast("Database", request.app.state.database), key, now, noted)
    return reply.body


def _note(form: dict[str, str]) -> str | None:
    """What the author says of a revision. Raises InvalidInputError for one that cannot be kept."""
    note = " ".join(form.get("change_note", "").split())
    if len(note) > LONGEST_NOTE or not note.isprintable():
        most = _("the note on what changed has at most {most} printable characters")
        raise InvalidInputError(most.format(most=LONGEST_NOTE))
    return note or None


def _turned(request: Request, form: dict[str, str], begun: Begun, typed: Typed, to: str) -> HTMLResponse:
    """The card in the other way of writing; where it cannot be shown there, as it is, with what stands in the way."""
    if to == typed.tab:
        return _page(request, begun, typed, form)
    if to == "yaml":
        if typed.problems:
            return _page(request, begun, typed, form, trouble=_(TO_YAML), status=422, tried=True)
        return _page(request, begun, Typed("yaml", typed.text, typed.values, typed.read), form)
    if from_text(typed.text) is None:
        return _page(request, begun, typed, form, trouble=_(TO_FORM), status=422, tried=True)
    return _page(request, begun, Typed("form", typed.text, typed.values, typed.read), form)


def _page(
    request: Request,
    begun: Begun,
    typed: Typed,
    form: dict[str, str],
    *,
    trouble: str = "",
    status: int = 200,
    tried: bool = False,
) -> HTMLResponse:
    actor, secret = visitor(request), form.get("once", "")
    index = catalogue(request).index()
    known = {
        path: [value for value in index.facets[facet].values if value != NOT_STATED] for path, facet in KNOWN.items()
    }
    frame = Frame(
        action=begun.action,
        once=secret if SECRET.fullmatch(secret) else new_secret(request.app.state.randomness),
        revision=begun.revision,
        note=form.get("change_note", ""),
        trouble=plain(trouble),
        sign_in_url="" if actor else f"/sign-in?next={quote(begun.action)}",
        known=known,
    )
    part = editor(typed, frame, tried=tried)
    page = FormPage(
        shell=Shell(
            _("Error: {heading}").format(heading=begun.heading) if status >= 400 else begun.heading, _(ABOUT), "/cards"
        ),
        heading=begun.heading,
        about=begun.about,
        begun=begun.link,
        begun_note=begun.note,
        left_out=begun.left_out,
        leave_url=begun.leave_url,
        draft=begun.draft,
        editor=part,
    )
    return respond(request, page, part=part, status=status, headers={"Cache-Control": "no-store"})
