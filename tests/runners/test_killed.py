"""A real runner process with the fake engine, killed in every phase: nothing of it is left, its job is done once."""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.runners.fake_app import FakeApp, serving
from tests.runners.fake_site import written
from tests.runners.phases import FREE, PHASES, TAKEN, WITH_ENGINE, Machine, on_gpu
from tests.runners.whole import runner

if TYPE_CHECKING:
    from collections.abc import Iterator

# Killed when this has come: the name of a call, or a phase in which the attempt then stays. With the attempt that is
# the job's result: the second one, but where the first was over and on the disk.
MOMENTS: dict[str, int] = {"lease": 2, "start": 2, **dict.fromkeys(map(str, PHASES), 2), "uploading": 1, "finish": 1}


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    with serving(made.app):
        made.ready()
        yield made
        made.release()


def wait(machine: Machine, moment: str) -> None:
    """Until the job, which a runner that is up may have, is there."""
    asked = machine.app.calls.count(moment)
    machine.app.wait(lambda: "lease" in machine.app.calls)
    machine.submit("j1", moment)
    if moment in PHASES:
        machine.app.wait(lambda: machine.reached(moment))
    else:
        machine.app.wait(lambda: machine.app.calls.count(moment) > asked and machine.app.model.jobs["j1"].epoch > 0)


@pytest.mark.parametrize(("moment", "result"), MOMENTS.items())
def test_a_runner_killed_at_any_moment_leaves_nothing_and_its_job_is_done_once(
    moment: str, result: int, machine: Machine
) -> None:
    app = machine.app
    with machine.runner() as process:
        wait(machine, moment)
        if moment in WITH_ENGINE:
            assert machine.used() == TAKEN
        process.send_signal(signal.SIGKILL)
        process.wait(30)
    machine.emptied()
    assert machine.used() == FREE
    machine.release()
    job = app.model.jobs["j1"]
    with app.changed:
        job.plan = on_gpu("good")  # the one that stays in its phase would stay again
        asked = app.calls.count("lease")
    with machine.runner():  # which sends what was left before it asks, and then asks for more
        app.wait(lambda: app.ended() and app.calls.count("lease") > asked + 1)
    assert (job.state, job.results, job.epoch) == ("succeeded", [result], result)
    assert (machine.left(), machine.used()) == ([], FREE)
    assert list((machine.folder / "runner" / "attempts").iterdir()) == []
    if moment in PHASES and result == 2:
        first = app.model.ends["j1", 1]
        assert (first.outcome.failure, first.log.size) == ("runner_lost", len(app.model.logs.get(("j1", 1), b"")))
        assert ("trace-a-0-1.parquet" in first.parts) is (moment == "stopping")


def test_the_engine_sees_neither_the_token_nor_the_runners_environment(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHCARD_RUNNER_TOKEN", "bcr_canary")
    monkeypatch.setenv("CANARY", "sings")
    seen: list[bytes] = []
    with machine.runner():
        wait(machine, "warming")
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes()
                if str(machine.folder).encode() in words and b"runner.toml" not in words:
                    seen.append((entry / "environ").read_bytes())
    assert len(seen) >= 4  # two supervisors, the measuring process, the engine
    assert not [names for names in seen if b"bcr_" in names or b"CANARY" in names]


def test_a_wrong_file_and_a_wrong_token_end_it_with_a_sentence(tmp_path: Path) -> None:
    app = FakeApp()
    with serving(app):
        with runner(written(tmp_path, app.url, "bcr_wrong")) as process:
            assert process.wait(60) == 4
            assert process.stderr is not None
            assert "the app does not let this runner in: no such token" in process.stderr.read()
        (tmp_path / "runner.toml").write_text("nme = 1")
        with runner(tmp_path / "runner.toml") as process:
            assert process.wait(60) == 2
            assert process.stderr is not None
            assert "nme: no such key; did you mean name?" in process.stderr.read()
