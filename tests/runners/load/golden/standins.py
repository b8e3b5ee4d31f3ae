"""What other tools' code is given in place of a clock, a connection and the rest of its own package. Standard library
only: it runs in those tools' environments."""

from __future__ import annotations

import ast
import contextlib
import sys
import typing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

Write = tuple[int, bytes]  # ns after sending, bytes


class Clock:
    """Stands in for a tool's `time` module. The epoch is not 0, which some tools take for no time, and not so large
    that seconds as floats lose nanoseconds."""

    epoch = 1000

    def __init__(self) -> None:
        self.now = 0

    def perf_counter(self) -> float:
        return self.epoch + self.now / 1e9

    time = monotonic = perf_counter

    def perf_counter_ns(self) -> int:
        return self.epoch * 10**9 + self.now

    time_ns = perf_counter_ns


class Content:
    """The body of one reply, as aiohttp hands it out: by read, or by line."""

    def __init__(self, clock: Clock, writes: list[Write]) -> None:
        self.clock, self.writes = clock, writes

    async def iter_any(self) -> AsyncIterator[bytes]:
        for at, data in self.writes:
            self.clock.now = at
            yield data

    async def __aiter__(self) -> AsyncIterator[bytes]:
        kept = b""
        async for data in self.iter_any():
            kept += data
            while b"\n" in kept:
                line, _, kept = kept.partition(b"\n")
                yield line + b"\n"
        if kept:
            yield kept


class Session:
    """An aiohttp session that answers every post with one reply."""

    def __init__(self, clock: Clock, writes: list[Write]) -> None:
        self.reply = SimpleNamespace(status=200, reason="OK", content=Content(clock, writes))

    @contextlib.asynccontextmanager
    async def post(self, **_: Any) -> AsyncIterator[Any]:
        yield self.reply

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Nothing is open."""


def parts_of(source: Path, names: set[str], given: dict[str, Any]) -> Any:
    """The named functions and classes of a source file, run without the rest of it."""
    tree = ast.parse(source.read_text())
    wanted = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name in names
    ]
    future = ast.parse("from __future__ import annotations").body
    module = ast.fix_missing_locations(ast.Module([*future, *wanted], []))
    space = SimpleNamespace()
    space.__dict__.update(vars(typing), **given, __name__=source.stem)
    sys.modules[source.stem] = space  # type: ignore[assignment]  # dataclasses look their module up
    exec(compile(module, str(source), "exec"), space.__dict__)
    return space
