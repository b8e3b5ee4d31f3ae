"""The same writes of a server give the same trace however a socket hands them over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runners.load import trace
from runners.load.connect import Connection
from runners.load.count import count
from runners.load.schedule import Asked
from tests.runners.load.script import (
    DONE,
    HEAD,
    MS,
    Write,
    base,
    chunked,
    delta,
    event,
    piece,
    recording,
    stream,
    usage,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runners.load.count import Counted
    from runners.load.stream import Recording

STREAMS: dict[str, list[Write]] = {
    "short": chunked(base()[-6:]),
    "several tokens": chunked(stream([4, 3, 3], 30)),
    "CRLF": chunked([(at, data.replace(b"\n", b"\r\n")) for at, data in stream([1, 2], 10)]),
    "CR": chunked([(at, data.replace(b"\n", b"\r")) for at, data in stream([1, 2], 10)]),
    "comments and names": chunked([(at, b": ping\nevent: x\nid: 1\n" + data) for at, data in stream([1, 2], 10)]),
    "characters of several bytes": chunked(
        [(5, piece(1, text="\U0001f999\u2028é", ids=True, finish="length")), (5, usage(1)), (5, DONE)]
    ),
    "chat": chunked([(5, delta(role="assistant", content="")), (9, delta(content="x")), (9, usage(1)), (9, DONE)]),
    "error": chunked([(5, event({"error": {"message": "gone"}})), (5, DONE)]),
    "trailer": [(1, HEAD), (2, b"6\r\ndata: \r\n0\r\nA: b\r\n\r\n")],
    "a body of a known length": [(1, b"HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n"), (2, DONE)],
    "an error page": [(1, b"HTTP/1.1 500 Oh\r\nContent-Length: 3\r\n\r\n"), (2, b"abc")],
    "cut off": chunked(base()[-6:])[:-1],
}


def fragments(writes: Sequence[Write], cuts: set[int]) -> Recording:
    """The writes in reads that end at these offsets too; every byte keeps the time of its write."""
    made = recording([])
    place = 0
    for at, data in writes:
        inside = sorted(cut - place for cut in cuts if place < cut < place + len(data))
        for start, end in zip([0, *inside], [*inside, len(data)], strict=True):
            made.reads.append(data[start:end])
            made.stamps.append(int(at * MS))
        place += len(data)
    made.ended_ns = made.stamps[-1]
    return made


def as_trace(row: Counted) -> tuple[object, ...]:
    one = trace.from_rows([row], 0, {})
    numbers = {name: values.tolist() for name, values in one.numbers.items()}
    events = [values.tolist() for values in (one.event_ns, one.event_tokens.astype(int), one.event_marks.astype(int))]
    return numbers, one.words, events, one.event_usage.tolist()


@pytest.mark.parametrize("name", STREAMS)
def test_a_split_at_any_byte_changes_nothing(name: str) -> None:
    writes = STREAMS[name]
    asked = Asked(sum(data.count(b"token_ids") for _, data in writes) or 1)
    whole = as_trace(count(recording(writes), asked))
    for cut in range(1, sum(len(data) for _, data in writes)):
        assert as_trace(count(fragments(writes, {cut}), asked)) == whole, cut


@pytest.mark.parametrize("name", STREAMS)
def test_reads_of_one_byte_change_nothing(name: str) -> None:
    writes = STREAMS[name]
    every = set(range(1, sum(len(data) for _, data in writes)))
    assert as_trace(count(fragments(writes, every), Asked(3))) == as_trace(count(recording(writes), Asked(3)))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(STREAMS)), st.sets(st.integers(1, 4000), max_size=30))
def test_splits_at_several_bytes_change_nothing(name: str, cuts: set[int]) -> None:
    writes = STREAMS[name]
    assert as_trace(count(fragments(writes, cuts), Asked(3))) == as_trace(count(recording(writes), Asked(3)))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(max_size=80), max_size=8), st.booleans())
def test_no_bytes_break_the_counting(parts: list[bytes], framed: bool) -> None:
    writes = [(float(place), part) for place, part in enumerate(parts)]
    row = count(recording(chunked(writes) if framed else writes, how="closed"), Asked(3))
    assert row.failure is not None


class Wire(asyncio.Transport):
    """The other end of a connection: it takes what is written, and can be given up."""

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Requests are nothing to it."""

    def abort(self) -> None:
        """Nothing to free."""


async def received(data: bytes, cut: int) -> Recording:
    """What a connection records of an answer that comes in two reads; it must end with the last byte, not before."""
    connection = Connection()
    connection.connection_made(Wire())
    made = recording([])
    ended = connection.send(b"", made, 1 << 20)
    for part in (data[:cut], data[cut:-1], data[-1:]):
        assert not ended.done()
        if part:
            connection.data_received(part)
    assert ended.done()
    return made


@pytest.mark.parametrize("name", [name for name in STREAMS if name != "cut off"])
def test_a_connection_finds_the_end_of_an_answer_wherever_it_is_split(name: str) -> None:
    data = b"".join(part for _, part in STREAMS[name])

    async def everywhere() -> None:
        for cut in range(1, len(data) - 1):
            made = await received(data, cut)
            assert (made.how, b"".join(made.reads)) == ("complete", data), cut

    asyncio.run(everywhere())
