"""Result files that other tools wrote on a real GPU, as they lie in the evidence that ships, are read as they say."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from app.catalogue.folder import SOURCES
from app.jobs.shipped import FOLDER
from app.results.importers import read
from tests.importers.factories import figures

if TYPE_CHECKING:
    from collections.abc import Iterator

LOADS = {"0": "1", "1": "16", "2": "64", "3": "128"}  # point of the plan -> concurrency


def written() -> Iterator[tuple[str, bytes, str]]:
    """Name, content and concurrency of the first repeat of every load."""
    for bundle in sorted((SOURCES.parent / FOLDER).glob("*.zip")):
        with zipfile.ZipFile(bundle) as content:
            for name in content.namelist():
                tool, _, run = name.rpartition("/")[2].removesuffix(".json").partition("-bench-")
                if tool in {"vllm", "sglang"} and run.endswith("-1") and run[0] in LOADS:
                    yield f"{bundle.stem}-{tool}-{run}", content.read(name), LOADS[run[0]]


RUNS = list(written())


def test_each_tool_has_measured_each_engine_at_each_load() -> None:
    assert len(RUNS) == 2 * 2 * len(LOADS)


@pytest.mark.parametrize(("data", "concurrency"), [run[1:] for run in RUNS], ids=[run[0] for run in RUNS])
def test_a_result_of_a_gpu_is_read_with_its_load_and_its_numbers(data: bytes, concurrency: str) -> None:
    report = read("result.json", data)
    assert not report.problems
    [imported] = report.imported
    assert imported.card.workload
    assert str(imported.card.workload.concurrency) == concurrency
    said, found = json.loads(data), figures(imported)
    assert float(found["output_throughput", None]) == said["output_throughput"]
    assert float(found["tpot", "median"]) == said["median_tpot_ms"]
