"""genai-bench's file of one scenario and concurrency. Pure.

Times are in the unit that `_time_unit` names, seconds where it is absent. Engine and GPUs stand in the experiment's
metadata file beside it and not here. The tokens of its throughputs are those left by the warm-up filter, over the
whole time.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from app.language import F_
from app.results.importers import traps
from app.results.importers.draft import THOUSAND, Draft, get, in_tokens, plain
from app.results.importers.schema import Imported, ImportProblem
from app.results.importers.source import Importer, RawSource, no_version

if TYPE_CHECKING:
    from collections.abc import Iterator

RATES = (
    ("output_throughput", "mean_output_throughput_tokens_per_s", "tok/s"),
    ("total_throughput", "mean_total_tokens_throughput_tokens_per_s", "tok/s"),
    ("request_throughput", "requests_per_second", "req/s"),
)
TIMES = (("ttft", "ttft"), ("tpot", "tpot"), ("e2e_latency", "e2e_latency"))
NO_STATISTIC = {"sum"}
DETERMINISTIC = re.compile(r"D\((\d+),\s*(\d+)\)")
NORMAL = re.compile(r"N\((\d+),\s*(\d+)\)/\((\d+),\s*(\d+)\)")


def fits(tree: Any) -> bool:
    return isinstance(get(tree, "aggregated_metrics"), dict) or _metadata_only(tree)


def _metadata_only(tree: Any) -> bool:
    return isinstance(tree, dict) and {"experiment_folder_name", "traffic_scenario", "server_engine"} <= tree.keys()


def read(tree: dict[str, Any], raw: RawSource, where: str) -> Iterator[Imported | ImportProblem]:
    if "aggregated_metrics" not in tree:
        message = F_("this is the experiment's metadata; the numbers are in the files beside it, one for each load")
        yield ImportProblem(message=message, path=where or None)
        return
    metrics = tree["aggregated_metrics"]
    draft = Draft("genai-bench", where)
    if draft.count(metrics, "num_completed_requests") == 0:
        yield ImportProblem(message=F_("no request succeeded: there is nothing to make a card of"), path=where or None)
        return
    scenario = plain(get(metrics, "scenario"))
    draft.put("title", f"genai-bench {scenario or 'scenario not stated'}")
    draft.put("note", "Imported from a genai-bench result.")
    draft.put("runs.count", 1)
    _figures(draft, metrics, Decimal(1) if tree.get("_time_unit") == "ms" else THOUSAND)
    _load(draft, metrics, scenario)
    card = draft.finish(("output_throughput", "total_throughput", "request_throughput"), raw.as_raw())
    yield card or ImportProblem(message=F_("holds no figure that can be read"), path=where or None)


def _figures(draft: Draft, metrics: dict[str, Any], factor: Decimal) -> None:
    for axis, name, unit in RATES:
        draft.rate(axis, draft.number(metrics, name), unit, name)
    draft.rate("run_duration", draft.number(metrics, "run_duration"), "s", "run_duration")
    for axis, name in TIMES:
        draft.times(axis, _statistics(draft, metrics, name), name, factor)
    speeds = _statistics(draft, metrics, "output_inference_speed")
    draft.rates("decode_rate", speeds, "tok/s", "output_inference_speed")
    if "p90" in speeds:
        draft.figure("interactivity_p90_fast", "P90 fast tail", speeds["p90"], "tok/s/user", "output_inference_speed")
        message = "its P90 is the fast tail: only a tenth of the requests exceed it; the slow tail is 1 / P90 of TPOT"
        draft.warn("T5", "output_inference_speed", message)


def _statistics(draft: Draft, metrics: dict[str, Any], name: str) -> dict[str, Decimal]:
    holder = get(metrics, "stats", name)
    keys = [key for key in holder if key not in NO_STATISTIC] if isinstance(holder, dict) else []
    found = {key: draft.number(holder, key) for key in keys}
    return {key: value for key, value in found.items() if value is not None}


def _load(draft: Draft, metrics: dict[str, Any], scenario: str | None) -> None:
    limit = draft.count(metrics, "num_concurrency")
    draft.put("workload.concurrency", limit)
    draft.put("workload.name", scenario)
    fixed, normal = DETERMINISTIC.fullmatch(scenario or ""), NORMAL.fullmatch(scenario or "")
    mean = draft.number(metrics, "stats", "num_output_tokens", "mean")
    if fixed:
        draft.put("workload.input_tokens", fixed[1])
        draft.put("workload.output_tokens", fixed[2])
        traps.output_length(draft, Decimal(fixed[2]), mean)
    elif normal:
        draft.put("workload.input_tokens", f"mean {normal[1]}, std {normal[2]}")
        draft.put("workload.output_tokens", f"mean {normal[3]}, std {normal[4]}")
    elif mean is not None:
        draft.put("workload.output_tokens", f"mean {in_tokens(mean)}")
    failed, total = draft.count(metrics, "num_error_requests"), draft.count(metrics, "num_requests")
    traps.failures(draft, failed, total)
    whole, per_second = draft.figures.get(("e2e_latency", "mean")), draft.number(metrics, "requests_per_second")
    if whole and per_second is not None:
        traps.concurrency_reached(draft, limit, whole["value"] * per_second / THOUSAND)
        traps.plausible_units(draft, limit, whole["value"] * per_second / THOUSAND)


IMPORTER = Importer("genai-bench", fits, no_version, read)
