"""What was reported against other load clients, each with the small input that shows it and the right answer."""

from __future__ import annotations

import pytest

from runners.load import metrics, trace
from runners.load.tools import TOOLS
from tests.runners.load.script import (
    DONE,
    MS,
    TOKEN,
    TTFT,
    N,
    Write,
    base,
    counted,
    delta,
    event,
    piece,
    stream,
    traced,
    usage,
    usage_of,
)


def test_peak_throughput_counts_tokens_and_is_never_below_the_mean() -> None:
    found = metrics.measure(traced(stream([1] + [3] * 100, 30, first=0), tokens=301))
    assert found.peak_output_tok_s is not None
    assert found.peak_output_tok_s >= found.output_tok_s
    assert found.peak_output_tok_s == pytest.approx(100, rel=0.03)


def test_two_streams_at_once_have_the_same_tpot_as_one() -> None:
    one = stream([1] + [3] * 10, 30)
    found = metrics.measure(traced(one, one))
    assert found.tpot_ms is not None
    assert found.tpot_ms.mean == pytest.approx(10)
    assert found.in_flight_peak == 2


def test_tokens_that_only_the_last_usage_tells_of_give_no_decode_rate() -> None:
    writes: list[Write] = [(100, piece(finish="length")), (1100, usage(100)), (1100, DONE)]
    row = counted(writes, tokens=100)
    assert row.failure is None
    found = metrics.measure(trace.from_rows([row], 0, {}))
    assert found.tpot_ms is None
    assert found.decode_tok_s is None


def test_tokens_that_no_event_carried_fail_the_request_where_events_are_counted() -> None:
    writes: list[Write] = [(100, piece(ids=True, finish="length")), (1100, usage(100)), (1100, DONE)]
    row = counted(writes, tokens=100)
    assert row.failure == "counts_disagree"
    assert row.message == "events carried 1 tokens where the server's usage says 100"


@pytest.mark.parametrize("blank", ["      ", "\n\n", "\ufffd"])
def test_text_is_never_tokenised_again(blank: str) -> None:
    writes: list[Write] = [(10, piece(6, text=blank, ids=True, finish="length")), (10, usage(6)), (10, DONE)]
    row = counted(writes, tokens=6)
    assert (row.failure, row.output_tokens) == (None, 6)


def test_the_servers_count_wins_over_the_number_of_events() -> None:
    writes: list[Write] = [(TTFT + i * TOKEN, piece(2, finish="length" if i == 449 else None)) for i in range(450)]
    row = counted([*writes, (5000, usage(900)), (5000, DONE)], tokens=900)
    assert (row.failure, row.output_tokens, row.counting) == (None, 900, "final_usage")


def test_more_events_with_text_than_tokens_disagree() -> None:
    assert counted([*base(ids=False)[:N], (500, usage(5)), (500, DONE)], tokens=5).failure == "counts_disagree"


def test_tpot_leaves_ttft_out() -> None:
    found = metrics.measure(traced(base()))
    assert found.tpot_ms is not None
    assert found.tpot_ms.mean == pytest.approx(10.0)


def test_run_throughput_and_decode_rate_are_two_numbers() -> None:
    found = metrics.measure(traced(stream([1] * 10, 10, first=8000), tokens=10))
    assert found.decode_tok_s is not None
    assert found.decode_tok_s.median == pytest.approx(100)
    assert found.output_tok_s == pytest.approx(10 / 8.09)


def test_count_and_window_cover_the_same_tokens() -> None:
    thoughts: list[Write] = [(100 + i * TOKEN, delta(reasoning="hm")) for i in range(50)]
    answer: list[Write] = [(600 + i * TOKEN, delta(content="x", finish="length" if i == 4 else None)) for i in range(5)]
    found = metrics.measure(traced([*thoughts, *answer, (640, usage(55)), (640, DONE)], tokens=55))
    assert found.decode_tok_s is not None
    assert found.decode_tok_s.median == pytest.approx(100)


@pytest.mark.parametrize("prompt", [9, 40, 7])
def test_another_number_of_prompt_tokens_than_sent_fails_the_request(prompt: int) -> None:
    row = counted([*base()[:-2], (500, usage(N, prompt)), (500, DONE)])
    assert row.failure == "prompt_tokens"
    assert row.message == f"{prompt} instead of 8"


def test_a_usage_beyond_what_was_asked_for_fails_the_request() -> None:
    row = counted([*base(ids=False)[:-2], (500, usage(100 * N)), (500, DONE)])
    assert row.failure == "long_output"


def test_a_server_that_reports_no_usage_fails_the_request() -> None:
    assert counted([*base(ids=False)[:-2], (500, DONE)]).failure == "no_usage"


def test_usage_of_each_event_counts_where_there_are_no_ids() -> None:
    writes: list[Write] = [(100, piece(2, so_far=2)), (130, piece(3, so_far=5, finish="length"))]
    row = counted([*writes, (130, usage(5)), (130, DONE)], tokens=5)
    assert (row.failure, row.counting) == (None, "continuous_usage")
    assert row.event_tokens.tolist() == [2, 3, 0, 0]


def test_usage_of_each_event_counts_tokens_whose_text_is_held_back() -> None:
    writes: list[Write] = [(100, piece(0, text="", so_far=1)), (130, piece(3, so_far=5, finish="length"))]
    row = counted([*writes, (130, usage(5)), (130, DONE)], tokens=5)
    assert row.event_tokens.tolist() == [1, 4, 0, 0]
    assert int(row.event_ns[0]) == 100 * MS


def test_a_usage_that_falls_disagrees() -> None:
    writes: list[Write] = [(100, piece(2, so_far=5)), (130, piece(3, so_far=4, finish="length"))]
    assert counted([*writes, (130, usage(5)), (130, DONE)], tokens=5).failure == "counts_disagree"


def test_null_usage_in_every_chunk_is_no_usage() -> None:
    choice = {"index": 0, "text": "a", "finish_reason": None, "logprobs": None}
    writes: list[Write] = [(100 + i, event({"choices": [choice], "usage": None})) for i in range(2)]
    last = event({"choices": [{**choice, "finish_reason": "length"}], "usage": None})
    row = counted([*writes, (130, last), (130, usage(3)), (130, DONE)], tokens=3)
    assert (row.failure, row.counting) == (None, "final_usage")


def test_cached_and_reasoning_tokens_are_kept() -> None:
    full = {
        **usage_of(1),
        "prompt_tokens_details": {"cached_tokens": 5},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }
    row = counted(
        [(1, piece(ids=True, finish="length")), (1, event({"choices": [], "usage": full})), (1, DONE)], tokens=1
    )
    assert (row.failure, row.cached_tokens, row.reasoning_tokens) == (None, 5, 1)


def test_a_stop_at_the_asked_length_is_still_no_length_stop() -> None:
    row = counted([(1, piece(ids=True, finish="stop")), (1, usage(1)), (1, DONE)], tokens=1)
    assert (row.failure, row.message) == ("finish_reason", "stop")


def test_an_error_before_the_first_token_credits_no_tokens() -> None:
    found = metrics.measure(traced([(50, event({"error": "no room"})), (50, DONE)], base()))
    assert found.output_tokens == N
    assert found.failed == 1


def test_failures_do_not_raise_the_throughput() -> None:
    good = [base()] * 8
    whole = metrics.measure(traced(*good))
    with_failures = metrics.measure(traced(*good, [(1, event({"error": "busy"}))], [(1, event({"error": "busy"}))]))
    assert with_failures.output_tok_s <= whole.output_tok_s
    assert with_failures.requests_s <= whole.requests_s


def test_the_time_of_failed_requests_stays_in_the_run() -> None:
    found = metrics.measure(traced(base(), [(900, event({"error": "died"}))]))
    assert found.duration_s == pytest.approx(0.9)


def test_failures_are_the_slowest_of_all() -> None:
    found = metrics.measure(traced(*[base()] * 90, *[[(5.0, DONE)]] * 10))
    assert found.ttft_ms is not None
    assert found.tpot_ms is not None
    assert found.decode_tok_s is not None
    assert (found.ttft_ms.median, found.ttft_ms.p99) == (TTFT, float("inf"))
    assert found.tpot_ms.p99 == float("inf")
    assert found.decode_tok_s.lowest == 0
    assert found.interactivity_p90_slow is not None
    assert found.interactivity_p90_slow < 100


def test_failed_requests_lengthen_the_pools_of_gaps() -> None:
    found = metrics.measure(traced(base(), [(5.0, DONE)]))
    assert found.event_gap_ms is not None
    assert found.token_itl_ms is not None
    assert (found.event_gap_ms.count, found.token_itl_ms.count) == (60, 60)
    assert found.event_gap_ms.p90 == float("inf")


def test_tokens_after_done_fail_the_request() -> None:
    assert counted([*base(), (600, piece())]).failure == "after_done"


def test_several_choices_fail_the_request() -> None:
    choices = [{"index": i, "text": "a", "finish_reason": "length"} for i in (0, 1)]
    row = counted([(1, event({"choices": choices})), (1, usage(2)), (1, DONE)], tokens=2)
    assert row.failure == "several_choices"


def test_metrics_that_the_server_sends_along_are_kept_as_they_came() -> None:
    vllm = {"choices": [], "usage": usage_of(1), "metrics": {"time_to_first_token_ms": 12.5}}
    sglang = {"choices": [], "sglext": {"spec_tokens_details": {"spec_verify_ct": 3}}}
    row = counted([(1, piece(ids=True, finish="length")), (1, event(vllm)), (1, event(sglang)), (1, DONE)], tokens=1)
    assert row.failure is None
    assert row.server_metrics is not None
    assert "time_to_first_token_ms" in row.server_metrics
    assert "spec_verify_ct" in row.server_metrics


def test_event_gaps_are_not_shared_among_tokens_and_token_gaps_are() -> None:
    found = traced(stream([1] + [3] * 10, 30))
    itl = next(value.value for value in TOOLS["vllm"](found).values if value.name == "mean_itl_ms")
    mine = metrics.measure(found)
    assert mine.event_gap_ms is not None
    assert mine.token_itl_ms is not None
    assert itl is not None
    assert mine.event_gap_ms.mean == pytest.approx(itl)
    assert mine.token_itl_ms.mean == pytest.approx(itl / 3)
