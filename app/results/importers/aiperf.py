"""aiperf's `profile_export_aiperf.json`, of one run or of the aggregate over several. Pure.

Each metric names its unit. Its `inter_token_latency` is a request's average, which is TPOT; its
`inter_chunk_latency` is the event gap; the P90 of its rate per user is the fast tail. An aggregate keeps
`<metric>_<statistic>` under `metrics`, with mean and spread over the runs.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from app.language import F_
from app.results.importers import traps
from app.results.importers.draft import LEFT_OUT, THOUSAND, Draft, date_in, get, in_tokens, plain, short
from app.results.importers.schema import Imported, ImportProblem
from app.results.importers.source import Importer, RawSource

if TYPE_CHECKING:
    from collections.abc import Iterator

IN_MS = {
    "ms": Decimal(1),
    "s": THOUSAND,
    "sec": THOUSAND,
    "seconds": THOUSAND,
    "us": Decimal("0.001"),
    "ns": Decimal("0.000001"),
}
STATISTICS = ("avg", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "min", "max", "std")
TIMES = (
    ("ttft", "time_to_first_token"),
    ("tpot", "inter_token_latency"),
    ("event_gap", "inter_chunk_latency"),
    ("e2e_latency", "request_latency"),
)
RATES = (
    ("output_throughput", "output_token_throughput", "tok/s"),
    ("total_throughput", "total_token_throughput", "tok/s"),
    ("request_throughput", "request_throughput", "req/s"),
)
E2E_RATE = "e2e_normalized_interactivity_p90"


def fits(tree: Any) -> bool:
    return get(tree, "aiperf_version") is not None or (
        get(tree, "schema_version") is not None and get(tree, "request_latency", "unit") is not None
    )


def version(tree: Any) -> str | None:
    return plain(get(tree, "aiperf_version"))


def read(tree: dict[str, Any], raw: RawSource, where: str) -> Iterator[Imported | ImportProblem]:
    draft = Draft("aiperf", where)
    runs = draft.count(tree, "metadata", "num_profile_runs") if isinstance(tree.get("metrics"), dict) else None
    metrics = _by_metric(tree["metrics"]) if runs else tree
    if draft.number(metrics, "request_count", "avg") == 0:
        yield ImportProblem(message=F_("no request succeeded: there is nothing to make a card of"), path=where or None)
        return
    _conditions(draft, tree, runs)
    spread = draft.number(tree, "metrics", "output_token_throughput_avg", "std") if runs else None
    if spread is not None:
        draft.card["result"]["spread"] = f"std {short(spread)} over {runs} runs"
    _figures(draft, metrics)
    _load(draft, tree, metrics)
    _validity(draft, tree, metrics)
    card = draft.finish(("output_throughput", "request_throughput", "ttft"), raw.as_raw())
    yield card or ImportProblem(message=F_("holds no figure that can be read"), path=where or None)


def _by_metric(flat: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """`time_to_first_token_p90: {mean, unit}` of an aggregate -> `time_to_first_token: {p90, unit}`."""
    metrics: dict[str, dict[str, Any]] = {}
    for key, value in flat.items():
        name, _, statistic = key.rpartition("_")
        if statistic in STATISTICS and isinstance(value, dict):
            metrics.setdefault(name, {"unit": value.get("unit")})[statistic] = value.get("mean")
    return metrics


def _conditions(draft: Draft, tree: dict[str, Any], runs: int | None) -> None:
    config = get(tree, "input_config")
    model = get(config, "models", "items", 0, "name") or get(config, "endpoint", "model_names", 0)
    draft.put("title", f"aiperf: {plain(model) or 'model not stated'}")
    draft.put("note", f"Imported from a result of aiperf {version(tree) or 'of unstated version'}.")
    draft.put("model.id", model)
    draft.put("runs.count", runs or 1)
    draft.put("runs.statistic", "mean" if runs else None)
    draft.put("workload.name", get(tree, "metadata", "scenario"))
    dataset = get(tree, "metadata", "dataset", "name") or get(config, "datasets", 0, "type")
    draft.put("workload.dataset", f"{dataset} prompts of aiperf" if dataset == "synthetic" else dataset)
    seed = draft.count(tree, "run_info", "random_seed")
    draft.put("workload.seed", draft.count(config, "datasets", 0, "random_seed") if seed is None else seed)
    extra = get(config, "endpoint", "extra")
    if isinstance(get(extra, "ignore_eos"), bool):
        draft.put("workload.ignore_eos", get(extra, "ignore_eos"))
    draft.put("workload.temperature", draft.number(extra, "temperature"))
    if get(config, "endpoint", "type") == "chat":
        draft.put("workload.chat_template", True)
    draft.card["result"] = {"measured_at": date_in(tree.get("start_time"))}


def _figures(draft: Draft, metrics: dict[str, Any]) -> None:
    for axis, name, unit in RATES:
        draft.rate(axis, draft.number(metrics, name, "avg"), unit, name)
    for axis, name in TIMES:
        found = _statistics(draft, metrics, name)
        factor = IN_MS.get(str(get(metrics, name, "unit")))
        if found and factor is None:
            draft.warn(
                "refused",
                name,
                F_("its unit is {unit}, which is no time; left out").format(unit=plain(get(metrics, name, "unit"))),
            )
        elif factor is not None:
            draft.times(axis, found, name, factor)
            _with_failures(draft, metrics, axis, f"adj_{name}", factor)
    duration, unit = draft.number(metrics, "benchmark_duration", "avg"), get(metrics, "benchmark_duration", "unit")
    if duration is not None and str(unit) in IN_MS:
        draft.rate("run_duration", duration * IN_MS[str(unit)] / THOUSAND, "s", "benchmark_duration")
    _per_user(draft, metrics)
    length = draft.number(metrics, "spec_decode_token_weighted_acceptance_length", "avg")
    draft.figure("acceptance_length_vllm", None, length, "tokens/step")
    accepted = draft.number(metrics, "spec_decode_overall_draft_acceptance_rate", "avg")
    draft.figure("acceptance_rate", None, accepted, "%")
    traps.gap_above_tpot(draft)


def _statistics(draft: Draft, metrics: dict[str, Any], name: str) -> dict[str, Decimal]:
    found = {key: draft.number(metrics, name, key) for key in STATISTICS}
    return {key: value for key, value in found.items() if value is not None}


def _with_failures(draft: Draft, metrics: dict[str, Any], axis: str, name: str, factor: Decimal) -> None:
    """Percentiles in which a failed request counts as infinitely slow, as the axes are defined."""
    for key, value in _statistics(draft, metrics, name).items():
        if key[0] == "p" and value:
            statistic = "median" if key == "p50" else f"P{key[1:]}"
            draft.figure(axis, f"{statistic}, failures counted as infinite", value * factor, "ms", name)


def _per_user(draft: Draft, metrics: dict[str, Any]) -> None:
    speeds = _statistics(draft, metrics, "output_token_throughput_per_user")
    draft.rates("decode_rate", speeds, "tok/s", "output_token_throughput_per_user")
    if "p90" in speeds:
        where = "output_token_throughput_per_user"
        draft.figure("interactivity_p90_fast", "P90 fast tail", speeds["p90"], "tok/s/user", where)
        message = F_(
            "its P90 is the fast tail: only a tenth of the requests exceed it; P90 interactivity is the slow one"
        )
        draft.warn("T5", where, message)
    normalised = draft.number(metrics, E2E_RATE, "avg")
    draft.figure("interactivity_e2e", "P90 slow tail", normalised, "tok/s/user", E2E_RATE)
    if get(metrics, "e2e_output_token_throughput") is not None:
        message = F_(
            "tokens over latency of each request, inverted before the percentile: not 1 / P90(latency / tokens)"
        )
        draft.warn("T6", "e2e_output_token_throughput", LEFT_OUT.format(said=message))


def _load(draft: Draft, tree: dict[str, Any], metrics: dict[str, Any]) -> None:
    config = get(tree, "input_config")
    phases = get(config, "phases")
    profiling = [phase for phase in phases if get(phase, "kind") == "profiling"] if isinstance(phases, list) else []
    load = profiling[-1] if profiling else get(config, "loadgen")
    limit = draft.count(load, "concurrency")
    sessions = (plain(get(tree, "metadata", "scenario")) or "").startswith("inferencex-agentx")
    draft.put("workload.sessions" if sessions else "workload.concurrency", limit)
    rate = draft.number(load, "rate") or draft.number(load, "request_rate")
    draft.put("workload.rate", rate)
    traps.rate_reached(draft, rate, draft.number(metrics, "request_throughput", "avg"), "request_rate")
    cached = draft.number(metrics, "overall_usage_prompt_cache_read_pct", "avg")
    traps.cache_hits(draft, cached, "overall_usage_prompt_cache_read_pct")
    if not sessions:
        traps.concurrency_reached(draft, limit, draft.number(metrics, "effective_concurrency", "avg"))
    for field, name, planned in (
        ("workload.input_tokens", "input_sequence_length", "isl"),
        ("workload.output_tokens", "output_sequence_length", "osl"),
    ):
        prompts = get(config, "datasets", 0, "prompts", planned)
        asked, mean = draft.number(prompts, "mean"), draft.number(metrics, name, "avg")
        if asked and not draft.number(prompts, "stddev"):
            draft.put(field, in_tokens(asked))
        elif mean is not None:
            draft.put(field, f"mean {in_tokens(mean)}")
        if field == "workload.output_tokens":
            traps.output_length(draft, asked, mean)


def _validity(draft: Draft, tree: dict[str, Any], metrics: dict[str, Any]) -> None:
    failed, done = (draft.number(metrics, key, "avg") for key in ("error_request_count", "request_count"))
    if failed:
        traps.failures(draft, int(failed), int(failed + (done or 0)))
    if tree.get("was_cancelled") is True or tree.get("is_complete") is False:
        draft.warn("stopped-early", "was_cancelled", F_("the run was cancelled or did not complete"))
    if get(tree, "metadata", "submission_valid") is False:
        reasons = get(tree, "metadata", "submission_invalid_reasons")
        listed = ", ".join(plain(reason) or "?" for reason in reasons) if isinstance(reasons, list) else ""
        message = F_("aiperf marks the run as not valid for its scenario: {why}").format(
            why=listed or "no reason stated"
        )
        draft.warn("invalid", "metadata.submission_valid", message)
    config = get(tree, "input_config", "endpoint")
    if isinstance(config, dict) and config.get("use_server_token_count") is not True:
        message = F_("tokens are counted by the client's tokenizer, not by the server")
        draft.warn("definition", "use_server_token_count", message)
    if isinstance(config, dict) and config.get("streaming") is False:
        draft.warn("definition", "streaming", F_("the replies were not streamed: there is no TTFT or TPOT in this run"))


IMPORTER = Importer("aiperf", fits, version, read)
