"""A list with nothing in it says what would stand there, how the first comes about, and what to type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.markup import read

if TYPE_CHECKING:
    from tests.conftest import Client


@pytest.mark.parametrize(
    ("path", "what", "leads_to", "command"),
    [
        ("/jobs", "A runner", "/runners", "make run RUNNER=1"),
        ("/runners", "No runner has asked for work yet", "", "make run RUNNER=1"),
        ("/cards?state=plan", "No card matches", "/cards", ""),
        ("/cards", "A bench card is one measurement", "/import", "benchcard card submit card.yaml"),
        ("/?q=nothing+has+these+words", "Every word of the search must stand in a claim", "/cards/new", ""),
    ],
)
def test_an_empty_list_teaches(site: Client, path: str, what: str, leads_to: str, command: str) -> None:
    (empty,) = [
        item for item in read(site.get(path).text).all() if item.attributes.get("class", "").startswith("empty")
    ]
    assert what in empty.words()
    assert not leads_to or empty.all("a", href=leads_to)
    assert not command or any(command in item.words() for item in empty.all("pre"))
    for shown in empty.all("pre"):
        assert empty.all("button", data_copy=shown.attributes["id"])
