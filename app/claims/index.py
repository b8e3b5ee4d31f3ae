"""The read index: every claim's facets and sort orders as arrays in memory, so that a page is a few array operations.

Immutable. Built by streaming over the short columns; claims themselves stay in the database. A row's position is its
place by primary key.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np
import sqlalchemy as sa
from sqlalchemy import case, func
from sqlmodel import col, select

from app.axes import AXES
from app.claims.rows import FACETS, Facet, FacetValue
from app.claims.schema import AcceptanceKind, CaveatKind, Kind, RecordKind, ReproductionStatus, Scope, StatedIn
from app.claims.tables import ClaimTable, SourceTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    import numpy.typing as npt
    from sqlmodel import Session

    from app.claims.rows import ClaimFilter, Sort

    Bools = npt.NDArray[np.bool_]
    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Small = npt.NDArray[np.int16]
    Codes = npt.NDArray[np.int32]
    Positions = npt.NDArray[np.int32]

NOT_STATED = "not_stated"
CARDS = "cards"  # the one value of the source facet under which all cards stand
BATCH = 2000

# Values that may be asked for whether or not a claim carries them; all others must occur.
VOCABULARY: dict[str, tuple[str, ...]] = {
    "record": get_args(RecordKind),
    "source": (CARDS,),
    "engine": (NOT_STATED,),
    "model": (NOT_STATED,),
    "hardware": (NOT_STATED,),
    "axis": tuple(AXES),
    "kind": get_args(Kind),
    "scope": get_args(Scope),
    "acceptance": get_args(AcceptanceKind),
    "stated_in": get_args(StatedIn),
    "caveat": get_args(CaveatKind),
    "status": get_args(ReproductionStatus),
}

# One column of the claim table a facet; caveats are many to a claim and kept apart.
FACET_COLUMNS: dict[str, Any] = {
    "record": case((col(ClaimTable.source_id).is_(None), "card"), else_="published"),
    "engine": ClaimTable.engine,
    "model": ClaimTable.model,
    "axis": ClaimTable.axis,
    "kind": ClaimTable.kind,
    "scope": ClaimTable.scope,
    "hardware": ClaimTable.hardware,
    "acceptance": ClaimTable.acceptance,
    "stated_in": ClaimTable.stated_in,
    "status": ClaimTable.status,
    "source": func.coalesce(ClaimTable.source_id, CARDS),
}


@dataclass(frozen=True)
class FacetIndex:
    """A facet's values, the commonest first, and which claims carry them.

    `codes` numbers each claim's value. Where a claim may carry several, it numbers the combination that the claim
    carries, and `carries` has one row a combination, one column a value.
    """

    values: tuple[str, ...]
    labels: tuple[str, ...]
    totals: Ints
    codes: Codes
    carries: Ints | None = None

    def mask(self, chosen: Iterable[str]) -> Bools:
        """The claims that carry any of the chosen values."""
        numbers = [self.values.index(value) for value in chosen if value in self.values]
        if self.carries is None:
            wanted = np.zeros(len(self.values), dtype=np.bool_)
            wanted[numbers] = True
        else:
            wanted = np.asarray(self.carries[:, numbers].any(axis=1))
        return wanted[self.codes]

    def counts(self, positions: Ints | None) -> Ints:
        """How many of the claims at `positions` (None: of all) carry each value."""
        if positions is None:
            return self.totals
        groups = len(self.values) if self.carries is None else len(self.carries)
        found = np.bincount(self.codes[positions], minlength=groups)
        return found if self.carries is None else found @ self.carries


@dataclass(frozen=True)
class ClaimIndex:
    """All claims of one state of the catalogue, `version`."""

    version: int
    numbers: Ints  # primary keys, ascending
    ids: tuple[str, ...]
    ranks: Small
    dates: npt.NDArray[np.int32]
    groups: Small
    amounts: Floats
    facets: dict[str, FacetIndex]
    orders: dict[str, Positions]  # by Sort; those by value have the claims of one axis together
    axis_starts: Ints  # where each axis begins in the orders by value

    def __len__(self) -> int:
        return len(self.ids)

    def masks(self, chosen: Sequence[tuple[str, tuple[str, ...]]]) -> dict[str, Bools]:
        found = {facet: self.facets[facet].mask(values) for facet, values in chosen if values}
        if "source" in found:
            found["source"][self._cards(dict(chosen)["source"])] = True
        return found

    def known(self, facet: str, asked: Sequence[str]) -> tuple[str, ...]:
        """The values that a facet takes. A card is its own source, so those of the ids `asked` for count as well."""
        cards = [self.ids[position] for position in self._cards(asked)] if facet == "source" else []
        return tuple(dict.fromkeys((*self.facets[facet].values, *VOCABULARY.get(facet, ()), *cards)))

    def _cards(self, asked: Sequence[str]) -> list[int]:
        """Where the cards with these ids are."""
        wanted = set(asked) - set(self.facets["source"].values)
        if not wanted:
            return []
        is_card = self.facets["record"].mask(["card"])
        return [position for position, name in enumerate(self.ids) if name in wanted and is_card[position]]

    def found(self, numbers: Sequence[int]) -> Bools:
        """The mask of the claims with these primary keys."""
        mask = np.zeros(len(self), dtype=np.bool_)
        mask[np.searchsorted(self.numbers, np.array(numbers, dtype=np.int64))] = True
        return mask

    def after(self, sort: Sort, axis: str | None, key: tuple[object, ...] | None) -> Positions:
        """Positions in sort order that come after `key`. By value only the claims of `axis` are ordered."""
        order = self.orders[sort]
        if sort in ("value", "-value"):
            known = self.facets["axis"].values
            number = known.index(axis) if axis in known else len(known)
            order = order[self.axis_starts[number] : self.axis_starts[number + 1]]
        if key is None:
            return order
        return order[bisect_right(order, key, key=lambda position: self.key(sort, int(position))) :]

    def key(self, sort: Sort, position: int) -> tuple[object, ...]:
        """What a claim is sorted by, ending in its id, so that no two are equal."""
        rank, claim_id = int(self.ranks[position]), self.ids[position]
        if sort == "rank":
            return rank, claim_id
        if sort == "newest":
            return -int(self.dates[position]), rank, claim_id
        amount = float(self.amounts[position])
        return int(self.groups[position]), -amount if sort == "-value" else amount, rank, claim_id

    def counted(self, names: Sequence[str], wanted: ClaimFilter, masks: dict[str, Bools]) -> tuple[Facet, ...]:
        """Facets with what choosing each value would give: every mask counts but the facet's own."""
        everything = _positions(masks.values())
        return tuple(
            self._facet(
                name,
                _positions(mask for facet, mask in masks.items() if facet != name) if name in masks else everything,
                wanted.of(name),
            )
            for name in names
        )

    def _facet(self, name: str, positions: Ints | None, chosen: tuple[str, ...]) -> Facet:
        of = self.facets[name]
        rows = zip(of.values, of.labels, of.counts(positions).tolist(), strict=True)
        values = tuple([FacetValue(value, label, count, value in chosen) for value, label, count in rows])
        absent = [value for value in chosen if value not in of.values]
        cards = self._cards(absent) if name == "source" else []
        left = [self.ids[position] for position in cards if positions is None or position in positions]
        further = tuple(FacetValue(value, label(name, value), left.count(value), True) for value in absent)
        return Facet(name, FACETS[name], values + further)


def together(masks: Iterable[Bools]) -> Bools | None:
    """What all masks leave; None where there are none."""
    kept = list(masks)
    return np.logical_and.reduce(kept) if kept else None


def _positions(masks: Iterable[Bools]) -> Ints | None:
    mask = together(masks)
    return None if mask is None else np.flatnonzero(mask)


def build_index(session: Session, version: int) -> ClaimIndex:
    """Read the short columns of all claims in one pass, a batch of rows at a time and then column by column."""
    count = session.exec(select(func.count()).select_from(ClaimTable)).one()
    numbers = np.zeros(count, dtype=np.int64)
    ranks, groups = np.zeros(count, dtype=np.int16), np.zeros(count, dtype=np.int16)
    dates, amounts = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.float64)
    ids: list[str] = []
    coded = [_Codes(np.zeros(count, dtype=np.int32), _Numbers()) for _ in range(len(FACET_COLUMNS) + 1)]
    plain: tuple[Any, ...] = (numbers, ranks, dates, groups, amounts)
    for claim_ids, *columns in _batches(session):
        place = slice(len(ids), len(ids) + len(claim_ids))
        ids += claim_ids
        for array, column in zip(plain, columns, strict=False):
            array[place] = column
        for codes, column in zip(coded, columns[len(plain) :], strict=True):
            codes.put(place, column)
    labels = {"source": dict(session.exec(select(SourceTable.id, SourceTable.title)).all())}
    facets = {
        name: codes.finish(name, labels.get(name, {})) for name, codes in zip(FACET_COLUMNS, coded[1:], strict=True)
    }
    facets["caveat"] = _combinations(coded[0].codes, tuple(coded[0].seen))
    axis = facets["axis"]
    orders = _orders(ids, ranks, dates, groups, amounts, axis.codes)
    starts = np.concatenate([[0], np.cumsum(axis.totals), [count]])
    return ClaimIndex(version, numbers, tuple(ids), ranks, dates, groups, amounts, facets, orders, starts)


def _batches(session: Session) -> Iterator[tuple[Any, ...]]:
    """The columns of BATCH claims at a time, in the order of their keys."""
    columns: list[Any] = [ClaimTable.id, ClaimTable.number, ClaimTable.rank, ClaimTable.date, ClaimTable.sort_group]
    columns += [func.coalesce(ClaimTable.sort_value, 0.0), ClaimTable.caveats]
    columns += [func.coalesce(column, NOT_STATED) for column in FACET_COLUMNS.values()]
    statement = sa.select(*columns).order_by(col(ClaimTable.number))
    result = session.connection().execute(statement, execution_options={"yield_per": BATCH})
    for batch in result.partitions(BATCH):
        yield tuple(zip(*batch, strict=True))


class _Numbers(dict[str, int]):
    """Numbers values as they are first seen."""

    def __missing__(self, value: str) -> int:
        self[value] = number = len(self)
        return number


@dataclass(frozen=True)
class _Codes:
    """A facet's values by claim, numbered."""

    codes: Codes
    seen: _Numbers

    def put(self, place: slice, values: Sequence[str]) -> None:
        self.codes[place] = [self.seen[value] for value in values]

    def finish(self, name: str, labels: dict[str, str]) -> FacetIndex:
        names, totals = list(self.seen), np.bincount(self.codes, minlength=len(self.seen))
        order = _by_count(names, totals)
        places = np.zeros(len(names), dtype=np.int32)
        places[order] = np.arange(len(names))
        values = tuple(names[number] for number in order)
        texts = tuple(labels.get(value) or label(name, value) for value in values)
        return FacetIndex(values, texts, totals[order], places[self.codes] if names else self.codes)


def _combinations(codes: Codes, seen: Sequence[str]) -> FacetIndex:
    """The caveat facet. `seen`: what the codes number, kinds separated by blanks."""
    names = sorted({kind for kinds in seen for kind in kinds.split()})
    carries = np.array([[kind in kinds.split() for kind in names] for kinds in seen], dtype=np.int64)
    carries = carries.reshape(len(seen), len(names))
    totals = np.bincount(codes, minlength=len(seen)) @ carries
    order = _by_count(names, totals)
    values = tuple(names[number] for number in order)
    return FacetIndex(
        values, tuple(label("caveat", value) for value in values), totals[order], codes, carries[:, order]
    )


def _by_count(names: Sequence[str], totals: Ints) -> list[int]:
    """The commonest value first, "not stated" last: an order that does not change while filtering."""
    return sorted(range(len(names)), key=lambda number: (names[number] == NOT_STATED, -totals[number], names[number]))


def label(facet: str, value: str) -> str:
    """A facet value as people read it."""
    if facet == "axis" and value in AXES:
        return AXES[value].name
    if facet == "source" and value == CARDS:
        return "Bench cards"
    as_written = facet in {"engine", "model", "hardware", "source"} and value != NOT_STATED
    return value if as_written else value.replace("_", " ")


def _orders(
    ids: Sequence[str], ranks: Small, dates: npt.NDArray[np.int32], groups: Small, amounts: Floats, axes: Codes
) -> dict[str, Positions]:
    """Every sort order as positions; np.lexsort takes the leading key last. Ids are ASCII by their schema."""
    by_id = np.argsort(np.array(ids, dtype=np.bytes_))
    last = np.empty(len(ids), dtype=np.int32)
    last[by_id] = np.arange(len(ids))
    orders = {
        "rank": np.lexsort((last, ranks)),
        "newest": np.lexsort((last, ranks, -dates)),
        "value": np.lexsort((last, ranks, amounts, groups, axes)),
        "-value": np.lexsort((last, ranks, -amounts, groups, axes)),
    }
    return {name: order.astype(np.int32) for name, order in orders.items()}
