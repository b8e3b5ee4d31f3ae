"""Traces are read in a process of their own, which may take so much memory and no more, and says what it died of."""

from __future__ import annotations

import asyncio
import contextlib
import zipfile
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.apart import ApartError, apart
from app.jobs import apart as reading
from app.jobs.numbers import compute
from app.results.bundle import NEEDED
from tests.jobs.runs import attempt, plan

if TYPE_CHECKING:
    from pathlib import Path


def test_the_numbers_are_those_of_this_process(tmp_path: Path) -> None:
    report, traces = attempt(tmp_path, plan())
    found = asyncio.run(reading.compute_apart(report, traces, plan()))
    whole = compute(report, traces, plan())
    assert found["sets"][0]["tpot_ms"] == whole["sets"][0]["tpot_ms"]
    assert found["valid"] is True


def test_a_few_kb_that_unpack_to_more_than_may_be_are_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One text of 1 MB, written once and meant a thousand times."""
    report, traces = attempt(tmp_path, plan())
    first = traces["a-0-1.parquet"]
    table = pq.read_table(first)
    many = pa.concat_tables([table] * 250).combine_chunks()
    many = many.set_column(many.column_names.index("message"), "message", pa.array(["A" * (1 << 20)] * len(many)))
    pq.write_table(many, first, compression="zstd", use_dictionary=["message"])
    assert first.stat().st_size < 100_000
    monkeypatch.setattr(reading, "MOST_MEMORY", 900 << 20)  # what the libraries themselves map, and some more
    (found, *_) = asyncio.run(reading.compute_apart(report, traces, plan()))["sets"]
    assert found["valid"] is False
    assert "a text of more than 65,536 characters" in found["reasons"][0] or "more memory" in found["reasons"][0]


def test_a_process_without_the_memory_that_it_needs_is_a_reason_for_every_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, traces = attempt(tmp_path, plan())
    monkeypatch.setattr(reading, "MOST_MEMORY", 1 << 20)
    (found,) = asyncio.run(reading.compute_apart(report, traces, plan()))["sets"]
    assert ["more memory" in reason for reason in found["reasons"]] == [True] * 3


def test_a_check_that_is_ended_half_way_leaves_nothing_behind(tmp_path: Path) -> None:
    """A file of 600 MB of zeros, which takes a while to unpack, in a zip of less than one."""
    source, size = tmp_path / "arriving", 600 << 20
    sizes = {**dict.fromkeys(NEEDED, 1), "log.txt": size}
    with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("MANIFEST", "".join(f"{'0' * 64}  {bytes_}  {name}\n" for name, bytes_ in sizes.items()))
        for name in NEEDED:
            made.writestr(name, "x")
        with made.open("log.txt", "w") as log:
            for _ in range(size >> 20):
                log.write(bytes(1 << 20))

    async def ended() -> bool:
        check = asyncio.create_task(reading.check_apart(source))
        while not check.done() and not list(tmp_path.rglob("log.txt")):
            await asyncio.sleep(0)
        check.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await check
        return check.cancelled()

    assert asyncio.run(ended())
    assert list(tmp_path.iterdir()) == [source]


def test_what_a_process_failed_of_is_said() -> None:
    with pytest.raises(ApartError, match=r"^reading it failed, which is a mistake of Benchcard: ValueError: .* 'many'"):
        asyncio.run(apart("app.jobs.apart", "check", "many", longest_s=60, doing="reading it", thing="a bundle"))
