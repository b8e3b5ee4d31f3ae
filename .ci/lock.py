"""Resolves pyproject.toml into the hashed lock files beside this script. Needs uv on the PATH (`pip install uv`)."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parent / "pyproject.toml"
COMMON = [
    "--universal",
    "--python-version",
    "3.11",
    "--generate-hashes",
    "--quiet",
    "--custom-compile-command",
    "make lock",
]
LOCKS = {
    "requirements.txt": [str(PROJECT), "--group", "build"],
    "requirements-dev.txt": [str(PROJECT), "--group", "build", "--group", "dev"],
    "requirements-bench.txt": ["--group", f"{PROJECT}:bench"],
}

for name, what in LOCKS.items():
    done = subprocess.run(["uv", "pip", "compile", *what, *COMMON, "--output-file", str(HERE / name)], check=False)
    if done.returncode:
        sys.exit(done.returncode)
