"""Statements that the driver runs say what SQLAlchemy's would: same rows, same types, same errors, same transaction."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel

import app.jobs.tables  # noqa: F401 (declares the tables)
from app.statements import Prepared

if TYPE_CHECKING:
    from sqlmodel import Session

    from app.db import Database

RUNNER = SQLModel.metadata.tables["runner"]
SELECT = sa.select(RUNNER, sa.literal(7).label("constant")).where(RUNNER.c.name == sa.bindparam("runner"))
NOON = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
ROW: dict[str, Any] = {
    "name": "r 100 %", "token_id": "t", "boot_id": "b", "earlier_boots": "[]", "version": "1", "capabilities": "{}",
    "seen_at": NOON, "draining": True, "trouble": None, "drain_asked": False, "failures": 0,
}  # fmt: skip


def test_a_row_comes_back_as_sqlalchemy_gives_it(database: Database) -> None:
    insert, read = Prepared(sa.insert(RUNNER)), Prepared(SELECT)
    database.write(lambda session: insert.run(session, ROW))
    with database.read() as session:
        expected = session.connection().execute(SELECT, {"runner": ROW["name"]}).one()
        found = read.first(session, {"runner": ROW["name"]})
        assert read.first(session, {"runner": "nobody"}) is None
    assert found._asdict() == dict(expected._mapping)
    assert (found.seen_at, found.draining, found.quarantine, found.constant) == (NOON, True, None, 7)


def test_an_update_sets_what_is_named_and_nothing_else(database: Database) -> None:
    update = Prepared(sa.update(RUNNER).where(RUNNER.c.name == sa.bindparam("runner")))
    database.write(lambda session: Prepared(sa.insert(RUNNER)).run(session, ROW))

    def changed(session: Session) -> None:
        for values in ({"failures": 2}, {"seen_at": NOON + dt.timedelta(hours=1), "failures": 3}, {"failures": 4}):
            update.run(session, {"runner": ROW["name"], **values})

    database.write(changed)
    with database.read() as session:
        found = Prepared(SELECT).first(session, {"runner": ROW["name"]})
    assert (found.failures, found.seen_at, found.version) == (4, NOON + dt.timedelta(hours=1), "1")


def test_an_error_is_sqlalchemys_and_undoes_the_transaction_without_showing_values(database: Database) -> None:
    insert = Prepared(sa.insert(RUNNER))

    def twice(session: Session) -> None:
        insert.run(session, ROW)
        insert.run(session, ROW)

    with pytest.raises(IntegrityError) as refused:
        database.write(twice)
    assert "r 100" not in str(refused.value).partition("[SQL")[2]
    with database.read() as session:
        assert Prepared(SELECT).first(session, {"runner": ROW["name"]}) is None
