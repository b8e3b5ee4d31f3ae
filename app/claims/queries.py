"""Reading claims. Every function answers from one state of the database and returns frozen rows."""

from __future__ import annotations

import difflib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np
import sqlalchemy as sa
from sqlalchemy import func
from sqlmodel import SQLModel, col, select

from app.claims.configurations import LATENCY_AXES, THROUGHPUT_AXES, two_configurations
from app.claims.cursor import read_cursor, write_cursor
from app.claims.index import build_index, together
from app.claims.related import related_positions
from app.claims.rows import FACETS, ClaimFilter, ClaimPage, Sort
from app.claims.schema import ClaimRow
from app.claims.search import pattern, words
from app.claims.tables import ClaimTable, SourceTable
from app.claims.wording import reworded
from app.claims.workloads import MOST, StatedWorkload, stated_workload
from app.errors import InvalidInputError, NotFoundError
from app.ids import could_be_id
from app.language import ENGLISH, _, kept, spoken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlmodel import Session

    from app.claims.configurations import TwoConfigurations
    from app.claims.index import ClaimIndex
    from app.claims.rows import Facet
    from app.db import Database

LONGEST_PAGE = 500
OURS = "Benchcard"  # the publisher of sources that name measurements of Benchcard itself
PARSED = 512  # claims kept as objects, about 18 KB each with their text

# Every list asks these two: plain columns spare the detour through the object mapper.
STATE, CLAIM = SQLModel.metadata.tables["catalogue_state"].c, SQLModel.metadata.tables["claim"].c
DOCUMENT = (CLAIM.engine, CLAIM.model, CLAIM.document)
VERSION = sa.select(STATE.version)
DOCUMENTS = sa.select(CLAIM.number, *DOCUMENT).where(CLAIM.number.in_(sa.bindparam("numbers", expanding=True)))
NEAR = 1000  # ids that are looked through for one that resembles: at most 70 ms
RESEMBLED = 3  # of the ids that are not there: for how many one that resembles is looked for


@dataclass(frozen=True)
class SourceRow:
    """A source in a list. `url` is to be shown, and linked only where somebody was seen to cite it."""

    id: str
    revision: int
    title: str
    url: str | None
    url_seen_cited: bool
    date: str | None
    publisher: str
    interest: str
    type: str
    summary: str
    retrieved: str
    last_checked: str
    claims: int


class Document(NamedTuple):
    """A claim as it is stored: its JSON, with the two names that every reader asks for first."""

    engine: str | None
    model: str | None
    text: str


@dataclass(frozen=True)
class DocumentPage:
    """A page of claims as stored, for those who pass them on without reading them."""

    items: tuple[Document, ...]
    total: int
    next: str | None
    facets: tuple[Facet, ...] = ()


@dataclass(frozen=True)
class _Selection:
    numbers: tuple[int, ...]
    total: int
    next: str | None
    facets: tuple[Facet, ...]


class Claims:
    """The read side of claims and sources."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._index: ClaimIndex | None = None
        self._building = threading.Lock()
        self._workloads: tuple[int, tuple[StatedWorkload, ...]] = (-1, ())

    def page(
        self,
        wanted: ClaimFilter,
        sort: Sort = "rank",
        cursor: str | None = None,
        limit: int = 50,
        facets: Sequence[str] = tuple(FACETS),
    ) -> ClaimPage:
        """A page of claims with the facets named. Raises InvalidInputError for anything that cannot be asked."""
        with self._database.read() as session:
            selection = self._select(session, wanted, sort, cursor, limit, facets)
            documents = _documents(session, selection.numbers)
        return ClaimPage(
            tuple(parsed(document.text) for document in documents), selection.total, selection.next, selection.facets
        )

    def documents(
        self,
        wanted: ClaimFilter,
        sort: Sort = "rank",
        cursor: str | None = None,
        limit: int = 50,
        facets: Sequence[str] = (),
    ) -> DocumentPage:
        """The same claims as `page`, as they are stored; with facets only where they are asked for."""
        with self._database.read() as session:
            selection = self._select(session, wanted, sort, cursor, limit, facets)
            items = _documents(session, selection.numbers)
        return DocumentPage(items, selection.total, selection.next, selection.facets)

    def claim(self, claim_id: str) -> ClaimRow:
        return self.claims([claim_id])[0]

    def claims(self, claim_ids: Sequence[str]) -> list[ClaimRow]:
        """Claims in the order asked for. Raises NotFoundError that names those which are not there, with near ids."""
        return [parsed(document.text) for document in self.documents_of(claim_ids)]

    def documents_of(self, claim_ids: Sequence[str]) -> list[Document]:
        """The same claims as `claims`, as they are stored."""
        with self._database.read() as session:
            found = _by_id(session, claim_ids)
            missing = [claim_id for claim_id in claim_ids if claim_id not in found]
            if missing:
                raise _not_found(session, "claim", missing, col(ClaimTable.id))
        return [found[claim_id] for claim_id in claim_ids]

    def present(self, claim_ids: Sequence[str]) -> dict[str, Document]:
        """Those of `claim_ids` that are there, by id and in the order asked for."""
        with self._database.read() as session:
            found = _by_id(session, claim_ids)
        return {claim_id: found[claim_id] for claim_id in claim_ids if claim_id in found}

    def all_of_source(self, source_id: str) -> list[ClaimRow]:
        """All claims of a source in the order of its file; none for a source that is not there."""
        if not could_be_id(source_id):
            return []
        with self._database.read() as session:
            statement = select(ClaimTable.document).where(ClaimTable.source_id == source_id)
            documents = session.exec(statement.order_by(col(ClaimTable.number))).all()
        return list(map(parsed, documents))

    def computed_from(self, measurement_id: str) -> list[ClaimRow]:
        """The claims of Benchcard's own sources whose numbers were computed from this measurement's traces, in the
        order of their files."""
        of_ours = select(ClaimTable.document).join(SourceTable).where(SourceTable.publisher == OURS)
        of_ours = of_ours.where(col(ClaimTable.document).contains(measurement_id, autoescape=True))
        with self._database.read() as session:
            documents = session.exec(of_ours.order_by(col(ClaimTable.number))).all()
        found = map(parsed, documents)
        return [claim for claim in found if claim.evidence and claim.evidence.measurement == measurement_id]

    def related(self, row: ClaimRow, most: int = 6) -> list[ClaimRow]:
        """Claims and cards under conditions like this one's, the nearest first (app.claims.related)."""
        given = row.conditions
        shared = {"model": given.model.id, "engine": given.engine.name, "hardware": given.hardware.accelerator}
        with self._database.read() as session:
            index = self._current(session)
            near = related_positions(index, {**shared, "axis": row.axis, "kind": row.kind}, row.id, most)
            documents = _documents(session, index.numbers[near].tolist())
        return [parsed(document.text) for document in documents]

    def configurations(self, engine: str, model: str) -> TwoConfigurations:
        """The low-latency and the high-throughput numbers of one engine for one model, cards among them."""
        axes = (*LATENCY_AXES, *THROUGHPUT_AXES)
        wanted = ClaimFilter((("engine", (engine,)), ("model", (model,)), ("axis", axes), ("kind", ("absolute",))))
        return two_configurations(engine, model, self.page(wanted, limit=LONGEST_PAGE, facets=()).items)

    def sources(self) -> list[SourceRow]:
        """All sources, the newest first."""
        names = [name for name in SourceRow.__dataclass_fields__ if name != "claims"]
        columns: list[Any] = [getattr(SourceTable, name) for name in names]
        count = (
            select(func.count())
            .select_from(ClaimTable)
            .where(ClaimTable.source_id == SourceTable.id)
            .correlate(SourceTable)
            .scalar_subquery()
        )
        order = (func.coalesce(SourceTable.date, "").desc(), SourceTable.id)
        with self._database.read() as session:
            rows = session.execute(sa.select(*columns, count).order_by(*order)).all()
        return [SourceRow(*row) for row in rows]

    def source_document(self, source_id: str) -> str:
        """The whole source as stored JSON. Raises NotFoundError."""
        with self._database.read() as session:
            statement = select(SourceTable.document).where(SourceTable.id == source_id)
            document = session.exec(statement).first() if could_be_id(source_id) else None
            if document is None:
                raise _not_found(session, "source", [source_id], col(SourceTable.id))
            return document

    def index(self) -> ClaimIndex:
        """The index of the catalogue as it is now."""
        with self._database.read() as session:
            return self._current(session)

    def workloads(self) -> tuple[StatedWorkload, ...]:
        """What the most important claims state of their workload, in that order; read once a state of the catalogue."""
        with self._database.read() as session:
            index = self._current(session)
            version, found = self._workloads
            if version != index.version:
                documents = _documents(session, index.numbers[index.orders["rank"][:MOST]].tolist())
                found = tuple(stated_workload(document.text) for document in documents)
                self._workloads = (index.version, found)
        return found

    def _current(self, session: Session) -> ClaimIndex:
        """The index of the state that the session sees, built anew where the catalogue has changed."""
        version = session.connection().execute(VERSION).scalar_one()
        index = self._index
        if index is not None and index.version == version:
            return index
        with self._building:
            if self._index is None or self._index.version != version:
                self._index = build_index(session, version)
            return self._index

    def _select(
        self, session: Session, wanted: ClaimFilter, sort: Sort, cursor: str | None, limit: int, facets: Sequence[str]
    ) -> _Selection:
        index = self._current(session)
        _check(index, wanted, sort, limit, facets)
        masks = index.masks(wanted.values)
        if question := words(wanted.q):
            masks["q"] = index.found(_matching(session, question))
        mask = together(masks.values())
        axes = wanted.of("axis")
        key = read_cursor(sort, wanted, cursor) if cursor else None
        order = index.after(sort, axes[0] if axes else None, key)
        chosen = (order if mask is None else order[mask[order]])[: limit + 1].tolist()
        following = write_cursor(sort, wanted, index.key(sort, chosen[limit - 1])) if len(chosen) > limit else None
        return _Selection(
            numbers=tuple(index.numbers[chosen[:limit]].tolist()),
            total=len(index) if mask is None else int(np.count_nonzero(mask)),
            next=following,
            facets=index.counted(facets, wanted, masks),
        )


@kept(PARSED)
def parsed(document: str) -> ClaimRow:
    """A stored claim as a row, its headline in the language spoken. Rows never change, so equal documents may share
    one."""
    row = ClaimRow.model_validate_json(document)
    return row if spoken() is ENGLISH else reworded(row)


def _by_id(session: Session, claim_ids: Sequence[str]) -> dict[str, Document]:
    wanted = [claim_id for claim_id in claim_ids if could_be_id(claim_id)]
    statement = sa.select(CLAIM.id, *DOCUMENT).where(CLAIM.id.in_(wanted))
    return {row[0]: Document(*row[1:]) for row in session.execute(statement)} if wanted else {}


def _documents(session: Session, numbers: Sequence[int]) -> tuple[Document, ...]:
    rows = session.connection().execute(DOCUMENTS, {"numbers": numbers})
    found = {row[0]: Document(*row[1:]) for row in rows}
    return tuple(found[number] for number in numbers)


def _matching(session: Session, question: Sequence[str]) -> list[int]:
    """Keys of the claims in which every word occurs. The database joins them to one text: a row each would take
    longer than the search, and hold up the other threads meanwhile."""
    statement = sa.select(sa.func.aggregate_strings(sa.cast(CLAIM.number, sa.String), ","))
    for word in question:
        statement = statement.where(CLAIM.search.like(pattern(word), escape="\\"))
    found = session.connection().execute(statement).scalar_one()
    return [int(number) for number in found.split(",")] if found else []


def _check(index: ClaimIndex, wanted: ClaimFilter, sort: str, limit: int, facets: Sequence[str]) -> None:
    """Raise InvalidInputError with every problem of a question at once."""
    problems = [problem for facet, values in wanted.values for problem in _facet_problems(index, facet, values)]
    for name in set(facets) - set(FACETS):
        problems.append(_problem("facets", _("`{name}` is no facet").format(name=name), name, tuple(FACETS)))
    if sort not in get_args(Sort):
        problems.append(_problem("sort", _("`{sort}` is no sort order").format(sort=sort), sort, get_args(Sort)))
    if sort in ("value", "-value") and len(set(wanted.of("axis"))) != 1:
        problems.append(
            _problem("sort", _("numbers can be sorted by value within one axis only: choose one axis first"))
        )
    if not 1 <= limit <= LONGEST_PAGE:
        problems.append(_problem("limit", _("a page has 1 to {longest_page} claims").format(longest_page=LONGEST_PAGE)))
    if problems:
        raise InvalidInputError("; ".join(str(problem["message"]) for problem in problems), problems)


def _facet_problems(index: ClaimIndex, facet: str, values: Sequence[str]) -> list[dict[str, object]]:
    if facet not in FACETS:
        return [_problem(facet, _("`{facet}` is no facet").format(facet=facet), facet, tuple(FACETS))]
    known = index.known(facet, values)
    return [
        _problem(
            facet,
            _("no claim has the {facet} `{value}`").format(facet=facet.replace("_", " "), value=value[:80]),
            value,
            known,
        )
        for value in values
        if value not in known
    ]


def _problem(field: str, message: str, given: str = "", known: Sequence[str] = ()) -> dict[str, object]:
    """One entry of an error's details; `near` are the known values that look like the one given."""
    near = nearest(given, known)
    asks = _("; did you mean `{first}`?").format(first=near[0]) if near else ""
    return {"field": field, "message": message + asks, "near": near}


def nearest(given: str, known: Sequence[str]) -> list[str]:
    """The known values that look like `given`, best first; case does not count."""
    folded = {value.casefold(): value for value in known}
    return [folded[value] for value in difflib.get_close_matches(given[:80].casefold(), folded, n=3)]


def _not_found(session: Session, noun: str, missing: Sequence[str], column: Any) -> NotFoundError:
    """Names each missing id (at most ten), the first ones with ids that look like them."""
    details: list[dict[str, object]] = []
    for place, given in enumerate(missing[:10]):
        near = nearest(given, _candidates(session, given[:80], column)) if place < RESEMBLED else []
        asks = _("; did you mean `{first}`?").format(first=near[0]) if near else ""
        shown = given if len(given) <= 80 else f"{given[:80]}..."
        details.append(
            {
                "field": "id",
                "message": _("there is no {noun} `{shown}`{asks}").format(noun=_(noun), shown=shown, asks=asks),
                "near": near,
            }
        )
    return NotFoundError("; ".join(str(detail["message"]) for detail in details), details)


def _candidates(session: Session, given: str, column: Any) -> list[str]:
    """Ids that begin like `given`, with as long a beginning as finds any; never more than can be compared quickly."""
    for length in (12, 6, 3, 0):
        start = given[:length].lower()  # as all ids are
        if not could_be_id(start):
            continue
        statement = select(column).where(column.like(pattern(start)[1:], escape="\\")).limit(NEAR)
        found = list(session.exec(statement))
        if found:
            return found
    return []
