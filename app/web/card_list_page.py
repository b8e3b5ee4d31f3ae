"""A page of the list of cards -> its context. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from app.cards.record import State
from app.cards.row import RETRACTED
from app.claims.rows import FACETS
from app.claims.words import axis_name
from app.language import N_, _, day, number
from app.protocol.english import counted
from app.web.card_contexts import CardLine, CardListPage, CardResults, FilterSelect
from app.web.claim_row import ENGINE_MARKS, cells
from app.web.contexts import Choice, Link, Shell
from app.web.state import address
from app.web.wording import card_title, or_not_stated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.cards.queries import CardFilter, CardPage, CardRow
    from app.claims.schema import ClaimRow
    from app.web.contexts import Trouble

ABOUT = N_("Bench cards: measurements that people recorded, with their conditions, findings and open questions.")
HEADINGS = {"engine": FACETS["engine"], "model": FACETS["model"], "hardware": FACETS["hardware"]}
HEADINGS |= {"axis": FACETS["axis"], "state": N_("State"), "repeats": N_("Repeats")}
STATES: dict[str, str] = {"measured": N_("with a result"), "plan": N_("plans"), "retracted": N_("retracted")}
assert set(STATES) == set(get_args(State))


def card_results(
    wanted: CardFilter, page: CardPage, rows: Mapping[str, ClaimRow], cursor: str | None, troubles: Sequence[Trouble]
) -> CardResults:
    """`rows`: the claims table's rows of those cards on the page that have a number, by id."""
    pairs = filter_pairs(wanted)
    return CardResults(
        count=counted(page.total, "card"),
        lines=tuple(_line(item, rows.get(item.id)) for item in page.items),
        troubles=tuple(troubles),
        filtered=bool(pairs),
        first_url=address("/cards", pairs) if cursor else "",
        next_url=address("/cards", [*pairs, ("cursor", page.next)]) if page.next else "",
        json_url=address("/api/v1/cards", pairs),
    )


def card_list_page(
    wanted: CardFilter, known: Mapping[str, Sequence[tuple[str, int]]], results: CardResults
) -> CardListPage:
    """`known`: the values that each filter offers, with their number of cards."""
    return CardListPage(
        shell=Shell(_("Cards"), _(ABOUT), "/cards"),
        filters=tuple(_select(name, known[name], getattr(wanted, name)) for name in HEADINGS if known[name]),
        results=results,
    )


def filter_pairs(wanted: CardFilter) -> list[tuple[str, str]]:
    return [(name, value) for name in HEADINGS for value in getattr(wanted, name)]


def _select(name: str, values: Sequence[tuple[str, int]], chosen: Sequence[str]) -> FilterSelect:
    any_ = Choice(f"{name}-any", name, "", _("any"), not chosen)
    options = [
        Choice(f"{name}-{place}", name, value, f"{_said(name, value)} ({number(count)})", value in chosen)
        for place, (value, count) in enumerate(values)
    ]
    return FilterSelect(name, _(HEADINGS[name]), (any_, *options))


def _said(name: str, value: str) -> str:
    return axis_name(value) if name == "axis" else _(STATES.get(value, value)) if name == "state" else value


def _line(item: CardRow, row: ClaimRow | None) -> CardLine:
    shown = cells(row, shortly=True) if row else None
    return CardLine(
        url=f"/cards/{item.id}",
        number=row.headline if row else "",
        title=card_title(item.title.removeprefix(RETRACTED), item.axis),
        engine=item.engine or _("engine not stated"),
        engine_mark=ENGINE_MARKS.get(item.engine or "", "e-other"),
        model=item.model or _("model not stated"),
        measures=shown.measures if shown else axis_name(item.axis) if item.axis else or_not_stated(None),
        conditions=shown.conditions if shown else "",
        badges=shown.badges if shown else (),
        stated=f"{item.completeness} %",
        state={"plan": _("no result yet"), "retracted": _("retracted")}.get(item.state, ""),
        gone=item.state == "retracted",
        repeats=Link(item.repeats, f"/claims/{item.repeats}") if item.repeats else None,
        by=item.author,
        day=day(item.created_at),
    )
