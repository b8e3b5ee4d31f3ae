"""A claim -> its row of the table: the cells in face.md's reading order, and the row as HTML.

What is stored never changes and most readers see the same rows, so rows that were made are kept: nearly all the work
of a table page lies in them. A row is a function of its claim's stored text and of what is passed beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from app.claims.queries import parsed
from app.claims.words import SCOPES, STATED_IN, acceptance, against, conditions, measures
from app.language import _, day, kept
from app.protocol.english import counted
from app.web.badges import badges
from app.web.contexts import ClaimCells, NumberCell
from app.web.render import render
from app.web.state import COLUMNS
from app.web.wording import again, card_title, number_parts, or_not_stated, repeated, source_line, stated_day

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.claims.schema import ClaimRow
    from app.jobs.here import Here

KEPT = 1000  # rows, of about 6 KB each with the text that they are made from
WIDE = 9  # letters of a number beyond which it is set smaller
BADGES = 3  # of a row that stand open
ENGINE_MARKS = {"vLLM": "e-vllm", "SGLang": "e-sglang"}


@kept(KEPT)
def stored_row(document: str, columns: tuple[str, ...], here: Here | None, *, chosen: bool = False) -> Markup:
    """The row of a claim as it is stored; `here`: whether it can be measured again here."""
    return table_row(parsed(document), columns, chosen=chosen, here=here)


def table_row(row: ClaimRow, columns: Sequence[str] = (), *, chosen: bool = False, here: Here | None = None) -> Markup:
    return Markup(render(cells(row, columns, chosen=chosen, shortly=True, here=here), "row"))  # noqa: S704 (our own template)


def _evidence(row: ClaimRow) -> str:
    return f"{_(STATED_IN[row.stated_in])}: {row.locator}"


def _version(row: ClaimRow) -> str:
    return or_not_stated(row.conditions.engine.version or row.conditions.engine.commit)


EXTRA: dict[str, Callable[[ClaimRow], str]] = {
    "source": lambda row: f"{row.source.title} ({source_line(row)})",
    "evidence": _evidence,
    "statistic": lambda row: or_not_stated(row.statistic),
    "scope": lambda row: _(SCOPES[row.scope]),
    "version": _version,
    "acceptance": lambda row: acceptance(row.acceptance),
    "date": lambda row: or_not_stated(row.source.date and stated_day(row.source.date)),
    "checked": lambda row: _("not checked") if row.card else day(row.last_checked),
}


def cells(
    row: ClaimRow,
    columns: Sequence[str] = (),
    *,
    chosen: bool = False,
    shortly: bool = False,
    here: Here | None = None,
) -> ClaimCells:
    """One claim in the table's reading order; `shortly` shows the first badges and counts the rest."""
    engine = row.conditions.engine.name
    parts = number_parts(row)
    number = NumberCell(*parts, long=len(parts.whole) > WIDE)
    shown, further = badges(row)
    open_, hidden = (shown[:BADGES], len(shown[BADGES:]) + further) if shortly else (shown, further)
    return ClaimCells(
        id=row.id,
        label=label(row),
        number=number,
        engine=engine or _("engine not stated"),
        engine_mark=ENGINE_MARKS.get(engine or "", "e-other"),
        model=row.conditions.model.id or _("model not stated"),
        measures=measures(row, shortly=shortly),
        axis=row.axis,
        card=row.card.author if row.card else "",
        title=card_title(row.title, row.axis) if row.card else again(row.title),
        against=against(row.baseline),
        conditions=conditions(row),
        badges=open_,
        more=_more(hidden, alone=not open_),
        repeated=repeated(row),
        here=_here(row, here) if here else "",
        chosen=chosen,
        extra=tuple((_(COLUMNS[name]), EXTRA[name](row)) for name in columns),
    )


def _here(row: ClaimRow, said: Here) -> str:
    """Of a number that nobody has measured again here."""
    untried = row.reproduction.imported or row.reproduction.status in ("never_tried", "repeated_by_others")
    return _("here: {what}").format(what=said.text) if untried else ""


def _more(hidden: int, *, alone: bool) -> str:
    if not hidden or not alone:
        return _("{n} more").format(n=hidden) if hidden else ""
    return counted(hidden, "caveat")


def label(row: ClaimRow) -> str:
    return f"{row.headline}, {row.conditions.engine.name or _('engine not stated')}, {measures(row)}"
