"""Sources and claims are stored once, revised when they change, and never lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import Session, select

from app.claims.queries import Claims
from app.claims.store import columns, date_number, put_source, release_moved, sort_key, stored_sources, withdraw_source
from app.claims.tables import ClaimTable, SourceRevisionTable, SourceTable
from tests.compare.factories import SOURCE, claim, row
from tests.storage.stored import NOW, record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.claims.schema import ClaimRow
    from app.claims.store import Change, SourceRecord
    from app.db import Database


def put(database: Database, source: SourceRecord, rows: Sequence[ClaimRow]) -> Change:
    return database.write(lambda session: put_source(session, source, rows, NOW))


def revisions(database: Database) -> list[tuple[int, str | None, str | None]]:
    with database.read() as session:
        found = session.exec(select(SourceRevisionTable).order_by(SourceRevisionTable.revision)).all()  # type: ignore[arg-type]
        return [(item.revision, item.content_hash, item.document) for item in found]


def test_the_same_file_again_changes_nothing(database: Database) -> None:
    assert put(database, record(), [row(id="a")]) == "added"
    assert put(database, record(), [row(id="a")]) == "unchanged"
    assert len(revisions(database)) == 1


def test_another_content_is_a_new_revision_and_the_old_one_stays(database: Database) -> None:
    put(database, record(content="1"), [row(id="a"), row(id="b")])
    assert put(database, record(content="2"), [row(id="b"), row(id="c")]) == "revised"
    assert [(number, content) for number, content, _ in revisions(database)] == [(1, "1"), (2, "2")]
    assert [item.id for item in Claims(database).all_of_source("post")] == ["b", "c"]
    with database.read() as session:
        assert session.exec(select(SourceTable)).one().revision == 2


def test_our_own_new_wording_renews_the_rows_without_a_revision(database: Database) -> None:
    put(database, record(), [row(id="a")])
    reworded = row(id="a").model_copy(update={"headline": "worded anew"})
    assert put(database, record(), [reworded]) == "refreshed"
    assert Claims(database).claim("a").headline == "worded anew"
    assert len(revisions(database)) == 1


def test_a_withdrawn_source_is_gone_from_the_table_and_kept_in_the_revisions(database: Database) -> None:
    put(database, record(), [row(id="a")])
    database.write(lambda session: withdraw_source(session, "post", NOW))
    with database.read() as session:
        assert stored_sources(session) == set()
        assert session.exec(select(ClaimTable)).all() == []
    assert revisions(database) == [(1, "1", '{"id":"post"}'), (2, None, None)]


def test_a_source_that_comes_back_goes_on_counting(database: Database) -> None:
    put(database, record(), [row(id="a")])
    database.write(lambda session: withdraw_source(session, "post", NOW))
    assert put(database, record(), [row(id="a")]) == "added"
    assert [number for number, _, _ in revisions(database)] == [1, 2, 3]


def test_a_claim_may_move_to_a_source_that_is_stored_before_its_old_one(database: Database) -> None:
    other = row(id="a", source={**SOURCE, "id": "earlier"})
    put(database, record("post"), [row(id="a"), row(id="b")])

    def work(session: Session) -> None:
        release_moved(session, {"a": "earlier", "b": "post"})
        put_source(session, record("earlier"), [other], NOW)
        put_source(session, record("post", content="2"), [row(id="b")], NOW)

    database.write(work)
    assert Claims(database).claim("a").source.id == "earlier"


def test_a_stored_claim_comes_back_digit_for_digit(database: Database) -> None:
    original = row(id="a", value="223.50", caveats=[{"kind": "one_run", "text": "<b>once</b> 😀"}])
    put(database, record(), [original])
    assert Claims(database).claim("a") == original
    assert str(Claims(database).claim("a").value) == "223.50"


RATIO: dict[str, Any] = {"kind": "ratio", "unit": "x", "baseline": {"kind": "not_stated"}}


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        ({"value": "9.5"}, {"value": "10"}),
        ({"value": "999", "unit": "ms", "axis": "e2e_latency"}, {"value": "1", "unit": "s", "axis": "e2e_latency"}),
        ({"value": "999", "unit": "us", "axis": "kernel_time"}, {"value": "1", "unit": "ms", "axis": "kernel_time"}),
        ({"value": "873"}, {**RATIO, "value": "5"}),  # another kind of number, never in between
        ({**RATIO, "low": "14", "high": "23", "value": None}, {**RATIO, "value": "19"}),
        ({**RATIO, "value": "5"}, {**RATIO, "kind": "change", "unit": "%", "value": "-30"}),
        ({**RATIO, "value": "99"}, {"value": None, "written": "fast"}),  # without a number: last
    ],
)
def test_claims_sort_by_value_within_one_kind_and_unit(lower: dict[str, Any], higher: dict[str, Any]) -> None:
    first, second = sort_key(claim(**lower)), sort_key(claim(**higher))
    assert (first[0], first[1] or 0) < (second[0], second[1] or 0)


@pytest.mark.parametrize(
    ("date", "number"), [("2026-10-07", 20261007), ("2026-10", 20261000), ("2026", 20260000), (None, 0), ("autumn", 0)]
)
def test_a_date_is_ordered_as_far_as_it_is_stated(date: str | None, number: int) -> None:
    assert date_number(date) == number


def test_caveat_kinds_are_listed_once() -> None:
    caveats = [{"kind": "one_run", "text": "a"}, {"kind": "noise", "text": "b"}, {"kind": "one_run", "text": "c"}]
    assert columns(row(caveats=caveats), "{}")["caveats"] == "one_run noise"
