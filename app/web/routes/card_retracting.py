"""Taking a card back, with a reason. What was typed stays when it cannot be taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from app.accounts.store import note_use
from app.cards.store import Writer, retract
from app.cards.text import LONGEST, clean
from app.errors import AppError, InvalidInputError
from app.language import N_, _
from app.retold import retold
from app.web.card_begin import titled
from app.web.card_contexts import RetractPage
from app.web.contexts import Shell
from app.web.forms import CARD_FORM
from app.web.reading import cards
from app.web.render import respond
from app.web.visitor import may_change, signed_in, visitor
from app.web.wording import plain
from app.yaml_tree import Document

if TYPE_CHECKING:
    from fastapi import Response
    from sqlmodel import Session

    from app.cards.record import CardRecord
    from app.db import Database

router = APIRouter(default_response_class=HTMLResponse)
ABOUT = N_("Take a bench card back: it stays readable and says so wherever it is shown.")


@router.get("/cards/{card_id}/retract")
def retract_page(request: Request, card_id: str) -> HTMLResponse:
    record = cards(request).card(card_id)
    return _page(request, record)


@router.post("/cards/{card_id}/retract", response_model=None)
def retract_card(request: Request, card_id: str, form: Annotated[dict[str, str], CARD_FORM]) -> Response:
    """303 to the card; the page with what is wrong and the text as typed where it cannot be taken back."""
    record = cards(request).card(card_id)
    typed = form.get("reason", "")
    try:
        actor = signed_in(request, "submit")
        reason = reason_of(typed)
        now = request.app.state.clock.now()

        def work(session: Session) -> CardRecord:
            note_use(session, actor, now)
            return retract(session, card_id, reason, Writer.of(actor), now)

        cast("Database", request.app.state.database).write(work)
    except AppError as error:
        return _page(request, record, typed, error)
    return RedirectResponse(f"/cards/{quote(card_id)}", 303)


def reason_of(typed: str) -> str:
    """Raises InvalidInputError for a text that says nothing or cannot be kept."""
    document = Document("reason", {"reason": typed.strip()})
    clean(document)
    if document.problems:
        why = document.problems[0].message
        raise InvalidInputError(_("the reason {problem}").format(problem=retold(why) or why))
    reason = str(document.data["reason"])
    if not reason:
        raise InvalidInputError(_("say why the card is taken back: readers see the reason"))
    return reason


def _page(request: Request, record: CardRecord, reason: str = "", error: AppError | None = None) -> HTMLResponse:
    actor, url = visitor(request), f"/cards/{record.id}"
    trouble = plain(error.message) if error else ""
    if not error and record.retraction:
        trouble = _("This card was taken back before: {reason}").format(reason=record.retraction.reason)
    elif not error and actor and not may_change(actor, record):
        other = _("This card belongs to {author}; only they or a maintainer may take it back.")
        trouble = other.format(author=record.author)
    context = RetractPage(
        shell=Shell(_("Retract: {title}").format(title=titled(record)), _(ABOUT), "/cards"),
        heading=titled(record),
        card_url=url,
        reason=reason,
        longest=LONGEST,
        trouble=trouble,
        sign_in_url="" if actor else f"/sign-in?next={quote(url + '/retract')}",
    )
    return respond(request, context, status=error.status if error else 200, headers={"Cache-Control": "no-store"})
