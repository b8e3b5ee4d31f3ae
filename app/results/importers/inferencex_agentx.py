"""InferenceX's AgentX aggregate: sessions of a coding agent, replayed by aiperf. Pure.

Times are in seconds, `itl` is aiperf's average of a request. Interactivity is 1 / P90(ITL), the slow tail. Totals
count every input token of every turn, nearly all of which come from the cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.language import F_
from app.results.importers import traps
from app.results.importers.draft import THOUSAND, get, in_tokens, plain
from app.results.importers.inferencex_setup import deployment, speculation

if TYPE_CHECKING:
    from decimal import Decimal

    from app.results.importers.draft import Draft

TIMES = (("ttft", "ttft"), ("tpot", "tpot"), ("e2e_latency", "e2el"))
RATES = (("output_throughput", "output"), ("total_throughput", "total"))
PER_GPU = (
    ("total_per_gpu", "total_tput_tps"),
    ("output_per_gpu", "output_tput_tps"),
    ("prefill_per_gpu", "input_tput_tps"),
)
MAIN = ("total_per_gpu", "total_throughput", "output_throughput")


def fits(tree: Any) -> bool:
    return isinstance(get(tree, "request_metrics", "latency"), dict)


def fill(draft: Draft, tree: dict[str, Any]) -> tuple[str, ...]:
    """Writes the card's fields and figures; returns the axes for its main number, none where no request succeeded."""
    if draft.count(tree, "num_requests_successful") == 0:
        return ()
    deployment(draft, tree)
    speculation(draft, tree)
    draft.put("title", f"AgentX: {plain(tree.get('model')) or 'model not stated'}")
    draft.put("runs.count", 1)
    draft.put("workload.name", "AgentX")
    draft.put("workload.sessions", draft.count(tree, "conc"))
    draft.put("workload.dataset", get(tree, "dataset", "name"))
    metrics = tree["request_metrics"]
    _rates(draft, metrics)
    for axis, name in TIMES:
        draft.times(axis, _statistics(draft, metrics, name), name, THOUSAND)
    _interactivity(draft, metrics)
    _workload(draft, tree, metrics)
    return MAIN


def _statistics(draft: Draft, metrics: dict[str, Any], name: str) -> dict[str, Decimal]:
    holder = get(metrics, "latency", name)
    found = {key: draft.number(holder, key) for key in holder} if isinstance(holder, dict) else {}
    return {key: value for key, value in found.items() if value is not None}


def _rates(draft: Draft, metrics: dict[str, Any]) -> None:
    for axis, name in RATES:
        draft.rate(axis, draft.number(metrics, "throughput", name, "tokens_per_second"), "tok/s", f"throughput.{name}")
    for axis, name in PER_GPU:
        draft.rate(axis, draft.number(metrics, "throughput", "per_gpu", name), "tok/s/GPU", f"per_gpu.{name}")
    draft.rate("request_throughput", draft.number(metrics, "qps", "mean"), "req/s", "qps")
    draft.rate("run_duration", draft.number(metrics, "throughput", "duration_seconds"), "s", "duration_seconds")
    message = F_(
        "total tokens count every input token of every turn, cached ones included: an output rate is far lower"
    )
    draft.warn("T1", "per_gpu.total_tput_tps", message)


def _interactivity(draft: Draft, metrics: dict[str, Any]) -> None:
    speeds = _statistics(draft, metrics, "intvty")
    draft.figure("interactivity_p90_slow", "P90 slow tail", speeds.get("p90"), "tok/s/user", "intvty")
    for name, said in (("mean", "1 / mean TPOT"), ("p50", "1 / median TPOT")):
        draft.figure("decode_rate", said, speeds.get(name), "tok/s", "intvty")
    for name in ("p75", "p95"):
        draft.figure("decode_rate", f"1 / {name.upper()} of TPOT, slow tail", speeds.get(name), "tok/s", "intvty")
    whole = _statistics(draft, metrics, "e2e_norm_intvty")
    draft.figure("interactivity_e2e", "P90 slow tail", whole.get("p90"), "tok/s/user", "e2e_norm_intvty")
    if "std" in speeds:
        traps.reciprocal_std(draft, present=True, where="intvty.std")


def _workload(draft: Draft, tree: dict[str, Any], metrics: dict[str, Any]) -> None:
    for field, name in (("input_tokens", "input"), ("output_tokens", "output_actual")):
        middle, mean = (draft.number(metrics, "tokens", name, key) for key in ("p50", "mean"))
        if middle is not None:
            draft.put(f"workload.{field}", f"median {in_tokens(middle)}")
        elif mean is not None:
            draft.put(f"workload.{field}", f"mean {in_tokens(mean)}")
    expected = draft.number(metrics, "tokens", "output_expected", "mean")
    traps.output_length(draft, expected, draft.number(metrics, "tokens", "output_actual", "mean"))
    cache = get(tree, "server_metrics", "cache")
    hits = draft.number(cache, "overall_cache_hit_rate")
    hits = draft.number(cache, "gpu_cache_hit_rate") if hits is None else hits
    traps.cache_hits(draft, hits * 100 if hits else None, "server_metrics.cache")
    failed = draft.count(tree, "request_accounting", "records_error_dropped")
    total = draft.count(tree, "request_accounting", "records_total") or draft.count(tree, "num_requests_total")
    traps.failures(draft, failed, total)
