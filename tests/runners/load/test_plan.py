from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runners.load import plan, processes, prompts
from runners.load.connect import read_url
from runners.load.plan import Source, Workload
from runners.load.prompts import COMMON, Serials, Vocabulary, token_ids
from runners.load.schedule import SECOND, Closed, Open, Sessions, Shape, Shot, arrivals
from runners.load.wire import Dialect

TARGET = read_url("http://127.0.0.1:8000")
SOURCE = Source(7)
IDS = Dialect("m")


def body(shot: Shot) -> dict[str, Any]:
    head, _, payload = shot.body.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(payload)}".encode() in head
    found: dict[str, Any] = json.loads(payload)
    return found


def test_a_request_asks_for_an_exact_length_and_for_every_count() -> None:
    (shot,) = plan.requests(TARGET, IDS, Workload(4, 6), range(1), SOURCE)
    asked = body(shot)
    assert shot.body.startswith(b"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n")
    assert len(asked["prompt"]) == 4
    assert (asked["max_tokens"], asked["min_tokens"], asked["ignore_eos"], asked["temperature"]) == (6, 6, True, 0)
    assert asked["stream_options"] == {"include_usage": True, "continuous_usage_stats": True}
    assert asked["return_token_ids"] is True
    assert (shot.asked.input_tokens, shot.asked.output_tokens) == (4, 6)


def test_counting_by_usage_alone_asks_for_no_ids() -> None:
    (shot,) = plan.requests(TARGET, Dialect("m", asking="usage"), Workload(4, 6), range(1), SOURCE)
    asked = body(shot)
    assert asked["stream_options"] == {"include_usage": True}
    assert "return_token_ids" not in asked


def test_chat_sends_text_of_a_length_that_nobody_claims_to_know() -> None:
    first, second = plan.requests(TARGET, Dialect("m", "chat", api_key="k"), Workload(40, 6), range(2), SOURCE)
    assert first.body.startswith(b"POST /v1/chat/completions ")
    assert b"Authorization: Bearer k\r\n" in first.body
    assert first.asked.input_tokens is None
    words = [body(shot)["messages"][0]["content"].split(" ") for shot in (first, second)]
    assert [len(found) for found in words] == [40, 40]
    assert words[0][:7] != words[1][:7]


@pytest.mark.parametrize(
    ("url", "host", "port", "path", "tls"),
    [
        ("http://h:8000", "h", 8000, "/v1", False),
        ("h:8000/", "h", 8000, "/v1", False),
        ("https://h/v1/", "h", 443, "/v1", True),
        ("http://h/api/v1/chat/completions", "h", 80, "/api/v1", False),
        ("http://[::1]:9/v1/completions", "::1", 9, "/v1", False),
    ],
)
def test_a_url_may_name_the_server_or_an_endpoint(url: str, host: str, port: int, path: str, tls: bool) -> None:
    found = read_url(url)
    assert (found.host, found.port, found.path, found.tls) == (host, port, path, tls)


@pytest.mark.parametrize("url", ["ftp://h", "http://", "http://u:p@h", "http://h?x=1", "http://h:99999"])
def test_another_url_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_url(url)


def test_ten_thousand_prompts_share_no_beginning() -> None:
    firsts = {tuple(token_ids(1, serial, 64, COMMON)[:4]) for serial in Serials(1).take(10_000)}
    assert len(firsts) == 10_000


def test_prompts_differ_in_their_very_first_id_until_the_vocabulary_is_used_up() -> None:
    serials = Serials(3).take(COMMON.size)
    assert len({token_ids(3, serial, 8, COMMON)[0] for serial in serials}) == COMMON.size


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(0, 2**41))
def test_ids_stay_in_the_vocabulary_and_come_again_for_the_same_arguments(seed: int, length: int, serial: int) -> None:
    vocabulary = Vocabulary(3, 200)
    ids = token_ids(seed, serial, length, vocabulary)
    assert len(ids) == length
    assert all(3 <= token < 200 for token in ids)
    assert ids == token_ids(seed, serial, length, vocabulary)


def test_no_serial_number_is_handed_out_twice() -> None:
    serials = Serials(5)
    taken = [*serials.take(3), *serials.take(1), *serials.take(100)]
    assert len(set(taken)) == 104


def test_two_seeds_begin_at_two_places() -> None:
    assert Serials(1).next != Serials(2).next


def test_words_are_distinct() -> None:
    assert len(set(prompts.WORDS)) == len(prompts.WORDS) >= 64


@pytest.mark.parametrize(("lowest", "below"), [(-1, 100), (0, 63), (100, 100)])
def test_a_vocabulary_too_small_is_refused(lowest: int, below: int) -> None:
    with pytest.raises(ValueError, match="at least 64"):
        Vocabulary(lowest, below)


@pytest.mark.parametrize("field", ["input_tokens", "output_tokens", "turns"])
def test_an_empty_workload_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match=field):
        Workload(**({"input_tokens": 1, "output_tokens": 1} | {field: 0}))


def test_a_session_grows_by_its_history_behind_a_shared_beginning() -> None:
    work = Workload(5, 3, turns=3, prefix_tokens=4, think_s=0.5)
    shots = plan.sessions(TARGET, IDS, work, Serials(1).take(plan.serials_of(2, work)), SOURCE)
    assert [(shot.asked.session, shot.asked.turn, shot.asked.input_tokens) for shot in shots] == [
        (session, turn, 4 + 5 + 8 * turn) for session in (0, 1) for turn in range(3)
    ]
    sent = [body(shot)["prompt"] for shot in shots]
    assert sent[1][: len(sent[0])] == sent[0]
    assert sent[2][: len(sent[1])] == sent[1]
    assert sent[0][:4] == sent[3][:4]
    assert sent[0][4] != sent[3][4]
    assert [shot.asked.wait_ns for shot in shots[:2]] == [0, SECOND // 2]


def test_sessions_need_token_ids() -> None:
    with pytest.raises(ValueError, match="token ids"):
        plan.sessions(TARGET, Dialect("m", "chat"), Workload(1, 1), range(3), SOURCE)


@pytest.mark.parametrize("shape", ["constant", "poisson", "gamma"])
def test_arrivals_offer_exactly_the_rate_that_was_asked_for(shape: Shape) -> None:
    times = arrivals(Open(200, shape, burstiness=0.5), 1001)
    assert times[0] == 0
    assert times[-1] == pytest.approx(5 * SECOND)
    assert all(a <= b for a, b in pairwise(times))


def test_arrivals_come_again_for_the_same_seed_and_differ_for_another() -> None:
    assert arrivals(Open(10, seed=1), 50) == arrivals(Open(10, seed=1), 50)
    assert arrivals(Open(10, seed=1), 50) != arrivals(Open(10, seed=2), 50)


def test_shapes_of_one_rate_differ_in_their_spread() -> None:
    def spread(load: Open) -> float:
        times = arrivals(load, 5000)
        gaps = [b - a for a, b in pairwise(times)]
        middle = sum(gaps) / len(gaps)
        return math.sqrt(sum((gap - middle) ** 2 for gap in gaps) / len(gaps)) / middle

    assert spread(Open(10, "constant")) == pytest.approx(0, abs=1e-6)
    assert spread(Open(10, "gamma", math.inf)) == pytest.approx(0, abs=1e-6)
    assert spread(Open(10, "poisson")) == pytest.approx(1, abs=0.1)
    assert spread(Open(10, "gamma", 0.25)) == pytest.approx(2, abs=0.3)
    assert spread(Open(10, "gamma", 4)) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("burstiness", [0, -1, math.nan])
def test_an_impossible_burstiness_is_refused(burstiness: float) -> None:
    with pytest.raises(ValueError, match="burstiness"):
        Open(10, "gamma", burstiness)


@pytest.mark.parametrize("rate", [0, -1, math.inf, math.nan])
def test_an_impossible_rate_is_refused(rate: float) -> None:
    with pytest.raises(ValueError, match="rate"):
        Open(rate)


def test_a_concurrency_of_none_is_refused() -> None:
    with pytest.raises(ValueError, match="concurrency"):
        Closed(0)


def test_processes_share_a_closed_load_by_concurrency() -> None:
    shots = plan.requests(TARGET, IDS, Workload(2, 2), range(10), SOURCE)
    shares = processes.split(processes.plan(TARGET, Closed(5), shots, 1.0), 2)
    assert [(share.load, len(share.shots)) for share in shares] == [(Closed(3), 6), (Closed(2), 4)]
    assert sorted(shot.index for share in shares for shot in share.shots) == list(range(10))


def test_processes_share_an_open_load_by_time() -> None:
    shots = plan.requests(TARGET, IDS, Workload(2, 2), range(5), SOURCE)
    job = processes.plan(TARGET, Open(10, "constant"), shots, 1.0)
    shares = processes.split(job, 2)
    assert [[shot.index for shot in share.shots] for share in shares] == [[0, 2, 4], [1, 3]]
    assert [list(share.at_ns) for share in shares] == [list(job.at_ns[0::2]), list(job.at_ns[1::2])]


def test_a_session_stays_with_one_process() -> None:
    work = Workload(2, 2, turns=3)
    shots = plan.sessions(TARGET, IDS, work, range(plan.serials_of(4, work)), SOURCE)
    shares = processes.split(processes.plan(TARGET, Sessions(2), shots, 1.0), 2)
    assert [{shot.asked.session for shot in share.shots} for share in shares] == [{0, 2}, {1, 3}]
