"""A page of the claims list -> the table page's contexts. Pure: no database, no request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from app.claims.queries import parsed
from app.claims.rows import FACETS
from app.claims.words import axis_name
from app.compare.words import VERDICTS
from app.jobs.here import here
from app.language import N_, _, kept, number
from app.protocol.english import counted
from app.web.claim_row import KEPT, cells, label, stored_row
from app.web.contexts import (
    Chip,
    Choice,
    ClaimRows,
    FacetGroup,
    FacetLine,
    Headlines,
    Link,
    Results,
    Trouble,
)
from app.web.render import render
from app.web.state import COLUMNS, SORTS, address
from app.web.wording import source_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from app.claims.queries import Document, DocumentPage
    from app.claims.rows import Facet, FacetValue
    from app.claims.schema import ClaimRow
    from app.compare.schema import Comparison
    from app.jobs.here import Fleet
    from app.web.state import TableState

FEW = 6  # values of a facet that stand open; the rest is behind "more"
LISTED = 94  # further values that are listed at all
UNLISTED = N_("{n} more are not listed. Search for one, or write it into the address: &{facet}= and its name.")
OPEN = ("engine", "model", "axis", "kind")
# For the catalogues: words of the record as the index labels them, those that no page says otherwise.
VALUES = (
    *(N_("absolute"), N_("change")),
    *(N_("kernel"), N_("path"), N_("layer"), N_("forward pass"), N_("phase")),
    N_("threshold"),
    *(N_("third party reading"), N_("acceptance open"), N_("opt in"), N_("workload differs"), N_("several changes")),
    *(N_("unsound"), N_("other")),
    *(N_("repeated by others"), N_("below"), N_("above")),
    N_("Bench cards"),
)
AS_WRITTEN = ("engine", "model", "hardware", "source")  # facets of names
API = "/api/v1/claims"
# What stands beside the button that compares, by how many rows are chosen; the last for too many.
HINTS = (
    N_("Choose 2 to 4 rows, then"),
    N_("1 row chosen; choose another, then"),
    N_("2 rows chosen"),
    N_("3 rows chosen"),
    N_("4 rows chosen"),
    N_("More than 4 rows chosen; take some off, then"),
)


def results(
    state: TableState, page: DocumentPage, chosen: Sequence[Document], troubles: Sequence[Trouble], fleet: Fleet
) -> Results:
    """`chosen`: the claims that the state names, wherever in the list they are; `fleet`: the runners here."""
    picked = {document.text for document in chosen}
    shown = {document.text for document in page.items}
    rows = [
        stored_row(item.text, state.columns, here(item.text, fleet) if fleet else None, chosen=item.text in picked)
        for item in page.items
    ]
    elsewhere = [parsed(document.text) for document in chosen if document.text not in shown]
    return Results(
        title=_title(state),
        count=counted(page.total, "claim"),
        facets=tuple(group for facet in page.facets if (group := _group(facet)).few),
        chips=_chips(state, page.facets),
        clear_url=state.cleared().url(),
        troubles=tuple(troubles),
        sorts=_sorts(state),
        sort_note="" if state.one_axis else _("By value only within one axis: choose one under “What it measures”."),
        columns=tuple(
            Choice(f"col-{name}", "col", name, _(text), name in state.columns) for name, text in COLUMNS.items()
        ),
        table=claim_rows(rows, state),
        elsewhere=tuple(Choice(f"kept-{row.id}", "ids", row.id, label(row), chosen=True) for row in elsewhere),
        hint=_(HINTS[min(len(chosen), len(HINTS) - 1)]),
        hints=tuple(map(_, HINTS)),
        first_url=state.at(None).url() if state.cursor else "",
        next_url=state.at(page.next).url() if page.next else "",
        both_url=_both(state),
        json_url=address(API, state.list_pairs()),
        csv_url=address(f"{API}.csv", state.list_pairs()),
    )


def _both(state: TableState) -> str:
    engine, model = state.filter.of("engine"), state.filter.of("model")
    one = len(engine) == len(model) == 1
    return address("/configurations", [("engine", engine[0]), ("model", model[0])]) if one else ""


def headlines(rows: Iterable[ClaimRow], verdict: Callable[[ClaimRow, ClaimRow], Comparison]) -> Headlines | None:
    """The first number of the list and the first of another engine's source, with the verdict on the two."""
    numbered = (row for row in rows if row.value is not None)
    a = next(numbered, None)
    if a is None:
        return None
    b = next((row for row in numbered if row.source.id != a.source.id and _engine(row) != _engine(a)), None)
    if b is None:
        return None
    found = verdict(a, b)
    model = a.conditions.model.id
    same = model if model == b.conditions.model.id else None
    return Headlines(
        heading=_("Two headlines about {model}, read in full").format(model=same)
        if same
        else _("Two headlines, read in full"),
        a=cells(a),
        b=cells(b),
        a_source=Link(a.source.title, source_url(a)),
        b_source=Link(b.source.title, source_url(b)),
        verdict=found.verdict,
        verdict_word=_(VERDICTS[found.verdict]),
        summary=found.summary,
        url=address("/compare", [("ids", a.id), ("ids", b.id)]),
    )


def _engine(row: ClaimRow) -> str | None:
    return row.conditions.engine.name


def claim_rows(rows: Sequence[Markup], state: TableState) -> ClaimRows:
    return ClaimRows(
        headings=tuple(_(COLUMNS[name]) for name in state.columns),
        sort_direction={"value": "ascending", "-value": "descending"}.get(state.sort, "none"),
        rows=tuple(rows),
    )


def _title(state: TableState) -> str:
    chosen = [value for _, values in state.filter.values for value in values]
    if state.filter.q:
        chosen.append(f"“{state.filter.q}”")
    return _("Claims: {chosen}").format(chosen=", ".join(chosen)) if chosen else _("Claims")


def _group(facet: Facet) -> FacetGroup:
    """Values in the order given, so that they stay in place while filtering; a chosen value is always in sight."""
    listed = [value for value in facet.values if value.count or value.chosen]
    few = [value for place, value in enumerate(listed) if place < FEW or value.chosen]
    more = [value for value in listed[FEW:] if not value.chosen]
    hidden = len(more) - LISTED
    return FacetGroup(
        name=facet.name,
        heading=_(facet.heading),
        open=facet.name in OPEN or any(value.chosen for value in listed),
        few=tuple(_line(facet, value) for value in few),
        more=tuple(_line(facet, value) for value in more[:LISTED]),
        left_out=_(UNLISTED).format(n=number(hidden), facet=facet.name) if hidden > 0 else "",
    )


def _line(facet: Facet, value: FacetValue) -> FacetLine:
    return FacetLine(_box(facet.name, value.value, value.label, chosen=value.chosen), number(value.count))


@kept(KEPT)
def _box(facet: str, value: str, label: str, *, chosen: bool) -> Markup:
    """A value's box, kept like the rows are: only its count changes from page to page."""
    said = _value(facet, value, label)
    place = f"{facet}:{value}".replace(" ", "_")
    return Markup(render(Choice(place, facet, value, said, chosen), "box"))  # noqa: S704 (our own template)


def _value(facet: str, value: str, label: str) -> str:
    """A facet's value as it is shown: names as they are, the words of the record in the language spoken."""
    if facet == "axis":
        return axis_name(value)
    named = facet in AS_WRITTEN and value not in ("not_stated", "cards")
    return label if named else _(label)


def _chips(state: TableState, facets: Sequence[Facet]) -> tuple[Chip, ...]:
    labels = {
        (facet.name, value.value): _value(facet.name, value.value, value.label)
        for facet in facets
        for value in facet.values
        if value.chosen
    }
    found = [
        Chip(f"{_(FACETS[facet])}: {labels.get((facet, value), value)}", state.without(facet, value).url())
        for facet, values in state.filter.values
        for value in values
    ]
    if state.filter.q:
        found.append(Chip(_("Search: {words}").format(words=state.filter.q), state.without_search().url()))
    return tuple(found)


def _sorts(state: TableState) -> tuple[Choice, ...]:
    return tuple(
        Choice(f"sort-{key}", "sort", key, _(text), key == state.sort, allowed=state.one_axis or "value" not in key)
        for key, text in SORTS.items()
    )
