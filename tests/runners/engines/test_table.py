"""The tables of the engines: environments hold no secret, and a flush is believed only when its answer says so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.protocol.engines import ENGINES, start
from app.protocol.policy import census
from runners.engines import environment
from runners.engines.environment import Site

if TYPE_CHECKING:
    import pytest


def test_a_flush_is_believed_only_when_the_answer_says_so() -> None:
    done = ENGINES["vllm"].flush.done
    assert [done(text) for text in ('{"success":true}', '{"success":false}', "", "[]")] == [True, False, None, None]
    assert ENGINES["sglang"].flush.done("Cache flushed.\nPlease check") is True
    assert ENGINES["sglang"].flush.done("Failed") is False


def test_the_environment_is_built_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("LD_PRELOAD", "x.so")
    site = Site(gpus=(1, 3), models=Path("/models"), modules=(Path("/stand-in"),))
    for engine in ENGINES.values():
        words = start.variables(engine, "cpu", {"OMP_NUM_THREADS": "2"})
        found = start.filled(words, environment.given(site, Path("/env/bin"), Path("/scratch")))
        assert not {"HF_TOKEN", "LD_PRELOAD", "LD_LIBRARY_PATH"} & set(found)
        assert found["PATH"].startswith("/env/bin:")
        assert found["HOME"] == found["TMPDIR"] == "/scratch"
        assert (found["CUDA_VISIBLE_DEVICES"], found["HF_HOME"], found["PYTHONPATH"]) == ("1,3", "/models", "/stand-in")
        assert (found["HF_HUB_OFFLINE"], found["OMP_NUM_THREADS"]) == ("1", "2")
    places = environment.given(Site(), Path("/env/bin"), Path("/scratch"))
    bare = start.filled(start.variables(ENGINES["vllm"], "cuda", {}), places)
    assert not {"PYTHONPATH", "HF_HOME", "CUDA_VISIBLE_DEVICES", "SGLANG_USE_CPU_ENGINE"} & set(bare)
    assert (bare["VLLM_PLUGINS"], bare["VLLM_HOST_IP"]) == ("", "127.0.0.1")


def test_no_recipe_may_set_what_reaches_beyond_the_engine() -> None:
    never = "PATH PYTHONPATH LD_PRELOAD HF_TOKEN HF_HOME VLLM_PLUGINS VLLM_API_KEY SGLANG_PLUGINS CUDA_VISIBLE_DEVICES"
    for engine in ENGINES:
        assert {census.rules(engine).variable(name, "1").level for name in never.split()} == {"never"}
