"""Where a server that was started here listens, once it answers."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

ANSWERS_WITHIN = 120  # s; a first start loads the catalogue and checks the evidence that ships with it


def listening(process: subprocess.Popen[bytes], told: Path) -> str:
    """The address that the server's log gives, once it answers there. Ends the program where it never does."""
    for _ in range(ANSWERS_WITHIN * 4):
        for line in told.read_text().splitlines():
            said = json.loads(line)["message"] if line.startswith("{") else ""
            if said.startswith("serving on "):
                address = str(said.removeprefix("serving on "))
                with urllib.request.urlopen(f"{address}/healthz", timeout=10):
                    return address
        try:
            process.wait(0.25)
        except subprocess.TimeoutExpired:
            continue
        break
    sys.exit(f"the server did not start: {told.read_text()[-500:]}")
