from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from runners.load import metrics, trace, trace_file
from runners.load.count import UNKNOWN
from tests.runners.load.script import DONE, MS, N, base, stream, traced

if TYPE_CHECKING:
    from pathlib import Path

    from runners.load.trace import Trace


def same(one: Trace, other: Trace) -> bool:
    arrays = ("offsets", "event_ns", "event_tokens", "event_marks", "event_usage", "ok")
    return (
        one.meta == other.meta
        and one.words == other.words
        and all(np.array_equal(one.numbers[name], other.numbers[name]) for name in trace.NUMBERS)
        and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
    )


@pytest.fixture
def mixed() -> Trace:
    return traced(base(), base(ids=False), stream([4] + [3] * 9, 30), [(5.0, DONE)], seed=3, endpoint="completions")


def test_a_trace_is_the_same_after_writing_and_reading(mixed: Trace, tmp_path: Path) -> None:
    file = tmp_path / "run.parquet"
    trace_file.write(mixed, file)
    found = trace_file.read(file)
    assert same(found, mixed)
    assert metrics.measure(found) == metrics.measure(mixed)


def test_a_trace_without_requests_can_be_written_and_read(tmp_path: Path) -> None:
    file = tmp_path / "run.parquet"
    trace_file.write(trace.from_rows([], 0, {}), file)
    assert len(trace_file.read(file)) == 0


def test_times_count_from_the_start_of_the_run(mixed: Trace) -> None:
    assert mixed.numbers["sent_ns"].tolist() == [0, 0, 0, 0]
    assert mixed.event_ns[mixed.events(0)][0] == 200 * MS


def test_every_column_tells_its_unit_and_meaning(mixed: Trace, tmp_path: Path) -> None:
    file = tmp_path / "run.parquet"
    trace_file.write(mixed, file)
    schema = pq.read_schema(file)
    assert set(schema.names) == {*trace.NUMBERS, *trace.WORDS, *trace.EVENTS}
    for column in schema:
        assert column.metadata[b"about"]
        assert column.name.endswith("_ns") == (column.metadata[b"unit"] == b"ns")


def test_what_is_not_known_is_null_in_the_file(mixed: Trace, tmp_path: Path) -> None:
    file = tmp_path / "run.parquet"
    trace_file.write(mixed, file)
    rows = pq.read_table(file).to_pylist()
    assert rows[0]["scheduled_ns"] is None
    assert rows[0]["failure"] is None
    assert rows[0]["event_tokens"][:2] == [1, 1]
    assert rows[1]["event_tokens"][0] is None
    assert rows[1]["event_usage"][0] is None
    assert rows[3]["failure"] == "no_tokens"
    assert mixed.event_tokens[mixed.events(1)][0] == UNKNOWN


def test_requests_stand_in_the_order_of_their_indices() -> None:
    one, two = traced(base(), base()).words, traced(base(), base())
    assert one["failure"] == [None, None]
    assert two.numbers["index"].tolist() == [0, 1]


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    file.write_bytes(b"not this")
    with pytest.raises(trace_file.TraceError, match="no Parquet file"):
        trace_file.read(file)


def test_another_parquet_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": [1]}), file)
    with pytest.raises(trace_file.TraceError, match="no trace"):
        trace_file.read(file)


def test_a_trace_of_another_format_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    table = pa.table({"a": [1]}).replace_schema_metadata({b"benchcard": b'{"format": 99}'})
    pq.write_table(table, file)
    with pytest.raises(trace_file.TraceError, match="another trace format"):
        trace_file.read(file)


def test_a_trace_without_a_column_is_refused(mixed: Trace, tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    trace_file.write(mixed, file)
    pq.write_table(pq.read_table(file).drop_columns(["status"]), file)
    with pytest.raises(trace_file.TraceError, match="no column status"):
        trace_file.read(file)


def test_a_large_trace_is_analysed_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "run.parquet"
    trace_file.write(traced(*[base()] * 50), file)
    found = metrics.measure(trace_file.read(file))
    assert (found.requests, found.output_tokens) == (50, 50 * N)


def test_a_trace_that_unpacks_to_more_than_its_reader_takes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    trace_file.write(traced(*[base()] * 50), file)
    with pytest.raises(trace_file.TraceTooLargeError, match="more than the 0 MB that are read"):
        trace_file.read(file, most_bytes=2000)
