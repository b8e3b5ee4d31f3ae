"""`measure` and `trace` from the command line, against servers that obey and servers that do not."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from runners import measure, report
from runners.__main__ import main
from runners.load import cadence
from runners.load.cadence import Cadence
from runners.load.plan import Workload
from runners.load.schedule import Closed, Open, Sessions
from runners.load.tools import TOOLS
from runners.load.verdict import Limits
from runners.measure import MeasureError, Options
from tests.runners.load.script import DONE, HEAD, LAST_CHUNK, event, piece, usage
from tests.runners.load.server import Answer, Asked, Script, Server, framed, obedient, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ASKED = [
    "--model", "m", "--input-tokens", "16", "--output-tokens", "12", "--concurrency", "2", "--requests", "8",
]  # fmt: skip
# A test box may be busy: what the client's own lag does to a verdict has tests of its own.
# So has what comes of a server that writes as fast as it can.
PATIENT = Limits(
    lag_p99_ms=1e9, lag_worst_ms=1e9, lag_share=1e9, cpu_share=1e9, late_p99_ms=1e9, at_once_share=1, together_share=1
)


@dataclass
class Said:
    code: int
    result: dict[str, Any]
    progress: str


def run(capsys: pytest.CaptureFixture[str], script: Script, *more: str) -> Said:
    with Server(script) as url:
        code = main(["measure", url, *ASKED, *more, "--json"])
    out, err = capsys.readouterr()
    return Said(code, json.loads(out), err)


def options(url: str, **changes: Any) -> Options:
    given = Options(url, "m", Workload(16, 12), Closed(2), requests=8, seed=5, limits=PATIENT)
    return replace(given, **changes)


def silent(_: str) -> None:
    """Progress that nobody watches."""


def measured(script: Script, **changes: Any) -> dict[str, Any]:
    with Server(script) as url:
        return report.as_json(measure.measure(options(url, **changes), silent))


@contextmanager
def paced() -> Iterator[str]:
    """A server with time between its tokens, so that a client sees some."""
    with cadence.serving(Cadence(0.002, 12)) as server:
        yield server.url


def body(parts: list[bytes]) -> Answer:
    return Answer([HEAD, *framed(parts), LAST_CHUNK])


def test_a_good_server_is_measured() -> None:
    with paced() as url:
        found = report.as_json(measure.measure(options(url), silent))
    assert (found["valid"], found["reasons"], found["label"]) == (True, [], "one run")
    assert (found["requests"], found["failed"], found["output_tokens"], found["input_tokens"]) == (8, 0, 96, 128)
    assert found["counting"] == "token_ids"
    for name in ("ttft_ms", "tpot_ms", "event_gap_ms", "token_itl_ms", "decode_tok_s"):
        assert {"median", "mean", "p90", "p99"} <= set(found[name])
    assert found["output_tok_s"] > 0
    assert found["axes"]["tpot_ms"] == "tpot 1"


def test_the_command_prints_json_and_speaks_of_its_progress_apart(capsys: pytest.CaptureFixture[str]) -> None:
    said = run(capsys, obedient)
    rules = said.result["runs"][0]["rules"]
    assert set(rules) <= {"lagging_client", "tokens_at_once"}
    assert said.code == (3 if rules else 0)
    assert "run 1 of 1" in said.progress


def test_readiness_warm_up_and_repeats_share_no_prompt() -> None:
    server = Server(obedient)
    with server as url:
        measure.measure(options(url, runs=2), silent)
    firsts = [asked.body["prompt"][0] for asked in server.requests]
    assert len(firsts) >= 1 + 2 * 2 + 2 * 8
    assert len(set(firsts)) == len(firsts)


def test_the_concurrency_is_the_one_that_was_asked_for() -> None:
    server = Server(obedient)
    with server as url:
        measure.measure(options(url, load=Closed(4)), silent)
    assert server.most == 4


def test_the_same_seed_sends_the_same_prompts() -> None:
    sent = []
    for seed in (1, 1, 2):
        server = Server(obedient)
        with server as url:
            measure.measure(options(url, seed=seed), silent)
        sent.append([asked.body["prompt"] for asked in server.requests[:1]])
    assert sent[0] == sent[1] != sent[2]


def test_what_a_run_sends_does_not_depend_on_how_long_the_warm_up_took(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []
    for steady in (1e9, -1.0):
        monkeypatch.setattr(measure, "STEADY", steady)
        server = Server(obedient)
        with server as url:
            notes = measure.measure(options(url), silent).notes
        assert ("still not steady after 5 rounds of warm-up" in notes) == (steady < 0)
        sent.append([asked.body["prompt"] for asked in server.requests])
    short, long = sent
    assert len(short) < len(long)
    assert sorted(short[-8:]) == sorted(long[-8:])


def stopping(asked: Asked) -> Answer:
    parts = [piece(ids=True, finish="stop" if place == 4 else None) for place in range(5)]
    return body([*parts, usage(5, len(asked.body["prompt"])), DONE])


def failing_often(asked: Asked) -> Answer:
    if asked.order % 9 in {0, 3, 5, 7}:
        return Answer([b"HTTP/1.1 500 Oh no\r\nContent-Length: 0\r\n\r\n"])
    return obedient(asked)


BAD: dict[str, Script] = {
    "short_output": stopping,
    "prompt_tokens": lambda asked: body(tokens_of(asked, prompt=80)),
    "status": failing_often,
    "error_in_stream": lambda asked: body([*tokens_of(asked)[:5], event({"error": {"message": "died"}}), DONE]),
    "no_done": lambda asked: body(tokens_of(asked)[:-1]),
    "no_usage": lambda _: body([*[piece(finish="length")] * 12, DONE]),
    "no_tokens": lambda _: body([DONE]),
    "long_output": lambda asked: body([*tokens_of(asked)[:-2], piece(ids=True), usage(13, 16), DONE]),
    "not_a_stream": lambda _: Answer(
        [b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"]
    ),
}


@pytest.mark.parametrize("rule", BAD)
def test_a_run_that_is_no_result_ends_with_3_its_reasons_and_no_number(
    rule: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = run(capsys, BAD[rule])
    assert (said.code, said.result["valid"]) == (3, False)
    assert rule in said.result["runs"][0]["rules"]
    assert any(rule in reason for reason in said.result["reasons"])
    assert said.result["requests"] == 8
    assert said.result["failed"] > 0
    for name in report.NAMES:
        assert said.result[name] is None


def test_a_warm_cache_is_no_result(capsys: pytest.CaptureFixture[str]) -> None:
    details = {"prompt_tokens": 16, "completion_tokens": 12, "prompt_tokens_details": {"cached_tokens": 8}}
    said = run(capsys, lambda asked: body([*tokens_of(asked)[:-2], event({"choices": [], "usage": details}), DONE]))
    assert said.code == 3
    assert "warm_cache" in said.result["runs"][0]["rules"]


def test_a_server_without_ids_is_measured_by_its_usage_and_the_result_says_so() -> None:
    def plain(asked: Asked) -> Answer:
        del asked.body["return_token_ids"]
        return obedient(asked)

    found = measured(plain)
    assert (found["valid"], found["counting"]) == (True, "final_usage")
    assert found["token_itl_ms"] is None
    assert any("no token ids" in note for note in found["notes"])


def test_a_server_that_refuses_to_give_ids_is_asked_without_them() -> None:
    def strict(asked: Asked) -> Answer:
        if "return_token_ids" in asked.body:
            return Answer([b"HTTP/1.1 422 No\r\nContent-Length: 20\r\n\r\nunknown field: retur"])
        return obedient(asked)

    found = measured(strict)
    assert (found["valid"], found["endpoint"], found["counting"]) == (True, "completions", "final_usage")
    assert any("refused a more exact form" in note for note in found["notes"])


def test_a_server_with_chat_only_is_measured_by_text() -> None:
    def chat(asked: Asked) -> Answer:
        if asked.path != "/v1/chat/completions":
            return Answer([b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"])
        return obedient(asked)

    found = measured(chat)
    assert (found["valid"], found["endpoint"], found["counting"]) == (True, "chat", "token_ids")
    assert any("prompts are text" in note for note in found["notes"])


def test_several_runs_are_given_as_their_median_with_an_interval() -> None:
    found = measured(obedient, runs=3)
    assert found["label"] == "median of 3 runs"
    assert (found["requests"], len(found["runs"])) == (24, 3)
    spread = found["spread"]["output_tok_s"]
    assert spread["lowest"] <= found["output_tok_s"] <= spread["highest"]
    assert spread["lowest"] <= spread["interval"][0] <= spread["interval"][1] <= spread["highest"]


def test_one_bad_run_of_several_spoils_the_result_and_is_named() -> None:
    def later(asked: Asked) -> Answer:
        return stopping(asked) if asked.order > 20 else obedient(asked)

    found = measured(later, runs=3)
    assert not found["valid"]
    assert any(reason.startswith("run 3: ") for reason in found["reasons"])
    assert found["output_tok_s"] is None


def test_an_open_loop_and_sessions_can_be_measured() -> None:
    assert measured(obedient, load=Open(400))["queue_ms"] is not None
    found = measured(obedient, load=Sessions(2), requests=3, workload=Workload(8, 4, turns=2))
    assert (found["valid"], found["requests"], found["input_tokens"]) == (True, 6, 3 * (8 + 20))


def test_the_trace_of_every_run_is_written_and_read_by_the_trace_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = measured(obedient, runs=2, traces=tmp_path / "x.parquet")
    files = [tmp_path / "x-1.parquet", tmp_path / "x-2.parquet"]
    assert [run["trace"] for run in found["runs"]] == list(map(str, files))
    assert pq.read_table(files[0]).num_rows == 8
    assert main(["trace", str(files[1]), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["ttft_ms"] == found["runs"][1]["ttft_ms"]
    for tool in TOOLS:
        assert main(["trace", str(files[0]), "--as", tool]) == 0
        assert "8 requests completed, 0 failed" in capsys.readouterr().out
    assert main(["trace", str(files[0])]) == 0
    assert "TPOT" in capsys.readouterr().out


def test_the_trace_command_names_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(tmp_path / "none.parquet")]) == 2
    assert main(["trace", str(tmp_path / "none.parquet"), "--as", "wrk"]) == 2
    assert "vllm, sglang, guidellm" in capsys.readouterr().err


def test_without_a_server_nothing_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    with Server(obedient) as url:
        pass
    assert main(["measure", url, *ASKED]) == 1
    assert "no connection to" in capsys.readouterr().err
    with pytest.raises(MeasureError):
        measure.measure(options(url), silent)


@pytest.mark.parametrize(
    "more",
    [["--runs", "0"], ["--concurrency", "0"], ["--vocabulary", "120"], ["--timeout", "0"], ["--output-tokens", "0"]],
)
def test_impossible_arguments_are_refused(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "http://127.0.0.1:1", *ASKED, *more]) == 2
    assert capsys.readouterr().err


def test_exact_counting_is_set_against_counting_by_usage_alone() -> None:
    server = Server(obedient)
    with server as url:
        result = measure.measure(options(url, runs=2, observer_check=True), silent)
    exact = ["return_token_ids" in asked.body for asked in server.requests][-32:]
    assert exact == [True] * 8 + [False] * 8 + [True] * 8 + [False] * 8
    found = report.as_json(result)["observer_check"]
    assert {"output_tok_s", "ttft_ms"} <= set(found)
    assert found["failed"] == {"exact": 0, "plain": 0}
    assert found["output_tok_s"]["change"] == pytest.approx(
        found["output_tok_s"]["exact"] / found["output_tok_s"]["plain"] - 1
    )
    assert "exact counting against usage" in report.as_text(result)


def test_counts_with_each_event_are_asked_for_unless_the_end_of_a_request_will_do() -> None:
    for usage_at_end in (False, True):
        server = Server(obedient)
        with server as url:
            result = measure.measure(options(url, usage_at_end=usage_at_end), silent)
        assert {"return_token_ids" in asked.body for asked in server.requests} == {not usage_at_end}
        assert (result.valid, result.runs[0].trace.meta["counting"]) == (
            True,
            "final_usage" if usage_at_end else "token_ids",
        )


def test_a_stream_that_arrives_at_once_has_no_tpot_in_the_observer_check() -> None:
    def at_once(asked: Asked) -> Answer:
        return Answer([b"".join([HEAD, *framed(tokens_of(asked)), LAST_CHUNK])])

    with Server(at_once) as url:
        found = report.as_json(measure.measure(options(url, observer_check=True), silent))["observer_check"]
    assert set(found) == {"failed", "output_tok_s", "ttft_ms"}


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHCARD_API_KEY", "sk-test")
    server = Server(obedient)
    with server as url:
        main(["measure", url, *ASKED])
    assert all(b"Authorization: Bearer sk-test\r\n" in asked.head for asked in server.requests)


def test_the_readable_result_has_the_numbers_or_the_reasons() -> None:
    with paced() as url:
        text = report.as_text(measure.measure(options(url, runs=2), silent))
    assert "median of 2 runs, 16 requests, 0 failed" in text
    assert "decode rate of one stream" in text
    assert "between runs" in text
    with Server(stopping) as url:
        text = report.as_text(measure.measure(options(url), silent))
    assert "This run is not a result:" in text
    assert "fewer tokens than asked for" in text
    assert "tok/s" not in text
