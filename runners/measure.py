"""Measures one OpenAI-compatible server: finds out how it can be asked, warms it, runs and judges every repeat.

It launches nothing. The prefix cache is emptied where that is asked for, and the server's own counters are read before
and after each run where it shows any.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from app.protocol.english import counted
from runners import referee
from runners.engines.control import ControlError
from runners.load import metrics, plan, processes, selfcheck, trace, trace_file, verdict
from runners.load.connect import Target, read_url
from runners.load.plan import Source, Workload
from runners.load.prompts import COMMON, Serials, Vocabulary
from runners.load.schedule import Closed, Load, Open, Sessions, described, spoken
from runners.load.wire import Dialect
from runners.silence import Silence
from runners.witness import Witness

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from runners.load.count import Counted
    from runners.load.drive import Tell
    from runners.load.metrics import Metrics
    from runners.load.schedule import Shot
    from runners.load.selfcheck import Check
    from runners.load.trace import Trace
    from runners.load.verdict import Client, Limits, Reason
    from runners.referee import Told

PROBE_TOKENS = 16
WARM_ROUNDS = 5  # at most ...
STEADY = 0.1  # ... and until a round's throughput is within this share of the one before
UNCHECKED = 5000.0  # events a second and process below which the lag during the run itself is witness enough
SHORTEST_S = 0.2  # of a round whose events are taken for a rate
NO_SUCH_REQUEST = frozenset({400, 404, 405, 415, 422, 501})  # the server does not take a request of this form


class MeasureError(Exception):
    """Nothing could be measured: no server there, or one that answers no form of request."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to measure. `requests` are per repeat. A seed repeats the prompts of an earlier run, cache hits included.

    `metrics_url` says where the server's counters are; None looks where engines have them. `flush_cache` empties the
    prefix cache before every run; `warm_cache`, in its place, sends every prompt of a run once beforehand.
    `usage_at_end`: never ask for counts with each event, which makes events larger.
    """

    url: str
    model: str
    workload: Workload
    load: Load
    requests: int
    seed: int
    runs: int = 1
    processes: int = 1
    vocabulary: Vocabulary = COMMON
    api_key: str | None = None
    timeout_s: float = 600.0
    limits: Limits = verdict.DEFAULT
    traces: Path | None = None
    observer_check: bool = False
    usage_at_end: bool = False
    metrics_url: str | None = None
    flush_cache: bool = False
    warm_cache: bool = False

    def __post_init__(self) -> None:
        for name in ("requests", "runs", "processes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} {getattr(self, name)}: at least 1 is needed")
        if not (self.timeout_s > 0 and math.isfinite(self.timeout_s)):
            raise ValueError(f"timeout {self.timeout_s}: a finite time above 0 seconds is needed")


@dataclass(frozen=True, slots=True)
class Run:
    """One repeat. `told` is its account by the server's own counters, where there are any."""

    trace: Trace
    metrics: Metrics
    client: Client
    reasons: list[Reason]
    file: Path | None
    told: Told | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """All repeats, and how they came about. `warm_tok_s` is the output throughput of each warm-up round; `plain_runs`
    were made between the others with usage at the end alone, to see what exact counting costs."""

    options: Options
    dialect: Dialect
    runs: list[Run]
    notes: list[str]
    warm_tok_s: list[float]
    check: Check | None
    plain_runs: list[Run]

    @property
    def valid(self) -> bool:
        return not any(run.reasons for run in self.runs)


class Session:
    """A measurement under way: one server, one way of asking it, one supply of prompts. `events_s` and `streams` are
    what the last round of warm-up brought upon the client."""

    def __init__(self, options: Options, say: Callable[[str], None]) -> None:
        self.options = options
        self.target: Target = read_url(options.url)
        self.serials = Serials(options.seed)
        self.source = Source(options.seed, options.vocabulary)
        self.dialect = Dialect(options.model, api_key=options.api_key)
        self.refused: str | None = None  # what the server said to a more exact form of request
        self.notes: list[str] = []
        self.warm_tok_s: list[float] = []
        self.check: Check | None = None
        self.runs: list[Run] = []
        self.plain_runs: list[Run] = []
        self.events_s = 0.0
        self.streams = 1
        self._say = say
        self.witness = Witness(self.target.root, options.api_key, options.metrics_url, flush=options.flush_cache)

    def at(self, options: Options) -> Session:
        """The same server and supply of prompts at another load; its warm-up, notes and runs are its own."""
        other = copy(self)
        other.options = options
        other.notes, other.warm_tok_s, other.runs, other.plain_runs = [], [], [], []
        return other

    def probe(self) -> None:
        """Find the form of request that the server takes, by real completions. MeasureError: no server, or one that
        takes no token ids where the load is sessions."""
        tokens = min(PROBE_TOKENS, self.options.workload.output_tokens)
        work = replace(self.options.workload, output_tokens=tokens, turns=1)
        refused: list[str] = []
        sessions = isinstance(self.options.load, Sessions)
        for dialect in _forms(self.dialect, text=not sessions, exact=not self.options.usage_at_end):
            row = self._run(Closed(1), self._requests(work, 1, dialect), "readiness").rows[0]
            if row.failure == "no_connection":
                raise MeasureError(f"no connection to {self.options.url}: {row.message}")
            if row.failure != "status" or row.status not in NO_SUCH_REQUEST:
                self.dialect = dialect
                self.refused = refused[-1] if refused else None
                self.notes += _said(dialect, row, refused)
                return
            refused.append(row.message)
        if sessions:
            raise MeasureError(f"sessions are sent as token ids to /completions, which was refused: {refused[0]}")
        self.notes.append(f"no form of request was taken: {refused[0]}")

    def warm_up(self) -> None:
        """Rounds of the measured shape at the measured load, until their throughput is steady. Nothing of it counts,
        and the prompts of rounds that were not needed stay unused: the same seed measures the same prompts."""
        for number in range(1, WARM_ROUNDS + 1):
            found = self._run(self._warm_load(), self._shots(self._warm_requests()), f"warm-up {number}")
            numbers = metrics.measure(self._trace(found))
            rate = numbers.output_tok_s
            self.warm_tok_s.append(rate)
            events = sum(len(row.event_ns) for row in found.rows)
            self.events_s = events / max(numbers.duration_s, SHORTEST_S)
            self.streams = _concurrency(self.options.load) or max(1, numbers.in_flight_peak)
            before = self.warm_tok_s[-2] if number > 1 else None
            if rate == 0 or (before is not None and abs(rate - before) <= STEADY * before):
                self.serials.take(self._serials(self._warm_requests()) * (WARM_ROUNDS - number))
                return
        self.notes.append(f"still not steady after {WARM_ROUNDS} rounds of warm-up")

    def skip(self, repeats: int) -> None:
        """Leave out the prompts of that many repeats, which were measured on an earlier server."""
        self.serials.take(self._serials(self.options.requests) * repeats)

    def check_client(self) -> None:
        """Above an event rate that any machine reaches, prove on a scripted server that this client sees it rightly."""
        if self.events_s < UNCHECKED * self.options.processes:
            return
        self._say(f"checking the client at {self.events_s:,.0f} events/s")
        self.check = selfcheck.check(self.streams, self.events_s, self.options.processes)

    def round(self, number: int) -> None:
        """One measured run; where the observer is checked, another after it without exact counting."""
        self.runs.append(self.repeat(number))
        if self.options.observer_check and self.dialect.asking == "token_ids":
            self.plain_runs.append(self.plain(number))

    def result(self) -> Result:
        """The runs so far."""
        notes = [*self.notes, *self.witness.notes, *_declared(self.options)]
        return Result(self.options, self.dialect, self.runs, notes, self.warm_tok_s, self.check, self.plain_runs)

    def plain(self, number: int) -> Run:
        """One run that asks for usage at the end alone; nothing of it is written."""
        exact, self.dialect = self.dialect, replace(self.dialect, asking="usage")
        try:
            return self.repeat(number, "plain run", keep=False)
        finally:
            self.dialect = exact

    def repeat(self, number: int, kind: str = "run", *, keep: bool = True) -> Run:
        """One measured run, with its trace written where traces are kept."""
        label = f"{kind} {number} of {self.options.runs}"
        shots = self._shots(self.options.requests)
        if self.options.warm_cache:
            self._run(self.options.load, shots, f"prompts of {label}")
        try:
            reasons = self.witness.before_run()
        except ControlError as error:
            raise MeasureError(f"the server's counters could be read no more: {error}") from error
        ran = self._run(self.options.load, shots, label)
        found = self._trace(ran, repeat=number)
        numbers = metrics.measure(found)
        client = verdict.client_of(ran.lags, ran.cpu_ns, ran.ended_ns - ran.started_ns)
        reasons += verdict.judge(found, numbers, client, _concurrency(self.options.load), self.options.limits)
        reasons += self.check.reasons if self.check else []
        told, disputed = self._dispute(numbers, client)
        known = {reason.rule for reason in reasons}
        reasons += [reason for reason in disputed if reason.rule not in known]
        file = self._file(number) if keep else None
        if file is not None:
            found.meta["client"] = {name: getattr(client, name) for name in client.__slots__}
            found.meta["referee"] = referee.as_json(told.added) if told else None
            found.meta["reasons"] = list(map(str, reasons))
            trace_file.write(found, file)
        return Run(found, numbers, client, reasons, file, told)

    def _dispute(self, numbers: Metrics, client: Client) -> tuple[Told | None, list[Reason]]:
        """What the server's counters say of the run that was just made; a session's own history may be in its cache."""
        cold = not isinstance(self.options.load, Sessions) and not self.options.warm_cache
        return self.witness.after_run(referee.seen(numbers, client), self.options.limits, cold=cold)

    def _shots(self, number: int) -> list[Shot]:
        work = self.options.workload
        if isinstance(self.options.load, Sessions):
            serials = self.serials.take(self._serials(number))
            return plan.sessions(self.target, self.dialect, work, serials, self.source)
        return self._requests(work, number, self.dialect)

    def _serials(self, number: int) -> int:
        """How many serial numbers that many requests, or sessions, use."""
        sessions = isinstance(self.options.load, Sessions)
        return plan.serials_of(number, self.options.workload) if sessions else number

    def _requests(self, work: Workload, number: int, dialect: Dialect) -> list[Shot]:
        return plan.requests(self.target, dialect, work, self.serials.take(number), self.source)

    def _warm_load(self) -> Load:
        load = self.options.load
        return replace(load, seed=load.seed + 1) if isinstance(load, Open) else load

    def _warm_requests(self) -> int:
        load = self.options.load
        wanted = int(load.rate * 2) + 1 if isinstance(load, Open) else load.concurrency
        return max(2, min(wanted, self.options.requests))

    def _run(self, load: Load, shots: Sequence[Shot], label: str) -> processes.Ran:
        job = processes.plan(self.target, load, shots, self.options.timeout_s)
        label = f"{spoken(load)}, {label}"
        self._say(f"{label}: {counted(len(shots), 'request')}")
        try:
            several = min(self.options.processes, _concurrency(load) or len(shots))
            return processes.run(job, several, self._tell(label, len(shots)))
        except (OSError, TimeoutError) as error:
            raise MeasureError(f"no connection to {self.options.url}: {error or type(error).__name__}") from error

    def _tell(self, label: str, number: int) -> Tell:
        """Says what is new, and raises HungError where the server is to be given up."""
        silence, said = Silence(self.witness.answers, self.options.timeout_s), 0

        def tell(done: int, silent_since: int | None) -> None:
            nonlocal said
            if done != said:
                said = done
                self._say(f"{label}: {done} of {number} done")
            silence.heard(silent_since)

        return tell

    def _trace(self, ran: processes.Ran, repeat: int = 0) -> Trace:
        options, work = self.options, self.options.workload
        countings = sorted({row.counting for row in ran.rows if row.counting})
        meta: dict[str, Any] = {
            "url": options.url,
            "model": options.model,
            "endpoint": self.dialect.endpoint,
            "asked": {"usage": True, "continuous": self.dialect.asking == "token_ids"},
            "refused": self.refused,
            "counting": countings[0] if len(countings) == 1 else "mixed" if countings else None,
            "load": described(options.load),
            "workload": {name: getattr(work, name) for name in work.__slots__},
            "seed": options.seed,
            "vocabulary": [options.vocabulary.lowest, options.vocabulary.below],
            "repeat": repeat,
            "processes": len(ran.cpu_ns),
            "lookup_ns": ran.lookup_ns,
            "connect_ns": int(median(ran.opened_ns)) if ran.opened_ns else None,
        }
        return trace.from_rows(ran.rows, ran.started_ns, meta)

    def _file(self, number: int) -> Path | None:
        file = self.options.traces
        if file is None or self.options.runs == 1:
            return file
        return file.with_name(f"{file.stem}-{number}{file.suffix or '.parquet'}")


def begin(options: Options, say: Callable[[str], None]) -> Session:
    """Find out how the server is asked and whether it shows counters. MeasureError: nothing can be measured."""
    session = Session(options, say)
    session.probe()
    try:
        session.witness.look()
    except ControlError as error:
        raise MeasureError(f"no counters: {error}") from error
    return session


def measure(options: Options, say: Callable[[str], None]) -> Result:
    """Probe, warm up, run every repeat; `say` hears the progress. MeasureError: nothing could be measured."""
    session = begin(options, say)
    session.warm_up()
    session.check_client()
    for number in range(1, options.runs + 1):
        session.round(number)
    return session.result()


def _forms(first: Dialect, *, text: bool, exact: bool) -> list[Dialect]:
    """Ways of asking, the most exact first; by text, or for counts with each event, only where that is wanted."""
    forms: list[tuple[Literal["completions", "chat"], Literal["token_ids", "usage"]]] = [
        ("completions", "token_ids"),
        ("completions", "usage"),
        ("chat", "token_ids"),
        ("chat", "usage"),
    ]
    return [
        replace(first, endpoint=endpoint, asking=asking)
        for endpoint, asking in forms
        if (text or endpoint != "chat") and (exact or asking == "usage")
    ]


def _said(dialect: Dialect, row: Counted, refused: list[str]) -> list[str]:
    notes = []
    if refused:
        notes.append(f"the server refused a more exact form of request: {refused[-1]}")
    if dialect.endpoint == "chat":
        notes.append("prompts are text: their length in tokens is the server's count, not a planned one")
    if dialect.asking == "token_ids" and row.failure is None and row.counting != "token_ids":
        notes.append("the server sent no token ids")
    if row.counting == "final_usage":
        notes.append("events have unknown lengths: the first is taken for one token, and there is no token ITL")
    if row.failure is not None:
        notes.append(f"readiness: {row.failure}: {row.message}")
    return notes


def _declared(options: Options) -> list[str]:
    """What a reader of the numbers must know of how they were made."""
    concurrency = _concurrency(options.load)
    if concurrency is None or concurrency == 1:
        return []
    kind = "sessions" if isinstance(options.load, Sessions) else "requests"
    return [f"the first {concurrency} {kind} of a run start together, and count"]


def _concurrency(load: Load) -> int | None:
    return None if isinstance(load, Open) else load.concurrency
