"""The application on the shipped catalogue, asked without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.jobs.logs import Logs
from app.main import create_app, prepare
from app.settings import Settings
from tests.conftest import Client, StillClock
from tests.jobs.factories import Queue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.site import Site


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    settings = Settings(data=tmp_path_factory.mktemp("site"))
    prepare(settings, StillClock())
    client = Client(create_app(settings))
    yield client
    client.app.state.database.close()


@pytest.fixture
def queue(site: Site) -> Queue:
    """The jobs of a test's own `site` (tests/site.py), in its database and by its clock."""
    return Queue(site.database, site.clock, Logs(site.data / "logs"))
