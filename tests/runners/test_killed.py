"""A real runner process with the fake engine, killed in every phase: nothing of it is left, its job is done once."""

from __future__ import annotations

import contextlib
import select
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.runners.fake_app import TOKEN, FakeApp, serving
from tests.runners.fake_site import install, written
from tests.runners.model_app import ModelApp
from tests.runners.plans import plan
from tests.runners.test_executor import left
from tests.runners.whole import runner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.protocol.plan import Plan

# Killed when this has come: the name of a call, or a phase in a heartbeat. The model is one that stays in that phase.
MOMENTS = [
    ("lease", "good"),
    ("start", "good"),
    ("starting", "never"),
    ("warming", "hangs"),
    ("part", "good"),
    ("finish", "good"),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    install(tmp_path / "cache")
    return tmp_path


def started(app: FakeApp, place: Path, wanted: Plan) -> dict[str, str]:
    app.model.add("j1", wanted)
    return {"XDG_CACHE_HOME": str(place / "cache")}


def reached(app: FakeApp, moment: str) -> Callable[[], bool]:
    return lambda: moment in app.calls or any(beat.phase == moment for beat in app.model.beats)


def gone(place: Path) -> bool:
    """Nothing of the attempt runs any more: engine, supervisors, measuring process."""
    for _ in range(400):
        if not [*left(place), *attempts(place)]:
            return True
        select.select([], [], [], 0.05)
    return False


def attempts(place: Path) -> Iterator[str]:
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = entry.read_bytes()
            if str(place / "runner" / "attempts").encode() in words:
                yield words.decode()


@pytest.mark.parametrize(("moment", "model"), MOMENTS)
def test_a_runner_killed_at_any_moment_leaves_nothing_and_its_job_is_done_once(
    moment: str, model: str, place: Path
) -> None:
    app = FakeApp(ModelApp(wait_s=0.1, beat_s=0.1))
    with serving(app):
        config = written(place, app.url, TOKEN)
        env = started(app, place, plan(model))
        with runner(config, **env) as process:
            app.wait(reached(app, moment))
            process.send_signal(signal.SIGKILL)
            process.wait(30)
        assert gone(place)
        app.model.jobs["j1"].plan = plan("good")  # the one that stays in its phase would stay again
        asked = app.calls.count("lease")
        with runner(config, **env):  # which sends what was left before it asks
            app.wait(lambda: app.ended() and app.calls.count("lease") > asked)
    job = app.model.jobs["j1"]
    assert (job.state, len(job.results)) == ("succeeded", 1)
    assert gone(place)
    assert list((place / "runner" / "attempts").iterdir()) == []


def test_a_cancel_ends_the_real_processes_and_the_log_is_there(place: Path) -> None:
    app = FakeApp(ModelApp(wait_s=0.1, beat_s=0.1))
    with serving(app):
        env = started(app, place, plan("hangs"))
        with runner(written(place, app.url, TOKEN), **env):
            app.wait(reached(app, "warming"))
            app.model.jobs["j1"].cancel = True
            app.wait(app.ended)
    assert app.model.jobs["j1"].state == "cancelled"
    assert b"warming up side a" in app.model.logs["j1", 1]
    assert gone(place)


def test_the_engine_sees_neither_the_token_nor_the_runners_environment(place: Path) -> None:
    app = FakeApp(ModelApp(wait_s=0.1, beat_s=0.1))
    seen: list[bytes] = []
    with serving(app):
        env = started(app, place, plan("hangs")) | {"BENCHCARD_RUNNER_TOKEN": "bcr_canary", "CANARY": "sings"}
        with runner(written(place, app.url, TOKEN), **env):
            app.wait(reached(app, "warming"))
            for entry in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):
                    words = (entry / "cmdline").read_bytes()
                    if str(place).encode() in words and b"app.cli" not in words:
                        seen.append((entry / "environ").read_bytes())
    assert len(seen) >= 4  # two supervisors, the measuring process, the engine
    assert not [names for names in seen if b"bcr_" in names or b"CANARY" in names]


def test_a_wrong_file_and_a_wrong_token_end_it_with_a_sentence(place: Path) -> None:
    app = FakeApp()
    with serving(app):
        with runner(written(place, app.url, "bcr_wrong")) as process:
            assert process.wait(60) == 4
            assert process.stderr is not None
            assert "the app does not let this runner in: no such token" in process.stderr.read()
        (place / "runner.toml").write_text("nme = 1")
        with runner(place / "runner.toml") as process:
            assert process.wait(60) == 2
            assert process.stderr is not None
            assert "nme: no such key; did you mean name?" in process.stderr.read()
