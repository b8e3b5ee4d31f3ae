"""A server is ready when a real completion is right, and whatever else it does has a named cause."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from runners.engines import ENGINES, server
from runners.engines.environment import Site
from runners.engines.install import Installed
from runners.engines.recipe import Recipe, RecipeError
from runners.engines.server import LaunchError, Server
from tests.runners.engines.texts import DATA

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
