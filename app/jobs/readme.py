"""The README of an evidence bundle, for whoever finds one and knows no Benchcard. Pure."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from app.jobs.crate import DESCRIPTIONS, METADATA, described

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MANIFEST = "One line a file, all but itself: SHA-256, size in bytes, path"
CRATE = "The same list as an RO-Crate 1.1, for tools that read those"
FOLDERS = {"cards": "cards/SIDE-POINT.yaml", "traces": "traces/NAME"}
# What a reader can run; a test runs it.
BY_HAND = """\
import pyarrow.parquet as pq

rows = pq.read_table("traces/{trace}").to_pylist()
good = [row for row in rows if row["failure"] is None]
first = min(row["sent_ns"] for row in rows)
last = max(at for row in good for at, tokens in zip(row["event_ns"], row["event_tokens"]) if tokens != 0)
print(sum(row["output_tokens"] for row in good) / (last - first) * 1e9)
"""
TEXT = """\
# Benchcard measurement {measurement}

A measurement of an LLM server with everything to check it. No number has to be believed: all of them are computed from
the traces, and can be again, on any machine, without a network.

## What each file is

{layout}

A side is one server (`a`, of two servers also `b`), a point one load of the plan, from 0.

## To check it with Benchcard

    benchcard verify BUNDLE.zip

It checks every hash, computes every number, the verdict and the cards again from the traces, and prints what differs;
its exit status is 0 where nothing does. It also lists what nobody can compute again: that a client really saw these
events at these times, on this machine, of this server.

## To check it without Benchcard

The hashes, in the folder that the zip was unpacked into:

    awk '{{print $1 "  " $3}}' MANIFEST | sha256sum -c

{by_hand}"""
HAND = """\
A trace is a Parquet file with one row a request and its events as lists in the row; every column says its unit and
meaning in its field metadata (`unit`, `about`), times are nanoseconds from the start of the run. Output tokens per
second of one run, where no request of it failed (the number is `output_tok_s` of that run in numbers.json):

{code}
The other definitions stand on the page `/axes` of any Benchcard."""


def layout(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Path -> what it is; the files of a folder stand once. The only list of what a bundle holds."""
    yield "MANIFEST", MANIFEST
    for folder, inside in groupby(sorted(names), key=lambda name: name.partition("/")[0]):
        first = next(inside)
        yield FOLDERS.get(folder, first), CRATE if first == METADATA else described(first)


def whole_layout() -> tuple[tuple[str, str], ...]:
    """Of a bundle that has all that one can have."""
    return tuple(layout((*DESCRIPTIONS, METADATA, "cards/a-0.yaml", "traces/NAME")))


def readme(measurement: str, names: Iterable[str]) -> str:
    """Of a bundle with these files beside the README itself and the manifest."""
    known = sorted({*names, "README.md"})
    trace = next((name.partition("/")[2] for name in known if name.startswith("traces/") and ".parquet" in name), None)
    lines = "\n".join(f"- `{path}`: {what}." for path, what in layout(known))
    code = "".join(f"    {line}".rstrip() + "\n" for line in BY_HAND.format(trace=trace).splitlines())
    by_hand = HAND.format(code=code) if trace else "It holds no trace, so there is no number to compute."
    return f"{TEXT.format(measurement=measurement, layout=lines, by_hand=by_hand)}\n"
