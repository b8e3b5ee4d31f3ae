"""The runner's file: every wrong key has its place, and the token never comes by an argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runners import config
from runners.__main__ import main
from runners.config import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

GOOD = 'name = "box"\nserver = "https://bench.example"\ndata = "runner"\n'


def read(folder: Path, text: str) -> config.Config:
    (folder / "runner.toml").write_text(text)
    return config.read(folder / "runner.toml")


def test_folders_are_found_from_where_the_file_lies(tmp_path: Path) -> None:
    found = read(tmp_path, GOOD + '[site]\nmodels = "m"\nmodules = ["x"]\ngpus = [0, 2]\n')
    assert (found.data, found.site.models, found.site.modules) == (
        tmp_path / "runner",
        tmp_path / "m",
        (tmp_path / "x",),
    )
    assert found.site.gpus == (0, 2)
    assert found.policy.models == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name = 'box'\n", "server: this key is needed"),
        (GOOD + "sever = 1\n", "sever: no such key; did you mean server?"),
        (GOOD + "[policy]\nmodles = []\n", "policy.modles: no such key; did you mean models?"),
        (GOOD + "[site]\ngpu = [0]\n", "site.gpu: no such key; did you mean gpus?"),
        (GOOD + "[zoo]\n", "zoo: no such key; known are name, server"),
        (GOOD.replace("https://bench.example", "bench.example"), "server: is not written in the form"),
        (GOOD.replace('"box"', '"My Box"'), "name: is not written in the form"),
        (GOOD + "[policy]\nmodels = ['Qwen/Qwen3-8B']\n", "policy.models.0: is not written in the form"),
        (GOOD + "[policy]\nwall_s = 0.0\n", "policy.wall_s: must be more than 0"),
        (GOOD + "[site]\ngpus = [-1]\n", "site.gpus.0: must be at least 0"),
        ("name = box\n", "Invalid value (at line 1, column 8)"),
    ],
)
def test_a_wrong_file_is_told_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)
    assert told in str(caught.value)
    assert str(tmp_path / "runner.toml") in str(caught.value)


def test_the_token_comes_from_a_file_or_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHCARD_RUNNER_TOKEN", "bcr_one")
    assert read(tmp_path, GOOD).token() == "bcr_one"
    monkeypatch.setenv("OTHER", "bcr_two")
    assert read(tmp_path, GOOD + 'token_env = "OTHER"\n').token() == "bcr_two"
    (tmp_path / "t").write_text("bcr_three\n")
    assert read(tmp_path, GOOD + 'token_file = "t"\n').token() == "bcr_three"


def test_a_token_that_others_can_read_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("bcr_one\n")
    found = read(tmp_path, GOOD + 'token_file = "t"\n')
    for mode, shown in ((0o600, False), (0o400, False), (0o640, True), (0o644, True)):
        (tmp_path / "t").chmod(mode)
        assert found.shows_token() == shown
    assert not read(tmp_path, GOOD).shows_token()


@pytest.mark.parametrize(
    ("said", "told"), [("", "is empty"), ("two words", "holds no token"), ("tökén", "holds no token")]
)
def test_no_token_is_told_and_a_wrong_one_is_not_repeated(
    said: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHCARD_RUNNER_TOKEN", said)
    with pytest.raises(ConfigError, match=told) as caught:
        read(tmp_path, GOOD).token()
    assert not said or said not in str(caught.value)


def test_a_quarantine_is_cleared_by_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = read(tmp_path, GOOD)
    found.data.mkdir()
    (found.data / "quarantine.txt").write_text("GPU memory did not come back\n")
    given = ["runner", "clear-quarantine", "--config", str(tmp_path / "runner.toml")]
    assert (main(given), main(given)) == (0, 0)
    assert capsys.readouterr().out == "cleared: GPU memory did not come back\nit was in no quarantine\n"
    assert main([*given[:-1], str(tmp_path / "none.toml")]) == 2
    assert "cannot be read" in capsys.readouterr().err
