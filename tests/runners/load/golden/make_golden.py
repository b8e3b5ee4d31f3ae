"""Writes tools.json: what other tools' own code makes of the streams in scenarios.py.

`python -m tests.runners.load.golden.make_golden TOOL=PYTHON[:SOURCE] ...` with the Python of an environment in which
the tool is installed; or, for those whose functions are taken from SOURCE (vllm and sglang: an unpacked wheel;
inferencex: its utils/bench_serving), aiohttp, regex, tqdm and numpy. The versions are those of runners/load/tools.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.runners.load.golden.scenarios import SCENARIOS
from tests.runners.load.script import MS

HERE = Path(__file__).parent
FILE = HERE / "tools.json"


def given() -> dict[str, Any]:
    return {
        name: {
            "chat": scenario.chat,
            "asked": scenario.asked,
            "seconds": scenario.seconds,
            "requests": [
                [(int(at * MS), base64.b64encode(data).decode()) for at, data in writes] for writes in scenario.requests
            ],
        }
        for name, scenario in SCENARIOS.items()
    }


def main() -> None:
    golden: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    for argument in sys.argv[1:]:
        tool, _, where = argument.partition("=")
        python, _, source = where.partition(":")
        command = [python, "-m", "tests.runners.load.golden.real_tools", tool, source or "."]
        asked = json.dumps(given()).encode()
        done = subprocess.run(command, input=asked, stdout=subprocess.PIPE, check=True, cwd=HERE.parents[3])
        golden[tool] = json.loads(done.stdout)
    FILE.write_text(json.dumps(golden, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
