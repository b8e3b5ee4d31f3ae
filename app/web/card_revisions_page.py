"""A card's revisions, and what changed between two of them, in words that people read. Pure."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from app.cards.diff import diff
from app.cards.fields import label
from app.protocol.english import counted
from app.web.card_contexts import ChangeLine, Piece, RevisionLine, RevisionsPage
from app.web.contexts import Choice, Shell
from app.web.state import address

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from app.cards.diff import Change
    from app.cards.record import CardRecord, Revision

ABOUT = "Every revision of a bench card and what changed between two of them."
NAMED = 4  # changed fields that a revision's line names; the rest is counted


def moment(at: dt.datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


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
            changed=changed.get(item.number, "first recorded"),
            shown=item.number == shown,
        )
        for item in reversed(revisions)
    )


def _changed(changes: Sequence[Change]) -> str:
    """The names of the fields that changed; of many the first ones."""
    names = [label(change.field) for change in changes]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"changed: {', '.join(names[:NAMED])}{more}" if names else "changed nothing"


def revisions_page(
    record: CardRecord, heading: str, revisions: Sequence[Revision], old: int, new: int
) -> RevisionsPage:
    """`old` and `new` are numbers of revisions that there are; `heading` is the card's title."""
    by_number = {item.number: item for item in revisions}
    changes = diff(by_number[old].card, by_number[new].card)
    return RevisionsPage(
        shell=Shell(f"Revisions: {heading}", ABOUT, "/cards"),
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
        return "There is one revision; nothing has changed yet." if old == 1 else f"This is revision {old} twice."
    if not count:
        return f"From revision {old} to revision {new} nothing changed."
    return f"From revision {old} to revision {new}, {counted(count, 'field')} changed."


def _choices(name: str, revisions: Sequence[Revision], chosen: int) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            f"{name}-{item.number}", name, str(item.number), f"{item.number}, {moment(item.at)}", item.number == chosen
        )
        for item in revisions
    )


def _line(change: Change) -> ChangeLine:
    before, after = pieces(change.before or "", change.after or "")
    return ChangeLine(label(change.field), before, after)


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
