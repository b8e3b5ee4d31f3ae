"""Cards are stored with every revision, stand in the claims table as rows, and are never lost or overwritten."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text
from sqlmodel import Session, select

from app.cards.load import read_card
from app.cards.queries import CardFilter, Cards
from app.cards.store import Draft, Writer, create, retract, revise
from app.cards.tables import CardRevisionTable
from app.catalogue.folder import read_catalogue
from app.catalogue.store import load_into
from app.claims.queries import Claims
from app.claims.rows import ClaimFilter
from app.db import Database
from app.errors import ConflictError, ForbiddenError, InvalidInputError, NotFoundError
from app.randomness import SystemRandomness
from app.replay.store import Reply, once
from tests.cards.factories import NOW, SOUND, sound
from tests.compare.factories import row
from tests.storage.stored import store
from tests.storage.test_load import source

if TYPE_CHECKING:
    import datetime as dt
    from pathlib import Path

    from app.cards.record import CardRecord
    from tests.conftest import StillClock

ANA, BEN, MAINTAINER = Writer("Ana", "a"), Writer("Ben", "b"), Writer("Max", "m", maintains=True)


class Repeating:
    """Gives the same bytes twice before it moves on, so that ids collide."""

    def __init__(self) -> None:
        self.taken = 0

    def take(self, count: int) -> bytes:
        self.taken += 1
        return bytes([self.taken // 2] * count)


def draft(text: str = SOUND, note: str | None = None) -> Draft:
    read = read_card(text)
    assert read.card is not None
    return Draft(read.card, read.findings, note)


def add(database: Database, text: str = SOUND, by: Writer = ANA, now: dt.datetime = NOW) -> CardRecord:
    return database.write(lambda session: create(session, draft(text), by, now, SystemRandomness()))


def change(database: Database, card_id: str, expected: int, text: str, by: Writer = ANA) -> CardRecord:
    return database.write(lambda session: revise(session, card_id, expected, draft(text, "why"), by, NOW))


def take_back(database: Database, card_id: str, by: Writer = ANA) -> CardRecord:
    return database.write(lambda session: retract(session, card_id, "wrong", by, NOW))


@pytest.fixture
def claims(database: Database) -> Claims:
    return Claims(database)


@pytest.fixture
def cards(database: Database, claims: Claims, clock: StillClock) -> Cards:
    return Cards(database, claims, clock)


def version(claims: Claims) -> int:
    return claims.index().version


def test_a_card_is_read_back_as_it_was_written(cards: Cards, database: Database) -> None:
    made = add(database, sound(quality="no"))
    assert cards.card(made.id) == made
    assert [finding.rule for finding in made.revision.findings] == ["W-quality"]
    assert made.revision.findings[0].place is not None


def test_an_id_names_the_day_and_is_never_given_twice(database: Database) -> None:
    dice = Repeating()

    def made_once(session: Session) -> Reply:
        return Reply(201, create(session, draft(), ANA, NOW, dice).id)

    made = [once(database, None, NOW, made_once)[0].body for _ in range(3)]
    assert made == ["card-20261129-00000000", "card-20261129-11111111", "card-20261129-22222222"]


def test_a_card_stands_in_the_table_beside_the_claims(database: Database, claims: Claims) -> None:
    store(database, [row(id="claim")])
    before = version(claims)
    made = add(database)
    assert version(claims) == before + 1
    page = claims.page(ClaimFilter())
    assert {item.id for item in page.items} == {"claim", made.id}
    found = claims.page(ClaimFilter((("record", ("card",)), ("engine", ("vLLM",)))))
    assert [item.id for item in found.items] == [made.id]
    facet = {value.value: value.count for value in found.facets[0].values}
    assert (found.facets[0].name, facet) == ("record", {"published": 0, "card": 1})
    assert claims.claim(made.id).card is not None


def test_all_cards_share_one_entry_of_the_source_facet(database: Database, claims: Claims) -> None:
    store(database, [row(id="claim")])
    assert claims.page(ClaimFilter((("source", ("cards",)),))).total == 0
    add(database), add(database)
    page = claims.page(ClaimFilter((("source", ("cards",)),)), facets=("source",))
    assert page.total == 2
    assert [(value.value, value.label, value.count) for value in page.facets[0].values] == [
        ("cards", "Bench cards", 2),
        ("post", "A post", 1),
    ]
    assert [item.id for item in claims.sources()] == ["post"]


def test_a_plan_is_kept_and_is_no_row(cards: Cards, claims: Claims, database: Database) -> None:
    before = version(claims)
    made = add(database, sound(result=None))
    assert made.state == "plan"
    assert version(claims) == before
    assert claims.page(ClaimFilter()).total == 0
    measured = change(database, made.id, 1, SOUND)
    assert (measured.state, claims.page(ClaimFilter()).total) == ("measured", 1)
    assert change(database, made.id, 2, sound(result=None)).state == "plan"
    assert claims.page(ClaimFilter()).total == 0
    assert [item.number for item in cards.revisions(made.id)] == [1, 2, 3]


def test_an_edit_is_a_revision_and_nothing_is_overwritten(cards: Cards, claims: Claims, database: Database) -> None:
    made = add(database)
    changed = change(database, made.id, 1, sound(result="{value: 300, unit: tok/s}"))
    assert (changed.revision.number, changed.newest, changed.revision.note) == (2, 2, "why")
    assert claims.claim(made.id).headline == "300 tok/s"
    first, second = cards.revisions(made.id)
    assert (first.card, second.card) == (made.card, changed.card)
    assert cards.card(made.id, 1).revision == made.revision
    assert cards.card(made.id, 1).newest == 2


def test_the_same_content_again_is_no_revision(cards: Cards, claims: Claims, database: Database) -> None:
    made = add(database)
    before = version(claims)
    assert change(database, made.id, 1, SOUND) == made
    assert (len(cards.revisions(made.id)), version(claims)) == (1, before)


def test_a_stale_edit_is_refused_and_changes_nothing(cards: Cards, database: Database) -> None:
    made = add(database)
    change(database, made.id, 1, sound(note="one"))
    with pytest.raises(ConflictError, match="at revision 2, not 1"):
        change(database, made.id, 1, sound(note="two"))
    assert cards.card(made.id).card.note == "one"


def test_only_its_owner_or_a_maintainer_changes_a_card(cards: Cards, database: Database) -> None:
    made = add(database)
    with pytest.raises(ForbiddenError, match="belongs to Ana"):
        change(database, made.id, 1, sound(note="n"), BEN)
    with pytest.raises(ForbiddenError):
        take_back(database, made.id, BEN)
    changed = change(database, made.id, 1, sound(note="n"), MAINTAINER)
    assert (changed.author, changed.owner, changed.revision.author) == ("Ana", "a", "Max")
    assert change(database, made.id, 2, sound(note="o")).revision.author == "Ana"
    assert cards.card(made.id).author == "Ana"


def test_a_retracted_card_stays_and_says_so_everywhere(cards: Cards, claims: Claims, database: Database) -> None:
    made = add(database)
    take_back(database, made.id)
    kept = cards.card(made.id)
    assert kept.retraction is not None
    assert (kept.state, kept.retraction.reason, kept.retraction.by) == ("retracted", "wrong", "Ana")
    shown = claims.claim(made.id)
    assert shown.title.startswith("Retracted")
    assert shown.card is not None
    assert shown.card.retracted == "wrong"
    assert cards.page(CardFilter()).items[0].retraction == "wrong"
    assert claims.page(ClaimFilter((("caveat", ("retracted",)),))).total == 1


def test_a_retracted_card_is_changed_no_more(database: Database) -> None:
    made = add(database)
    take_back(database, made.id)
    with pytest.raises(ConflictError, match="retracted"):
        change(database, made.id, 1, sound(note="n"), MAINTAINER)
    with pytest.raises(ConflictError, match="retracted"):
        take_back(database, made.id)


def test_the_catalogue_loads_beside_cards_and_takes_none_away(
    database: Database, claims: Claims, tmp_path: Path, clock: StillClock
) -> None:
    made = add(database)
    (tmp_path / "one.yaml").write_text(source("one", "one-a"))
    load_into(database, read_catalogue(tmp_path), clock)
    load_into(database, [], clock)
    assert [item.id for item in claims.page(ClaimFilter()).items] == [made.id]


@pytest.mark.parametrize("card_id", ["nothing", "", "x" * 5000, "\x00", "card-é"])
def test_a_card_that_is_not_there_is_named(cards: Cards, database: Database, card_id: str) -> None:
    for read in (cards.card, cards.revisions):
        with pytest.raises(NotFoundError):
            read(card_id)
    with pytest.raises(NotFoundError):
        change(database, card_id, 1, SOUND)


def test_near_ids_and_revisions_are_offered(cards: Cards, database: Database) -> None:
    made = add(database)
    with pytest.raises(NotFoundError) as missing:
        cards.card(made.id[:-1])
    assert missing.value.details[0]["near"] == [made.id]
    with pytest.raises(NotFoundError, match="revisions 1 to 1, no 2"):
        cards.card(made.id, 2)


def test_cards_are_listed_newest_first_a_page_at_a_time(cards: Cards, database: Database) -> None:
    made = [add(database, sound(title=f"card {number}")).id for number in range(5)]
    first = cards.page(CardFilter(), limit=2)
    second = cards.page(CardFilter(), first.next, limit=2)
    third = cards.page(CardFilter(), second.next, limit=2)
    listed = [item.id for page in (first, second, third) for item in page.items]
    assert (listed, first.total, third.next) == (made[::-1], 5, None)


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (CardFilter(engine=["vLLM"]), 2),
        (CardFilter(engine=["SGLang", "vLLM"]), 3),
        (CardFilter(model=["Llama-3.1-8B"], state=["plan"]), 1),
        (CardFilter(axis=["ttft"]), 0),
        (CardFilter(hardware=["H200"], state=["measured"]), 2),
        (CardFilter(repeats=["claim"]), 1),
    ],
)
def test_a_list_of_cards_is_filtered(cards: Cards, database: Database, wanted: CardFilter, count: int) -> None:
    for card in (SOUND, sound(engine="sglang", repeats="claim"), sound(result=None)):
        add(database, card)
    assert cards.page(wanted).total == count


@pytest.mark.parametrize(("cursor", "limit"), [("x", 1), ("-1", 1), ("9" * 30, 1), ("١", 1), (None, 0), (None, 501)])
def test_a_place_or_a_size_that_cannot_be_is_refused(cards: Cards, cursor: str | None, limit: int) -> None:
    with pytest.raises(InvalidInputError):
        cards.page(CardFilter(), cursor, limit)


def test_a_card_that_repeats_no_claim_is_told_what_was_meant(cards: Cards, database: Database) -> None:
    store(database, [row(id="claim-one")])
    read = cards.check(read_card(sound(repeats="claim-on")))
    assert [(finding.rule, finding.field) for finding in read.errors] == [("E-repeats", "repeats")]
    assert "did you mean `claim-one`" in read.errors[0].message
    assert read.errors[0].place is not None
    assert read.errors[0].place.line > 10


def test_a_card_that_repeats_a_claim_on_another_axis_is_warned(cards: Cards, database: Database) -> None:
    store(database, [row(id="claim-one")])
    assert cards.check(read_card(sound(repeats="claim-one"))).findings == ()
    other = cards.check(read_card(sound(repeats="claim-one", metric="ttft", result="{value: 1, unit: ms}")))
    assert [finding.rule for finding in other.findings] == ["W-repeats"]


@pytest.mark.parametrize(
    ("day", "rules"), [("2026-11-30", []), ("2026-12-01", ["E-day"]), ("1026-10-07", ["E-day"]), ("2017-01-01", [])]
)
def test_a_measurement_is_of_a_day_that_has_come(cards: Cards, day: str, rules: list[str]) -> None:
    read = cards.check(read_card(sound(result=f"{{value: 1, unit: tok/s, measured_at: {day}}}")))
    assert [finding.rule for finding in read.findings] == rules


def test_the_cards_that_repeat_a_claim_are_found(cards: Cards, database: Database) -> None:
    store(database, [row(id="claim-one")])
    made = add(database, sound(repeats="claim-one"))
    assert [item.id for item in cards.repeating("claim-one")] == [made.id]
    assert cards.repeating("other") == ()


def test_twenty_writers_lose_nothing(cards: Cards, claims: Claims, database: Database, database_url: str) -> None:
    """Half of them through a second server on the same database."""
    other = Database(database_url)

    def write(number: int) -> str:
        side = (database, other)[number % 2]
        return add(side, sound(title=f"writer {number}")).id

    with ThreadPoolExecutor(20) as threads:
        made = list(threads.map(write, range(100)))
    other.close()
    assert len(set(made)) == 100
    assert cards.page(CardFilter()).total == 100
    assert {item.id for item in claims.page(ClaimFilter(), limit=500).items} == set(made)
    with database.read() as session:
        assert len(session.exec(select(CardRevisionTable)).all()) == 100


def test_of_twenty_edits_of_one_revision_one_wins(cards: Cards, database: Database, database_url: str) -> None:
    made = add(database)
    other = Database(database_url)

    def edit(number: int) -> bool:
        try:
            change((database, other)[number % 2], made.id, 1, sound(note=f"edit {number}"))
        except ConflictError:
            return False
        return True

    with ThreadPoolExecutor(20) as threads:
        won = list(threads.map(edit, range(20)))
    other.close()
    assert won.count(True) == 1
    assert cards.card(made.id).card.note == f"edit {won.index(True)}"


def test_a_write_that_fails_half_way_leaves_nothing(cards: Cards, claims: Claims, database: Database) -> None:
    before = version(claims)

    def work(session: Session) -> Any:
        create(session, draft(), ANA, NOW, SystemRandomness())
        session.execute(text("SELECT nothing FROM nowhere"))

    with pytest.raises(Exception, match="nowhere"):
        database.write(work)
    assert (cards.page(CardFilter()).total, claims.page(ClaimFilter()).total, version(claims)) == (0, 0, before)
