"""A model in the runner's own folder is known by what its files are."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from runners import local_model
from runners.config import read
from runners.local_model import files_of, fingerprint, notes_of

if TYPE_CHECKING:
    from pathlib import Path


def stored(folder: Path) -> Path:
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"0" * 100)
    return folder


def test_one_other_byte_is_another_fingerprint(tmp_path: Path) -> None:
    one, two = stored(tmp_path / "one"), stored(tmp_path / "two")
    assert fingerprint(one) == fingerprint(two)
    (two / "config.json").write_text("{ }")
    assert fingerprint(one) != fingerprint(two)


def test_large_files_count_by_name_and_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = stored(tmp_path / "one")
    monkeypatch.setattr(local_model, "MOST_READ", 50)
    before = fingerprint(folder)
    (folder / "model.safetensors").write_bytes(b"1" * 100)
    assert fingerprint(folder) == before
    (folder / "model.safetensors").write_bytes(b"1" * 101)
    assert fingerprint(folder) != before


def test_a_report_says_what_a_local_model_is_bound_by(tmp_path: Path) -> None:
    folder = stored(tmp_path / "tiny")
    first, second = notes_of(folder, files_of(folder), "a" * 40)
    assert f"own folder tiny: its files have the fingerprint {fingerprint(folder)}" in first
    assert second == f"that it is revision {'a' * 40} was not checked"


@pytest.mark.parametrize(
    ("config", "shape"),
    [
        ('{"vocab_size": 129280, "hidden_size": 1024, "rope_theta": 1000000, "num_hidden_layers": "28"}',
         {"vocab_size": 129280, "hidden_size": 1024}),
        ('{"text_config": {"vocab_size": 64}, "vocab_size": 32, "head_dim": true, "num_experts": -1}',
         {"vocab_size": 64}),
        ("[]", {}),
        ("no JSON", {}),
    ],
)  # fmt: skip
def test_a_report_says_which_shape_a_model_has(tmp_path: Path, config: str, shape: dict[str, int]) -> None:
    folder = stored(tmp_path / "tiny")
    (folder / "config.json").write_text(config)
    found = files_of(folder)
    assert (found.shape, found.config_sha256) == (shape, hashlib.sha256(config.encode()).hexdigest())


def test_folders_of_a_configuration_stand_without_detours(tmp_path: Path) -> None:
    (tmp_path / "runner").mkdir()
    file = tmp_path / "runner" / "runner.toml"
    text = 'name="a"\nserver="http://127.0.0.1:8000"\ndata="kept"\n[site]\nmodels="../models"\nmodules=["../extra"]\n'
    file.write_text(text)
    found = read(file).site
    assert (found.models, found.modules) == (tmp_path / "models", (tmp_path / "extra",))
