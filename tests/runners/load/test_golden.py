"""Benchcard's numbers under each tool's definitions against what that tool's own code makes of the same streams.

golden/make_golden.py ran the tools' request functions, parsers and statistics on golden/scenarios.py, under a clock
that showed the planned times; so there is no noise, and the numbers must agree to rounding.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from runners.load.tools import TOOLS
from tests.runners.load.golden.scenarios import SCENARIOS
from tests.runners.load.script import Write, traced

GOLDEN: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "golden/tools.json").read_text())
CASES = [(tool, name) for tool, found in GOLDEN.items() for name in found]


def with_ids(writes: list[Write]) -> list[Write]:
    """The stream as Benchcard's own client would have got it: one token id a letter."""

    def ids(match: re.Match[bytes]) -> bytes:
        return match[1].replace(
            b'"index": 0', b'"index": 0, "token_ids": [' + b", ".join([b"1"] * len(match[2])) + b"]"
        )

    return [(at, re.sub(rb'("index": 0, [^}]*"(?:text|content)": "(a*|x*)")', ids, data)) for at, data in writes]


def none(value: float | None) -> bool:
    """No number: tools also print 0 or NaN where they have none."""
    return value is None or value == 0 or math.isnan(value)


@pytest.mark.parametrize(("tool", "name"), CASES)
def test_a_tools_own_code_gives_the_same_numbers(tool: str, name: str) -> None:
    scenario = SCENARIOS[name]
    endpoint = "chat" if scenario.chat else "completions"
    asked = {"usage": tool != "sglang", "continuous": False}  # sglang asks for none, and got it all the same
    streams = [with_ids(writes) for writes in scenario.requests]
    report = TOOLS[tool](traced(*streams, tokens=scenario.asked, prompt=8, endpoint=endpoint, asked=asked))
    golden = GOLDEN[tool][name]
    assert (report.completed, report.failed) == (golden["completed"], golden["failed"])
    compared = 0
    for item in report.values:
        if item.name not in golden["values"]:
            continue
        compared += 1
        real = golden["values"][item.name]
        assert (none(item.value) and none(real)) or item.value == pytest.approx(real, rel=1e-6), item.name
    assert compared >= 8 or not golden["values"]


def test_every_tool_has_been_run_on_every_stream_that_it_takes() -> None:
    assert set(GOLDEN) == set(TOOLS)
    for tool, found in GOLDEN.items():
        wanted = {name for name, scenario in SCENARIOS.items() if scenario.chat or tool != "genai-bench"}
        assert set(found) == wanted, tool
