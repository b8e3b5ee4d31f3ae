"""A page of the claims list -> the table page's contexts. Pure: no database, no request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.axes import AXES
from app.claims.rows import FACETS
from app.web.badges import badges
from app.web.contexts import (
    Chip,
    Choice,
    ClaimCells,
    ClaimRows,
    FacetGroup,
    Headlines,
    Link,
    NumberCell,
    Results,
    Trouble,
)
from app.web.state import COLUMNS, SORTS, address
from app.web.wording import (
    SCOPES,
    STATED_IN,
    VERDICTS,
    acceptance,
    against,
    conditions,
    measures,
    number_parts,
    or_not_stated,
    repeated,
    source_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.claims.rows import ClaimPage, Facet, FacetValue
    from app.claims.schema import ClaimRow
    from app.compare.schema import Comparison
    from app.web.state import TableState

FEW = 6  # values of a facet that stand open; the rest is behind "more"
LISTED = 40  # values of a facet that are listed at all; the search finds the others
OPEN = ("engine", "model", "axis", "kind")
ENGINE_MARKS = {"vLLM": "e-vllm", "SGLang": "e-sglang"}
API = "/api/v1/claims"


def _evidence(row: ClaimRow) -> str:
    return f"{STATED_IN[row.stated_in]}: {row.locator}"


def _version(row: ClaimRow) -> str:
    return or_not_stated(row.conditions.engine.version or row.conditions.engine.commit)


EXTRA: dict[str, Callable[[ClaimRow], str]] = {
    "source": lambda row: f"{row.source.title} ({source_line(row)})",
    "evidence": _evidence,
    "statistic": lambda row: or_not_stated(row.statistic),
    "scope": lambda row: SCOPES[row.scope],
    "version": _version,
    "acceptance": lambda row: acceptance(row.acceptance),
    "date": lambda row: or_not_stated(row.source.date),
    "checked": lambda row: row.last_checked.isoformat(),
}


def cells(row: ClaimRow, columns: Sequence[str] = (), *, chosen: bool = False) -> ClaimCells:
    """One claim in the table's reading order."""
    engine = row.conditions.engine.name
    shown, more = badges(row)
    return ClaimCells(
        id=row.id,
        label=label(row),
        number=NumberCell(*number_parts(row)),
        engine=engine or "engine not stated",
        engine_mark=ENGINE_MARKS.get(engine or "", "e-other"),
        model=row.conditions.model.id or "model not stated",
        measures=measures(row),
        axis=row.axis,
        title=row.title,
        against=against(row.baseline),
        conditions=conditions(row),
        badges=shown,
        more=more,
        repeated=repeated(row),
        chosen=chosen,
        extra=tuple(EXTRA[name](row) for name in columns),
    )


def label(row: ClaimRow) -> str:
    return f"{row.headline}, {row.conditions.engine.name or 'engine not stated'}, {measures(row)}"


def results(state: TableState, page: ClaimPage, elsewhere: Sequence[ClaimRow], troubles: Sequence[Trouble]) -> Results:
    """`elsewhere`: chosen rows that are not in `page`."""
    return Results(
        title=_title(state),
        count=f"{page.total:,} {'claim' if page.total == 1 else 'claims'}",
        facets=tuple(_group(facet) for facet in page.facets),
        chips=_chips(state, page.facets),
        clear_url=state.cleared().url(),
        troubles=tuple(troubles),
        sorts=_sorts(state),
        sort_note="" if state.one_axis else "By value only within one axis: choose one under “What it measures”.",
        columns=tuple(
            Choice(f"col-{name}", "col", name, text, name in state.columns) for name, text in COLUMNS.items()
        ),
        table=claim_rows(page.items, state),
        elsewhere=tuple(Choice(f"kept-{row.id}", "ids", row.id, label(row), chosen=True) for row in elsewhere),
        first_url=state.at(None).url() if state.cursor else "",
        next_url=state.at(page.next).url() if page.next else "",
        json_url=address(API, state.list_pairs()),
        csv_url=address(f"{API}.csv", state.list_pairs()),
    )


def headlines(rows: Sequence[ClaimRow], verdict: Callable[[ClaimRow, ClaimRow], Comparison]) -> Headlines | None:
    """The first number of the list and the first of another engine's source, with the verdict on the two."""
    numbered = [row for row in rows if row.value is not None]
    if not numbered:
        return None
    a = numbered[0]
    others = (row for row in numbered if row.source.id != a.source.id and _engine(row) != _engine(a))
    b = next(others, None)
    if b is None:
        return None
    found = verdict(a, b)
    model = a.conditions.model.id
    same = model if model == b.conditions.model.id else None
    return Headlines(
        heading=f"Two headlines about {same}, read in full" if same else "Two headlines, read in full",
        a=cells(a),
        b=cells(b),
        a_source=Link(a.source.title, f"/sources/{a.source.id}"),
        b_source=Link(b.source.title, f"/sources/{b.source.id}"),
        verdict=found.verdict,
        verdict_word=VERDICTS[found.verdict],
        summary=found.summary,
        url=address("/compare", [("ids", a.id), ("ids", b.id)]),
    )


def _engine(row: ClaimRow) -> str | None:
    return row.conditions.engine.name


def claim_rows(rows: Sequence[ClaimRow], state: TableState) -> ClaimRows:
    return ClaimRows(
        headings=tuple(COLUMNS[name] for name in state.columns),
        sort_direction={"value": "ascending", "-value": "descending"}.get(state.sort, "none"),
        rows=tuple(cells(row, state.columns, chosen=row.id in state.ids) for row in rows),
    )


def _title(state: TableState) -> str:
    chosen = [value for _, values in state.filter.values for value in values]
    if state.filter.q:
        chosen.append(f"“{state.filter.q}”")
    return f"Claims: {', '.join(chosen)}" if chosen else "Claims"


def _group(facet: Facet) -> FacetGroup:
    """Values in the order given, so that they stay in place while filtering; a chosen value is always in sight."""
    listed = [value for value in facet.values if value.count or value.chosen]
    few = [value for place, value in enumerate(listed) if place < FEW or value.chosen]
    more = [value for value in listed[FEW:] if not value.chosen]
    hidden = len(more) - LISTED
    return FacetGroup(
        name=facet.name,
        heading=facet.heading,
        open=facet.name in OPEN or any(value.chosen for value in listed),
        few=tuple(_choice(facet, value) for value in few),
        more=tuple(_choice(facet, value) for value in more[:LISTED]),
        left_out=f"{hidden} more are not listed: search for them." if hidden > 0 else "",
    )


def _choice(facet: Facet, value: FacetValue) -> Choice:
    place = f"{facet.name}:{value.value}".replace(" ", "_")
    return Choice(place, facet.name, value.value, value.label, value.chosen, f"{value.count:,}")


def _chips(state: TableState, facets: Sequence[Facet]) -> tuple[Chip, ...]:
    labels = {(facet.name, value.value): value.label for facet in facets for value in facet.values if value.chosen}
    found = [
        Chip(f"{FACETS[facet]}: {labels.get((facet, value), value)}", state.without(facet, value).url())
        for facet, values in state.filter.values
        for value in values
    ]
    if state.filter.q:
        found.append(Chip(f"Search: {state.filter.q}", state.without_search().url()))
    return tuple(found)


def _sorts(state: TableState) -> tuple[Choice, ...]:
    return tuple(
        Choice(f"sort-{key}", "sort", key, text, key == state.sort, allowed=state.one_axis or "value" not in key)
        for key, text in SORTS.items()
    )


def axis_name(key: str) -> str:
    return AXES[key].name if key in AXES else key
