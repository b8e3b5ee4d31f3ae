"""The catalogue folder becomes the database's content: all of it, once, or not at all."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from app.catalogue.folder import read_catalogue
from app.catalogue.queries import Catalogue
from app.catalogue.store import load_into
from app.claims.rows import ClaimFilter
from app.errors import CatalogueError

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

    from app.clock import Clock
    from app.db import Database


def source(name: str, *claims: str, extra: str = "") -> str:
    head = f"""
        id: {name}
        title: Post {name}
        url: https://example.org/{name}
        url_seen_cited: true
        publisher: A team
        interest: its own
        type: blog
        date: 2026-10-07
        read_in: a copy
        retrieved: 2026-11-29
        last_checked: 2026-11-29
        summary: What it says.
        claims:
        """
    body = "".join(
        f"""
          - id: {claim}
            title: one stream
            value: 873.63
            unit: tok/s
            kind: absolute
            axis: decode_rate
            scope: end_to_end
            locator: table 1
            stated_in: table
            baseline: {{kind: none}}
            conditions: {{engine: {{name: SGLang}}}}
            acceptance: {{kind: not_stated}}
            {extra}
        """
        for claim in claims
    )
    return dedent(head) + "\n".join(line[8:] for line in body.splitlines() if line.strip()) + "\n"


def load(database: Database, folder: Path, clock: Clock) -> Counter[str]:
    return load_into(database, read_catalogue(folder), clock)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "sources"
    made.mkdir()
    (made / "one.yaml").write_text(source("one", "a", "b"))
    (made / "two.yaml").write_text(source("two", "c"))
    return made


def test_loading_twice_changes_nothing_and_keeps_the_index(database: Database, folder: Path, clock: Clock) -> None:
    catalogue = Catalogue(database)
    assert load(database, folder, clock) == {"added": 2}
    index = catalogue.index()
    assert load(database, folder, clock) == {"unchanged": 2}
    assert catalogue.index() is index


def test_a_changed_file_is_a_revision_and_a_removed_one_is_withdrawn(
    database: Database, folder: Path, clock: Clock
) -> None:
    catalogue = Catalogue(database)
    load(database, folder, clock)
    assert catalogue.page(ClaimFilter()).total == 3
    (folder / "one.yaml").write_text(source("one", "a"))
    (folder / "two.yaml").unlink()
    assert load(database, folder, clock) == {"revised": 1, "withdrawn": 1}
    assert [row.id for row in catalogue.page(ClaimFilter()).items] == ["a"]


def test_a_repetition_told_by_one_file_renews_the_row_of_another(
    database: Database, folder: Path, clock: Clock
) -> None:
    catalogue = Catalogue(database)
    load(database, folder, clock)
    assert catalogue.claim("a").reproduction.status == "never_tried"
    (folder / "two.yaml").write_text(source("two", "c", extra="repeats: a"))
    assert load(database, folder, clock) == {"revised": 1, "refreshed": 1}
    assert catalogue.claim("a").reproduction.status == "repeated_by_others"


def test_a_whole_source_comes_back_as_it_was_read(database: Database, folder: Path, clock: Clock) -> None:
    load(database, folder, clock)
    found = Catalogue(database).source("one")
    assert [(claim.id, str(claim.value)) for claim in found.claims] == [("a", "873.63"), ("b", "873.63")]


def test_wrong_files_are_all_reported_with_their_places_and_nothing_is_stored(
    database: Database, folder: Path, clock: Clock
) -> None:
    (folder / "three.yaml").write_text(source("three", "d").replace("unit: tok/s", "unit: parsec"))
    (folder / "two.yaml").write_text("id: [")
    with pytest.raises(CatalogueError) as caught:
        load(database, folder, clock)
    places = [(problem.file.rpartition("/")[2], problem.place.line) for problem in caught.value.problems]
    assert {name for name, _ in places} == {"two.yaml", "three.yaml"}
    assert all(line >= 1 for _, line in places)
    assert Catalogue(database).page(ClaimFilter()).total == 0


def test_bytes_that_are_no_text_are_reported_with_their_place(database: Database, folder: Path, clock: Clock) -> None:
    (folder / "one.yaml").write_bytes(b"id: one\ntitle: \xff\n")
    with pytest.raises(CatalogueError, match=r"one\.yaml:2:8: this byte is not UTF-8"):
        load(database, folder, clock)


def test_no_sources_are_an_empty_catalogue(database: Database, clock: Clock) -> None:
    load_into(database, [], clock)
    page = Catalogue(database).page(ClaimFilter())
    assert (page.total, page.items, page.next) == (0, (), None)
    assert all(facet.values == () for facet in page.facets)
