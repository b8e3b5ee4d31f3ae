"""What a measurement or a trace says, as JSON and as text for people. Pure."""

from __future__ import annotations

import math
from dataclasses import asdict, fields
from statistics import median
from typing import TYPE_CHECKING, Any

from app.protocol.reasons import REQUESTS, said
from runners import referee
from runners.load import metrics
from runners.load.acceptance import acceptance
from runners.load.schedule import described, spoken
from runners.load.statistics import Distribution, bootstrap_median, few
from runners.load.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runners.load.metrics import Metrics
    from runners.load.plan import Workload
    from runners.load.tools import Report
    from runners.load.trace import Trace
    from runners.load.verdict import Reason
    from runners.measure import Result, Run

# Key -> (axis and its version, name, unit), in the order of the printed result.
NAMES: dict[str, tuple[str, str, str]] = {
    "ttft_ms": ("ttft 1", "TTFT", "ms"),
    "ttfa_ms": ("", "time to first answer token", "ms"),
    "tpot_ms": ("tpot 1", "TPOT", "ms"),
    "event_gap_ms": ("event_gap 1", "event gap", "ms"),
    "token_itl_ms": ("token_itl 1", "token ITL", "ms"),
    "e2e_ms": ("e2e_latency 1", "end-to-end latency", "ms"),
    "queue_ms": ("", "wait in the client before sending", "ms"),
    "decode_tok_s": ("decode_rate 1", "decode rate of one stream", "tok/s"),
    "output_tok_s": ("output_throughput 1", "output throughput", "tok/s"),
    "total_tok_s": ("total_throughput 1", "total throughput", "tok/s"),
    "peak_output_tok_s": ("", "output throughput of the fullest second", "tok/s"),
    "requests_s": ("request_throughput 1", "request throughput", "req/s"),
    "duration_s": ("run_duration 1", "duration", "s"),
    "interactivity_p90_slow": ("interactivity_p90_slow 1", "P90 interactivity, slow tail", "tok/s/user"),
    "interactivity_p90_fast": ("interactivity_p90_fast 1", "P90 of the rates, fast tail", "tok/s/user"),
    "interactivity_e2e": ("interactivity_e2e 1", "end-to-end normalised interactivity", "tok/s/user"),
}
STATISTICS = ("median", "mean", "p90", "p99")
TAILS = {"p90": 90, "p99": 99}
_SHOWN = {"median": "median", "mean": "mean", "p90": "P90", "p99": "P99"}
COUNTS = ("requests", "failed", "output_tokens", "input_tokens", "in_flight_mean", "in_flight_peak")
WITNESSES = ("at_once", "together")  # that a verdict rests on, and that are no numbers of the server

Json = dict[str, Any]

OBSERVED: dict[str, Callable[[Metrics], float | None]] = {
    "output_tok_s": lambda found: found.output_tok_s,
    "ttft_ms": lambda found: found.ttft_ms.median if found.ttft_ms else None,
    "tpot_ms": lambda found: found.tpot_ms.median if found.tpot_ms else None,
}


def numbers(trace: Trace, found: Metrics) -> Json:
    """The numbers of a run. Infinity, which JSON lacks, is the text "inf"; what is not known is null."""
    spoken = acceptance(trace)
    values = {item.name: _plain(getattr(found, item.name)) for item in fields(found) if item.name not in WITNESSES}
    return {**values, "acceptance": asdict(spoken) if spoken else None}


def _plain(value: Any) -> Any:
    if isinstance(value, Distribution):
        return {name: _plain(number) for name, number in asdict(value).items()}
    if isinstance(value, float) and math.isinf(value):
        return "inf"
    return value


def withheld(values: Json) -> Json:
    """The numbers of a run that is no result: its counts, and nothing measured."""
    return {name: value if name in COUNTS else None for name, value in values.items()}


def _run_json(run: Run) -> Json:
    values = numbers(run.trace, run.metrics)
    return {
        **(withheld(values) if run.reasons else values),
        "valid": not run.reasons,
        "reasons": list(map(str, run.reasons)),
        "rules": [reason.rule for reason in run.reasons],
        "counting": run.trace.meta["counting"],
        "client": asdict(run.client),
        "connect_ms": _ms(run.trace.meta["connect_ns"]),
        "lookup_ms": _ms(run.trace.meta["lookup_ns"]),
        "trace": str(run.file) if run.file else None,
        "referee": _referee(run),
    }


def _referee(run: Run) -> Json | None:
    found = referee.as_json(run.told.added) if run.told else None
    return referee.withheld(found) if run.reasons else found


def _ms(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e6


def over_runs(runs: Sequence[Json]) -> Json:
    """The median over the runs of every number, key by key; the counts are sums."""
    first = runs[0]
    if len(runs) == 1:
        return {name: first[name] for name in (*COUNTS, *NAMES, "tokens_per_event", "acceptance")}
    merged: Json = {name: _sum([run[name] for run in runs]) for name in COUNTS[:4]}
    merged |= {name: _middle([run[name] for run in runs]) for name in (*COUNTS[4:], *NAMES)}
    return merged


def _sum(values: list[Any]) -> Any:
    return None if None in values else sum(values)


def _middle(values: list[Any]) -> Any:
    if any(value is None for value in values):
        return None
    if isinstance(values[0], dict):
        return {name: _middle([value[name] for value in values]) for name in values[0]}
    return _plain(float(median(map(float, values))))


def spread(runs: Sequence[Json]) -> Json:
    """For each number (the median of a distribution): lowest, highest and bootstrap interval over the runs."""
    found: Json = {}
    for name in NAMES:
        values = [run[name]["median"] if isinstance(run[name], dict) else run[name] for run in runs]
        if len(values) > 1 and None not in values:
            given = [float(value) for value in values]
            interval = bootstrap_median(given)
            found[name] = {"lowest": _plain(min(given)), "highest": _plain(max(given)), "interval": interval}
    return found


def as_json(result: Result, stopped: Sequence[Reason] = ()) -> Json:
    """The whole result. Its top level is the median over the runs, withheld where a run is no result, or where
    `stopped` says why runs are missing."""
    options = result.options
    valid = result.valid and not stopped
    runs = [_run_json(run) for run in result.runs]
    top = over_runs(runs)
    prefix = len(runs) > 1
    refereed = referee.over_runs([run.told for run in result.runs if run.told])
    reasons = list(map(str, stopped))
    reasons += [
        f"run {place}: {reason}" if prefix else reason for place, run in enumerate(runs, 1) for reason in run["reasons"]
    ]
    return {
        **(top if valid else withheld(top)),
        "valid": valid,
        "reasons": reasons,
        "label": label(len(runs)),
        "spread": spread(runs) if valid else {},
        "counting": runs[0]["counting"],
        "endpoint": result.dialect.endpoint,
        "url": options.url,
        "model": options.model,
        "workload": asdict(options.workload),
        "load": described(options.load),
        "seed": options.seed,
        "notes": result.notes,
        "warm_up_tok_s": result.warm_tok_s,
        "client_check": asdict(result.check) if result.check else None,
        "observer_check": _observed(result.runs, result.plain_runs),
        "referee": refereed if valid else referee.withheld(refereed),
        "axes": {name: axis for name, (axis, _, _) in NAMES.items() if axis},
        "runs": runs,
    }


def _observed(exact: Sequence[Run], plain: Sequence[Run]) -> Json | None:
    """What exact counting changed: medians with it and without it, and whether their runs lie apart; the failures alone
    where one of the runs is no result.

    Runs lie apart where none with exact counting falls between those without; a single pair cannot show it.
    """
    if not plain:
        return None
    failed = {"exact": sum(r.metrics.failed for r in exact), "plain": sum(r.metrics.failed for r in plain)}
    found: Json = {"failed": failed}
    if any(run.reasons for run in (*exact, *plain)):
        return found
    for name, of in OBSERVED.items():
        with_it, without = ([of(run.metrics) for run in runs] for runs in (exact, plain))
        one, other = (
            [value for value in with_it if value is not None],
            [value for value in without if value is not None],
        )
        if len(one) < len(exact) or len(other) < len(plain):
            continue
        apart = len(plain) > 1 and (min(one) > max(other) or max(one) < min(other))
        before, after = median(other), median(one)
        change = after / before - 1 if before and math.isfinite(after) and math.isfinite(before) else None
        found[name] = {"exact": _plain(after), "plain": _plain(before), "change": change, "apart": apart}
    return found


def label(runs: int) -> str:
    return "one run" if runs == 1 else f"median of {runs} runs"


def shape(work: Workload) -> str:
    """What a request is, in a few words; of sessions, what a turn is."""
    words = f"{work.input_tokens} tokens in, {work.output_tokens} out"
    if work.turns == 1:
        return words
    prefix = f", {work.prefix_tokens} shared by all before them" if work.prefix_tokens else ""
    return f"{work.turns} turns of {words}{prefix}"


def as_text(result: Result) -> str:
    """The whole result for people."""
    found = as_json(result)
    options = result.options
    lines = [
        f"{options.model} at {options.url}",
        f"{shape(options.workload)}, {spoken(options.load)}: {found['label']}, "
        f"{found['requests']} requests, {found['failed']} failed",
        f"tokens counted by {found['counting'] or 'nobody'}; client: {_client_text(result)}",
        *(f"note: {note}" for note in result.notes),
        "",
    ]
    if not result.valid:
        return "\n".join(
            [*lines, "This run is not a result:", *(f"  - {said(reason)}" for reason in found["reasons"]), ""]
        )
    lines += [*table(found, found["spread"]), *_observed_text(found["observer_check"])]
    return "\n".join([*lines, *referee.as_text(found["referee"]), ""])


def _observed_text(found: Json | None) -> list[str]:
    if not found:
        return []
    lines = ["", "  exact counting against usage at the end alone:"]
    for name in OBSERVED:
        if name in found and found[name]["change"] is not None:
            apart = "their runs lie apart" if found[name]["apart"] else "not told from the noise between runs"
            lines.append(f"    {NAMES[name][1]}: {found[name]['change']:+.1%}, {apart}")
    return lines


def _client_text(result: Result) -> str:
    worst = max(run.client.lag_p99_ms for run in result.runs)
    cpu = max(run.client.cpu_share for run in result.runs)
    return f"{result.runs[0].client.processes} process(es), lag P99 {worst:.1f} ms, {cpu:.0%} of a core"


def table(values: Json, spread: Json) -> list[str]:
    """One line a number: its statistics, and the spread between runs where there are several."""
    rows = [["", *_SHOWN.values(), "", "between runs" if spread else ""]]
    for name, (_, words, unit) in NAMES.items():
        value = values[name]
        if value is None:
            continue
        numbers = [_shown(value, item) for item in STATISTICS] if isinstance(value, dict) else [short(value)]
        between = spread.get(name)
        extent = f"{short(between['lowest'])} to {short(between['highest'])}" if between else ""
        rows.append([words, *numbers, *[""] * (4 - len(numbers)), unit, extent])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        f"  {row[0]:<{widths[0]}}  "
        + "  ".join(f"{cell:>{width}}" for cell, width in zip(row[1:5], widths[1:5], strict=True))
        + f"  {row[5]:<{widths[5]}}  {row[6]}".rstrip()
        for row in rows
    ]


def _shown(value: Json, statistic: str) -> str:
    """A statistic of a distribution; a percentile only where it has values enough for one."""
    percent = TAILS.get(statistic)
    return "too few" if percent and few(percent, int(value["count"])) else short(value[statistic])


def short(value: Any) -> str:
    """A number for people, in four digits; "not stated" for None."""
    if value is None:
        return "not stated"
    number = float(value)
    if math.isinf(number):
        return "infinite"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def trace_json(trace: Trace, tool: str | None) -> Json:
    """A trace under Benchcard's definitions, or under those of a tool. KeyError: no such tool."""
    if tool is not None:
        return {"definitions": tool, **asdict(TOOLS[tool](trace))}
    reasons = trace.meta.get("reasons", [])
    values = numbers(trace, metrics.measure(trace))
    failures: dict[str, int] = {}
    for failure in trace.words["failure"]:
        if failure:
            failures[failure] = failures.get(failure, 0) + 1
    return {"definitions": "benchcard", **values, "valid": not reasons, "reasons": reasons, "failures": failures}


def trace_text(trace: Trace, tool: str | None) -> str:
    """The same for people."""
    if tool is not None:
        return _tool_text(TOOLS[tool](trace))
    found = trace_json(trace, None)
    lines = [
        f"{found['requests']} requests, {found['failed']} failed, {found['output_tokens']} output tokens, "
        f"counted by {trace.meta.get('counting') or 'nobody'}",
        *(f"  {number} x {REQUESTS[failure]}" for failure, number in found["failures"].items()),
        *(f"not a result: {said(reason)}" for reason in found["reasons"]),
        "",
        *table(found, {}),
        "",
    ]
    return "\n".join(lines)


def _tool_text(report: Report) -> str:
    width = max(len(value.name) for value in report.values)
    lines = [
        f"by the definitions of {report.version} ({report.source})",
        f"{report.completed} requests completed, {report.failed} failed, as that tool sees them",
        "",
        *(f"  {item.name:<{width}}  {short(item.value):>10} {item.unit:<10}  {item.formula}" for item in report.values),
        "",
        *(f"note: {note}" for note in report.notes),
    ]
    return "\n".join(lines)
