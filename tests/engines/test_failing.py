"""Real engines that do not start, die at their first request, or lose their runner."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from app.protocol.engines import ENGINES
from app.protocol.engines.recipe import Json, RecipeError, Speculation, Value
from runners.engines.server import LaunchError
from tests.engines import stories
from tests.runners.test_supervisor import gone

BAD: dict[str, dict[str, Value]] = {
    "vllm": {"max-num-batched-tokens": "many"},
    "sglang": {"max-prefill-tokens": "many"},
}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_flag_that_the_version_does_not_know_starts_nothing(engine: str, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="no such flag"):
        stories.serve(engine, tmp_path, tmp_path, flags={"max-nonsense": 1})
    assert not (tmp_path / "server.log").exists()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_value_that_the_engine_refuses_is_told_with_its_own_words(engine: str, model: Path, tmp_path: Path) -> None:
    with stories.serve(engine, model, tmp_path, flags=BAD[engine]) as server:
        with pytest.raises(LaunchError) as caught:
            server.wait_ready(stories.READY_S)
        assert caught.value.failure.kind == "bad_flag"
        assert "many" in caught.value.failure.line
        assert server.stop().survivors == []


def test_an_engine_that_dies_at_its_first_request_is_not_ready(model: Path, tmp_path: Path) -> None:
    """vLLM's CPU build cannot force an acceptance; it becomes ready all the same."""
    forced: dict[str, Json] = {"prompt_lookup_max": 3, "prompt_lookup_min": 1, "rejection_sample_method": "synthetic"}
    wanted = Speculation("ngram", 4, {**forced, "synthetic_acceptance_length": 2.0})
    with stories.serve("vllm", model, tmp_path, wanted) as server:
        with pytest.raises(LaunchError) as caught:
            server.wait_ready(stories.READY_S)
        assert caught.value.failure.kind == "died_at_request"
        assert "its answer: " in caught.value.failure.message
        assert any("Synthetic acceptance" in line for line in server.process.last_lines(400))
        assert server.stop().survivors == []


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_survives_a_runner_that_is_killed_while_it_measures(engine: str, model: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.engines.runner", engine, str(model), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as runner:
        assert runner.stdout is not None
        told = json.loads(runner.stdout.readline())
        said = next((line for line in runner.stdout if ", run 1 of " in line), None)  # None: it ended before
        family = descendants(runner.pid)
        runner.send_signal(signal.SIGKILL)
    assert said
    assert told["server"] in family
    assert len(family) >= 3
    assert gone({str(pid): pid for pid in family})
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", told["port"]), 5):
        pass


def descendants(pid: int) -> list[int]:
    """All processes below one, from the children that each thread of it has."""
    children = [
        int(child) for listing in Path(f"/proc/{pid}/task").glob("*/children") for child in listing.read_text().split()
    ]
    return children + [below for child in children for below in descendants(child)]
