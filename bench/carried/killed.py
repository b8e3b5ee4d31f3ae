"""Kills the server of the job whose label speaks of it, 4 s after its runs began, and writes down what is seen then.

    python -m bench.carried.killed OUT

OUT is that of bench.measured, which runs beside it. OUT/killed.json: GPU memory in MiB and the server's processes every
0.2 s for 20 s, and how the job ended.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

LABEL, BEFORE_S, AFTER_S, STEP_S, ENDS_S = "killed", 4.0, 20.0, 0.2, 60.0
OURS = ("vllm.entrypoints", "VLLM::", "sglang.launch_server", "sglang::")


def memory() -> str:
    asked = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def servers() -> list[tuple[int, str]]:
    """The processes of engines, the oldest first."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            said = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode() if process.name.isdigit() else ""
        except OSError:
            continue
        if any(name in said for name in OURS):
            found.append((int(process.name), said[:120]))
    return sorted(found)


def measuring(url: str) -> str | None:
    """The id of the job that is to lose its server, once its runs have begun."""
    for job in httpx.get(f"{url}/api/v1/jobs", trust_env=False).json()["items"]:
        plan = httpx.get(f"{url}/api/v1/jobs/{job['id']}", trust_env=False).json()["plan"]
        if job["phase"] == "measuring" and LABEL in plan["sides"][0]["label"]:
            return str(job["id"])
    return None


def _asked(url: str) -> str | None:
    """None too while the app starts or ends."""
    try:
        return measuring(url)
    except httpx.HTTPError:
        return None


def watched(url: str, job: str) -> dict[str, Any]:
    time.sleep(BEFORE_S)
    seen: dict[str, Any] = {"job": job, "memory_mib": memory(), "processes": servers()}
    os.kill(seen["processes"][0][0], signal.SIGKILL)
    begun, seen["after"] = time.monotonic(), []
    while (past := time.monotonic() - begun) < AFTER_S:
        seen["after"].append((round(past, 2), memory(), len(servers())))
        time.sleep(STEP_S)
    while time.monotonic() - begun < ENDS_S:
        seen["job"] = httpx.get(f"{url}/api/v1/jobs/{job}", trust_env=False).json()
        if seen["job"]["ended_at"]:
            break
        time.sleep(1.0)
    return seen


def main(out: Path) -> None:
    while not (out / "runner.toml").exists():
        time.sleep(1.0)
    lines = (out / "runner.toml").read_text().splitlines()
    url = next(line.split('"')[1] for line in lines if line.startswith("server"))
    while (job := _asked(url)) is None:
        time.sleep(1.0)
    (out / "killed.json").write_text(json.dumps(watched(url, job), indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
