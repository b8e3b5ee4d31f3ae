"""The sides of a plan: their servers started, every point of each measured in turn, and what is to be reported of it.

With two sides the repeats go a b a b; with other load tools, Benchcard's client and they take turns, each being the
first once. Where the GPUs hold both servers at once, or no GPU is needed, both stay up and
only one is under load at a time; else each repeat starts the servers one after the other, which the notes say.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from app.protocol.engines.recipe import of_launch
from app.protocol.outcome import Freed, RunReport, SideReport
from app.protocol.reasons import said
from runners import gpu, local_model, measure, referee
from runners.cores import Watch
from runners.engines import install
from runners.engines.server import GRACE_S, Server
from runners.load.plan import Workload
from runners.load.schedule import Closed, Load, Open, Sessions
from runners.measure import Options
from runners.spool import PARTS
from runners.tool_runs import Measured, ToolRuns

if TYPE_CHECKING:
    from pathlib import Path

    from app.protocol.launch import Launch
    from app.protocol.lease import Phase
    from app.protocol.outcome import ModelFiles, ToolRun
    from app.protocol.plan import BenchTool, Plan, Point, Side
    from runners.engines import server as servers
    from runners.engines.install import Installed
    from runners.measure import Session
    from runners.order import Order

STOP_S = 5.0  # that a server gets after SIGTERM when the attempt is being stopped
STREAMS = 128  # that one client process carries with ease
TEXT = 4000  # characters of a note


class CannotError(Exception):
    """No machine can do what the plan asks for."""


class MissingError(Exception):
    """This machine lacks what the plan needs, or lacks it since a moment ago."""


class Teller(Protocol):
    """Hears where the attempt stands."""

    def phase(self, phase: Phase, note: str) -> None: ...
    def step(self) -> None: ...
    def say(self, line: str) -> None: ...


@dataclass
class _Running:
    """One side while its server is up, with what is known of it."""

    side: Side
    gpus: tuple[int, ...] = ()
    server: Server | None = None
    known: servers.Known | None = None
    model: str = ""  # its folder or id
    files: ModelFiles | None = None
    ready_s: float | None = None
    freed: Freed | None = None
    argv: tuple[str, ...] | None = None
    env: dict[str, str] | None = None
    notes: list[str] = field(default_factory=list)
    sessions: dict[int, Session] = field(default_factory=dict)  # by point

    def note(self, text: str) -> None:
        if text[:TEXT] not in self.notes:
            self.notes.append(text[:TEXT])


class Sides:
    """One attempt's servers and runs. `runs` and `notes` grow."""

    def __init__(self, order: Order, folder: Path, teller: Teller) -> None:
        """MissingError and NoToolError: the machine has not what the plan needs."""
        self.runs: list[RunReport] = []
        self.notes: list[str] = []
        self._order, self._plan, self._folder, self._teller = order, order.plan, folder, teller
        self._all = [_Running(side) for side in self._plan.sides]
        self._tools = ToolRuns(order, folder)
        self._together = self._place()

    def run(self) -> None:
        """Measure everything. What is raised says why it ended early; its servers are gone then too."""
        try:
            if self._together:
                self._side_by_side()
            else:
                self._in_turn()
        except Exception:
            self._stop_all()
            self._still_installed()
            raise
        except BaseException:
            self._stop_all()
            raise

    def _stop_all(self) -> None:
        for running in self._all:
            self._stop(running, STOP_S)

    def _still_installed(self) -> None:
        """An engine that is removed while it runs ends in any way. MissingError: that is why."""
        for launch in (running.side.launch for running in self._all):
            if launch is not None:
                _installed(launch)

    @property
    def tool_runs(self) -> list[ToolRun]:
        return self._tools.runs

    def reports(self) -> tuple[SideReport, ...]:
        return tuple(_report(running) for running in self._all)

    def _place(self) -> bool:
        """Give every side its GPUs; whether all servers can be up at once."""
        needed = [running.side.launch.gpus if running.side.launch else 0 for running in self._all]
        here = self._gpus() if any(needed) else ()
        if max(needed) > len(here):
            raise MissingError(f"{max(needed)} GPUs are needed, and this runner has {len(here)}")
        together = sum(needed) <= len(here)
        first = 0
        for running, number in zip(self._all, needed, strict=True):
            running.gpus = here[first : first + number]
            first += number if together else 0
        if len(self._all) == 2:
            self.notes.append(
                "both servers were up at the same time, and one at a time was under load"
                if together
                else "the GPUs hold one server at a time: before every repeat of a side its server was started anew"
            )
        return together

    def _gpus(self) -> tuple[int, ...]:
        return self._order.gpus if self._order.gpus is not None else tuple(range(len(gpu.cards())))

    def _side_by_side(self) -> None:
        for running in self._all:
            self._start(running)
        for point in range(len(self._plan.points)):
            for repeat in range(1, self._plan.repeats + 1):
                for running in self._all:
                    self._by_turns(running, point, repeat)
        for running in self._all:
            self._stop(running)

    def _in_turn(self) -> None:
        for repeat in range(1, self._plan.repeats + 1):
            for running in self._all:
                self._start(running)
                for point in range(len(self._plan.points)):
                    self._measure(running, point, repeat)
                self._stop(running)

    def _start(self, running: _Running) -> None:
        launch = running.side.launch
        if launch is None:
            return
        self._teller.phase(
            "starting", f"starting {launch.engine} {launch.version} with {launch.model} for {_name(running)}"
        )
        folder = self._folder / f"server-{running.side.name}"
        folder.mkdir(exist_ok=True)
        begun = time.monotonic()
        running.model = self._model(running, launch)
        recipe, site = of_launch(launch, running.model), self._order.site(running.gpus)
        server = Server(_installed(launch), recipe, folder, site, running.side.name)
        running.server, running.sessions = server, {}
        running.argv = tuple(item.replace(server.own.api_key, "***") for item in server.argv)
        running.env = dict(server.env)
        for note in server.notes:
            running.note(note)
        running.known = server.wait_ready()
        running.ready_s = running.ready_s or time.monotonic() - begun

    def _model(self, running: _Running, launch: Launch) -> str:
        """The folder of the owner's store, or the id, which the engine looks for in its cache, without a network."""
        stored = self._order.models / launch.model if self._order.models else None
        if launch.weights == "dummy":
            running.note("its weights are random numbers in the model's shape, not the model's")
        if stored is None or not (stored / local_model.CONFIG).exists():
            return launch.model
        running.files = local_model.files_of(stored)
        for note in local_model.notes_of(stored, running.files, launch.revision):
            running.note(note)
        return str(stored)

    def _stop(self, running: _Running, grace_s: float = GRACE_S) -> None:
        if running.server is None:
            return
        self._teller.phase("stopping", f"stopping the server of {_name(running)}")
        freed = running.server.stop(grace_s)
        running.freed = Freed(
            exit_code=freed.code,
            survivors=tuple(freed.survivors),
            gpu_before_mib=tuple(freed.gpu.before) if freed.gpu else None,
            gpu_after_mib=tuple(freed.gpu.after) if freed.gpu else None,
        )
        running.server = None

    def _by_turns(self, running: _Running, point: int, repeat: int) -> None:
        """One repeat by Benchcard's client and every other tool; whoever was first is the last in the next."""
        clients: list[BenchTool | None] = [None, *self._plan.tools]
        first = (repeat - 1) % len(clients)
        self._session(running, point, repeat)  # warms the server up, whoever is the first
        for tool in clients[first:] + clients[:first]:
            if tool is None:
                self._measure(running, point, repeat)
            else:
                self._let(tool, running, point, repeat)

    def _let(self, tool: BenchTool, running: _Running, point: int, repeat: int) -> None:
        """Let another tool measure."""
        self._teller.phase("measuring", f"{tool}: point {point + 1} of {len(self._plan.points)}, repeat {repeat}")
        assert running.server is not None
        measured = Measured(running.server, self._session(running, point, repeat).witness, running.model)
        run = self._tools.run(tool, measured, point, repeat)
        running.server.check("running")
        for reason in run.reasons:
            self._teller.say(f"nothing to compare: {said(reason)}")
        self._teller.step()

    def _measure(self, running: _Running, point: int, repeat: int) -> None:
        session = self._session(running, point, repeat)
        points, repeats = len(self._plan.points), self._plan.repeats
        at = f"{_name(running)}, point {point + 1} of {points}, repeat {repeat} of {repeats}"
        self._teller.phase("measuring", f"measuring {at}")
        with Watch(running.server.process.supervisor if running.server else None) as watch:
            run = session.repeat(repeat)
        if running.server is not None:
            running.server.check("running")
        reasons = tuple(str(reason)[:TEXT] for reason in run.reasons)
        for reason in reasons:
            self._teller.say(f"no result: {said(reason)}")
        self.runs.append(
            RunReport(
                side=running.side.name,
                point=point,
                repeat=repeat,
                trace=_trace(running.side, point, repeat),
                reasons=reasons,
                referee=referee.as_json(run.told.added) if run.told else None,
                server_cores=tuple(watch.server),
            )
        )
        for note in (*session.notes, *session.witness.notes):
            running.note(note)
        self._teller.step()

    def _session(self, running: _Running, point: int, repeat: int) -> Session:
        """The point's own while its server is up; warmed up where it is new."""
        if point in running.sessions:
            return running.sessions[point]
        self._teller.phase("warming", f"warming up {_name(running)} for point {point + 1}")
        options = self._options(running, point)
        session = measure.begin(options, self._teller.say)
        session.warm_up()
        session.check_client()
        session.skip(repeat - 1)
        running.sessions[point] = session
        return session

    def _options(self, running: _Running, point: int) -> Options:
        plan, work, side = self._plan, self._plan.workload, running.side
        load, requests = _load(plan, plan.points[point])
        target: dict[str, Any]
        if running.server is not None:
            own = running.server.own
            target = {"url": running.server.url, "model": own.served_name, "api_key": own.api_key}
        else:
            assert side.attach is not None
            target = {"url": f"http://{side.attach.address}", "model": side.attach.model}
        first = self._folder / PARTS / _trace(side, point, 1)
        return Options(
            **target,
            workload=Workload(work.input_tokens, work.output_tokens, work.turns),
            load=load,
            requests=requests,
            seed=work.seed + point,
            runs=plan.repeats,
            processes=1 if isinstance(load, Open) else max(1, load.concurrency // STREAMS),
            traces=first if plan.repeats == 1 else first.with_name(first.name.replace("-1.parquet", ".parquet")),
            flush_cache=work.prefix_cache == "cleared",
            warm_cache=work.prefix_cache == "warm",
            usage_at_end=plan.points[point].counting == "at_end",
        )


def _load(plan: Plan, point: Point) -> tuple[Load, int]:
    """The load, and how many requests, or sessions, a repeat of it has."""
    turns = plan.workload.turns
    if point.rate is not None:
        if turns > 1:
            raise CannotError("conversations are measured at a concurrency; this plan asks for them at a rate")
        return Open(point.rate, seed=plan.workload.seed), point.requests
    assert point.concurrency is not None
    if turns > 1:
        return Sessions(point.concurrency), -(-point.requests // turns)
    return Closed(point.concurrency), point.requests


def _installed(launch: Launch) -> Installed:
    device = "cuda" if launch.gpus else "cpu"
    for found in install.listed():
        wanted = (found.engine.name, found.version, found.device) == (launch.engine, launch.version, device)
        if wanted and found.python.exists():
            return found
    raise MissingError(f"{launch.engine} {launch.version} for {device} is not installed at this runner")


def _trace(side: Side, point: int, repeat: int) -> str:
    return f"trace-{side.name}-{point}-{repeat}.parquet"


def _name(running: _Running) -> str:
    return f"side {running.side.name} ({running.side.label})" if running.side.label else f"side {running.side.name}"


def _report(running: _Running) -> SideReport:
    known = running.known
    return SideReport(
        side=running.side.name,
        argv=running.argv,
        env=running.env,
        model=running.files,
        engine_version=known.version if known else None,
        server_info=known.info if known else None,
        ready_s=running.ready_s,
        freed=running.freed,
        notes=tuple(running.notes),
    )
