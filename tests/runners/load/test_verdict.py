from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from runners.load import acceptance, metrics, trace, verdict
from runners.load.count import count
from runners.load.schedule import Asked
from runners.load.statistics import bootstrap_median, distribution, percentile
from runners.load.verdict import Client, Limits
from tests.runners.load.script import (
    DONE,
    MS,
    Write,
    base,
    chunked,
    event,
    piece,
    recording,
    stream,
    traced,
    usage_of,
)

CALM = Client(1, 0.5, 1.0, 0.0, 0.1)


def rules(*streams: list[Write], client: Client = CALM, concurrency: int | None = 1) -> list[str]:
    found = traced(*streams)
    reasons = verdict.judge(found, metrics.measure(found), client, concurrency, Limits())
    assert all(reason.message for reason in reasons)
    return [reason.rule for reason in reasons]


def test_a_good_run_has_no_reasons_against_it() -> None:
    assert rules(base(), base()) == []


def test_one_failure_in_a_hundred_is_borne_and_two_are_not() -> None:
    broken: list[Write] = [(1, DONE)]
    assert rules(*[base()] * 99, broken) == []
    assert rules(*[base()] * 98, broken, broken) == ["failures", "no_tokens"]


def test_any_failure_of_a_small_run_is_too_much_and_every_kind_is_named() -> None:
    stopped = [*base()[:4], (240.0, piece(ids=True, so_far=5, finish="stop")), (240.0, event({"choices": []}))]
    assert rules(base(), [*stopped, (240.0, DONE)], [(1, DONE)], [(1, DONE)]) == [
        "failures",
        "no_tokens",
        "short_output",
    ]


TOGETHER: list[Write] = [(200.0, b"".join(data for _, data in base()))]
IN_BURSTS: list[Write] = [(200.0 + 100 * (place // 8), data) for place, (_, data) in enumerate(base())]


def test_tokens_whose_time_nobody_saw_are_no_result() -> None:
    assert rules(*[base()] * 99, TOGETHER) == []
    assert rules(*[base()] * 98, TOGETHER, TOGETHER) == ["tokens_at_once"]
    assert rules(TOGETHER, TOGETHER) == ["tokens_at_once"]


def test_bursts_that_hide_most_gaps_are_no_result() -> None:
    assert rules(IN_BURSTS, IN_BURSTS) == ["tokens_at_once"]
    assert rules(IN_BURSTS, base(), base()) == []


@pytest.mark.parametrize(
    ("client", "rule"),
    [
        (replace(CALM, lag_p99_ms=26), "lagging_client"),
        (replace(CALM, lag_share=0.21), "lagging_client"),
        (replace(CALM, lag_worst_ms=501), "lagging_client"),
        (replace(CALM, cpu_share=0.96), "saturated_client"),
    ],
)
def test_a_client_that_could_not_keep_up_is_no_witness(client: Client, rule: str) -> None:
    assert rules(base(), client=client) == [rule]


def test_lag_is_judged_by_the_process_that_fared_worst() -> None:
    calm, busy = [(0, 100_000)] * 100, [(0, 100_000)] * 95 + [(0, 60 * MS)] * 5
    found = verdict.client_of([calm, busy], [10, 500], 1000 * MS)
    assert found.processes == 2
    assert found.lag_p99_ms == pytest.approx(60)
    assert found.lag_share == pytest.approx(5 * 58 / 1000)


def test_one_long_stall_shows_in_the_share_of_the_run_that_was_late() -> None:
    found = verdict.client_of([[(0, 0)] * 200 + [(0, 1000 * MS)]], [0], 3000 * MS)
    assert found.lag_p99_ms < 25
    assert found.lag_share > Limits().lag_share


def test_fewer_requests_than_the_concurrency_never_reach_it() -> None:
    assert rules(base(), concurrency=2) == ["too_few_requests"]


def test_sends_far_behind_their_schedule_are_not_the_load_that_was_asked_for() -> None:
    late = recording(chunked(base()), sent_ms=200)
    late.scheduled_ns = 0
    found = trace.from_rows([count(late, Asked(31, 8))], 0, {})
    numbers = metrics.measure(found)
    assert [reason.rule for reason in verdict.judge(found, numbers, CALM, None, Limits())] == ["late_sends"]
    assert numbers.ttft_ms is not None
    assert numbers.ttft_ms.median == 200
    assert numbers.queue_ms is not None
    assert numbers.queue_ms.median == 200


def cached(tokens: int) -> list[Write]:
    full = {**usage_of(31, 100), "prompt_tokens_details": {"cached_tokens": tokens}}
    return [*base()[:-2], (500.0, event({"choices": [], "usage": full})), (500.0, DONE)]


def test_a_prefix_cache_that_found_something_was_not_cold() -> None:
    assert rules(cached(1)) == []
    assert rules(cached(64)) == ["warm_cache"]


def test_sessions_may_find_their_own_history() -> None:
    row = count(recording(chunked(cached(64))), Asked(31, None, session=0))
    found = trace.from_rows([row], 0, {})
    assert verdict.judge(found, metrics.measure(found), CALM, 1, Limits()) == []


def test_percentiles_are_linear_between_ranks_and_infinity_is_a_number() -> None:
    values = np.array([10.0, 20.0, 30.0, math.inf, math.inf])
    assert percentile(values, 25) == 20
    assert percentile(values, 30) == 22
    assert percentile(values, 60) == math.inf
    assert percentile(values, 90) == math.inf
    found = distribution(values)
    assert found is not None
    assert (found.median, found.mean, found.p99) == (30, math.inf, math.inf)
    assert distribution(np.zeros(0)) is None


def test_p90_interactivity_is_the_slow_tail_inverted_after_the_percentile() -> None:
    gaps = [10, 11, 12, 13, 14, 15, 16, 18, 25, 40]
    found = metrics.measure(traced(*[stream([1, 1], gap) for gap in gaps], tokens=2))
    assert found.interactivity_p90_slow == pytest.approx(37.7, abs=0.05)
    assert found.interactivity_p90_fast == pytest.approx(91.8, abs=0.05)
    assert found.decode_tok_s is not None
    assert found.decode_tok_s.p10 == pytest.approx(38.5, abs=0.05)
    assert found.decode_tok_s.mean == pytest.approx(67.2, abs=0.05)


def test_an_interval_needs_three_finite_repeats_and_holds_their_median() -> None:
    assert bootstrap_median([1.0, 2.0]) is None
    assert bootstrap_median([1.0, 2.0, math.inf]) is None
    interval = bootstrap_median([10.0, 11.0, 12.0, 30.0, 11.5])
    assert interval is not None
    assert 10 <= interval[0] <= 11.5 <= interval[1] <= 30


def spoken(value: dict[str, object]) -> list[Write]:
    return [
        (1, piece(4, ids=True, finish="length")),
        (1, event({"choices": [], "usage": usage_of(4), **value})),
        (1, DONE),
    ]


def test_acceptance_of_vllm_is_one_more_than_the_accepted_per_step() -> None:
    counts = {"num_spec_steps": 2, "num_accepted_draft_tokens": 2, "num_draft_tokens": 6}
    found = acceptance.acceptance(traced(*[spoken({"metrics": {"speculative_decoding": counts}})] * 2, tokens=4))
    assert found is not None
    assert (found.engine, found.length, found.rate, found.steps, found.requests) == ("vllm", 2.0, 1 / 3, 4, 2)


def test_acceptance_of_sglang_is_tokens_per_verify_step() -> None:
    counts = {"spec_verify_ct": 3, "spec_num_correct_drafts": 1, "spec_num_proposed_drafts": 9}
    found = acceptance.acceptance(traced(spoken({"sglext": {"spec_tokens_details": counts}}), tokens=4))
    assert found is not None
    assert (found.engine, found.length, found.rate) == ("sglang", 4 / 3, 1 / 9)


def test_acceptance_is_not_stated_where_the_server_does_not_report_it() -> None:
    assert acceptance.acceptance(traced(base())) is None
