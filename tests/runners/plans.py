"""Plans that runners are tested with."""

from __future__ import annotations

from typing import Any

from app.protocol.launch import Launch
from app.protocol.plan import Attach, Plan, Point, Side, Workload

VERSION, COMMIT = "0.32.0", "c0ffee" * 6 + "c0de"
WORK = Workload(input_tokens=16, output_tokens=8, seed=5, prefix_cache="cleared")


def launch(model: str = "good", **more: Any) -> Launch:
    """Of the fake engine."""
    given: dict[str, Any] = {
        "engine": "vllm",
        "version": VERSION,
        "model": model,
        "revision": COMMIT,
        "weights": "real",
    }
    return Launch(**given | {"gpus": 0} | more)


def plan(model: str = "good", **more: Any) -> Plan:
    sides = (Side(name="a", label="", launch=launch(model)),)
    given: dict[str, Any] = {
        "kind": "point", "sides": sides, "workload": WORK, "points": (Point(concurrency=2, requests=4),), "repeats": 1,
    }  # fmt: skip
    return Plan(**given | more)


def attached(address: str) -> Plan:
    side = Side(name="a", label="", attach=Attach(address=address, model="m"))
    return plan(kind="attach", sides=(side,))


def both(first: Launch, second: Launch, **more: Any) -> Plan:
    sides = (Side(name="a", label="off", launch=first), Side(name="b", label="on", launch=second))
    return plan(kind="ab", sides=sides, repeats=2, **more)
