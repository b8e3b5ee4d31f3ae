"""`sglang.bench_serving`: one JSON object a run, appended line by line; old, current and refactored field names. Pure.

Times are in ms. On OpenAI routes the output counts are those asked for unless a text chunk carries usage. `itl` is per
token on the native route, and the gap between events elsewhere unless the server tells an accept length.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from app.language import F_
from app.results.importers import traps
from app.results.importers.draft import Draft, divide, get, in_tokens, number_in, plain, short
from app.results.importers.lists import not_empty
from app.results.importers.schema import Imported, ImportProblem
from app.results.importers.source import Importer, RawSource

if TYPE_CHECKING:
    from collections.abc import Iterator

NATIVE = {"sglang", "sglang-native"}
TIMED = re.compile(r"(mean|median|std|max|p\d+(?:\.\d+)?)_(ttft|tpot|itl|e2e_latency)_ms")
VLLM_SAYS = (
    ("model.id", re.compile(r"\bmodel='([^']{1,500})'")),
    ("parallelism.tp", re.compile(r"\btensor_parallel_size=([1-9]\d{0,4})\b")),
    ("parallelism.pp", re.compile(r"\bpipeline_parallel_size=([1-9]\d{0,4})\b")),
    ("parallelism.dp", re.compile(r"\bdata_parallel_size=([1-9]\d{0,4})\b")),
    ("dtypes.kv", re.compile(r"\bkv_cache_dtype=(\w{1,50})")),
    ("dtypes.weights", re.compile(r"\bquantization=(\w{1,50})")),
)
VLLM_SPECULATES = re.compile(r"\bSpeculativeConfig\(method='([^']{1,50})'.{0,500}?\bnum_spec_tokens=([1-9]\d{0,4})\b")
RETOKENIZED = Decimal("0.95")  # of the counted tokens, below which the text does not bear the count out


def fits(tree: Any) -> bool:
    keys = tree.keys() if isinstance(tree, dict) else set()
    own = {"total_output_tokens_retokenized", "total_output_retokenized", "accept_length", "sharegpt_output_len"}
    return {"duration", "completed", "backend"} <= keys and bool(own & keys)


def version(tree: Any) -> str | None:
    return plain(get(tree, "server_info", "version"))


def read(tree: dict[str, Any], raw: RawSource, where: str) -> Iterator[Imported | ImportProblem]:
    draft = Draft("sglang bench_serving", where)
    completed = draft.count(tree, "completed")
    if completed == 0:
        yield ImportProblem(message=F_("no request succeeded: there is nothing to make a card of"), path=where or None)
        return
    _server(draft, get(tree, "server_info"))
    draft.put("title", f"sglang.bench_serving: {draft.card.get('model', {}).get('id', 'model not stated')}")
    draft.put(
        "note", "Imported from a sglang.bench_serving result, backend " + (plain(tree.get("backend")) or "?") + "."
    )
    draft.put("runs.count", 1)
    _figures(draft, tree)
    _load(draft, tree, completed)
    _lengths(draft, tree, completed)
    card = draft.finish(("output_throughput", "total_throughput", "request_throughput"), raw.as_raw())
    yield card or ImportProblem(message=F_("holds no figure that can be read"), path=where or None)


def _server(draft: Draft, info: Any) -> None:
    """What the server said of itself; old files have no `server_info`, and of most other engines it is empty."""
    if not isinstance(info, dict) or not info:
        return
    if "vllm_config" in info:
        _vllm(draft, info)
        return
    draft.put("engine.name", "SGLang")
    draft.put("engine.version", info.get("version"))
    draft.put("model.id", info.get("model_path"))
    draft.put("model.revision", info.get("revision"))
    for ours, theirs in (("tp", "tp_size"), ("pp", "pp_size"), ("dp", "dp_size"), ("ep", "ep_size")):
        draft.put(f"parallelism.{ours}", draft.count(info, theirs) or None)
    if isinstance(info.get("enable_dp_attention"), bool):
        draft.put("parallelism.dp_attention", info["enable_dp_attention"])
    for ours, theirs in (("kv", "kv_cache_dtype"), ("weights", "quantization")):
        draft.put(f"dtypes.{ours}", info.get(theirs) if info.get(theirs) != "auto" else None)
    if info.get("disable_radix_cache") is True:
        draft.put("workload.prefix_cache", "off")
    if "speculative_algorithm" in info:
        method = plain(info["speculative_algorithm"])
        draft.put("speculation.method", method.lower() if method else "off")
        draft.put("speculation.draft_tokens", draft.count(info, "speculative_num_steps") if method else None)


def _vllm(draft: Draft, info: dict[str, Any]) -> None:
    """vLLM in development mode answers the same path, with its configuration as Python prints it."""
    draft.put("engine.name", "vLLM")
    draft.put("engine.version", get(info, "system_env", "vllm_version"))
    config = str(info["vllm_config"])
    for field, pattern in VLLM_SAYS:
        match = pattern.search(config)
        if match and match[1] not in ("None", "auto"):
            draft.put(field, int(match[1]) if field.startswith("parallelism") else match[1])
    if "speculative_config=None" in config:
        draft.put("speculation.method", "off")
    elif speculates := VLLM_SPECULATES.search(config):
        draft.put("speculation.method", speculates[1])
        draft.put("speculation.draft_tokens", int(speculates[2]))
    if "enable_prefix_caching=False" in config:
        draft.put("workload.prefix_cache", "off")


def _figures(draft: Draft, tree: dict[str, Any]) -> None:
    output, whole = draft.number(tree, "output_throughput"), draft.number(tree, "total_throughput")
    draft.rate("output_throughput", output, "tok/s", "output_throughput")
    incoming = draft.number(tree, "input_throughput")
    if "total_throughput" not in tree and output is not None and incoming is not None:  # files before the field
        whole = output + incoming
    draft.rate("total_throughput", whole, "tok/s", "total_throughput")
    draft.rate("request_throughput", draft.number(tree, "request_throughput"), "req/s", "request_throughput")
    draft.rate("run_duration", draft.number(tree, "duration"), "s", "duration")
    accepted = draft.number(tree, "accept_length")
    per_token = plain(tree.get("backend")) in NATIVE or accepted is not None
    axes = {"ttft": "ttft", "tpot": "tpot", "e2e_latency": "e2e_latency"}
    axes["itl"] = "token_itl" if per_token else "event_gap"
    found: dict[str, dict[str, Decimal]] = {}
    for key in tree:
        match = TIMED.fullmatch(key)
        value = draft.number(tree, key) if match else None
        if match and value is not None:
            found.setdefault(match[2], {})[match[1]] = value
    for name, times in found.items():
        draft.times(axes[name], times, f"{name}_ms")
    draft.figure("acceptance_length_sglang", None, accepted, "tokens/step")
    if draft.number(tree, "max_output_tokens_per_s"):
        message = F_("the highest second of the run, counted in events; a peak is no mean; left out")
        draft.warn("T20", "max_output_tokens_per_s", message)
    traps.gap_above_tpot(draft)
    random = (plain(tree.get("dataset_name")) or "").startswith("random")
    traps.random_prompts(draft, random=random, speculating=accepted is not None and accepted > 1)


def _load(draft: Draft, tree: dict[str, Any], completed: int | None) -> None:
    limit = draft.count(tree, "max_concurrency")
    draft.put("workload.concurrency", limit)
    rate = number_in(tree.get("request_rate"))
    form, why = traps.FAR_UNDER, {}
    if rate is not None and rate.is_finite():
        rate = draft.number(tree, "request_rate")
        draft.put("workload.rate", rate)
        traps.rate_reached(draft, rate, draft.number(tree, "request_throughput"), "request_rate")
        if rate:
            form, why = traps.RATE_LIMITED, {"number_rate": short(rate)}
    traps.concurrency_reached(draft, limit, draft.number(tree, "concurrency"), form, **why)
    traps.plausible_units(draft, limit, draft.number(tree, "concurrency"))
    failed = not_empty(tree.get("errors"))
    traps.failures(draft, failed, failed + completed if failed and completed else None)


def _lengths(draft: Draft, tree: dict[str, Any], completed: int | None) -> None:
    dataset = plain(tree.get("dataset_name"))
    draft.put("workload.dataset", dataset)
    counted = draft.number(tree, "total_output_tokens") or draft.number(tree, "total_output")
    retokenized = draft.number(tree, "total_output_tokens_retokenized") or draft.number(
        tree, "total_output_retokenized"
    )
    incoming = draft.number(tree, "total_input_tokens") or draft.number(tree, "total_input")
    fixed = (dataset or "").startswith("random") and draft.number(tree, "random_range_ratio") == 1
    for field, asked, total in (
        ("workload.input_tokens", draft.count(tree, "random_input_len"), incoming),
        ("workload.output_tokens", draft.count(tree, "random_output_len"), counted),
    ):
        mean = divide(total, Decimal(completed)) if total and completed else None
        if fixed and asked:
            draft.put(field, str(asked))
            if field == "workload.output_tokens":
                traps.output_length(draft, Decimal(asked), mean)
        elif mean is not None:
            draft.put(field, f"mean {in_tokens(mean)}")
    backend = plain(tree.get("backend")) or ""
    if backend not in NATIVE:
        message = F_(
            "the {backend} route counts the tokens that were asked for, not those that came, unless usage came"
        ).format(backend=backend)
        draft.warn("T15", "total_output_tokens", message)
    if counted and retokenized and retokenized < counted * RETOKENIZED:
        message = F_(
            "{number_counted} output tokens counted, the text holds {number_retokenized}: replies may have ended early"
        ).format(number_counted=short(counted), number_retokenized=short(retokenized))
        draft.warn("T15", "total_output_tokens_retokenized", message)


IMPORTER = Importer("sglang-bench", fits, version, read)
