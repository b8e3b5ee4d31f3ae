"""A card's revisions, and what changed between two of them, in words that people read. Pure."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from app.cards.diff import diff
from app.language import N_, _, moment, ngettext
from app.web.card_contexts import ChangeLine, Piece, RevisionLine, RevisionsPage
from app.web.contexts import Choice, Shell
from app.web.state import address
from app.web.wording import field_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.cards.diff import Change
    from app.cards.record import CardRecord, Revision

ABOUT = N_("Every revision of a bench card and what changed between two of them.")
NAMED = 4  # changed fields that a revision's line names; the rest is counted


def revision_lines(card_id: str, revisions: Sequence[Revision], shown: int) -> tuple[RevisionLine, ...]:
    """The newest first, each with what it changed; `shown` is the revision that the reader looks at."""
    changed = {after.number: _changed(diff(before.card, after.card)) for before, after in pairwise(revisions)}
    return tuple(
        RevisionLine(
            number=str(item.number),
            url=f"/cards/{card_id}?revision={item.number}",
            by=item.author,
            at=moment(item.at),
            note=item.note or "",
            changed=changed.get(item.number, _("first recorded")),
            shown=item.number == shown,
        )
        for item in reversed(revisions)
    )


def _changed(changes: Sequence[Change]) -> str:
    """The names of the fields that changed; of many the first ones."""
    names = [field_name(change.field) for change in changes]
    if not names:
        return _("changed nothing")
    first, further = ", ".join(names[:NAMED]), len(names) - NAMED
    form = _("changed: {names} and {n} more") if further > 0 else _("changed: {names}")
    return form.format(names=first, n=further)


def revisions_page(
    record: CardRecord, heading: str, revisions: Sequence[Revision], old: int, new: int
) -> RevisionsPage:
    """`old` and `new` are numbers of revisions that there are; `heading` is the card's title."""
    by_number = {item.number: item for item in revisions}
    changes = diff(by_number[old].card, by_number[new].card)
    return RevisionsPage(
        shell=Shell(_("Revisions: {heading}").format(heading=heading), _(ABOUT), "/cards"),
        heading=heading,
        card_url=f"/cards/{record.id}",
        revisions=revision_lines(record.id, revisions, new),
        from_choices=_choices("from", revisions, old),
        to_choices=_choices("to", revisions, new),
        compared=_compared(old, new, len(changes)),
        changes=tuple(_line(change) for change in changes),
        json_url=f"/api/v1/cards/{record.id}/revisions",
    )


def _compared(old: int, new: int, count: int) -> str:
    if old == new:
        once = _("There is one revision; nothing has changed yet.")
        return once if old == 1 else _("This is revision {old} twice.").format(old=old)
    if not count:
        return _("From revision {old} to revision {new} nothing changed.").format(old=old, new=new)
    form = ngettext(
        "From revision {old} to revision {new}, {n} field changed.",
        "From revision {old} to revision {new}, {n} fields changed.",
        count,
    )
    return form.format(old=old, new=new, n=count)


def _choices(name: str, revisions: Sequence[Revision], chosen: int) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            f"{name}-{item.number}", name, str(item.number), f"{item.number}, {moment(item.at)}", item.number == chosen
        )
        for item in revisions
    )


def _line(change: Change) -> ChangeLine:
    before, after = pieces(change.before or "", change.after or "")
    return ChangeLine(field_name(change.field), before, after)


def pieces(before: str, after: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts cut into runs of words that stayed, went or came. Short values change as a whole."""
    old, new = re.findall(r"\S+\s*", before), re.findall(r"\S+\s*", after)
    if min(len(old), len(new)) < 4:
        return _whole(before, "gone"), _whole(after, "new")
    left: list[Piece] = []
    right: list[Piece] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        left += _whole("".join(old[a:b]), "same" if kind == "equal" else "gone")
        right += _whole("".join(new[c:d]), "same" if kind == "equal" else "new")
    return tuple(left), tuple(right)


def _whole(text: str, change: str) -> tuple[Piece, ...]:
    return (Piece(text, change),) if text else ()


def diff_url(card_id: str, old: int, new: int) -> str:
    return address(f"/cards/{card_id}/revisions", [("from", str(old)), ("to", str(new))])
