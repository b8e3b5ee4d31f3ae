"""Real engines take minutes and gigabytes, so they run where they are asked for: `make test-engines`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.engines import stories

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.engines.stories import Story


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not os.environ.get("BENCHCARD_TEST_ENGINES"):
        for item in items:
            if item.path.is_relative_to(stories.HERE):
                item.add_marker(
                    pytest.mark.skip(reason="the real engines have a target of their own, make test-engines")
                )


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stories.tiny(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="session")
def story(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Story]:
    """By engine and `plain` or `ngram`; each is lived through once."""
    told: dict[tuple[str, str], Story] = {}

    def tell(engine: str, kind: str) -> Story:
        if (engine, kind) not in told:
            speculation = stories.SPECULATION[engine] if kind == "ngram" else None
            folder = tmp_path_factory.mktemp(f"{engine}-{kind}")
            told[engine, kind] = stories.tell(engine, model, folder, speculation)
        return told[engine, kind]

    return tell
