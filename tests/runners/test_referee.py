"""The server's own counters stand beside the client's numbers, and spoil a run that they contradict."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from runners import measure, referee, report
from runners.__main__ import main
from runners.engines.counters import Counters, Histogram
from runners.load import trace_file
from runners.load.schedule import Sessions
from runners.load.verdict import DEFAULT
from runners.measure import MeasureError
from runners.referee import Seen, Told, findings, judge
from tests.runners.load.server import Answer, Asked, Server, obedient
from tests.runners.load.test_measure import ASKED, options, silent

if TYPE_CHECKING:
    from pathlib import Path


def told(generated: float = 96, prompt: float = 128, cached: float = 0, ttft_s: float = 0.1, **own: Any) -> Told:
    added = Counters(
        "vllm",
        {"generated_tokens": generated, "prompt_tokens": prompt, "cached_tokens": cached},
        {"ttft_s": Histogram(ttft_s * 8, 8), "tpot_s": Histogram(0.08, 8), "e2e_s": Histogram(1.6, 8)},
    )
    means: dict[str, float | None] = {"ttft_ms": 101.0, "tpot_ms": 10.1, "e2e_ms": 201.0}
    seen = Seen(output_tokens=96, input_tokens=128, failed=0, lag_ms=0.0, means=means)
    return Told(added, replace(seen, **own))


def rules(run: Told, *, cold: bool = True) -> list[str]:
    return [reason.rule for reason in judge(run, DEFAULT, cold=cold)]


def test_a_run_that_both_tell_alike_has_nothing_against_it() -> None:
    assert rules(told()) == []
    assert findings([told(), told()]) == []
    assert rules(told(input_tokens=None)) == []


@pytest.mark.parametrize(
    ("run", "rule"),
    [
        (told(generated=120), "server_generated_tokens"),
        (told(generated=60), "server_generated_tokens"),
        (told(prompt=140), "server_prompt_tokens"),
        (told(cached=30), "warm_cache"),
        (told(generated=60, failed=1), "server_generated_tokens"),
    ],
)
def test_counts_that_differ_spoil_a_run(run: Told, rule: str) -> None:
    assert rules(run) == [rule]


def test_tokens_of_failed_requests_are_the_servers_alone() -> None:
    assert rules(told(generated=99, prompt=144, failed=1)) == []


def test_the_history_of_sessions_may_be_in_the_cache() -> None:
    assert rules(told(cached=30), cold=False) == []


def test_a_quantity_that_is_not_shown_is_no_disagreement() -> None:
    run = Told(Counters("vllm", {}), told().seen)
    assert rules(run) == []
    assert findings([run]) == []
    assert referee.as_json(run.added)["generated_tokens"] is None
    assert "not stated tokens generated (96)" in "\n".join(referee.as_text(referee.over_runs([run])))


def test_times_that_disagree_in_every_run_to_one_side_are_a_finding() -> None:
    slow = {"ttft_ms": 150.0, "tpot_ms": 10.1, "e2e_ms": 201.0}
    (finding,) = findings([told(means=slow), told(means=slow)])
    assert finding == "mean TTFT is 150 ms at the client, 50 ms more than at the server"
    assert findings([told(means=slow), told()]) == []
    assert findings([told(means=slow, lag_ms=60.0)]) == []
    assert findings([told(means=slow), told(means=slow | {"ttft_ms": None})]) == [
        f"{finding}, by the 1 of 2 runs that have both"
    ]
    assert findings([told(means=slow | {"ttft_ms": None})]) == []
    assert "less than at the server" in findings([told(ttft_s=0.3)])[0]


@dataclass
class Engine:
    """A scripted server that counts as vLLM does; `bias` tokens more a request, `warm` of them from the cache."""

    bias: int = 0
    warm: int = 0
    flushes: list[str] = field(default_factory=list)
    flush: tuple[int, str] = (200, '{"success":true}')
    generated: int = 0
    prompt: int = 0
    requests: int = 0

    def answer(self, asked: Asked) -> Answer:
        self.generated += asked.body["max_tokens"] + self.bias
        self.prompt += len(asked.body["prompt"])
        self.requests += 1
        return obedient(asked)

    def control(self, method: str, path: str) -> tuple[int, str]:
        if path == "/metrics":
            names = {"generation": self.generated, "prompt": self.prompt}
            lines = [f'vllm:{name}_tokens_total{{engine="0"}} {value}' for name, value in names.items()]
            lines += [f"vllm:prefix_cache_hits_total {self.warm * self.requests}", ""]
            return 200, "\n".join(lines)
        if path == "/reset_prefix_cache" and method == "POST":
            self.flushes.append(path)
            return self.flush
        return 404, ""


def measured(engine: Engine, **changes: Any) -> dict[str, Any]:
    with Server(engine.answer, control=engine.control) as url:
        result = measure.measure(options(url, **changes), silent)
        assert report.as_text(result)
        return report.as_json(result)


def test_a_measurement_has_the_servers_own_counts_beside_its_own() -> None:
    found = measured(Engine(), runs=2)
    assert found["valid"]
    beside = found["referee"]
    assert (beside["engine"], beside["generated_tokens"], beside["prompt_tokens"]) == ("vllm", 192, 256)
    assert (beside["client"]["output_tokens"], beside["client"]["input_tokens"]) == (192, 256)
    assert (beside["cached_tokens"], beside["preemptions"], beside["findings"]) == (0, None, [])
    assert [run["referee"]["generated_tokens"] for run in found["runs"]] == [96, 96]


def test_the_trace_keeps_what_the_server_counted(tmp_path: Path) -> None:
    measured(Engine(), traces=tmp_path / "x.parquet")
    kept = trace_file.read(tmp_path / "x.parquet").meta["referee"]
    assert (kept["engine"], kept["generated_tokens"], kept["cached_tokens"]) == ("vllm", 96, 0)


def test_a_server_that_counts_otherwise_spoils_the_measurement() -> None:
    found = measured(Engine(bias=2))
    assert (found["valid"], found["runs"][0]["rules"]) == (False, ["server_generated_tokens"])
    assert "112 tokens were generated, not 96" in found["reasons"][0]
    for beside in (found["referee"], found["runs"][0]["referee"]):
        assert (beside["generated_tokens"], beside["prompt_tokens"]) == (112, 128)
        assert all(value is None for name, value in beside.items() if name not in {"engine", *referee.COUNTS})


def test_a_warm_cache_is_seen_by_the_counters_alone() -> None:
    assert measured(Engine(warm=8))["runs"][0]["rules"] == ["warm_cache"]
    changes: dict[str, Any] = {"load": Sessions(2), "requests": 2}
    assert measured(Engine(warm=8), **changes)["valid"]


def test_the_cache_is_emptied_before_every_run_and_the_answer_is_read() -> None:
    engine = Engine()
    assert measured(engine, runs=3, flush_cache=True)["valid"]
    assert len(engine.flushes) == 3
    silent_one = measured(Engine(flush=(200, "")), flush_cache=True)
    assert silent_one["valid"]
    assert "the server did not say whether it emptied its cache" in silent_one["notes"]


@pytest.mark.parametrize("flush", [(404, ""), (200, '{"success":false}'), (500, "no")])
def test_a_cache_that_was_not_emptied_spoils_the_measurement(flush: tuple[int, str], monkeypatch: Any) -> None:
    monkeypatch.setattr("runners.engines.control.BUSY_PAUSE_S", 0.0)
    assert measured(Engine(flush=flush), flush_cache=True)["runs"][0]["rules"] == ["cache_not_flushed"]


def test_a_server_without_counters_is_measured_without_a_referee() -> None:
    with Server(obedient) as url:
        found = report.as_json(measure.measure(options(url), silent))
    assert (found["valid"], found["referee"], found["runs"][0]["referee"]) == (True, None, None)
    assert any(note.startswith("no referee: ") for note in found["notes"])


def test_tokens_that_are_booked_late_are_waited_for() -> None:
    engine = Engine()
    before: list[int] = []
    read: list[int] = []

    def late(method: str, path: str) -> tuple[int, str]:
        """The run's last tokens are missing until the third look after it; the flush comes right before the run."""
        if path != "/metrics":
            before.append(engine.requests)
            return engine.control(method, path)
        read.append(engine.requests)
        missing = 12 if before and engine.requests > before[0] and read.count(engine.requests) < 3 else 0
        engine.generated -= missing
        said = engine.control(method, path)
        engine.generated += missing
        return said

    with Server(engine.answer, control=late) as url:
        found = report.as_json(measure.measure(options(url, flush_cache=True), silent))
    assert (found["valid"], found["referee"]["generated_tokens"]) == (True, 96)


def test_counters_that_were_named_must_be_there(capsys: pytest.CaptureFixture[str]) -> None:
    with Server(obedient) as url:
        with pytest.raises(MeasureError, match="status 404"):
            measure.measure(options(url, metrics_url=f"{url}/metrics"), silent)
        assert main(["measure", url, *ASKED, "--metrics-url", f"{url}/metrics"]) == 1
    assert "no counters: " in capsys.readouterr().err


def test_counters_may_be_at_another_url() -> None:
    engine = Engine()
    with Server(engine.answer) as url, Server(obedient, control=engine.control) as other:
        found = report.as_json(measure.measure(options(url, metrics_url=f"{other}/metrics"), silent))
    assert found["referee"]["generated_tokens"] == 96


def test_a_server_that_begins_anew_during_a_run_is_no_result() -> None:
    engine = Engine()

    def forgetful(asked: Asked) -> Answer:
        if engine.flushes:  # which comes right before the run
            engine.generated = engine.prompt = 0
        return engine.answer(asked)

    with Server(forgetful, control=engine.control) as url:
        found = report.as_json(measure.measure(options(url, flush_cache=True), silent))
    assert found["runs"][0]["rules"] == ["server_restarted"]
