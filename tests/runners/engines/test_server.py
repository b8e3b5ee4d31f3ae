"""A server is ready when a real completion is right, and whatever else it does has a named cause."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.jobs.changed import launch_row
from app.protocol.engines import ENGINES
from app.protocol.engines.recipe import Recipe, RecipeError, of_launch
from app.protocol.exact import digest
from app.web.approval_page import launch_part
from runners.engines import control, server
from runners.engines.control import HungError
from runners.engines.environment import Site
from runners.engines.install import Installed
from runners.engines.server import LaunchError, Server, Stillness
from tests.protocol.launches import COMMIT, launch
from tests.runners.engines.texts import DATA

if TYPE_CHECKING:
    from runners.engines.failures import Phase

COMMIT_FLAG = f"--revision={COMMIT}"
SITE = Site(modules=(DATA.parent / "fake",))


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    """The fake engine, in an environment that is this interpreter's."""
    folder = tmp_path / "environment"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    return Installed(ENGINES["vllm"], "9.9.9", "cpu", folder)


def start(installed: Installed, model: str, **given: object) -> Server:
    folder = installed.folder.parent / "job"
    folder.mkdir(exist_ok=True)
    return Server(installed, Recipe("vllm", "9.9.9", model, **given), folder, SITE)  # type: ignore[arg-type]


def test_a_good_server_is_ready_known_flushed_read_and_gone(installed: Installed) -> None:
    with start(installed, "good", settings={"max_requests": 4}) as started:
        known = started.wait_ready(60)
        assert known.version == "9.9.9"
        assert known.info is not None
        assert "--max-num-seqs=4" in known.info["arguments"]
        assert (started.flush().done, started.scrape().value("generated_tokens")) == (True, 4)
        started.check("running")
        freed = started.stop()
    assert (freed.survivors, freed.free, freed.code) == ([], True, -15)
    assert not any(installed.folder.parent.glob("job/*scratch*"))


def test_a_version_is_known_of_a_server_that_cannot_tell_its_configuration(installed: Installed) -> None:
    """It ends the connection on which it failed."""
    with start(installed, "breaks") as started:
        known = started.wait_ready(60)
        assert (known.version, known.info) == ("9.9.9", None)


def test_the_started_process_has_the_variables_that_were_built_for_it_and_no_others(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BENCHCARD_RUNNER_TOKEN", "HF_TOKEN", "LD_PRELOAD", "https_proxy", "SOMETHING"):
        monkeypatch.setenv(name, "canary" if name != "LD_PRELOAD" else "")
    with start(installed, "good", env={"OMP_NUM_THREADS": "2"}) as started:
        started.wait_ready(60)
        words = Path(f"/proc/{started.process.pid}/environ").read_bytes().decode().split("\0")
        assert dict(word.split("=", 1) for word in words if word) == started.env
    assert set(started.env) == {
        "PATH", "HOME", "TMPDIR", "LANG", "PYTHONUNBUFFERED", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "DO_NOT_TRACK",
        "PYTHONPATH", "VLLM_HOST_IP", "VLLM_PLUGINS", "VLLM_NO_USAGE_STATS", "VLLM_SERVER_DEV_MODE", "OMP_NUM_THREADS",
    }  # fmt: skip


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("owned", [True, False])
def test_what_the_page_of_an_approval_shows_is_what_the_kernel_says_was_started(
    installed: Installed, cached: bool, owned: bool
) -> None:
    """Every argument and every variable, once the places are filled; nothing besides."""
    wanted = launch(model="good", weights="dummy", flags={"max-num-seqs": 4}, env={"OMP_NUM_THREADS": "2"})
    page = launch_part("Server", launch_row(digest(wanted), wanted, None, ()))
    folder = installed.folder.parent
    model = "good" if cached else str(folder / "good")
    site = replace(SITE, gpus=(), models=folder) if owned else SITE
    (folder / "job").mkdir()
    with Server(replace(installed, version="0.32.0"), of_launch(wanted, model), folder / "job", site) as started:
        started.wait_ready(60)
        at = Path(f"/proc/{started.process.pid}")
        argv, env = (at.joinpath(name).read_bytes().decode().split("\0")[:-1] for name in ("cmdline", "environ"))
        own = started.own
    places = {
        "PROGRAMS": str(installed.python.parent), "PORT": str(own.port), "KEY": own.api_key, "NAME": own.served_name,
        "MODEL": model, "SCRATCH": started.env["HOME"], "GPUS": "", "MODELS": str(folder),
        "MODULES": str(SITE.modules[0]),
    }  # fmt: skip

    def filled(text: str) -> list[str]:
        for name, value in places.items():
            text = text.replace(f"{{{name}}}", value)
        return [word for line in text.splitlines() for word in shlex.split(line)]

    left_out = {COMMIT_FLAG} if not cached else set()
    absent = set() if owned else {"CUDA_VISIBLE_DEVICES", "HF_HOME"}
    assert argv == [item for item in filled(page.argv) if item not in left_out]
    assert sorted(env) == sorted(item for item in filled(page.env) if item.partition("=")[0] not in absent)
    told = " ".join(page.sometimes)
    assert all(name in told for name in (COMMIT_FLAG, "HF_HOME", "PYTHONPATH"))


def test_an_engine_that_would_be_started_otherwise_than_it_was_shown_is_not_started(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = launch(model="good")
    known = {name: flag for name, flag in installed.flags(SITE).items() if name != "generation-config"}
    monkeypatch.setattr(Installed, "flags", lambda *_: known)
    (installed.folder.parent / "job").mkdir()
    with pytest.raises(RecipeError, match="other options than the census"):
        Server(installed, of_launch(wanted, "good"), installed.folder.parent / "job", SITE)


def test_its_name_and_key_are_new_each_time(installed: Installed) -> None:
    with start(installed, "good") as one, start(installed, "good") as other:
        assert one.own.served_name != other.own.served_name
        assert one.own.api_key != other.own.api_key
        assert one.own.port != other.own.port
        assert "--host=127.0.0.1" in one.argv


@pytest.mark.parametrize(
    ("model", "kind", "told"),
    [
        ("fails", "out_of_memory", "CUDA out of memory"),
        ("dies", "died_at_request", "RuntimeError: the worker died"),
        ("short", "died_at_request", "tokens in and out are (5, 3) instead of (5, 4)"),
    ],
)
def test_a_server_that_is_not_ready_says_why(
    model: str, kind: str, told: str, installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LAST_WORDS_S", 1.0)
    with start(installed, model) as started:
        with pytest.raises(LaunchError) as caught:
            started.wait_ready(60)
        assert (caught.value.failure.kind, told in str(caught.value)) == (kind, True)


def test_a_server_that_never_listens_is_given_up(installed: Installed) -> None:
    with start(installed, "never") as started:
        with pytest.raises(LaunchError, match="was not ready in time"):
            started.wait_ready(0.5)
        assert started.stop().survivors == []


def test_a_stranger_on_the_port_is_not_taken_for_the_server(installed: Installed) -> None:
    with start(installed, "good") as stranger, start(installed, "never") as started:
        stranger.wait_ready(60)
        started._http.base_url = stranger.url
        with pytest.raises(LaunchError, match="status 404: no such model"):
            started.check()


def test_a_recipe_that_does_not_fit_starts_nothing(installed: Installed) -> None:
    with pytest.raises(RecipeError, match="nearest is --max-num-seqs"):
        start(installed, "good", flags={"max-num-seq": 3})
    assert not (installed.folder.parent / "job" / "server.log").exists()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, seconds in (
        (server, "SILENT_S", 0.5), (server, "COMPLETION_S", 0.5), (control, "ANSWER_S", 0.5),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, seconds)


def test_a_server_that_stands_still_while_it_starts_hangs(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STILL_S", 0.1)
    monkeypatch.setattr(server, "LOOK_S", 0.0)
    with start(installed, "never") as started:
        with pytest.raises(HungError, match="logged nothing and used less than 1 s of processor"):
            started.wait_ready(60)
        assert started.stop().survivors == []


@pytest.mark.parametrize("phase", ["first_request", "running"])
@pytest.mark.usefixtures("impatient")
def test_a_server_that_is_frozen_hangs_and_is_ended_all_the_same(phase: Phase, installed: Installed) -> None:
    with start(installed, "good") as started:
        assert started.process.running(wait_s=0.0)
        while not started._healthy():
            assert started.process.running(wait_s=0.1)
        os.kill(started.process.pid, signal.SIGSTOP)
        with pytest.raises(HungError, match="neither its counters nor its health"):
            started.check(phase)
        stopped = started.stop(grace_s=0.2)
    assert (stopped.code, stopped.survivors) == (-9, [])


@pytest.mark.usefixtures("impatient")
def test_a_completion_that_hangs_beside_a_healthy_answer_is_given_up_after_longer(installed: Installed) -> None:
    with start(installed, "mute") as started, pytest.raises(HungError, match="although the server answers beside it"):
        started.wait_ready(60)


def test_a_server_that_logs_or_computes_does_not_stand_still() -> None:
    now, signs = 0.0, (0, 0.0)
    stillness = Stillness(lambda: signs, lambda: now)

    def later(log: int, used: float) -> bool:
        nonlocal now, signs
        now, signs = now + 100, (log, used)
        return stillness.too_long()

    assert not any(later(log, 0.0) for log in range(1, 9)), "it logs"
    assert not any(later(9, 2.0 * used) for used in range(1, 9)), "it computes"
    assert [later(9, 16.0 + 0.1 * used) for used in range(2)] == [False, True]
