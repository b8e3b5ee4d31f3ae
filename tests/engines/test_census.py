"""The census against the parsers of the real engines: a new release waits until somebody has sorted what is new."""

from __future__ import annotations

import pytest

from app.protocol.engines import ENGINES
from app.protocol.policy import census as sorted_out
from runners.engines import census
from tests.engines import stories


@pytest.mark.parametrize("engine", ENGINES)
def test_an_installed_engine_says_what_its_census_file_says(engine: str) -> None:
    found = stories.installed(engine)
    found.flags(stories.SITES[engine])  # its help, asked where it can run
    written = census.of_installed(found)
    assert census.unclassified(written) == []
    assert written == (sorted_out.FOLDER / f"{engine}-{found.version}.toml").read_text()
