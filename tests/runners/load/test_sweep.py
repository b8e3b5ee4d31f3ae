"""Sweeps, open loops and sessions as commands: what is sent, what is printed, what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from runners import measure, report, sweep_report
from runners.__main__ import main
from runners.load import selfcheck
from runners.load.schedule import Closed, Load, Open, Sessions
from runners.load.selfcheck import Ceiling, Check
from runners.load.verdict import Client
from runners.measure import MeasureError, Options
from runners.sweep import Sweep, sweep
from tests.runners.load.script import HEAD, LAST_CHUNK
from tests.runners.load.server import Answer, Asked, Script, Server, framed, obedient, tokens_of
from tests.runners.load.test_measure import options, paced, silent, stopping

if TYPE_CHECKING:
    from pathlib import Path

WORK = ["--model", "m", "--input-tokens", "16", "--output-tokens", "12"]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test box may be busy, and what the client can see on it is not what these tests are about."""
    monkeypatch.setattr(selfcheck, "GAP_FACTOR", 1e9)
    monkeypatch.setattr(selfcheck, "TPOT_ERROR", 1e9)
    monkeypatch.setattr(selfcheck, "SECONDS", 0.1)


def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """No check is passed, also where a busy box makes the scripted server late."""
    monkeypatch.setattr(selfcheck, "GAP_FACTOR", 0.0)
    monkeypatch.setattr(selfcheck, "DELIVERED", 0.0)


def at(url: str, *loads: Load, **changes: Any) -> list[Options]:
    return [replace(options(url, **changes), load=load) for load in loads]


def swept(script: Script, *loads: Load, **changes: Any) -> Sweep:
    with Server(script) as url:
        return sweep(at(url, *loads, **changes), silent)


def command(capsys: pytest.CaptureFixture[str], *more: str, script: Script = obedient) -> tuple[int, str, str]:
    with Server(script) as url:
        code = main(["measure", url, *WORK, *more])
    return code, *capsys.readouterr()


def test_a_sweep_is_one_result_with_a_point_for_each_load() -> None:
    with paced() as url:
        found = sweep_report.as_json(sweep(at(url, Closed(1), Closed(4), runs=2), silent))
    assert (found["valid"], found["reasons"], found["runs_a_point"]) == (True, [], 2)
    assert [point["load"] for point in found["points"]] == [{"kind": "closed", "concurrency": c} for c in (1, 4)]
    for point in found["points"]:
        assert (point["requests"], point["failed"], point["label"]) == (16, 0, "median of 2 runs")
        assert point["output_tok_s"] > 0
        assert point["interactivity_p90_slow"] > 0
        assert {"median", "p90"} <= set(point["ttft_ms"])
        assert {"median", "p90"} <= set(point["tpot_ms"])


def test_repeats_of_the_points_take_turns() -> None:
    said: list[str] = []
    with Server(obedient) as url:
        sweep(at(url, Closed(1), Closed(2), runs=2), said.append)
    order = [line.split(":")[0] for line in said if "run " in line and "requests" in line]
    assert order == [f"concurrency {c}, run {number} of 2" for number in (1, 2) for c in (1, 2)]


def test_the_points_of_a_sweep_share_no_prompt_and_come_again_with_the_seed() -> None:
    sent = []
    for _ in range(2):
        server = Server(obedient)
        with server as url:
            sweep(at(url, Closed(1), Closed(3), runs=2), silent)
        sent.append([asked.body["prompt"] for asked in server.requests])
    firsts = [prompt[0] for prompt in sent[0]]
    assert len(set(firsts)) == len(firsts)
    assert sorted(sent[0][-32:]) == sorted(sent[1][-32:])


def test_the_client_is_checked_before_the_first_run_at_the_busiest_point() -> None:
    said: list[str] = []
    with Server(obedient) as url:
        found = sweep(at(url, Closed(1), Closed(2)), said.append)
    assert found.ceiling is not None
    assert len(found.ceiling.checks) == 1
    places = [place for place, line in enumerate(said) if "checking the client" in line]
    runs = [place for place, line in enumerate(said) if ", run 1 of 1" in line]
    assert len(places) == 1
    assert places[0] < min(runs)


def test_points_above_what_the_client_sees_are_refused_and_stay_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    blind(monkeypatch)
    server = Server(obedient)
    with server as url:
        found = sweep(at(url, Closed(1), Closed(2)), silent)
    assert [point.result for point in found.points] == [None, None]
    assert not found.valid
    said = sweep_report.as_json(found)
    for point in said["points"]:
        assert point["output_tok_s"] is None
        assert point["reasons"][0].startswith("above_client_ceiling: ")
    assert said["client_ceiling"]["events_s"] is None
    text = sweep_report.as_text(found)
    assert text.count("no result") == 2
    assert "concurrency 2: more than this client can see rightly: at " in text
    assert "above_client_ceiling" not in text


GOOD = Check(1000, 1000, 20, 21, 0.001, Client(1, 0, 0, 0, 0))
FAILED = replace(GOOD, events_s=9000, sent_events_s=9000, tpot_error=1e10)


def test_a_ceiling_lies_at_the_busiest_point_that_was_seen_rightly() -> None:
    ceiling = Ceiling(1000, (FAILED, FAILED, GOOD))
    assert ceiling.reasons(1000) == []
    assert ceiling.reasons(400) == []
    assert "9,000 events/s" in ceiling.reasons(9000)[0].message
    assert Ceiling(1000, (GOOD,)).reasons(1000) == []
    assert Ceiling(None, (FAILED, FAILED)).reasons(50) != []


def test_a_failed_check_is_made_once_more_and_then_the_next_point_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    blind(monkeypatch)
    found = selfcheck.ceiling([(1, 100.0), (2, 400.0)], 1)
    assert [check.events_s for check in found.checks] == [400, 400, 100, 100]
    assert found.events_s is None


def test_a_point_that_is_no_result_spoils_no_other() -> None:
    def bad_when_full(asked: Asked) -> Answer:
        return stopping(asked) if asked.body["max_tokens"] == 12 and server.most > 1 else obedient(asked)

    server = Server(bad_when_full)
    with server as url:
        found = sweep(at(url, Closed(1), Closed(2)), silent)
    server_saw = sweep_report.as_json(found)
    assert not server_saw["valid"]
    assert any(reason.startswith("concurrency 2: ") for reason in server_saw["reasons"])
    assert server_saw["points"][1]["output_tok_s"] is None


def test_a_server_that_goes_away_leaves_the_runs_that_were_made() -> None:
    head = HEAD.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")

    def gone(asked: Asked) -> Answer:
        if asked.order == 1 + 2 * 5 * 2 + 8:  # in the run of the second point, after at most so many of warm-up
            server.refuse()
        return Answer([head, *framed(tokens_of(asked)), LAST_CHUNK], "close")

    server = Server(gone)
    with server as url:
        found = sweep(at(url, Closed(1), Closed(2), runs=9), silent)
    assert any(point.result and len(point.result.runs) < 9 for point in found.points)
    said = sweep_report.as_json(found)
    assert any("not_measured: no connection to" in reason for reason in said["reasons"])
    assert all(point["output_tok_s"] is None for point in said["points"])


def test_without_a_server_there_is_no_sweep() -> None:
    with Server(obedient) as url:
        pass
    with pytest.raises(MeasureError):
        sweep(at(url, Closed(1), Closed(2)), silent)


def test_the_readable_sweep_has_a_line_a_point() -> None:
    text = sweep_report.as_text(swept(obedient, Closed(1), Closed(4), runs=2))
    lines = text.splitlines()
    assert any(line.split()[:2] == ["concurrency", "1"] and " to " in line for line in lines)
    assert any(line.split()[:2] == ["concurrency", "4"] for line in lines)
    for heading in ("output tok/s", "TTFT ms", "TPOT ms", "P90 tok/s/user"):
        assert heading in text
    assert "2 points, each median of 2 runs" in text


def test_a_sweep_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = str(tmp_path / "t.parquet")
    code, out, _ = command(capsys, "--concurrency", "1,2", "--requests", "3,4", "--trace", trace, "--json")
    found = json.loads(out)
    assert [point["requests"] for point in found["points"]] == [3, 4]
    assert code == (0 if found["valid"] else 3)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["t-c1.parquet", "t-c2.parquet"]


@pytest.mark.parametrize(
    ("more", "load"),
    [
        (["--rate", "200"], {"kind": "open", "rate": 200, "shape": "poisson", "burstiness": 1, "seed": 7}),
        (["--rate", "200", "--arrivals", "constant"], {"shape": "constant"}),
        (["--rate", "200", "--arrivals", "gamma", "--burstiness", "0.5"], {"shape": "gamma", "burstiness": 0.5}),
        (["--rate", "200", "--arrivals", "gamma", "--burstiness", "inf"], {"shape": "gamma", "burstiness": "inf"}),
        (["--sessions", "2", "--turns", "2"], {"kind": "sessions", "concurrency": 2}),
    ],
)
def test_every_kind_of_load_has_its_argument(
    more: list[str], load: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, err = command(capsys, *more, "--requests", "4", "--seed", "7", "--json")
    found = json.loads(out)
    assert load.items() <= found["load"].items()
    assert found["failed"] == 0, err


def test_sessions_share_their_beginning_and_grow_turn_by_turn(capsys: pytest.CaptureFixture[str]) -> None:
    server = Server(obedient)
    more = ["--sessions", "2", "--turns", "2", "--prefix-tokens", "5", "--think", "0.01", "--requests", "3"]
    with server as url:
        main(["measure", url, *WORK, *more])
    assert "2 turns of 16 tokens in, 12 out, 5 shared by all before them" in capsys.readouterr().out
    run = [asked.body["prompt"] for asked in server.requests[-6:]]
    assert sorted(len(prompt) for prompt in run) == [21] * 3 + [49] * 3
    assert len({tuple(prompt[:5]) for prompt in run}) == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--concurrency", "1,1"], "named twice"),
        (["--concurrency", "0"], "concurrency 0: at least 1"),
        (["--concurrency", "1,2", "--requests", "4,4,4"], "3 numbers for 2 points"),
        (["--concurrency", "1", "--burstiness", "2"], "--burstiness has a meaning with --rate only"),
        (["--rate", "1", "--turns", "2"], "--turns has a meaning with --sessions only"),
        (["--concurrency", "1", "--prefix-tokens", "2"], "--prefix-tokens has a meaning with --sessions only"),
        (["--rate", "0"], "rate 0.0: a finite number"),
        (["--rate", "inf"], "rate inf: a finite number"),
        (["--rate", "2", "--arrivals", "gamma"], "need each other"),
        (["--rate", "2", "--burstiness", "2"], "need each other"),
        (["--rate", "2", "--arrivals", "gamma", "--burstiness", "0"], "burstiness 0.0"),
        (["--sessions", "2"], "--sessions needs --turns"),
        (["--sessions", "0", "--turns", "2"], "sessions 0: at least 1"),
        (["--sessions", "1", "--turns", "0"], "turns 0: at least 1"),
        (["--sessions", "1", "--turns", "2", "--think", "-1"], "think time -1.0"),
        (["--sessions", "1", "--turns", "2", "--think", "inf"], "think time inf"),
        (["--sessions", "1", "--turns", "2", "--prefix-tokens", "-1"], "prefix_tokens -1"),
        (["--concurrency", "1", "--timeout", "nan"], "timeout nan"),
        (["--concurrency", "1", "--vocabulary", "0"], "at least 64 ids"),
    ],
)
def test_wrong_loads_are_refused_before_anything_is_sent(
    more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", "http://127.0.0.1:1", *WORK, "--requests", "4", *more]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "more", [["--concurrency", "1,x"], ["--rate", "1,"], ["--concurrency", "1", "--rate", "1"], []]
)
def test_arguments_that_cannot_be_read_are_told(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["measure", "http://127.0.0.1:1", *WORK, "--requests", "4", *more])
    assert ended.value.code == 2
    assert "--concurrency" in capsys.readouterr().err


def test_sessions_on_a_server_of_text_alone_are_refused_with_the_reason() -> None:
    def chat(asked: Asked) -> Answer:
        if asked.path != "/v1/chat/completions":
            return Answer([b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"])
        return obedient(asked)

    with Server(chat) as url, pytest.raises(MeasureError, match="sessions are sent as token ids"):
        measure.measure(options(url, load=Sessions(1)), silent)


def test_fewer_sessions_than_at_a_time_never_reach_it() -> None:
    with Server(obedient) as url:
        work = replace(options(url).workload, turns=4)
        found = report.as_json(measure.measure(options(url, load=Sessions(3), requests=2, workload=work), silent))
    assert found["reasons"] == ["too_few_requests: 2 sessions never reach a concurrency of 3"]


def test_an_open_loop_of_any_burstiness_is_json(tmp_path: Path) -> None:
    with Server(obedient) as url:
        load = Open(300, "gamma", float("inf"))
        found = measure.measure(options(url, load=load, traces=tmp_path / "t.parquet"), silent)
    assert json.loads(json.dumps(report.as_json(found), allow_nan=False))["load"]["burstiness"] == "inf"
    assert found.runs[0].trace.meta["load"]["burstiness"] == "inf"


def test_an_invalid_run_gives_no_number_by_way_of_the_observer_check() -> None:
    with Server(stopping) as url:
        found = report.as_json(measure.measure(options(url, observer_check=True), silent))
    assert set(found["observer_check"]) == {"failed"}


def test_counters_that_vanish_between_runs_end_the_measurement_with_words() -> None:
    def control(_: str, path: str) -> tuple[int, str]:
        there = path == "/metrics" and len(server.requests) <= 1
        return (200, 'vllm:generation_tokens_total{engine="0"} 5\n') if there else (500, "")

    server = Server(obedient, control=control)
    with server as url, pytest.raises(MeasureError, match="counters could be read no more"):
        measure.measure(options(url), silent)
