"""What a job executes: which servers, under which load, how often. Made by the app, executed by a runner.

A *side* is one server: a launched one, or one that runs already. A *point* is one load. Every point of every side is
measured `repeats` times; with two sides the repeats go a b a b, so that a drift of the machine meets both alike.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from app.protocol.launch import Launch
from app.protocol.wire import Count, Seconds, Text, Wire

JobKind = Literal["point", "sweep", "ab", "attach", "agreement"]
BenchTool = Literal["vllm_bench", "sglang_bench"]  # `vllm bench serve`, `python -m sglang.bench_serving`
SideName = Literal["a", "b"]
Address = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9.\[\]:-]{1,253}:\d{1,5}$")]  # host:port


class Point(Wire):
    """One load: a number of requests always under way (closed loop), or requests at a rate (open loop).

    `counting`: the server is asked for token counts with each event, or once at the end of a request. Counts with each
    event are exact and make events larger, which slows a server that is busy writing them.
    """

    concurrency: Count | None = None
    rate: Annotated[float, Field(gt=0, le=10**6)] | None = None  # requests/s, Poisson
    requests: Count  # of one repeat
    counting: Literal["each_event", "at_end"] = "each_event"

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.concurrency is None) == (self.rate is None):
            raise ValueError("a point has a concurrency or a rate, one of them")
        return self


class Workload(Wire):
    """What each request asks for. Prompts are random token ids, derived from the seed and never used twice."""

    input_tokens: Count
    output_tokens: Count
    turns: Count = 1
    seed: Annotated[int, Field(ge=0, lt=2**53)]
    prefix_cache: Literal["cleared", "warm"]  # before every repeat; warm: each prompt was sent once before


class Attach(Wire):
    """A server that runs already, at an address that the runner's own list must name."""

    address: Address
    model: Annotated[Text, StringConstraints(min_length=1, max_length=200)]


class Side(Wire):
    name: SideName
    label: Text  # what sets it apart from the other side, in words
    launch: Launch | None = None
    attach: Attach | None = None

    @model_validator(mode="after")
    def _one_server(self) -> Self:
        if (self.launch is None) == (self.attach is None):
            raise ValueError("a side is launched or attached, one of them")
        return self


class Plan(Wire):
    """`wall_s` bounds the whole attempt, the servers' starts included. `tools` are those that measure the same server
    by turns with Benchcard's own client, in a job of kind agreement."""

    kind: JobKind
    sides: Annotated[tuple[Side, ...], Field(min_length=1, max_length=2)]
    workload: Workload
    points: Annotated[tuple[Point, ...], Field(min_length=1, max_length=32)]
    repeats: Annotated[int, Field(ge=1, le=50)] = 3
    tools: Annotated[tuple[BenchTool, ...], Field(max_length=2)] = ()
    nodes: Literal[1] = 1
    wall_s: Annotated[Seconds, Field(gt=0, le=86400)] = 7200.0

    @property
    def on_random_weights(self) -> bool:
        """Whether any server of it runs on random weights."""
        return any(side.launch is not None and side.launch.weights == "dummy" for side in self.sides)

    @model_validator(mode="after")
    def _of_its_kind(self) -> Self:
        if (self.kind == "ab") != (len(self.sides) == 2):
            raise ValueError("an ab job has two sides, every other kind has one")
        if [side.name for side in self.sides] != ["a", "b"][: len(self.sides)]:
            raise ValueError("sides are named a, b")
        if self.kind in {"point", "attach"} and len(self.points) != 1:
            raise ValueError(f"a job of kind {self.kind} has one point")
        if any((side.attach is not None) != (self.kind == "attach") for side in self.sides):
            raise ValueError("servers that run already are measured by jobs of kind attach, and by no others")
        self._check_tools()
        return self

    def _check_tools(self) -> None:
        if (self.kind == "agreement") != bool(self.tools):
            raise ValueError("a job of kind agreement names the other tools that measure the server, and no other does")
        if len(set(self.tools)) < len(self.tools):
            raise ValueError("a tool is named twice")
        if self.tools and (self.workload.turns > 1 or any(point.concurrency is None for point in self.points)):
            raise ValueError("tools are held against each other with single requests at a concurrency")
        if self.tools and self.workload.prefix_cache == "warm":
            raise ValueError("tools make prompts of their own, so no cache can be warm with them: say cleared")
