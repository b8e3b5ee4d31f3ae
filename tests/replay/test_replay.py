"""A keyed request is done once, however often and from how many sides it comes."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text
from sqlmodel import Session, select

from app.db import Database
from app.errors import ConflictError, InvalidInputError
from app.replay.store import KEPT_FOR, ReplayKey, Reply, once
from app.replay.tables import ReplyTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import StillClock

KEY = ReplayKey.of("Ana", "k", "POST", "/cards", b"body")
RAISE = text("UPDATE catalogue_state SET version = version + 1")


def work(session: Session) -> Reply:
    """Leaves a trace of having run."""
    session.execute(RAISE)
    return Reply(201, '{"a": 1}', "/there")


def runs(database: Database) -> int:
    with database.read() as session:
        return int(session.execute(text("SELECT version FROM catalogue_state")).scalar_one())


def refuse(_: Session) -> Reply:
    raise ConflictError("not now")


def test_the_same_request_gets_the_same_answer_and_is_not_done_again(database: Database, clock: StillClock) -> None:
    assert once(database, KEY, clock.now(), work) == (Reply(201, '{"a": 1}', "/there"), False)
    assert once(database, KEY, clock.now(), refuse) == (Reply(201, '{"a": 1}', "/there"), True)
    assert runs(database) == 1


@pytest.mark.parametrize(
    "parts", [("POST", "/cards", b"other"), ("PUT", "/cards", b"body"), ("POST", "/card", b"sbody")]
)
def test_another_request_under_the_same_key_is_refused(
    database: Database, clock: StillClock, parts: tuple[str | bytes, ...]
) -> None:
    once(database, KEY, clock.now(), work)
    with pytest.raises(InvalidInputError):
        once(database, ReplayKey.of("Ana", "k", *parts), clock.now(), work)
    assert runs(database) == 1


def test_a_key_belongs_to_who_used_it(database: Database, clock: StillClock) -> None:
    once(database, KEY, clock.now(), work)
    assert once(database, ReplayKey.of("Ben", "k", "POST", "/cards", b"body"), clock.now(), work)[1] is False
    assert runs(database) == 2


def test_without_a_key_every_request_is_done(database: Database, clock: StillClock) -> None:
    once(database, None, clock.now(), work)
    once(database, None, clock.now(), work)
    assert runs(database) == 2


def test_a_refusal_is_not_kept(database: Database, clock: StillClock) -> None:
    with pytest.raises(ConflictError):
        once(database, KEY, clock.now(), refuse)
    assert once(database, KEY, clock.now(), work)[1] is False


def test_many_at_once_are_done_once_from_one_server_and_from_two(
    database: Database, database_url: str, clock: StillClock
) -> None:
    other = Database(database_url)
    sides: list[Callable[[], tuple[Reply, bool]]] = [
        lambda side=side: once(side, KEY, clock.now(), work)  # type: ignore[misc]
        for side in (database, other) * 10
    ]
    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(lambda ask: ask(), sides))
    other.close()
    assert {answer for answer, _ in answers} == {Reply(201, '{"a": 1}', "/there")}
    assert [again for _, again in answers].count(False) == 1
    assert runs(database) == 1


def test_answers_are_kept_for_a_week_and_then_cleared_away_by_some_of_the_requests(
    database: Database, clock: StillClock
) -> None:
    later = [ReplayKey.of("Ana", f"later {number}", str(number)) for number in range(64)]
    once(database, KEY, clock.now(), work)
    clock.moment += KEPT_FOR
    for key in later[:32]:
        once(database, key, clock.now(), work)
    assert kept(database) == {KEY.key, *(key.key for key in later[:32])}
    clock.moment += dt.timedelta(seconds=1)
    for key in later[32:]:
        once(database, key, clock.now(), work)
    assert kept(database) == {key.key for key in later}


def kept(database: Database) -> set[str]:
    with database.read() as session:
        return {reply.key for reply in session.exec(select(ReplyTable))}
