"""Counters of real servers are read by their names, summed over ranks, and only their differences count."""

from __future__ import annotations

import pytest

from runners.engines.counters import Accepted, Counters, Histogram, RestartedError, accepted, delta, read
from tests.runners.engines.texts import counters_of


def found(engine: str, moment: str) -> Counters:
    counters = read(counters_of(engine, moment))
    assert counters is not None
    return counters


@pytest.mark.parametrize(("engine", "cached"), [("vllm", 96), ("sglang", 127)])
def test_two_requests_add_what_they_had(engine: str, cached: int) -> None:
    added = delta(found(engine, "before"), found(engine, "after"))
    assert added.engine == engine
    assert (added.value("generated_tokens"), added.value("prompt_tokens")) == (80, 256)
    assert added.value("cached_tokens") == cached
    for name in ("ttft_s", "tpot_s", "e2e_s"):
        assert added.histograms[name].count == 2
        assert added.mean_ms(name) is not None
    assert accepted(added) is None


def test_what_a_server_does_not_show_is_not_stated() -> None:
    assert found("sglang", "after").value("preemptions") is None
    assert found("vllm", "after").value("spec_steps") is None
    assert found("vllm", "after").mean_ms("queue_s") is None  # type: ignore[arg-type]


def test_a_counter_that_sglang_shows_from_its_first_event_on_is_0_before() -> None:
    assert "sglang:cached_tokens_total" not in counters_of("sglang", "before")
    assert found("sglang", "before").value("cached_tokens") == 0


def text(*samples: str) -> str:
    return "\n".join([*samples, ""])


def test_ranks_are_added_up_and_repeating_ones_are_not() -> None:
    several = text(
        'vllm:generation_tokens_total{engine="0"} 5', 'vllm:generation_tokens_total{engine="1"} 7',
        'vllm:generation_tokens_created{engine="0"} 1.7e9',
    )  # fmt: skip
    assert read(several) == Counters("vllm", {"generated_tokens": 12})
    repeated = text(
        'sglang:generation_tokens_total{dp_rank="0",tp_rank="0"} 5',
        'sglang:generation_tokens_total{dp_rank="0",tp_rank="1"} 5',
        'sglang:generation_tokens_total{dp_rank="1",tp_rank="0"} 6',
    )
    counters = read(repeated)
    assert counters is not None
    assert counters.value("generated_tokens") == 11


def test_an_older_name_is_taken_where_the_newer_is_absent() -> None:
    older = read(text("vllm:gpu_prefix_cache_hits_total 3", "vllm:time_per_output_token_seconds_sum 2",
                      "vllm:time_per_output_token_seconds_count 4"))  # fmt: skip
    assert older == Counters("vllm", {"cached_tokens": 3}, {"itl_s": Histogram(2, 4)})
    assert older.mean_ms("itl_s") == 500


@pytest.mark.parametrize("other", ["", "go_goroutines 7\n", "<html>not found</html>"])
def test_a_text_of_something_else_has_no_counters(other: str) -> None:
    try:
        assert read(other) is None
    except ValueError:  # no metrics text at all: control tells that as a sentence
        assert "<" in other


def test_counters_that_fall_are_another_servers() -> None:
    with pytest.raises(RestartedError, match="lower"):
        delta(found("vllm", "after"), found("vllm", "before"))
    with pytest.raises(RestartedError, match="vllm answered before"):
        delta(found("vllm", "before"), found("sglang", "after"))


def test_acceptance_is_each_engines_own() -> None:
    of_vllm = Counters("vllm", {"spec_steps": 10, "spec_accepted_tokens": 15, "spec_draft_tokens": 40})
    assert accepted(of_vllm) == Accepted("vllm", 2.5, 0.375, 10)
    of_sglang = Counters("sglang", {"spec_steps": 12, "generated_tokens": 40})
    assert accepted(of_sglang) == Accepted("sglang", 40 / 12, None, 12)
    assert accepted(Counters("sglang", {"spec_steps": 0, "generated_tokens": 40})) is None


def test_a_gauge_of_the_last_batch_is_no_count_of_the_run() -> None:
    before = text("sglang:cached_tokens_total 0", "sglang:prompt_tokens_total 0", "sglang:cache_hit_rate 0.0")
    after = text("sglang:cached_tokens_total 0", "sglang:prompt_tokens_total 128", "sglang:cache_hit_rate 0.9")
    one, other = read(before), read(after)
    assert one is not None
    assert other is not None
    found = delta(one, other)
    assert (found.value("cached_tokens"), found.value("prompt_tokens")) == (0, 128)
