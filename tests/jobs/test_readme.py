"""The README of a bundle says what every file is, and what it tells a reader to run gives the bundle's own number."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from app.jobs.crate import DESCRIPTIONS
from app.jobs.readme import readme, whole_layout
from tests.jobs.bundles import bundle_bytes

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    (tmp_path / "bundle.zip").write_bytes(bundle_bytes())
    with zipfile.ZipFile(tmp_path / "bundle.zip") as opened:
        opened.extractall(tmp_path / "bundle")
    return tmp_path / "bundle"


def block(text: str, begins: str) -> str:
    """The indented lines of the README from the one that begins so to the next that is not indented."""
    lines = text.partition(f"    {begins}")[2].splitlines()
    wanted = [begins + lines[0]]
    for line in lines[1:]:
        if line and not line.startswith("    "):
            break
        wanted.append(line[4:])
    return "\n".join(wanted)


def test_every_file_of_a_bundle_is_explained_in_it(unpacked: Path) -> None:
    text = (unpacked / "README.md").read_text()
    for file in unpacked.rglob("*.*"):
        inside = file.relative_to(unpacked).as_posix()
        named = {"cards": "cards/SIDE-POINT.yaml", "traces": "traces/NAME"}.get(inside.partition("/")[0], inside)
        assert f"- `{named}`: " in text, inside
    assert {path for path, _ in whole_layout()} >= {"MANIFEST", *DESCRIPTIONS}


def test_the_hashes_are_checked_as_it_says(unpacked: Path) -> None:
    command = block((unpacked / "README.md").read_text(), "awk")
    done = subprocess.run(["sh", "-c", command], cwd=unpacked, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "FAILED" in done.stdout) == (0, False), done.stderr
    (unpacked / "plan.json").write_text("{}")
    again = subprocess.run(["sh", "-c", command], cwd=unpacked, capture_output=True, text=True, timeout=60, check=False)
    assert "plan.json: FAILED" in again.stdout


def test_its_lines_of_python_compute_a_number_of_the_bundle(unpacked: Path) -> None:
    code = block((unpacked / "README.md").read_text(), "import pyarrow")
    done = subprocess.run([sys.executable, "-c", code], cwd=unpacked, capture_output=True, text=True, timeout=60,
                          check=True, env=dict(os.environ))  # fmt: skip
    runs = json.loads((unpacked / "numbers.json").read_text())["sets"][0]["runs"]
    assert float(done.stdout) == pytest.approx(runs[0]["output_tok_s"])


def test_a_bundle_without_a_trace_says_so_and_tells_nobody_to_read_one() -> None:
    text = readme("m1", ("plan.json", "report.json"))
    assert "It holds no trace" in text
    assert "pyarrow" not in text
