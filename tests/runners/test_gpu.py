"""GPU memory is believed to be free when nvidia-smi says so: a script that stands for it, in the ways it can answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runners import gpu
from runners.gpu import Back, GpuError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path / "nvidia-smi"


def says(program: Path, script: str) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_without_the_program_there_is_no_gpu(smi: Path) -> None:
    assert gpu.used_mib() is None
    assert gpu.given_back(None) is None


def test_memory_that_comes_back_after_a_while_is_back(smi: Path) -> None:
    says(smi, 'n=$(cat "$0.n" 2>/dev/null); echo x$n > "$0.n"; [ "$n" = xx ] && echo 200 || echo 90000')
    found = gpu.given_back([100])
    assert found is not None
    assert (found.after, found.back) == ([200], True)


def test_memory_that_stays_is_told(smi: Path) -> None:
    says(smi, "printf '4\\n90000\\n'")
    assert gpu.given_back([4, 4], limit_s=0) == Back([4, 4], [4, 90000])
    assert not Back([4, 4], [4, 90000]).back
    assert not Back([4], []).back


@pytest.mark.parametrize("script", ["exit 9", "echo N/A"])
def test_a_program_that_fails_is_no_proof(smi: Path, script: str) -> None:
    says(smi, script)
    with pytest.raises(GpuError):
        gpu.used_mib()


def test_a_program_that_hangs_is_no_proof(smi: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "ASK_S", 0.2)
    says(smi, "exec sleep 60")
    with pytest.raises(GpuError, match="timed out"):
        gpu.used_mib()
