"""Tokens, sessions and sign-in links: what the database holds opens nothing, and what has ended has ended at once."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from sqlmodel import select

from app.accounts.queries import Accounts
from app.accounts.store import add_link, add_token, note_use, revoke_token, sign_in_by_link, sign_in_by_token, sign_out
from app.accounts.tables import SessionTable, TokenTable
from app.accounts.tokens import LINK_LIFE, SESSION_LIFE, Actor, join, new_secret, new_token, token_id
from app.errors import NotFoundError, UnauthorizedError
from app.randomness import SystemRandomness

if TYPE_CHECKING:
    from app.db import Database
    from tests.conftest import StillClock

RANDOM = SystemRandomness()


class Fixed:
    def take(self, count: int) -> bytes:
        return bytes(range(count))


@pytest.fixture
def accounts(database: Database, clock: StillClock) -> Accounts:
    return Accounts(database, clock)


def make_token(database: Database, clock: StillClock, *scopes: str, name: str = "Ana") -> str:
    token = new_token(RANDOM)
    database.write(lambda session: add_token(session, token, name, scopes or ("submit",), clock.now()))
    return token


def make_link(database: Database, clock: StillClock) -> str:
    link = new_secret(RANDOM)
    database.write(lambda session: add_link(session, link, "maintainer", ("submit", "maintain"), clock.now()))
    return link


def use_link(database: Database, clock: StillClock, link: str) -> str:
    secret = new_secret(RANDOM)
    database.write(lambda session: sign_in_by_link(session, link, secret, clock.now()))
    return secret


def test_a_token_is_256_random_bits_behind_a_mark() -> None:
    assert new_token(Fixed()) == "bcr_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    assert token_id(new_token(Fixed())) == "bcr_AAECAwQF"


def test_a_token_s_id_never_looks_like_an_option() -> None:
    assert not token_id("bcr_-" + "A" * 42).startswith("-")


def test_scopes_are_kept_in_one_order() -> None:
    assert join(["maintain", "submit", "submit"]) == "submit maintain"


@pytest.mark.parametrize(
    ("scopes", "may"),
    [("submit", {"submit"}), ("maintain", {"submit", "maintain"}), ("runner", {"runner"}), ("", set())],
)
def test_a_maintainer_may_also_submit_and_nobody_else_more_than_told(scopes: str, may: set[str]) -> None:
    actor = Actor("1", "Ana", frozenset(scopes.split()), "1")
    assert {scope for scope in ("submit", "maintain", "runner") if actor.may(scope)} == may


def test_a_token_says_who_asks(accounts: Accounts, database: Database, clock: StillClock) -> None:
    token = make_token(database, clock, "submit", "runner")
    assert accounts.of_token(token) == Actor(token_id(token), "Ana", frozenset({"submit", "runner"}), token_id(token))


@pytest.mark.parametrize("token", ["", "bcr_", "bcr_" + "A" * 43, "x" * 100_000, "bcr_" + "\x00" * 43, "é" * 43])
def test_what_is_no_token_of_ours_is_nobody(accounts: Accounts, token: str) -> None:
    assert accounts.of_token(token) is None
    assert accounts.of_session(token) is None


def test_the_database_holds_no_secret(database: Database, clock: StillClock) -> None:
    token = make_token(database, clock)
    with database.read() as session:
        stored = session.exec(select(TokenTable)).one()
    assert token not in repr(stored)
    assert len(stored.hash) == 64


def test_a_revoked_token_ends_at_once_with_its_browsers(
    accounts: Accounts, database: Database, clock: StillClock
) -> None:
    token, secret = make_token(database, clock), new_secret(RANDOM)
    actor = accounts.of_token(token)
    assert actor
    database.write(lambda session: sign_in_by_token(session, actor, secret, clock.now()))
    assert accounts.of_session(secret) == actor
    database.write(lambda session: revoke_token(session, token_id(token), clock.now()))
    assert accounts.of_token(token) is None
    assert accounts.of_session(secret) is None
    first = accounts.tokens()[0].revoked_at
    clock.moment += dt.timedelta(hours=1)
    database.write(lambda session: revoke_token(session, token_id(token), clock.now()))
    assert accounts.tokens()[0].revoked_at == first


def test_a_token_that_is_not_there_cannot_be_revoked(database: Database, clock: StillClock) -> None:
    with pytest.raises(NotFoundError):
        database.write(lambda session: revoke_token(session, "nothing", clock.now()))


def test_last_use_is_written_once_a_minute(accounts: Accounts, database: Database, clock: StillClock) -> None:
    actor = accounts.of_token(make_token(database, clock))
    assert actor
    seen = []
    for step in (0, 30, 31):
        clock.moment += dt.timedelta(seconds=step)
        database.write(lambda session: note_use(session, actor, clock.now()))
        seen.append(accounts.tokens()[0].last_used_at)
    assert seen[0] == seen[1]
    assert seen[2] == clock.now()


def test_a_session_ends_after_thirty_days(accounts: Accounts, database: Database, clock: StillClock) -> None:
    secret = use_link(database, clock, make_link(database, clock))
    clock.moment += SESSION_LIFE - dt.timedelta(seconds=1)
    assert accounts.of_session(secret)
    clock.moment += dt.timedelta(seconds=1)
    assert accounts.of_session(secret) is None


def test_sessions_that_ran_out_are_removed_when_somebody_signs_in(database: Database, clock: StillClock) -> None:
    use_link(database, clock, make_link(database, clock))
    clock.moment += SESSION_LIFE
    use_link(database, clock, make_link(database, clock))
    with database.read() as session:
        assert len(session.exec(select(SessionTable)).all()) == 1


def test_signing_out_ends_one_browser(accounts: Accounts, database: Database, clock: StillClock) -> None:
    one = use_link(database, clock, make_link(database, clock))
    two = use_link(database, clock, make_link(database, clock))
    database.write(lambda session: sign_out(session, one))
    assert accounts.of_session(one) is None
    assert accounts.of_session(two)


def test_a_link_works_once(accounts: Accounts, database: Database, clock: StillClock) -> None:
    link = make_link(database, clock)
    actor = accounts.of_session(use_link(database, clock, link))
    assert actor == Actor("link:maintainer", "maintainer", frozenset({"submit", "maintain"}), None)
    with pytest.raises(UnauthorizedError):
        use_link(database, clock, link)


def test_a_link_that_many_open_at_once_signs_one_in(database: Database, clock: StillClock) -> None:
    link = make_link(database, clock)

    def attempt(_: int) -> bool:
        try:
            use_link(database, clock, link)
        except UnauthorizedError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(8))) == 1


def test_a_link_ends_after_an_hour_and_with_the_next_one(database: Database, clock: StillClock) -> None:
    old = make_link(database, clock)
    make_link(database, clock)
    with pytest.raises(UnauthorizedError):
        use_link(database, clock, old)
    new = make_link(database, clock)
    clock.moment += LINK_LIFE
    with pytest.raises(UnauthorizedError):
        use_link(database, clock, new)


def test_the_first_start_is_the_one_before_anybody_could_sign_in(
    accounts: Accounts, database: Database, clock: StillClock
) -> None:
    link = make_link(database, clock)
    assert accounts.nobody_yet()
    use_link(database, clock, link)
    assert not accounts.nobody_yet()


def test_a_token_ends_the_first_start_too(accounts: Accounts, database: Database, clock: StillClock) -> None:
    make_token(database, clock, "runner")
    assert accounts.nobody_yet()
    make_token(database, clock)
    assert not accounts.nobody_yet()
