"""The application on the shipped catalogue, asked without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.main import create_app, prepare
from app.settings import Settings
from tests.conftest import Client, StillClock

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    settings = Settings(data=tmp_path_factory.mktemp("site"))
    prepare(settings, StillClock())
    client = Client(create_app(settings))
    yield client
    client.app.state.database.close()
