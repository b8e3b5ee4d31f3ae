"""One trace under other tools' definitions: what each tool's client would have taken from the same stream, and its
statistics of that. Every file names the source that its rules were read in; where a tool's code and its documentation
disagree, the code counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runners.load.tools import aiperf, genai_bench, guidellm, inference_perf, inferencex, sglang, vllm
from runners.load.tools.view import Report, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from runners.load.trace import Trace

TOOLS: dict[str, Callable[[Trace], Report]] = {
    vllm.NAME: vllm.report,
    sglang.NAME: sglang.report,
    guidellm.NAME: guidellm.report,
    aiperf.NAME: aiperf.report,
    inferencex.NAME: inferencex.report,
    inference_perf.NAME: inference_perf.report,
    genai_bench.NAME: genai_bench.report,
}

__all__ = ["TOOLS", "Report", "Value"]
