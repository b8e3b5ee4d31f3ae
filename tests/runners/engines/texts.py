"""What real engines printed, kept as files: their --help, and their counters before and after two equal requests of
128 prompt tokens and 40 generated ones."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parent / "data"
VERSIONS = {"vllm": "0.32.0", "sglang": "0.5.23"}


def help_of(engine: str) -> str:
    return (DATA / f"{engine}-{VERSIONS[engine]}.help.txt").read_text()


def counters_of(engine: str, moment: str) -> str:
    return (DATA / f"{engine}-{VERSIONS[engine]}.{moment}.metrics.txt").read_text()
