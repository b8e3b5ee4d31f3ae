"""The local executor on the fake engine: what it starts, measures, refuses and ends, and what it leaves to be read."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.jobs.numbers import compute
from app.protocol.exact import digest
from app.protocol.lease import Assignment, Placement
from app.protocol.outcome import Report
from app.protocol.plan import Point
from runners import attempt, gpu, sides, silence
from runners.config import SiteTable
from runners.engines import control
from runners.engines import server as servers
from runners.executor import Local, Ran, Stop
from runners.load import drive, trace_file
from runners.order import Order
from runners.spool import LOG, PARTS
from tests.runners.fake_site import install, machine
from tests.runners.load.server import Server, obedient
from tests.runners.plans import attached, both, launch, plan

if TYPE_CHECKING:
    from app.protocol.plan import Plan
    from runners.config import Config
    from runners.events import Progress


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    monkeypatch.setenv("BENCHCARD_RUNNER_TOKEN", "bcr_canary")
    return machine(tmp_path, monkeypatch)


class Attempt:
    """One attempt in a folder of its own."""

    def __init__(self, config: Config, folder: Path, wanted: Plan, *, approved: tuple[str, ...] = ()):
        self.folder = folder / "attempt"
        (self.folder / PARTS).mkdir(parents=True)
        self.notes: list[Progress] = []
        self.log_sizes: list[int] = []
        self.stop = Stop()
        assignment = Assignment(
            job_id="j1", epoch=1, plan=wanted, approved=approved, placements=(Placement(gpus=0),),
            lease_s=90.0, ack_s=30.0, beat_s=15.0,
        )  # fmt: skip
        self.ran: Ran = Local(config).run(assignment, self.folder, self.hear, self.stop)
        self.log = (self.folder / LOG).read_text() if (self.folder / LOG).exists() else ""

    def hear(self, progress: Progress, log_size: int) -> None:
        self.notes.append(progress)
        self.log_sizes.append(log_size)

    @property
    def report(self) -> Report:
        return Report.model_validate_json((self.folder / PARTS / "report.json").read_bytes())

    @property
    def parts(self) -> list[str]:
        return sorted(path.name for path in (self.folder / PARTS).iterdir())

    @property
    def failure(self) -> str | None:
        return self.ran.outcome.failure


def left(folder: Path) -> list[str]:
    """What still runs of the fake engine that was installed below the folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes()
            if b"vllm.entrypoints" in words and str(folder).encode() in words:
                found.append(words.replace(b"\0", b" ").decode())
    return found


def test_a_plan_becomes_traces_a_report_and_one_log(config: Config, tmp_path: Path) -> None:
    wanted = plan(points=(Point(concurrency=1, requests=2), Point(rate=200.0, requests=3)), kind="sweep", repeats=2)
    done = Attempt(config, tmp_path, wanted)
    assert (done.ran.outcome.state, done.ran.quarantine, done.ran.dropped) == ("succeeded", None, 0)
    traces = [f"trace-a-{point}-{repeat}.parquet" for point in (0, 1) for repeat in (1, 2)]
    assert done.parts == ["report.json", *traces]
    report = done.report
    assert [(run.point, run.repeat, run.trace) for run in report.runs] == [
        (point, repeat, f"trace-a-{point}-{repeat}.parquet") for point in (0, 1) for repeat in (1, 2)
    ]
    assert [len(trace_file.read(done.folder / PARTS / name)) for name in traces] == [2, 2, 3, 3]
    (side,) = report.sides
    assert side.engine_version == "9.9.9"
    assert side.argv is not None
    assert "--api-key=***" in side.argv
    assert side.freed is not None
    assert side.freed.survivors == ()
    assert "bcr_canary" not in (done.folder / PARTS / "report.json").read_text() + done.log
    assert report.machine.cpus > 0
    assert "measuring side a, point 2 of 2, repeat 2 of 2" in done.log
    assert done.notes[-1].total == 4
    assert done.log_sizes[-1] > 0


def test_both_sides_are_measured_by_turns_with_the_same_prompts(config: Config, tmp_path: Path) -> None:
    done = Attempt(config, tmp_path, both(launch(), launch(flags={"max-num-seqs": 4})))
    assert done.ran.outcome.state == "succeeded"
    assert [(run.side, run.repeat) for run in done.report.runs] == [("a", 1), ("b", 1), ("a", 2), ("b", 2)]
    assert done.report.notes == ("both servers were up at the same time, and one at a time was under load",)
    outputs = [trace_file.read(done.folder / PARTS / f"trace-{side}-0-2.parquet").meta["seed"] for side in "ab"]
    assert outputs[0] == outputs[1]


def with_tools(config: Config, *names: str) -> Config:
    return config.model_copy(
        update={"site": config.site.model_copy(update={"tools": dict.fromkeys(names, Path(sys.executable))})}
    )


def held(**more: Any) -> Plan:
    return plan(kind="agreement", tools=("vllm_bench",), **more)


def test_another_tool_measures_the_same_server_by_turns_and_the_counters_tell_of_its_runs_alone(
    config: Config, tmp_path: Path
) -> None:
    done = Attempt(with_tools(config, "vllm_bench"), tmp_path, held(repeats=2))
    assert done.ran.outcome.state == "succeeded", done.ran.outcome.message
    runs = done.report.tool_runs
    assert [(run.tool, run.version, run.repeat, run.reasons) for run in runs] == [
        ("vllm_bench", "0.32.0", 1, ()), ("vllm_bench", "0.32.0", 2, ()),
    ]  # fmt: skip
    assert {"vllm-bench-0-1.json", "vllm-bench-0-2.json"} <= set(done.parts)
    assert [(run.referee or {})["generated_tokens"] for run in runs] == [4 * 8, 4 * 8]
    assert [(run.referee or {})["generated_tokens"] for run in done.report.runs] == [4 * 8, 4 * 8]
    turns = [note.note for note in done.notes if note.phase == "measuring"]
    assert turns.index("vllm_bench: point 1 of 1, repeat 2") < turns.index(
        "measuring side a, point 1 of 1, repeat 2 of 2"
    )
    assert done.notes[-1].total == 4
    assert "bcr_canary" not in done.log
    assert left(tmp_path) == []


def test_a_tool_that_fails_is_a_run_with_its_last_words_and_the_others_go_on(config: Config, tmp_path: Path) -> None:
    tools = with_tools(config, "sglang_bench", "vllm_bench")
    (folder := tmp_path / "broken").mkdir()
    (folder / "sglang-9.dist-info").mkdir()
    (folder / "sglang-9.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: sglang\nVersion: 9\n")
    (folder / "sglang").mkdir()
    (folder / "sglang" / "bench_serving.py").write_text("raise SystemExit('no dataset of that name')")
    tools = tools.model_copy(update={"site": tools.site.model_copy(update={"modules": (*tools.site.modules, folder)})})
    done = Attempt(tools, tmp_path, plan(kind="agreement", tools=("sglang_bench", "vllm_bench")))
    assert done.ran.outcome.state == "succeeded", done.ran.outcome.message
    first, second = done.report.tool_runs
    assert first.result is None
    assert "sglang's tool ended with code 1" in first.reasons[0]
    assert "no dataset of that name" in first.reasons[0]
    assert (second.result, second.reasons) == ("vllm-bench-0-1.json", ())
    assert len(done.report.runs) == 1


def test_a_tool_that_the_owner_has_not_named_cannot_be_had_here(config: Config, tmp_path: Path) -> None:
    done = Attempt(config, tmp_path, held())
    assert done.failure == "not_here"
    assert "this runner's configuration names no Python for vllm_bench (site.tools)" in done.ran.outcome.message


@pytest.mark.parametrize(
    ("wanted", "failure", "told"),
    [
        (plan("fails"), "out_of_memory", "CUDA out of memory"),
        (plan("dies"), "died_at_request", "ready and died at its first request"),
        (plan(sides=both(launch(flags={"enforce-eager": True}), launch()).sides[:1]), "bad_flag", "no such flag"),
        (
            plan(sides=both(launch(version="0.25.1"), launch()).sides[:1]),
            "not_here",
            "0.25.1 for cpu is not",
        ),
        (plan("other"), "not_allowed", "not on the list of models that run unasked"),
        (attached("127.0.0.1:9"), "not_allowed", "127.0.0.1:9: not an address that it may measure"),
    ],
)
def test_what_cannot_be_done_has_its_class_and_leaves_nothing(
    wanted: Plan, failure: str, told: str, config: Config, tmp_path: Path
) -> None:
    done = Attempt(config, tmp_path, wanted)
    assert (done.failure, done.ran.quarantine) == (failure, None)
    assert told in done.ran.outcome.message
    if failure == "not_allowed":
        assert not (done.folder / LOG).exists(), "nothing was started"
    if failure == "out_of_memory":
        assert "[a] torch.OutOfMemoryError: CUDA out of memory" in done.log, "the server's own words are in the log"
        assert done.report.sides[0].argv is not None
    assert left(tmp_path) == []


def test_what_a_maintainer_approved_is_started_where_the_owner_agrees(config: Config, tmp_path: Path) -> None:
    wanted = plan("other")
    assert wanted.sides[0].launch is not None
    approved = (digest(wanted.sides[0].launch),)
    open_to = config.model_copy(update={"policy": config.policy.model_copy(update={"approved": True})})
    assert Attempt(open_to, tmp_path / "yes", wanted, approved=approved).failure is None
    assert Attempt(config, tmp_path / "no", wanted, approved=approved).failure == "not_allowed"


def test_the_time_limit_ends_everything(config: Config, tmp_path: Path) -> None:
    done = Attempt(config, tmp_path, plan("never", wall_s=2.0))
    assert done.failure == "wall_limit"
    assert left(tmp_path) == []


def test_a_server_that_hangs_while_it_is_measured_is_ended_and_has_a_class_of_its_own(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, whose limits can be made short."""
    for module, name, seconds in ((silence, "SILENT_S", 0.2), (drive, "LOOK_S", 0.02), (control, "ANSWER_S", 0.2)):
        monkeypatch.setattr(module, name, seconds)
    monkeypatch.setattr(sides, "STOP_S", 0.2)
    (tmp_path / PARTS).mkdir()
    outcome = attempt._ended(Order.of(plan("freezes"), config), tmp_path)
    assert (outcome.state, outcome.failure) == ("failed", "hung")
    assert "neither its counters nor its health answered" in outcome.message
    report = Report.model_validate_json((tmp_path / PARTS / "report.json").read_bytes())
    freed = report.sides[0].freed
    assert freed is not None
    assert (freed.exit_code, freed.survivors, left(tmp_path)) == (-9, (), [])


def test_an_engine_that_is_removed_under_a_job_is_missing_here_however_it_ends(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def removed(started: servers.Server) -> None:
        shutil.rmtree(started.installed.folder)
        wait_ready(started)

    wait_ready = servers.Server.wait_ready
    monkeypatch.setattr(servers.Server, "wait_ready", removed)
    (tmp_path / PARTS).mkdir()
    outcome = attempt._ended(Order.of(plan("dies"), config), tmp_path)
    assert (outcome.failure, outcome.refused) == ("not_here", True)
    assert "vllm 0.32.0 for cpu is not installed at this runner" in outcome.message
    assert left(tmp_path) == []


def test_a_measuring_process_that_is_killed_is_told_and_leaves_nothing(config: Config, tmp_path: Path) -> None:
    def kill() -> None:
        for entry in Path("/proc").glob("[0-9]*"):
            words = (entry / "cmdline").read_bytes() if entry.exists() else b""
            if b"runners.attempt" in words and str(tmp_path).encode() in words and b"supervisor" not in words:
                os.kill(int(entry.name), 9)

    class Killing(Attempt):
        def hear(self, progress: Progress, log_size: int) -> None:
            super().hear(progress, log_size)
            if "starting" in progress.note:
                kill()

    done = Killing(config, tmp_path, plan("never"))
    assert done.failure == "runner_error"
    assert "ended with code -9" in done.ran.outcome.message
    assert left(tmp_path) == []


def test_a_running_server_on_the_list_is_measured_and_nothing_is_started(config: Config, tmp_path: Path) -> None:
    with Server(obedient) as url:
        address = url.removeprefix("http://")
        allowed = config.model_copy(update={"policy": config.policy.model_copy(update={"attach": (address,)})})
        done = Attempt(allowed, tmp_path, attached(address))
    assert done.ran.outcome.state == "succeeded"
    assert (done.report.sides[0].argv, done.parts) == (None, ["report.json", "trace-a-0-1.parquet"])


def test_a_server_that_is_not_there_is_no_answer(config: Config, tmp_path: Path) -> None:
    allowed = config.model_copy(update={"policy": config.policy.model_copy(update={"attach": ("127.0.0.1:9",)})})
    assert Attempt(allowed, tmp_path, attached("127.0.0.1:9")).failure == "no_answer"


@pytest.fixture
def smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(gpu, "BACK_S", 0.0)
    return tmp_path / "bin" / "nvidia-smi"


def gpu_says(program: Path, before: str, after: str = "") -> None:
    """`before` until the attempt's own process has asked what cards there are, then `after`."""
    card = "'NVIDIA H200, 143771, 575.1, 1980, 3201, [N/A]'"
    program.write_text(
        f'#!/bin/sh\ncase "$*" in *name*) touch "$0.asked"; echo {card};; '
        f'*) if [ -e "$0.asked" ]; then {after or before}; else {before}; fi;; esac\n'
    )
    program.chmod(0o755)


def on_gpu(config: Config) -> Config:
    return config.model_copy(update={"site": SiteTable(gpus=(0,), modules=config.site.modules)})


def gpu_plan() -> Plan:
    return plan(sides=both(launch(gpus=1), launch()).sides[:1])


def test_a_gpu_that_others_use_is_not_measured_on(config: Config, smi: Path, tmp_path: Path) -> None:
    gpu_says(smi, "echo 90000")
    done = Attempt(on_gpu(config), tmp_path, gpu_plan())
    assert (done.failure, done.log) == ("gpu_not_free", "")
    assert done.ran.quarantine == "others use the GPUs: [90000] MiB are in use before the start"


def test_memory_that_does_not_come_back_is_a_matter_for_the_owner(config: Config, smi: Path, tmp_path: Path) -> None:
    gpu_says(smi, "echo 4", "echo 90000")  # the build for GPUs is not installed: nothing of ours could hold it
    done = Attempt(on_gpu(config), tmp_path, gpu_plan())
    assert done.failure == "gpu_not_free"
    assert done.ran.quarantine == "GPU memory did not come back: [4] MiB before, [90000] MiB after"


def test_a_gpu_that_does_not_answer_is_not_free(config: Config, smi: Path, tmp_path: Path) -> None:
    gpu_says(smi, "exit 9")
    done = Attempt(on_gpu(config), tmp_path, gpu_plan())
    assert done.failure == "gpu_not_free"
    assert "cannot be asked" in str(done.ran.quarantine)


def test_a_measurement_on_a_gpu_says_what_it_ran_on(config: Config, smi: Path, tmp_path: Path) -> None:
    install(tmp_path / "cache", "cuda")
    gpu_says(smi, "echo 4")
    done = Attempt(on_gpu(config), tmp_path, gpu_plan())
    assert done.ran.outcome.state == "succeeded"
    (card,) = done.report.machine.gpus
    assert (card.name, card.memory_mib, card.power_limit_w) == ("NVIDIA H200", 143771, None)
    (side,) = done.report.sides
    assert side.freed is not None
    assert (side.freed.gpu_before_mib, side.freed.gpu_after_mib) == ((4,), (4,))
    assert side.env is not None
    assert side.env["CUDA_VISIBLE_DEVICES"] == "0"


def test_one_gpu_for_two_servers_means_that_each_repeat_starts_anew(config: Config, smi: Path, tmp_path: Path) -> None:
    install(tmp_path / "cache", "cuda")
    gpu_says(smi, "echo 4")
    done = Attempt(on_gpu(config), tmp_path, both(launch(gpus=1), launch(gpus=1)))
    assert done.ran.outcome.state == "succeeded"
    assert [(run.side, run.repeat) for run in done.report.runs] == [("a", 1), ("b", 1), ("a", 2), ("b", 2)]
    assert "started anew" in done.report.notes[0]
    assert done.log.count("starting vllm") == 4


def test_what_a_runner_measures_is_the_planned_work(config: Config, tmp_path: Path) -> None:
    """What the app holds a trace against (app.jobs.planned) is what the runner does."""
    points = (
        Point(concurrency=1, requests=2),
        Point(concurrency=1, requests=2, counting="at_end"),
        Point(rate=200.0, requests=3),
    )
    done = Attempt(config, tmp_path, plan(points=points, kind="sweep", repeats=2))
    traces = {run.trace: done.folder / PARTS / run.trace for run in done.report.runs}
    found = compute(done.report, traces, done.report.plan)
    assert [reason for reason in found["reasons"] if "other_work" in reason or "unreadable" in reason] == []
