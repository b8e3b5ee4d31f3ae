"""The table's state as a URL: what is asked for, read from query parameters and written back. Pure.

The URL holds all of it: filters, search, sort, columns, chosen rows and the place in the list.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast, get_args
from urllib.parse import urlencode

from app.claims.rows import FACETS, ClaimFilter, Sort
from app.language import N_, _

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SORTS: dict[Sort, str] = {
    "rank": N_("importance"),
    "newest": N_("newest first"),
    "-value": N_("value, highest first"),
    "value": N_("value, lowest first"),
}
BY_VALUE = ("value", "-value")
COLUMNS = {
    "source": N_("Source"),
    "evidence": N_("Evidence"),
    "statistic": N_("Statistic"),
    "scope": N_("Scope"),
    "version": N_("Engine version"),
    "acceptance": N_("Acceptance"),
    "date": N_("Date"),
    "checked": N_("Last checked"),
}


MOST_IDS = 20  # rows that can be chosen; 4 at most are compared

NO_FILTER = ClaimFilter()


@dataclass(frozen=True)
class Problem:
    """One query parameter that could not be taken, with what it takes instead.

    `passing`: it stopped fitting by another choice of the reader, so it is told but is no error.
    """

    name: str
    message: str
    passing: bool = False


@dataclass(frozen=True)
class TableState:
    filter: ClaimFilter = NO_FILTER
    sort: Sort = "rank"
    cursor: str | None = None
    columns: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def unfiltered(self) -> bool:
        return not self.filter.values and not self.filter.q and self.sort == "rank" and self.cursor is None

    @property
    def one_axis(self) -> bool:
        """Values may be ordered within one axis only."""
        return len(self.filter.of("axis")) == 1

    def pairs(self) -> list[tuple[str, str]]:
        """The query parameters in one fixed order, so that one state has one URL."""
        found = self.list_pairs()
        found += [("col", name) for name in self.columns]
        found += [("ids", claim) for claim in self.ids]
        if self.cursor:
            found.append(("cursor", self.cursor))
        return found

    def filter_pairs(self) -> list[tuple[str, str]]:
        found = [(facet, value) for facet, values in self.filter.values for value in values]
        return [*found, ("q", self.filter.q)] if self.filter.q else found

    def url(self) -> str:
        return address("/", self.pairs())

    def list_pairs(self) -> list[tuple[str, str]]:
        """What the API takes for the same list from its beginning."""
        found = self.filter_pairs()
        return found if self.sort == "rank" else [*found, ("sort", self.sort)]

    def at(self, cursor: str | None) -> TableState:
        return replace(self, cursor=cursor)

    def without_search(self) -> TableState:
        return replace(self, filter=replace(self.filter, q=""), cursor=None)

    def without(self, facet: str, value: str) -> TableState:
        """The state with one value of a filter taken out, at the beginning of the list."""
        kept = tuple(
            (name, tuple(v for v in values if (name, v) != (facet, value))) for name, values in self.filter.values
        )
        kept = tuple((name, values) for name, values in kept if values)
        return replace(self, filter=replace(self.filter, values=kept), cursor=None).settled()

    def keeping(self, known: Callable[[str, str], bool], *, q: bool) -> TableState:
        """The state with only those filter values that are known, and the search only if `q`, at the beginning."""
        values = tuple(
            (facet, kept)
            for facet, given in self.filter.values
            if (kept := tuple(value for value in given if known(facet, value)))
        )
        return replace(self, filter=ClaimFilter(values, self.filter.q if q else ""), cursor=None).settled()

    def settled(self) -> TableState:
        """The state with an order by value only where there is one axis."""
        return self if self.one_axis or self.sort not in BY_VALUE else replace(self, sort="rank", cursor=None)

    def cleared(self) -> TableState:
        return TableState(columns=self.columns, ids=self.ids)


def address(path: str, pairs: Sequence[tuple[str, str]]) -> str:
    return f"{path}?{urlencode(pairs)}" if pairs else path


def read_state(getlist: Callable[[str], list[str]]) -> tuple[TableState, list[Problem]]:
    """The state that a query asks for, and every parameter that could not be taken (left out of the state)."""
    problems: list[Problem] = []
    values = tuple((facet, given) for facet in FACETS if (given := _given(getlist(facet))))
    columns = _known(getlist, "col", tuple(COLUMNS), problems)
    sorts = _known(getlist, "sort", get_args(Sort), problems)
    ids = read_ids(getlist("ids"))
    if len(ids) > MOST_IDS:
        problems.append(
            Problem(
                "ids",
                _("{most_ids} rows at most can be chosen; the first {most_ids} of {ids} are").format(
                    most_ids=MOST_IDS, ids=len(ids)
                ),
            )
        )
    state = TableState(
        filter=ClaimFilter(values=values, q=" ".join(" ".join(getlist("q")).split())),
        sort=cast("Sort", sorts[-1]) if sorts else "rank",
        cursor=next(iter(_given(getlist("cursor"))), None),
        columns=tuple(name for name in COLUMNS if name in columns),
        ids=ids[:MOST_IDS],
    )
    if state.sort in BY_VALUE and not state.one_axis:
        text = _("values are ordered within one axis only: choose exactly one under “What it measures”")
        problems.append(Problem("sort", text, passing=True))
    return state.settled(), problems


def read_ids(given: Sequence[str]) -> tuple[str, ...]:
    """Claim ids, repeated or separated by commas, each once and in the order given."""
    return tuple(dict.fromkeys(part.strip() for item in given for part in item.split(",") if part.strip()))


def _given(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def _known(
    getlist: Callable[[str], list[str]], name: str, known: Sequence[str], problems: list[Problem]
) -> tuple[str, ...]:
    given = _given(getlist(name))
    problems += [
        Problem(name, _("`{value}` is not known; it takes {known}").format(value=value[:80], known=", ".join(known)))
        for value in given
        if value not in known
    ]
    return tuple(value for value in given if value in known)
