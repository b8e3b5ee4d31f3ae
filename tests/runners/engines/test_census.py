"""A census file is written from an installed engine: its --help, and its own list of environment variables."""

from __future__ import annotations

import argparse
import tomllib
from typing import TYPE_CHECKING

import pytest

from app.protocol.engines import ENGINES
from app.protocol.policy import census as sorted_out
from runners.engines import census, commands, helptext, install
from runners.engines.install import Installed
from tests.runners.engines.texts import VERSIONS, help_of

if TYPE_CHECKING:
    from pathlib import Path

VLLM = """
import os
if os.environ.get("NOT_A_KEY"):
    FIRST_CONSTANT = 1
environment_variables: dict[str, object] = {
    "VLLM_USE_DEEP_GEMM": lambda: os.getenv("VLLM_OTHER_NAME", "1"),
    "MAX_JOBS": lambda: os.getenv("MAX_JOBS"),
    **{"x": 1},
}
"""
SGLANG = """
class EnvBool:
    default = dict(a=1)
class Envs:
    SGLANG_USE_AITER = EnvBool(False)
    SGLANG_NEW_NAME = EnvBoolWithAlias(False, deprecated_name="SGLANG_OLD_NAME")
    lowercase = EnvBool(True)
_DEPRECATED = {"SGLANG_GONE": Deprecated(note="x")}
"""


def test_variables_are_those_that_the_module_lists_and_nothing_of_it_runs() -> None:
    assert census.variables(VLLM) == ["MAX_JOBS", "VLLM_USE_DEEP_GEMM"]
    assert census.variables(SGLANG) == ["SGLANG_GONE", "SGLANG_NEW_NAME", "SGLANG_OLD_NAME", "SGLANG_USE_AITER"]


def test_a_file_says_again_what_the_help_said() -> None:
    said = tomllib.loads(census.text("vllm", "0.32.0", helptext.flags(help_of("vllm")), ["VLLM_USE_DEEP_GEMM"]))
    assert (said["engine"], said["version"], said["variables"]) == ("vllm", "0.32.0", ["VLLM_USE_DEEP_GEMM"])
    assert len(said["switches"]) + len(said["values"]) == 317
    assert said["others"]["tensor-parallel-size"] == ["tp"]
    assert "bfloat16" in said["choices"]["dtype"]
    again = sorted_out.census(said)
    assert (again.unclassified(), again.canonical("-tp=8")) == ([], "tensor-parallel-size")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = install.root() / "vllm-0.32.0-cpu-0"
    listing = folder / "lib" / "python3.11" / "site-packages" / "vllm" / "envs.py"
    listing.parent.mkdir(parents=True)
    listing.write_text(VLLM)
    (folder / "help.txt").write_text(help_of("vllm"))
    (folder / "installed.json").write_text('{"engine": "vllm", "version": "0.32.0", "device": "cpu", "packages": []}')
    return Installed(ENGINES["vllm"], "0.32.0", "cpu", folder)


def run(engine: str) -> int:
    return commands.run_census(argparse.Namespace(engine=engine))


def test_the_command_writes_the_file_and_names_what_is_not_sorted(
    installed: Installed, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("vllm==0.32.0") == 0
    assert tomllib.loads(capsys.readouterr().out)["version"] == VERSIONS["vllm"]
    text = help_of("vllm").replace("  --enforce-eager,", "  --run-anything ANYTHING\n  --enforce-eager,")
    (installed.folder / "help.txt").write_text(text)
    assert run("vllm==0.32.0") == 1
    assert capsys.readouterr().err == "not classified: run-anything\n"
    assert run("vllm==9.9.9") == 1
    assert "not installed" in capsys.readouterr().err


def test_an_engine_without_its_list_of_variables_is_said_to_lack_it(
    installed: Installed, capsys: pytest.CaptureFixture[str]
) -> None:
    next(installed.folder.rglob("envs.py")).unlink()
    assert run("vllm==0.32.0") == 1
    assert "has no vllm/envs.py" in capsys.readouterr().err
