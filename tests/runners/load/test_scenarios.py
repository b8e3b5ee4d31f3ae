"""Streams on which load clients of today go wrong, each with its known truth."""

from __future__ import annotations

import numpy as np
import pytest

from runners.load import metrics, trace
from runners.load.count import count
from runners.load.schedule import Asked
from tests.runners.load.script import (
    DONE,
    HEAD,
    MS,
    TOKEN,
    TTFT,
    N,
    Write,
    base,
    chunked,
    counted,
    delta,
    event,
    piece,
    recording,
    stream,
    traced,
    usage,
)

BOTH = pytest.mark.parametrize("ids", [True, False], ids=["token ids", "usage at the end"])


def numbers(*streams: list[Write], tokens: int = N) -> metrics.Metrics:
    return metrics.measure(traced(*streams, tokens=tokens))


def median(found: metrics.Metrics, name: str) -> float:
    value = getattr(found, name)
    assert value is not None
    return float(value.median)


@BOTH
def test_01_base(ids: bool) -> None:
    found = numbers(base(ids=ids))
    assert found.failed == 0
    assert found.output_tokens == N
    assert median(found, "ttft_ms") == TTFT
    assert median(found, "tpot_ms") == pytest.approx(10)
    assert median(found, "event_gap_ms") == 10
    assert median(found, "decode_tok_s") == pytest.approx(100)


def test_02_several_tokens_an_event_are_counted_as_tokens() -> None:
    found = numbers(stream([1] + [3] * 10, 30))
    assert median(found, "tpot_ms") == pytest.approx(10)
    assert median(found, "token_itl_ms") == pytest.approx(10)
    assert median(found, "event_gap_ms") == 30
    assert found.tokens_per_event == {1: 1, 3: 10}


def test_02_without_counts_per_event_tpot_holds_and_token_itl_is_not_told() -> None:
    found = numbers(stream([1] + [3] * 10, 30, ids=False))
    assert median(found, "tpot_ms") == pytest.approx(10)
    assert found.token_itl_ms is None
    assert found.tokens_per_event is None


def test_03_tokens_of_the_first_event_are_not_in_the_decode_window() -> None:
    found = numbers(stream([4] + [3] * 9, 30))
    assert median(found, "tpot_ms") == pytest.approx(10)


def test_03_seven_tokens_first_of_31() -> None:
    assert median(numbers(stream([7] + [3] * 8, 30)), "tpot_ms") == pytest.approx(10)


@BOTH
def test_04_an_empty_chunk_without_a_token_is_no_first_token(ids: bool) -> None:
    empty = piece(0, text="", ids=ids, so_far=0 if ids else None)
    found = numbers([(50, empty), *base(ids=ids)])
    assert median(found, "ttft_ms") == TTFT
    assert median(found, "tpot_ms") == pytest.approx(10)


def test_05_usage_on_the_last_chunk_with_text_is_read() -> None:
    writes: list[Write] = [(TTFT + i * TOKEN, piece()) for i in range(N - 1)]
    end = TTFT + (N - 1) * TOKEN
    found = numbers([*writes, (end, piece(so_far=N, finish="length")), (end, DONE)])
    assert found.failed == 0
    assert found.output_tokens == N
    assert median(found, "tpot_ms") == pytest.approx(10)


@BOTH
def test_08_a_late_done_closes_nothing(ids: bool) -> None:
    late = base(ids=ids)
    at, done = late.pop()
    found = numbers([*late, (at + 300, done)])
    assert median(found, "tpot_ms") == pytest.approx(10)
    assert median(found, "e2e_ms") == TTFT + (N - 1) * TOKEN
    assert found.duration_s == pytest.approx(0.5)


def test_10_crlf_events_in_one_write() -> None:
    body = b"".join(data for _, data in base()).replace(b"\n", b"\r\n")
    row = counted([(TTFT, body)])
    assert row.failure is None
    assert row.output_tokens == N
    assert int(row.event_tokens.sum()) == N


def test_10_tokens_that_arrive_together_have_no_time_between_them() -> None:
    together: list[Write] = [(TTFT, b"".join(data for _, data in base()))]
    alone = numbers(together)
    assert (alone.tpot_ms, alone.decode_tok_s, alone.interactivity_p90_fast, alone.at_once) == (None, None, None, 1)
    assert median(alone, "event_gap_ms") == 0
    among = numbers(together, base())
    assert median(among, "tpot_ms") == pytest.approx(10)
    assert among.decode_tok_s is not None
    assert among.decode_tok_s.mean == pytest.approx(100)
    assert among.at_once == 1


def test_10_one_event_with_all_tokens_is_what_the_server_sent_and_has_no_time_between_them_either() -> None:
    found = numbers(stream([N], 0))
    assert (found.tpot_ms, found.decode_tok_s, found.at_once, found.failed) == (None, None, 0, 0)


@BOTH
def test_11_data_without_a_space(ids: bool) -> None:
    found = numbers([(at, data.replace(b"data: ", b"data:")) for at, data in base(ids=ids)])
    assert (found.failed, found.output_tokens) == (0, N)
    assert median(found, "tpot_ms") == pytest.approx(10)


@BOTH
@pytest.mark.parametrize("ping", [b": ping\n\n", b": ping\n", b":\n\n"])
def test_13_comments_carry_nothing(ids: bool, ping: bytes) -> None:
    found = numbers([(at, ping + data) for at, data in base(ids=ids)])
    assert (found.failed, found.output_tokens) == (0, N)
    assert median(found, "ttft_ms") == TTFT
    assert median(found, "event_gap_ms") == 10


@BOTH
def test_15_an_error_in_the_data_of_a_200_fails_the_request(ids: bool) -> None:
    row = counted([*base(ids=ids)[:5], (260, event({"error": {"message": "engine died", "code": 500}})), (260, DONE)])
    assert (row.failure, row.message) == ("error_in_stream", "engine died")


def test_16_an_error_before_the_first_token_fails_the_request_with_no_tokens() -> None:
    row = counted([(50, event({"error": {"message": "no room"}})), (50, DONE)])
    assert (row.failure, row.message) == ("error_in_stream", "no room")
    assert row.output_tokens is None


@pytest.mark.parametrize(
    "error",
    [
        b'event: error\ndata: {"message": "gone"}\n\n',
        b'data: {"object": "error", "message": "gone", "code": 500}\n\n',
        b'data: {"error": "gone"}\n\n',
    ],
)
def test_16_errors_are_known_in_every_form(error: bytes) -> None:
    row = counted([*base()[:5], (260, error)])
    assert row.failure == "error_in_stream"
    assert "gone" in row.message


@BOTH
def test_17_a_clean_end_without_done_is_a_failure(ids: bool) -> None:
    assert counted(base(ids=ids)[:5]).failure == "no_done"


@BOTH
def test_18_an_early_stop_is_a_failure(ids: bool) -> None:
    stopped = [*base(ids=ids)[:4], (240, piece(ids=ids, so_far=5 if ids else None, finish="stop"))]
    row = counted([*stopped, (240, usage(5)), (240, DONE)])
    assert row.failure == "short_output"
    assert row.message == "5 of 31, finish reason stop"


def test_19_a_character_split_over_reads_is_whole() -> None:
    first = b'data: {"choices":[{"index":0,"text":"\xf0\x9f\xa6'
    second = b'\x99","token_ids":[1],"finish_reason":"length"}]}\n\n'
    row = counted([(1, first), (2, second), (2, usage(1)), (2, DONE)], tokens=1)
    assert row.failure is None
    assert row.text_length == 1
    assert int(row.event_ns[0]) == 2 * MS


def test_20_a_split_between_data_and_its_json_changes_nothing() -> None:
    writes = [part for at, data in base() for part in ((at, data[:6]), (at, data[6:]))]
    assert counted(writes).failure is None


def test_21_line_separators_inside_a_json_string_split_nothing() -> None:
    odd = b'data: {"choices":[{"index":0,"text":"a\xe2\x80\xa8b\xc2\x85c","finish_reason":"length"}]}\n\n'
    row = counted([(1, odd), (1, usage(1)), (1, DONE)], tokens=1)
    assert (row.failure, row.text_length) == (None, 5)


def test_22_a_stream_of_done_alone_has_no_tokens_and_fails() -> None:
    row = counted([(5, DONE)])
    assert row.failure == "no_tokens"
    found = numbers([(5, DONE)], *[base()] * 9)
    assert found.failed == 1
    assert median(found, "ttft_ms") == TTFT
    assert found.ttft_ms is not None
    assert found.ttft_ms.highest == float("inf")


def test_23_empty_texts_with_token_ids_are_tokens() -> None:
    writes: list[Write] = [
        (TTFT + i * TOKEN, piece(text="", ids=True, finish="length" if i == N - 1 else None)) for i in range(N)
    ]
    found = numbers([*writes, (500, usage(N)), (500, DONE)])
    assert (found.failed, found.output_tokens) == (0, N)
    assert median(found, "ttft_ms") == TTFT
    assert median(found, "tpot_ms") == pytest.approx(10)


def test_23_empty_texts_without_ids_cannot_be_timed_and_fail() -> None:
    writes: list[Write] = [(TTFT + i * TOKEN, piece(text="", finish=None)) for i in range(N)]
    assert counted([*writes, (500, usage(N)), (500, DONE)]).failure == "no_tokens"


def test_25_a_usage_chunk_is_no_token_event() -> None:
    row = counted(base())
    assert int((row.event_tokens != 0).sum()) == N
    assert row.failure is None


def test_a_status_other_than_200_is_a_failure_with_the_servers_words() -> None:
    head = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 31\r\n\r\n"
    row = count(recording([(1, head + b'{"error":{"message":"too busy"}}'[:31])]), Asked(N))
    assert row.failure == "status"
    assert row.message.startswith("503 Service Unavailable")


def test_a_page_of_html_is_not_a_stream() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 27\r\n\r\n"
    row = count(recording([(1, head + b"<html>Sign in first.</html>")]), Asked(N))
    assert (row.failure, row.message) == ("not_a_stream", "text/html: <html>Sign in first.</html>")


def test_one_whole_json_answer_is_not_a_stream() -> None:
    body = b'{"choices":[{"text":"abc"}],"usage":{"completion_tokens":31}}'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    assert count(recording([(1, head + body)]), Asked(N)).failure == "not_a_stream"


def test_a_compressed_stream_is_refused() -> None:
    head = HEAD.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n")
    row = count(recording(chunked([(1, b"\x1f\x8b\x08")], head)), Asked(N))
    assert (row.failure, row.message) == ("compressed", "gzip")


def test_a_response_cut_off_within_a_chunk_is_truncated() -> None:
    raw = chunked(base())[:-2]
    row = count(recording(raw, how="reset"), Asked(N))
    assert row.failure == "truncated"
    assert len(row.event_ns) == N


def test_an_answer_that_is_no_http_fails() -> None:
    assert count(recording([(1, b"SSH-2.0-OpenSSH\r\n")]), Asked(N)).failure == "not_http"


def test_a_connection_closed_before_the_answer_fails() -> None:
    assert count(recording([], how="closed"), Asked(N)).failure == "no_answer"


def test_data_that_is_no_json_fails() -> None:
    row = counted([*base()[:3], (230, b"data: {broken\n\n"), *base()[3:]])
    assert row.failure == "broken_json"


def test_a_time_limit_reached_is_infinitely_slow() -> None:
    late = count(recording(chunked(base())[:3], how="timeout"), Asked(N))
    assert late.failure == "timeout"
    rows = [counted(base(), index=index) for index in range(1, 10)]
    found = metrics.measure(trace.from_rows([late, *rows], 0, {}))
    assert found.ttft_ms is not None
    assert found.ttft_ms.p99 == float("inf")


def test_a_reply_of_one_token_has_no_tpot() -> None:
    found = numbers(stream([1], 10), tokens=1)
    assert found.failed == 0
    assert found.tpot_ms is None
    assert found.decode_tok_s is None
    assert found.event_gap_ms is None
    assert median(found, "ttft_ms") == TTFT


def test_a_chat_role_chunk_is_no_first_token() -> None:
    words: list[Write] = [
        (214 + i * TOKEN, delta(content="x", finish="length" if i == N - 1 else None)) for i in range(N)
    ]
    found = numbers([(5, delta(role="assistant", content="")), *words, (520, usage(N)), (520, DONE)])
    assert median(found, "ttft_ms") == 214
    assert median(found, "tpot_ms") == pytest.approx(10)


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning_counts_as_tokens_under_both_names(name: str) -> None:
    thoughts: list[Write] = [(100 + i * TOKEN, delta(**{name: "hm"})) for i in range(20)]
    answer: list[Write] = [(300 + i * TOKEN, delta(content="x", finish="length" if i == 4 else None)) for i in range(5)]
    found = numbers([*thoughts, *answer, (340, usage(25)), (340, DONE)], tokens=25)
    assert found.failed == 0
    assert median(found, "ttft_ms") == 100
    assert median(found, "ttfa_ms") == 300
    assert median(found, "tpot_ms") == pytest.approx(10)


def test_reasoning_given_under_both_names_at_once_is_counted_once() -> None:
    thoughts: list[Write] = [(100 + i * TOKEN, delta(reasoning="hm", reasoning_content="hm")) for i in range(4)]
    row = counted([*thoughts, (140, delta(content="x", finish="length")), (140, usage(5)), (140, DONE)], tokens=5)
    assert row.failure is None
    assert row.text_length == 9


def test_all_events_share_the_stamp_of_the_read_that_brought_their_end() -> None:
    row = counted(base())
    times = row.event_ns[row.event_tokens > 0]
    assert times.tolist() == [(TTFT + i * TOKEN) * MS for i in range(N)]
    assert np.all(np.diff(row.event_ns) >= 0)
