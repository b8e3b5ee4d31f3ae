"""guidellm's report, version 2 and the one before it: one card for each benchmark (one strategy and load). Pure.

Its `time_per_output_token_ms` includes the first token; its `inter_token_latency_ms` is the TPOT of everybody else.
Throughput percentiles are of rates over time, so only their means are taken.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from app.language import F_
from app.results.importers import traps
from app.results.importers.draft import THOUSAND, Draft, date_in, get, in_tokens, plain
from app.results.importers.schema import Imported, ImportProblem
from app.results.importers.source import Importer, RawSource

if TYPE_CHECKING:
    from collections.abc import Iterator

STATISTICS = ("mean", "median", "std_dev", "min", "max")
MEANS = (
    ("output_throughput", "output_tokens_per_second", "tok/s"),
    ("total_throughput", "tokens_per_second", "tok/s"),
    ("request_throughput", "requests_per_second", "req/s"),
)
TIMES = (
    ("ttft", "time_to_first_token_ms", Decimal(1)),
    ("tpot", "inter_token_latency_ms", Decimal(1)),
    ("e2e_latency", "request_latency", THOUSAND),
)


def fits(tree: Any) -> bool:
    benchmarks = get(tree, "benchmarks")
    return isinstance(benchmarks, list) and (
        get(tree, "metadata", "guidellm_version") is not None
        or get(benchmarks, 0, "metrics", "inter_token_latency_ms") is not None
    )


def version(tree: Any) -> str | None:
    return plain(get(tree, "metadata", "guidellm_version"))


def read(tree: dict[str, Any], raw: RawSource, where: str) -> Iterator[Imported | ImportProblem]:
    lead = f"{where}." if where else ""
    for index, benchmark in enumerate(tree["benchmarks"]):
        place = f"{lead}benchmarks[{index}]"
        if not isinstance(get(benchmark, "metrics"), dict):
            yield ImportProblem(message=F_("a benchmark without metrics"), path=place)
            continue
        draft = Draft("guidellm", place)
        if draft.count(benchmark, "metrics", "request_totals", "successful") == 0:
            yield ImportProblem(message=F_("no request succeeded: there is nothing to make a card of"), path=place)
            continue
        _conditions(draft, tree, benchmark)
        _figures(draft, benchmark)
        _load(draft, benchmark)
        _counts(draft, tree, benchmark)
        card = draft.finish(("output_throughput", "total_throughput", "request_throughput"), raw.as_raw())
        yield card or ImportProblem(message=F_("holds no figure that can be read"), path=place)


def _conditions(draft: Draft, tree: dict[str, Any], benchmark: dict[str, Any]) -> None:
    backend = get(benchmark, "config", "backend") or get(tree, "config", "spec", "backend") or {}
    model = get(backend, "model") or get(tree, "args", "model")
    kind = plain(get(benchmark, "config", "strategy", "type_")) or "load not stated"
    draft.put("title", f"guidellm {kind}: {plain(model) or 'model not stated'}")
    draft.put("note", f"Imported from a report of guidellm {version(tree) or 'of unstated version'}.")
    draft.put("model.id", model)
    if "chat" in str(get(backend, "request_format")):
        draft.put("workload.chat_template", True)
    seed = draft.count(get(tree, "config", "spec", "seed"), "value")
    draft.put("workload.seed", seed)
    draft.put("runs.count", 1)
    draft.card["result"] = {"measured_at": date_in(get(benchmark, "start_time"))}
    data = get(tree, "config", "spec", "data", 0)
    if get(data, "kind") == "synthetic_text":
        draft.put("workload.dataset", "synthetic text of guidellm")
        turns = draft.count(data, "turns")
        draft.put("workload.turns", turns if turns and turns > 1 else None)
    else:
        draft.put("workload.dataset", get(data, "kind"))


def _figures(draft: Draft, benchmark: dict[str, Any]) -> None:
    for axis, name, unit in MEANS:
        value = draft.number(benchmark, "metrics", name, "successful", "mean")
        draft.rate(axis, value, unit, name)
    for axis, name, factor in TIMES:
        found = {}
        holder = get(benchmark, "metrics", name, "successful")
        for statistic in STATISTICS:
            found[statistic] = draft.number(holder, statistic)
        for statistic in get(holder, "percentiles") or {}:
            found[statistic] = draft.number(holder, "percentiles", statistic)
        stated = {statistic: value for statistic, value in found.items() if value is not None}
        draft.times(axis, stated, name, factor)
    if get(benchmark, "metrics", "time_per_output_token_ms") is not None:
        message = F_(
            "guidellm's time_per_output_token_ms includes the first token and is no TPOT; it is left "
            "out, and inter_token_latency_ms stands for TPOT"
        )
        draft.warn("T4", "time_per_output_token_ms", message)


def _load(draft: Draft, benchmark: dict[str, Any]) -> None:
    strategy = get(benchmark, "config", "strategy") or {}
    kind = get(strategy, "type_")
    achieved = draft.number(benchmark, "metrics", "requests_per_second", "total", "mean")  # failed ones were sent too
    if kind in ("constant", "poisson", "async"):
        rate = draft.number(strategy, "rate")
        draft.put("workload.rate", rate)
        traps.rate_reached(draft, rate, achieved, "strategy.rate")
        return
    limit = 1 if kind == "synchronous" else draft.count(strategy, "streams") or draft.count(strategy, "max_concurrency")
    draft.put("workload.concurrency", limit)
    in_flight = draft.number(benchmark, "metrics", "request_concurrency", "successful", "mean")
    traps.concurrency_reached(draft, limit, in_flight)


def _counts(draft: Draft, tree: dict[str, Any], benchmark: dict[str, Any]) -> None:
    totals = get(benchmark, "metrics", "request_totals")
    failed, total = draft.count(totals, "errored"), draft.count(totals, "total")
    traps.failures(draft, failed, total)
    unfinished = draft.count(totals, "incomplete")
    if unfinished:
        draft.warn(
            "stopped-early",
            "requests",
            F_("{number_unfinished} of {number_total} requests were cut off at the end of the run").format(
                number_unfinished=unfinished, number_total=total
            ),
        )
    data = get(tree, "config", "spec", "data", 0)
    for field, name, planned in (
        ("workload.input_tokens", "prompt_token_count", "prompt_tokens"),
        ("workload.output_tokens", "output_token_count", "output_tokens"),
    ):
        asked = draft.number(data, planned)
        mean = draft.number(benchmark, "metrics", name, "successful", "mean")
        if asked and draft.number(data, f"{planned}_stdev") is None:
            draft.put(field, in_tokens(asked))
        elif mean is not None:
            draft.put(field, f"mean {in_tokens(mean)}")
        if field == "workload.output_tokens":
            traps.output_length(draft, asked, mean)
    each = draft.number(benchmark, "metrics", "output_tokens_per_iteration", "successful", "mean")
    traps.bundled_events(draft, each, Decimal(1))
    warnings = get(benchmark, "warnings")
    for said in warnings if isinstance(warnings, list) else ():
        message = plain(get(said, "message"))
        if message:
            draft.warn(
                "tool", plain(get(said, "code")) or "warnings", F_("guidellm says: {message}").format(message=message)
            )


IMPORTER = Importer("guidellm", fits, version, read)
