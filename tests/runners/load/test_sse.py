from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.load import sse


def data(body: bytes) -> list[bytes | None]:
    return [block.data for block in sse.blocks(body)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_any_of_the_three_line_ends_separates_lines(end: bytes) -> None:
    assert data(b"data: a" + end * 2 + b"data: b" + end * 2) == [b"a", b"b"]


def test_line_ends_may_be_mixed_in_one_stream() -> None:
    assert data(b"data: a\r\n\ndata: b\r\rdata: c\n\r\n") == [b"a", b"b", b"c"]


def test_line_and_paragraph_separators_of_unicode_do_not_end_a_line() -> None:
    text = "data: one\u2028two\u2029three\u0085four\x0bfive\n\n".encode()
    assert data(text) == ["one\u2028two\u2029three\u0085four\x0bfive".encode()]


def test_only_one_space_after_the_colon_is_dropped() -> None:
    assert data(b"data:a\n\ndata: b\n\ndata:  c \n\n") == [b"a", b"b", b" c "]


def test_data_lines_of_one_block_are_joined() -> None:
    assert data(b"data: a\ndata:\ndata: b\n\n") == [b"a\n\nb"]


def test_comments_are_no_data_and_do_not_hide_data() -> None:
    assert data(b": ping\n\n: ping\ndata: a\n\n:\n\n") == [None, b"a", None]


def test_a_block_tells_its_event_name_and_ignores_other_fields() -> None:
    (block,) = sse.blocks(b"event: error\nid: 7\nretry: 100\nfoo: bar\ndata: x\n\n")
    assert (block.name, block.data) == (b"error", b"x")
    assert block.marks == sse.FIELDS


def test_a_leading_byte_order_mark_is_dropped_once() -> None:
    assert data(b"\xef\xbb\xbfdata: a\n\n") == [b"a"]
    assert data(b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n") == [None]


def test_an_unfinished_block_is_dropped_except_done() -> None:
    assert data(b"data: a\n\ndata: b\n") == [b"a"]
    assert data(b"data: a\n\ndata: b") == [b"a"]
    assert data(b"data: a\n\ndata: [DONE]") == [b"a", b"[DONE]"]
    assert data(b"data: a\r\n\r\ndata: [DONE]\r\n") == [b"a", b"[DONE]"]


def test_a_block_is_over_with_the_first_byte_of_its_blank_line() -> None:
    ends = [block.end for block in sse.blocks(b"data: a\n\n\ndata: b\n\n")]
    assert ends == [8, 18]
    assert [block.end for block in sse.blocks(b"data: a\r\n\r\n")] == [9]


def test_the_way_of_writing_is_kept() -> None:
    def marks(body: bytes) -> int:
        return sse.blocks(body)[0].marks

    assert marks(b"data: a\n\n") == 0
    assert marks(b"data: a\r\n\r\n") == sse.CR
    assert marks(b"data:a\n\n") == sse.NO_SPACE
    assert marks(b": x\ndata: a\n\n") == sse.COMMENT
    assert marks(b"data: a\ndata: b\n\n") == sse.FIELDS


@given(
    st.lists(st.sampled_from([b"data: a", b"data:b", b"data", b": c", b"event: e", b"x", b"", b"", b"data: [DONE]"]))
)
def test_splitting_at_blank_lines_finds_what_reading_line_by_line_finds(lines: list[bytes]) -> None:
    body = b"\n".join([*lines, b""])
    mixed = sse.blocks(b"\r" + body)  # a lone CR takes the other way through the parser
    quick = sse.blocks(body)
    assert [(b.data, b.name, b.end) for b in quick] == [(b.data, b.name, b.end - 1) for b in mixed]


@given(st.binary(max_size=200))
def test_no_bytes_break_the_parser(body: bytes) -> None:
    for block in sse.blocks(body):
        assert 0 <= block.end < len(body)


@given(
    st.lists(st.sampled_from([b"data: a\n\n", b"data: [DONE]\n\n", b"data:b\n\n", b": c\n\n", b"\n", b"data: \n\n"]))
)
def test_a_plain_body_is_read_at_once_as_it_is_block_by_block(parts: list[bytes]) -> None:
    body = b"".join(parts)
    found = sse.plain(body)
    if found is None:
        assert any(part in {b"data:b\n\n", b": c\n\n", b"\n"} for part in parts)
    else:
        assert list(zip(found[0], found[1].tolist(), strict=True)) == [(b.data, b.end) for b in sse.blocks(body)]
