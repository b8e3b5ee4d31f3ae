"""Launches and policies that the tests of the policy begin with."""

from __future__ import annotations

from typing import Any

from app.protocol.launch import Launch
from app.protocol.policy import census
from app.protocol.policy.local import LocalPolicy

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PIN = f"owner/tiny@{COMMIT}"
WIDEST = LocalPolicy(models=(PIN,), approved=True, attach=("10.0.0.7:8000",))  # refuses by the census alone
CENSUSES = {name: census.of(*name.split("-", 1)) for name in census.versions()}


def launch(engine: str = "vllm", version: str = "0.32.0", **other: Any) -> Launch:
    """Of a listed model; ValidationError where it is none."""
    given = {
        "engine": engine,
        "version": version,
        "model": "owner/tiny",
        "revision": COMMIT,
        "weights": "real",
        "gpus": 0,
    }
    return Launch.model_validate(given | other)
