"""Other load tools on a server that Benchcard has started: one at a time, its counters read around each run."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.protocol.engines.start import SYSTEM_PATH
from app.protocol.outcome import ToolRun
from runners import referee
from runners.bench_tools import PACKAGES, Asked, arguments
from runners.cores import Watch
from runners.engines.control import ANSWER_S, SILENT_S, HungError
from runners.process import Process
from runners.spool import PARTS

if TYPE_CHECKING:
    from pathlib import Path

    from app.protocol.plan import BenchTool
    from runners.engines.server import Server
    from runners.order import Order
    from runners.witness import Witness

VERSION_S = 120.0  # for the tool's Python to say what it has
MOST_RUN_S = 1800.0
UNANSWERED = 2  # questions in a row after which a server hangs
GRACE_S = 5.0
_VERSION = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"


class NoToolError(Exception):
    """The runner's owner has named no Python for a tool, or that one does not have it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A running server with its counters; `tokenizer` is its model's folder or id."""

    server: Server
    witness: Witness
    tokenizer: str


class ToolRuns:
    """Those of one attempt. `runs` grows."""

    def __init__(self, order: Order, folder: Path) -> None:
        """NoToolError: one that the plan names is not here."""
        self.runs: list[ToolRun] = []
        self._order, self._folder = order, folder
        self._versions = {tool: _version(tool, order) for tool in order.plan.tools}

    def run(self, tool: BenchTool, on: Measured, point: int, repeat: int) -> ToolRun:
        """One run. A tool that fails is a run with reasons. HungError: the server answers nothing any more."""
        server, witness = on.server, on.witness
        asked = self._asked(tool, on, point, repeat)
        argv = [str(self._order.tools[tool]), *arguments(tool, asked)]
        reasons = list(map(str, witness.before_run()))
        process = Process(argv, self._env(server), self._folder / f"{tool}.log", self._folder, tool)
        try:
            with Watch(server.process.supervisor, process.supervisor) as watch:
                code = _wait(process, witness)
        finally:
            process.stop(GRACE_S)
        added, gone = witness.added()
        reasons += list(map(str, gone))
        if code != 0:
            said = " / ".join(process.last_lines(5))
            how = f"did not end within {MOST_RUN_S:g} s" if code is None else f"ended with code {code}"
            reasons.append(f"tool_failed: {PACKAGES[tool]}'s tool {how}: {said}"[:4000])
        name = asked.result.rpartition("/")[2]
        found = ToolRun(
            point=point,
            repeat=repeat,
            tool=tool,
            version=self._versions[tool],
            argv=tuple(argv),
            result=name if (self._folder / PARTS / name).is_file() else None,
            reasons=tuple(reasons),
            referee=referee.as_json(added) if added else None,
            tool_cores=tuple(watch.tool),
            server_cores=tuple(watch.server),
        )
        self.runs.append(found)
        return found

    def _asked(self, tool: BenchTool, on: Measured, point: int, repeat: int) -> Asked:
        """Prompts of their own in every run, so that none is found in a cache."""
        plan, server = self._order.plan, on.server
        load, work = plan.points[point], plan.workload
        assert load.concurrency is not None
        return Asked(
            engine="vllm" if server.engine.name == "vllm" else "sglang",
            url=server.url,
            model=server.own.served_name,
            tokenizer=on.tokenizer,
            input_tokens=work.input_tokens,
            output_tokens=work.output_tokens,
            concurrency=load.concurrency,
            requests=load.requests,
            seed=(work.seed + 1000 * repeat + point) % 2**31,
            result=str(self._folder / PARTS / f"{tool.replace('_', '-')}-{point}-{repeat}.json"),
        )

    def _env(self, server: Server) -> dict[str, str]:
        """From nothing, as a server's is: no token of the runner, no network's model."""
        found = {
            "PATH": SYSTEM_PATH,
            "HOME": str(self._folder),
            "LANG": "C.UTF-8",
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
            "DO_NOT_TRACK": "1",
            "OPENAI_API_KEY": server.own.api_key,
        }
        return found | _modules(self._order)


def _wait(process: Process, witness: Witness) -> int | None:
    """Its exit code, None where it took too long. What it sees of the server nobody knows, so that one is asked now and
    then whether it is there; twice in a row, since a tool's load may keep it busy. HungError: it is not."""
    until = time.monotonic() + MOST_RUN_S
    ask, unanswered = time.monotonic() + SILENT_S, 0
    while process.running(wait_s=1.0):
        now = time.monotonic()
        if now > until:
            return None
        if now >= ask:
            unanswered = 0 if witness.answers() else unanswered + 1
            if unanswered == UNANSWERED:
                raise HungError(
                    f"while another tool measured it, neither its counters nor its health answered within {ANSWER_S:g} "
                    f"s, asked {UNANSWERED} times"
                )
            ask = time.monotonic() + (0 if unanswered else SILENT_S)
    return process.code


def _modules(order: Order) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(map(str, order.modules))} if order.modules else {}


def _version(tool: BenchTool, order: Order) -> str:
    python, package = order.tools.get(tool), PACKAGES[tool]
    if python is None:
        raise NoToolError(f"this runner's configuration names no Python for {tool} (site.tools)")
    try:
        said = subprocess.run(  # noqa: S603 - the owner's own program
            [str(python), "-c", _VERSION, package],
            capture_output=True,
            text=True,
            timeout=VERSION_S,
            check=True,
            env={"PATH": SYSTEM_PATH, **_modules(order)},
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NoToolError(f"{python} has no {package}, which {tool} is a part of: {error}") from error
    return said.stdout.strip()
