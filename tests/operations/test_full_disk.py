"""D5: on a full disk nothing is half there, the answer says so, and everything works again when there is room."""

from __future__ import annotations

import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.cards.factories import SOUND
from tests.importers.factories import DATA
from tests.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.db import Database
    from tests.conftest import StillClock

RESULT = DATA / "vllm_ngram_detailed.json"


@pytest.fixture
def site(database: Database, clock: StillClock) -> Iterator[Site]:
    yield from open_site(database, clock)


@contextmanager
def full_database(site: Site) -> Iterator[None]:
    """SQLite may not grow the file by a page."""

    def pragma(text: str) -> int:
        database = site.client.app.state.database
        return int(database.write(lambda session: session.connection().exec_driver_sql(f"PRAGMA {text}").scalar_one()))

    pragma(f"max_page_count={pragma('page_count')}")
    yield
    pragma("max_page_count=4294967294")


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file grows beyond `size` bytes: the kernel's own refusal, on the way that a full disk takes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def kept_files(site: Site) -> list[str]:
    return sorted(path.name for path in (site.data / "files").rglob("*") if path.is_file())


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_full_database_refuses_a_card_whole_and_takes_it_later(site: Site) -> None:
    token, taken = site.token(), 0
    with full_database(site):
        while (answer := site.submit(SOUND, token, Idempotency_Key=f"k{taken}")).status_code == 201:
            taken += 1  # there is room yet in the pages that the file has
        assert (answer.status_code, answer.json()["error"]["code"]) == (507, "no_space")
        assert "disk is full; nothing was saved" in answer.json()["error"]["message"]
        assert site.get("/api/v1/cards").json()["total"] == taken
        assert site.get("/").status_code == 200
    assert site.submit(SOUND, token, Idempotency_Key=f"k{taken}").status_code == 201
    assert site.get("/api/v1/cards").json()["total"] == taken + 1


@pytest.mark.parametrize("size", [0, 1000])
def test_a_disk_that_fills_while_a_file_comes_keeps_nothing_of_it(site: Site, size: int) -> None:
    token, body = site.token(), RESULT.read_bytes()
    assert len(body) > 1000
    with full_disk(size):
        answer = site.send("POST", "/api/v1/imports", body, token)
    assert (answer.status_code, answer.json()["error"]["code"]) == (507, "no_space")
    assert kept_files(site) == []
    answer = site.send("POST", "/api/v1/imports", body, token)
    assert answer.status_code in (200, 201)
    assert len(kept_files(site)) == 1
