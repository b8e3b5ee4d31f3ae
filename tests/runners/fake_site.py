"""A machine with the fake engine installed, and the configuration of a runner on it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from runners import config
from tests.runners.engines.texts import DATA
from tests.runners.plans import COMMIT, VERSION

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from runners.config import Config

FAKE = DATA.parent / "fake"
TOKEN_FILE = "token"
MODELS = ("good", "hangs", "stays", "lingers", "fails", "dies", "never")


def install(cache: Path, device: str = "cpu") -> None:
    """The fake engine, below a cache folder, as `engine install` would have left it."""
    folder = cache / "benchcard" / "engines" / f"vllm-{VERSION}-{device}-0"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    said = {"engine": "vllm", "version": VERSION, "device": device, "packages": []}
    (folder / "installed.json").write_text(json.dumps(said))


def written(folder: Path, server: str, token: str, more: str = "", gpus: str = "") -> Path:
    """The configuration's file."""
    (folder / TOKEN_FILE).write_text(f"{token}\n")
    text = f"""
        name = "box"
        server = "{server}"
        token_file = "{TOKEN_FILE}"
        data = "runner"
        {more}
        [policy]
        models = [{", ".join(f'"{name}@{COMMIT}"' for name in MODELS)}]
        [site]
        modules = ["{FAKE}"]
        {gpus}
    """
    file = folder / "runner.toml"
    file.write_text(text)
    return file


def machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """With the fake engine, for an executor in this process."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    install(folder / "cache")
    return config.read(written(folder, "http://127.0.0.1:1", "bcr_x"))
