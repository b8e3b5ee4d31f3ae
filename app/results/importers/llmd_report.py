"""llm-d's Benchmark Report 0.1, 0.2 and 0.2.1, as YAML or JSON. Pure.

The report keeps another tool's numbers under its own names: what `time_per_output_token` means depends on the tool
that measured (guidellm's includes the first token, aiperf's TPOT is called inter-token latency). Every number names
its unit.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from app.language import F_
from app.results.importers import traps
from app.results.importers.draft import THOUSAND, Draft, date_in, get, in_tokens, number_in, plain
from app.results.importers.schema import Imported, ImportProblem
from app.results.importers.source import Importer, RawSource

if TYPE_CHECKING:
    from collections.abc import Iterator

TOOLS = {  # the report's name of the load tool -> the registry's
    "inference-perf": "inference-perf",
    "vllm-benchmark": "vllm bench",
    "guidellm": "guidellm",
    "aiperf": "aiperf",
    "inferencemax": "InferenceX",
}
IN_MS = {"ms": Decimal(1), "s": THOUSAND, "ms/token": Decimal(1), "s/token": THOUSAND}
# Which of the report's two names is TPOT, and what the other one is, by the tool that measured.
TPOT_NAME = {"guidellm": "inter_token_latency", "aiperf": "inter_token_latency"}
GAP_AXIS = {"vllm bench": "event_gap", "InferenceX": "event_gap", "inference-perf": "token_itl"}
STATISTICS = (
    "mean",
    "stddev",
    "min",
    "p0p1",
    "p1",
    "p5",
    "p10",
    "p25",
    "p50",
    "p75",
    "p90",
    "p95",
    "p99",
    "p99p9",
    "max",
)
RATES = (
    ("output_throughput", "output_token_rate", "output_tokens_per_sec", "tok/s"),
    ("total_throughput", "total_token_rate", "total_tokens_per_sec", "tok/s"),
    ("request_throughput", "request_rate", "requests_per_sec", "req/s"),
)


@dataclass(frozen=True)
class _Report:
    """The parts that the versions keep in other places."""

    tree: dict[str, Any]
    results: Any  # requests, latency, throughput
    load: Any
    tool: str | None


def fits(tree: Any) -> bool:
    return plain(get(tree, "version")) is not None and (
        isinstance(get(tree, "results"), dict)
        or (isinstance(get(tree, "metrics", "throughput"), dict) and isinstance(get(tree, "scenario"), dict))
    )


def version(tree: Any) -> str | None:
    return plain(get(tree, "version"))


def read(tree: dict[str, Any], raw: RawSource, where: str) -> Iterator[Imported | ImportProblem]:
    old = isinstance(tree.get("metrics"), dict)
    results = tree["metrics"] if old else get(tree, "results", "request_performance", "aggregate")
    if not isinstance(results, dict):
        path = "metrics" if old else "results.request_performance.aggregate"
        yield ImportProblem(message=F_("holds no request performance"), path=path)
        return
    load = get(tree, "scenario", "load") if old else get(tree, "scenario", "load", "standardized")
    name = plain(get(load, "name") if old else get(load, "tool"))
    report = _Report(tree, results, load, TOOLS.get(name or ""))
    draft = Draft(report.tool, where)
    total, failed = draft.count(results, "requests", "total"), draft.count(results, "requests", "failures")
    if total is not None and total == failed:
        yield ImportProblem(message=F_("no request succeeded: there is nothing to make a card of"), path=where or None)
        return
    draft.put("title", f"llm-d report: {plain(get(tree, 'run', 'description')) or name or raw.name}")
    draft.put(
        "note", f"Imported from an llm-d Benchmark Report {version(tree)}, measured by {name or 'no stated tool'}."
    )
    draft.put("runs.count", 1)
    draft.card["result"] = {"measured_at": _day(tree, old=old)}
    (_stack_01 if old else _stack_02)(draft, tree)
    _figures(draft, report)
    _load(draft, report)
    traps.failures(draft, failed, total)
    card = draft.finish(("output_throughput", "total_throughput", "request_throughput"), raw.as_raw())
    yield card or ImportProblem(message=F_("holds no figure that can be read"), path=where or None)


def _day(tree: dict[str, Any], *, old: bool) -> Any:
    start = get(tree, "metrics", "time", "start") if old else get(tree, "run", "time", "start")
    return date_in(number_in(start) if old else start)


def _stack_01(draft: Draft, tree: dict[str, Any]) -> None:
    draft.put("model.id", get(tree, "scenario", "model", "name"))
    draft.put("dtypes.weights", get(tree, "scenario", "model", "quantization"))
    engines, hosts = get(tree, "scenario", "platform", "engine"), get(tree, "scenario", "host", "accelerator")
    draft.put("engine.name", get(engines, 0, "name"))
    draft.put("engine.version", get(engines, 0, "version"))
    if not isinstance(hosts, list) or not hosts:
        return
    draft.put("hardware.accelerator", get(hosts, 0, "model"))
    counts = [draft.count(host, "count") for host in hosts]
    if None not in counts:
        draft.put("hardware.count", sum(count or 0 for count in counts))
    if len(hosts) == 1:
        _parallelism(draft, get(hosts, 0, "parallelism"))


def _stack_02(draft: Draft, tree: dict[str, Any]) -> None:
    """The engines among the stack's components; GPUs are theirs times their replicas."""
    stack = get(tree, "scenario", "stack")
    listed = stack if isinstance(stack, list) else []
    engines = [part for part in listed if get(part, "standardized", "kind") == "inference_engine"]
    if not engines:
        return
    first = get(engines[0], "standardized")
    draft.put("engine.name", get(first, "tool"))
    draft.put("engine.version", get(first, "tool_version"))
    draft.put("model.id", get(first, "model", "name"))
    draft.put("hardware.accelerator", get(first, "accelerator", "model"))
    gpus = 0
    for part in engines:
        each, replicas = (
            draft.count(part, "standardized", "accelerator", "count"),
            draft.count(part, "standardized", "replicas"),
        )
        if each is None or replicas is None:
            return
        gpus += each * replicas
    draft.put("hardware.count", gpus or None)
    roles = {plain(get(part, "standardized", "role")) for part in engines}
    replicas = draft.count(first, "replicas")
    if len(engines) == 1:
        draft.put("launch.argv", _flags(get(engines[0], "native", "args")))
    if len(engines) == 1 and replicas == 1:
        _parallelism(draft, get(first, "accelerator", "parallelism"))
    else:
        draft.put("parallelism.note", "; ".join(_layout(draft, part) for part in engines))
    if roles & {"prefill", "decode"}:
        message = F_(
            "the report lists prefill or decode engines: per-GPU numbers need to say which GPUs they divide by"
        )
        draft.warn("T9", "hardware.count", message)


def _flags(args: Any) -> list[str] | None:
    """The engine's flags as the report lists them, those with an inner structure as JSON."""
    if not isinstance(args, dict) or not args:
        return None
    flags = []
    for name, value in args.items():
        said = json.dumps(value, default=plain) if isinstance(value, dict | list) else plain(value)
        flags.append(plain(name if said is None else f"{name}={said}") or "?")
    return flags


def _layout(draft: Draft, part: Any) -> str:
    one = get(part, "standardized")
    sizes = get(one, "accelerator", "parallelism")
    said = " ".join(f"{name.upper()}{size}" for name in ("tp", "pp", "dp", "ep") if (size := draft.count(sizes, name)))
    return f"{plain(get(one, 'role')) or 'engine'}: {draft.count(one, 'replicas')} replicas {said}"


def _parallelism(draft: Draft, sizes: Any) -> None:
    for name in ("tp", "pp", "dp", "ep"):
        draft.put(f"parallelism.{name}", draft.count(sizes, name) or None)


def _figures(draft: Draft, report: _Report) -> None:
    for axis, name, old_name, unit in RATES:
        value = draft.number(report.results, "throughput", name, "mean")
        if value is None:
            value = draft.number(report.results, "throughput", old_name)
        draft.rate(axis, value, unit, name)
    tpot = TPOT_NAME.get(report.tool or "", "time_per_output_token")
    gap = "inter_token_latency" if tpot == "time_per_output_token" else None
    _times(draft, report, "ttft", "time_to_first_token")
    _times(draft, report, "tpot", tpot)
    _times(draft, report, "e2e_latency", "request_latency")
    gap_axis = GAP_AXIS.get(report.tool or "")
    if gap and gap_axis:
        _times(draft, report, gap_axis, gap, only_mean=gap_axis == "token_itl")
    if report.tool is None:
        draft.warn("definition", "scenario.load", F_("the load tool is not one whose definitions are known here"))
    if report.tool == "guidellm" and get(report.results, "latency", "time_per_output_token") is not None:
        message = F_("guidellm's time per output token includes the first token; inter_token_latency stands for TPOT")
        draft.warn("T4", "latency.time_per_output_token", message)
    if get(report.results, "latency", "normalized_time_per_output_token") is not None:
        message = F_("includes the first token and is no TPOT; left out")
        draft.warn("T4", "latency.normalized_time_per_output_token", message)


def _times(draft: Draft, report: _Report, axis: str, name: str, *, only_mean: bool = False) -> None:
    holder = get(report.results, "latency", name)
    if holder is None:
        return
    factor = IN_MS.get(str(get(holder, "units")))
    if factor is None:
        draft.warn(
            "refused",
            f"latency.{name}",
            F_("its unit is {unit}, which is no time; left out").format(unit=plain(get(holder, "units"))),
        )
        return
    found = {key: draft.number(holder, key) for key in (("mean",) if only_mean else STATISTICS)}
    draft.times(axis, {key: value for key, value in found.items() if value is not None}, f"latency.{name}", factor)


def _load(draft: Draft, report: _Report) -> None:
    rate = number_in(get(report.load, "rate_qps"))
    if rate is not None and rate.is_finite():
        rate = draft.number(report.load, "rate_qps")
        draft.put("workload.rate", rate)
        traps.rate_reached(draft, rate, draft.number(report.results, "throughput", "request_rate", "mean"), "rate_qps")
    limit = number_in(get(report.load, "concurrency"))
    if limit is not None and limit.is_finite():
        draft.put("workload.concurrency", draft.count(report.load, "concurrency"))
    turns = draft.count(report.load, "multi_turn", "max_turns", "value")
    draft.put("workload.turns", turns if get(report.load, "multi_turn", "enabled") in (True, "true") else None)
    draft.put(
        "workload.dataset", {"random": "random tokens", "sampled": "sampled text"}.get(str(get(report.load, "source")))
    )
    for field, planned, came in (
        ("workload.input_tokens", "input_seq_len", "input_length"),
        ("workload.output_tokens", "output_seq_len", "output_length"),
    ):
        asked, mean = (
            draft.number(report.load, planned, "value"),
            draft.number(report.results, "requests", came, "mean"),
        )
        if mean == 0:
            draft.warn(
                "T8", f"requests.{came}", F_("mean length 0: the converter writes 0 where the lengths were not saved")
            )
            mean = None
        if asked and get(report.load, planned, "distribution") == "fixed":
            draft.put(field, in_tokens(asked))
        elif mean is not None:
            draft.put(field, f"mean {in_tokens(mean)}")
        if field == "workload.output_tokens":
            traps.output_length(draft, asked, mean)


IMPORTER = Importer("llm-d", fits, version, read)
