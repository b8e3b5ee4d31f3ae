"""An exact version lands in an environment of its own, once, named by what it holds."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from runners.__main__ import main
from runners.engines import install
from runners.engines.environment import Site
from runners.engines.install import InstallError
from tests.runners.engines.texts import DATA

if TYPE_CHECKING:
    from pathlib import Path

FAKE = DATA.parent / "fake"


@pytest.fixture
def pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A requirements file that names one repackaged build, which lies beside it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    wheel = tmp_path / "vllm_fake-9.9.9-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        for file in FAKE.rglob("*.py"):
            made.write(file, file.relative_to(FAKE))
        folder = "vllm_fake-9.9.9.dist-info"
        made.writestr(f"{folder}/METADATA", "Metadata-Version: 2.1\nName: vllm-fake\nVersion: 9.9.9\n")
        made.writestr(
            f"{folder}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{folder}/RECORD", "")
    listing = tmp_path / "pins.txt"
    listing.write_text(f"{wheel}\n")
    return listing


def test_an_engine_is_installed_once_listed_and_asked_for_its_flags(
    pins: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["engine", "list"]) == 0
    assert "none is installed" in capsys.readouterr().out
    ask = ["engine", "install", "vllm==9.9.9", "--device", "cpu", "--pins", str(pins)]
    assert main(ask) == 0
    out, err = capsys.readouterr()
    assert "installing vLLM 9.9.9" in err
    assert "its --help names 10 flags" in err
    (found,) = install.listed()
    assert out.strip() == str(found.folder)
    assert "vllm-fake" in "".join(install.packages(found))
    assert (next(found.folder.glob("lib/*/site-packages/vllm-9.9.9+cpu.dist-info")) / "METADATA").exists()
    assert main(ask) == 0
    assert "installing" not in capsys.readouterr().err
    assert main(["engine", "list"]) == 0
    assert f"vllm==9.9.9  cpu  {found.folder}" in capsys.readouterr().out
    (found.folder / "help.txt").unlink()
    (found.folder / "bin" / "python").unlink()
    (found.folder / "bin" / "python").symlink_to("/bin/false")
    with pytest.raises(InstallError, match="cannot run here"):
        found.flags(Site())


def test_an_installation_that_failed_is_not_there(pins: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pins.write_text("./nowhere-1.0-py3-none-any.whl\n")
    assert main(["engine", "install", "vllm==9.9.9", "--device", "cpu", "--pins", str(pins)]) == 1
    assert "nowhere-1.0" in capsys.readouterr().err
    assert install.listed() == []


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("vllm", "an exact version are needed"),
        ("vllm>=0.3", "an exact version are needed"),
        ("tgi==1.0", "vllm or sglang==VERSION"),
        ("vllm==0.1 --index-url=x", "an exact version are needed"),
        ("vllm==0.1.0", "no CPU build of vLLM 0.1.0 is known (known: sglang-0.5.23-cpu, vllm-0.32.0-cpu)"),
    ],
)
def test_what_cannot_be_installed_is_refused_with_a_reason(
    wanted: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["engine", "install", wanted, "--device", "cpu"]) == 1
    assert told in capsys.readouterr().err


def test_pins_that_are_not_there_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engine", "install", "vllm==0.1.0", "--pins", str(tmp_path / "none")]) == 1
    assert "No such file" in capsys.readouterr().err
