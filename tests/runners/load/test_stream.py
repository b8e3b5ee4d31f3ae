from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.load.stream import ChunkWalk, Head, looks_finished, read_head, take_apart

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"transfer-encoding: Chunked\r\n\r\n"


def test_a_head_is_read_when_it_has_come_whole() -> None:
    raw = OK + b"Content-Type: text/event-stream\r\nContent-Length: 3\r\n\r\nabc"
    assert all(read_head(raw[:size]) is None for size in range(raw.index(b"abc")))
    head = read_head(raw)
    assert isinstance(head, Head)
    assert (head.status, head.reason, head.length, head.body_at) == (200, "OK", 3, len(raw) - 3)


def test_interim_responses_are_passed_over() -> None:
    head = read_head(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204\r\n\r\n")
    assert isinstance(head, Head)
    assert (head.status, head.length) == (204, 0)


@pytest.mark.parametrize("raw", [b"SSH-2.0-x\r\n", b"HTTP/2 200\r\n\r\n", b"<html>", b"HTTP/1.1 abc\r\n\r\n"])
def test_another_protocol_is_a_fault(raw: bytes) -> None:
    assert read_head(raw) == "the answer does not start like HTTP/1.1"


def test_an_endless_header_is_a_fault() -> None:
    assert "no end of the header" in str(read_head(OK + b"x: " + b"y" * 100_000))


def test_content_length_must_be_a_number() -> None:
    assert read_head(OK + b"Content-Length: -1\r\n\r\n") == "the content-length is not a number"


@pytest.mark.parametrize(
    ("head", "close"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", True),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", True),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\n\r\n", True),
    ],
)
def test_it_is_known_whether_a_connection_can_be_used_again(head: bytes, close: bool) -> None:
    found = read_head(head)
    assert isinstance(found, Head)
    assert found.close == close


def test_chunks_are_joined_and_their_places_kept() -> None:
    raw = CHUNKED + b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"
    response = take_apart(raw, closed=False)
    assert (response.body, response.complete, response.fault) == (b"abcde", True, "")
    places = response.raw_offsets(np.arange(5))
    assert bytes(raw[place] for place in places) == b"abcde"


@pytest.mark.parametrize(
    ("end", "fault"),
    [
        (b"", "the chunked body ended before its last chunk"),
        (b"3\r\nab", "the chunked body ended before its last chunk"),
        (b"0\r\nTrailer: x\r\n", "the body ended within its trailer"),
        (b"zz\r\nab\r\n", "a chunk has no size"),
        (b"-3\r\nab\r\n", "a chunk has no size"),
        (b"1\r\nab\r\n0\r\n\r\n", "a chunk is longer than its size"),
    ],
)
def test_a_broken_chunked_body_is_not_complete(end: bytes, fault: str) -> None:
    response = take_apart(CHUNKED + b"2\r\nxy\r\n" + end, closed=True)
    assert not response.complete
    assert response.fault == fault
    assert response.body.startswith(b"xy")


def test_a_trailer_belongs_to_the_end() -> None:
    response = take_apart(CHUNKED + b"1\r\nx\r\n0\r\nA: b\r\n\r\n", closed=False)
    assert (response.body, response.complete, response.fault) == (b"x", True, "")


def test_bytes_after_the_end_are_a_fault() -> None:
    assert "after the end" in take_apart(CHUNKED + b"0\r\n\r\nx", closed=False).fault
    assert "after the end" in take_apart(OK + b"Content-Length: 1\r\n\r\nxy", closed=False).fault


def test_a_body_without_a_length_is_complete_when_the_server_closed_in_order() -> None:
    raw = OK + b"\r\nabc"
    assert take_apart(raw, closed=True).complete
    assert not take_apart(raw, closed=False).complete


def test_a_body_shorter_than_its_length_is_not_complete() -> None:
    response = take_apart(OK + b"Content-Length: 5\r\n\r\nabc", closed=True)
    assert (response.complete, response.fault) == (False, "the body ended after 3 bytes of 5")


def test_no_answer_at_all_has_no_head() -> None:
    assert take_apart(b"", closed=True).head is None
    assert "within the header" in take_apart(OK, closed=True).fault


@given(
    st.lists(st.binary(min_size=1, max_size=12), max_size=6), st.booleans(), st.lists(st.integers(1, 9), max_size=40)
)
def test_the_walk_finds_the_end_at_its_last_byte_whatever_the_reads(
    pieces: list[bytes], trailer: bool, cuts: list[int]
) -> None:
    body = b"".join(b"%x;e\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    body += b"0\r\nA: b\r\n\r\n" if trailer else b"00\r\n\r\n"
    walk = ChunkWalk()
    place = 0
    for cut in [*cuts, len(body)]:
        fresh = body[place : place + cut]
        place += len(fresh)
        assert walk.finished(fresh) == (place == len(body))
        if place == len(body):
            break


def test_the_walk_knows_a_chunk_without_a_size() -> None:
    walk = ChunkWalk()
    assert not walk.finished(b"xyz\r\n")
    assert walk.broken


def test_the_end_of_a_chunked_body_is_known_by_its_last_bytes() -> None:
    assert looks_finished(b"\n\r\n0\r\n\r\n")
    assert not looks_finished(b"10\r\n\r\n")
    assert not looks_finished(b"0\r\n\r\n")


@given(st.lists(st.binary(min_size=1, max_size=20), max_size=6), st.booleans())
def test_chunks_are_taken_apart_alike_whether_split_or_walked(pieces: list[bytes], upper: bool) -> None:
    sizes = [b"%X" % len(piece) if upper else b"%x" % len(piece) for piece in pieces]
    raw = CHUNKED + b"".join(b"%s\r\n%s\r\n" % pair for pair in zip(sizes, pieces, strict=True)) + b"0\r\n\r\n"
    walked = take_apart(raw.replace(b"\r\n0\r\n\r\n", b"\r\n0\r\nA: b\r\n\r\n"), closed=False)
    quick = take_apart(raw, closed=False)
    body = b"".join(pieces)
    assert (quick.body, quick.complete, quick.fault) == (body, True, "")
    places = np.arange(len(body))
    assert bytes(raw[place] for place in quick.raw_offsets(places)) == body
    if walked.body == body:
        assert walked.raw_offsets(places).tolist() == quick.raw_offsets(places).tolist()
