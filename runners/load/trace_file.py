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

from app.protocol.reasons import REQUESTS
from runners.load.count import UNKNOWN
from runners.load.trace import EVENTS, MISSING, NUMBERS, WORDS, Trace

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
MOST_BYTES = 512 << 20  # of a trace's columns once unpacked: some 25 million events
LONGEST_WORD = 1 << 16  # characters of a text in it
PIECE = 256  # requests that are unpacked at a time
_KEY = b"benchcard"
_EVENT_TYPES = {
    "event_ns": pa.int64(),
    "event_tokens": pa.int32(),
    "event_marks": pa.int32(),
    "event_usage": pa.int32(),
}


class TraceError(ValueError):
    """A file that is no trace, or of a format that this version does not know."""


class TraceTooLargeError(TraceError):
    """A trace that unpacks to more than its reader takes."""


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


def read(file: Path, most_bytes: int = MOST_BYTES) -> Trace:
    """Read a trace. TraceError says what is wrong with the file, or that it unpacks to more than `most_bytes`; OSError
    that it cannot be read. It is read in pieces, and no further than to the first that is too much; what one piece
    takes is bounded by nothing that the file says, so whoever reads a stranger's does it in a bounded process."""
    try:
        schema = pq.read_schema(file)
        meta = _meta(schema, file)
        _check_columns(schema, file)
        with pq.ParquetFile(file, read_dictionary=list(WORDS)) as opened:
            table = _table(opened, file, most_bytes)
    except pa.ArrowException as error:
        if isinstance(error, MemoryError):
            raise
        raise TraceError(f"{file} is no Parquet file: {error}") from None
    lists = {name: _list(table, name) for name in EVENTS}
    offsets = np.asarray(lists["event_ns"].offsets, np.int64)
    for name, items in lists.items():
        if items.null_count or not np.array_equal(np.asarray(items.offsets, np.int64), offsets):
            raise TraceError(f"{file}: the lists of {name} are not those of event_ns")
    words = {name: _words(table.column(name), file) for name in WORDS}
    unknown = set(words["failure"]) - {None, *REQUESTS}
    if unknown:
        raise TraceError(f"{file}: {sorted(map(repr, unknown))[0][:60]} is no failure that this version knows")
    return Trace(
        meta,
        {name: _filled(table.column(name), pa.int64(), MISSING, np.int64) for name in NUMBERS},
        words,
        offsets - offsets[0],
        **{name: _filled(items.flatten(), _EVENT_TYPES[name], UNKNOWN, None) for name, items in lists.items()},
    )


def _table(opened: pq.ParquetFile, file: Path, most_bytes: int) -> pa.Table:
    schema = opened.schema_arrow
    taken, pieces = 0, []
    for piece in opened.iter_batches(PIECE, columns=[*NUMBERS, *WORDS, *EVENTS]):
        taken += piece.nbytes
        if taken > most_bytes:
            message = f"{file} unpacks to more than the {most_bytes / 1e6:.0f} MB that are read"
            raise TraceTooLargeError(message)
        pieces.append(piece)
    columns = pa.schema([pieces[0].schema.field(place) for place in range(len(pieces[0].schema))]) if pieces else schema
    table = pa.Table.from_batches(pieces, columns.with_metadata(schema.metadata))
    return table.unify_dictionaries().combine_chunks()


def _check_columns(schema: pa.Schema, file: Path) -> None:
    """Every column once, of the type that `write` gives it."""
    names = schema.names
    if missing := sorted({*NUMBERS, *WORDS, *EVENTS} - set(names)):
        raise TraceError(f"{file} has no column {', '.join(missing)}")
    kinds: dict[str, pa.DataType] = dict.fromkeys(NUMBERS, pa.int64()) | dict.fromkeys(WORDS, pa.string())
    kinds |= {name: pa.list_(kind) for name, kind in _EVENT_TYPES.items()}
    for name, kind in kinds.items():
        if names.count(name) > 1:
            raise TraceError(f"{file} has the column {name} twice")
        found = schema.field(name).type
        found = found.value_type if pa.types.is_dictionary(found) else found
        found = pa.list_(found.value_type) if pa.types.is_list(found) else found  # whatever its items are called
        if found != kind:
            raise TraceError(f"{file}: the column {name} is of the type {str(found)[:60]}, not {kind}")


def _meta(schema: pa.Schema, file: Path) -> dict[str, Any]:
    stored = (schema.metadata or {}).get(_KEY)
    if stored is None:
        raise TraceError(f"{file} is a Parquet file, but no trace of Benchcard")
    try:
        meta = json.loads(stored)
    except (ValueError, RecursionError) as error:
        raise TraceError(f"{file}: what it says of the run is no JSON: {error}") from None
    if not isinstance(meta, dict):
        raise TraceError(f"{file}: what it says of the run is no JSON object")
    if meta.pop("format", None) != FORMAT:
        raise TraceError(f"{file} is of another trace format than {FORMAT}")
    return meta


def _list(table: pa.Table, name: str) -> Any:
    column = table.column(name)
    return column.chunk(0) if column.num_chunks else pa.array([], pa.list_(_EVENT_TYPES[name]))


def _words(column: pa.ChunkedArray, file: Path) -> list[str | None]:
    """Each text once in memory, however often it stands there."""
    found: list[str | None] = []
    for chunk in column.chunks:
        known: list[str | None] = [*chunk.dictionary.to_pylist(), None]
        if any(word is not None and len(word) > LONGEST_WORD for word in known):
            raise TraceError(f"{file} has a text of more than {LONGEST_WORD:,} characters")
        found += [known[place] for place in chunk.indices.fill_null(len(known) - 1).to_pylist()]
    return found


def _filled(values: Any, kind: pa.DataType, null: int, dtype: Any) -> Any:
    return np.array(values.cast(kind).fill_null(null).to_numpy(), dtype=dtype)
