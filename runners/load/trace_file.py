"""The trace of one run as one Parquet file that pandas, polars and duckdb open: one row a request, its events as lists
in the row.

The file carries units and meanings of its columns (runners/load/trace.py) as field metadata (`unit`, `about`), and what
holds for the whole run as JSON under the key `benchcard`. What is not known is null.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from runners.load.count import UNKNOWN
from runners.load.trace import EVENTS, MISSING, NUMBERS, WORDS, Trace

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
_KEY = b"benchcard"
_EVENT_TYPES = {
    "event_ns": pa.int64(),
    "event_tokens": pa.int32(),
    "event_marks": pa.int32(),
    "event_usage": pa.int32(),
}


class TraceError(ValueError):
    """A file that is no trace, or of a format that this version does not know."""


def write(trace: Trace, file: Path) -> None:
    """Write the Parquet file."""
    fields, columns = [], []
    for name, (unit, about) in NUMBERS.items():
        values = trace.numbers[name]
        columns.append(pa.array(values, mask=values == MISSING))
        fields.append(pa.field(name, pa.int64(), metadata={"unit": unit, "about": about}))
    for name, (unit, about) in WORDS.items():
        columns.append(pa.array(trace.words[name], pa.string()))
        fields.append(pa.field(name, pa.string(), metadata={"unit": unit, "about": about}))
    offsets = pa.array(trace.offsets, pa.int32())
    for name, (unit, about) in EVENTS.items():
        items: Any = getattr(trace, name)
        mask = items == UNKNOWN if name in {"event_tokens", "event_usage"} else None
        columns.append(pa.ListArray.from_arrays(offsets, pa.array(items, _EVENT_TYPES[name], mask=mask)))
        fields.append(pa.field(name, pa.list_(_EVENT_TYPES[name]), metadata={"unit": unit, "about": about}))
    meta = {_KEY: json.dumps({"format": FORMAT, **trace.meta}).encode()}
    table = pa.Table.from_arrays(columns, schema=pa.schema(fields, metadata=meta))
    pq.write_table(table, file, compression="zstd", use_dictionary=list(WORDS))


def read(file: Path) -> Trace:
    """Read a trace. TraceError says what is wrong with the file; OSError that it cannot be read."""
    try:
        table = pq.read_table(file).combine_chunks()
    except pa.ArrowException as error:
        raise TraceError(f"{file} is no Parquet file: {error}") from None
    meta = _meta(table, file)
    missing = sorted({*NUMBERS, *WORDS, *EVENTS} - set(table.column_names))
    if missing:
        raise TraceError(f"{file} has no column {', '.join(missing)}")
    lists = {name: _list(table, name) for name in EVENTS}
    offsets = np.asarray(lists["event_ns"].offsets, np.int64)
    return Trace(
        meta,
        {name: _filled(table.column(name), pa.int64(), MISSING, np.int64) for name in NUMBERS},
        {name: table.column(name).to_pylist() for name in WORDS},
        offsets - offsets[0],
        **{name: _filled(items.flatten(), _EVENT_TYPES[name], UNKNOWN, None) for name, items in lists.items()},
    )


def unpacked_bytes(file: Path) -> int:
    """What the columns of a Parquet file take once they are unpacked, by its own index. TraceError, OSError."""
    try:
        index = pq.read_metadata(file)
    except pa.ArrowException as error:
        raise TraceError(f"{file} is no Parquet file: {error}") from None
    groups = [index.row_group(place) for place in range(index.num_row_groups)]
    return max(sum(int(group.total_byte_size) for group in groups), int(index.num_rows) * 8 * len(NUMBERS))


def _meta(table: pa.Table, file: Path) -> dict[str, Any]:
    stored = (table.schema.metadata or {}).get(_KEY)
    if stored is None:
        raise TraceError(f"{file} is a Parquet file, but no trace of Benchcard")
    meta: dict[str, Any] = json.loads(stored)
    if meta.pop("format") != FORMAT:
        raise TraceError(f"{file} is of another trace format than {FORMAT}")
    return meta


def _list(table: pa.Table, name: str) -> Any:
    column = table.column(name)
    return column.chunk(0) if column.num_chunks else pa.array([], pa.list_(_EVENT_TYPES[name]))


def _filled(values: Any, kind: pa.DataType, null: int, dtype: Any) -> Any:
    return np.array(values.cast(kind).fill_null(null).to_numpy(), dtype=dtype)
