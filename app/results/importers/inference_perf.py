"""inference-perf's lifecycle reports, of one stage or of the whole run, as JSON or YAML. Pure.

Times are in seconds. Its TPOT is (last - first) / (n - 1); its `normalized_time_per_output_token` includes the first
token. Its `inter_token_latency` adds a zero for every further token of a chunk, so only the mean is taken.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from app.language import F_
from app.results.importers import traps
from app.results.importers.draft import THOUSAND, Draft, divide, get, in_tokens, short
from app.results.importers.schema import Imported, ImportProblem
from app.results.importers.source import Importer, RawSource, no_version

if TYPE_CHECKING:
    from collections.abc import Iterator

RATES = (
    ("output_throughput", "output_tokens_per_sec", "tok/s"),
    ("total_throughput", "total_tokens_per_sec", "tok/s"),
    ("request_throughput", "requests_per_sec", "req/s"),
)
TIMES = (("ttft", "time_to_first_token"), ("tpot", "time_per_output_token"), ("e2e_latency", "request_latency"))
LATE_S = Decimal(1)  # mean delay of sending, above which the generator and not the schedule set the load
INPUT, OUTPUT = ("prompt_tokens", "prompt_len"), ("output_tokens", "output_len")  # the server's count, the client's


def fits(tree: Any) -> bool:
    return all(isinstance(get(tree, key), dict) for key in ("load_summary", "successes")) and "failures" in tree


def read(tree: dict[str, Any], raw: RawSource, where: str) -> Iterator[Imported | ImportProblem]:
    draft = Draft("inference-perf", where)
    if draft.count(tree, "successes", "count") == 0:
        yield ImportProblem(message=F_("no request succeeded: there is nothing to make a card of"), path=where or None)
        return
    draft.put("title", f"inference-perf: {raw.name}")
    draft.put("note", "Imported from an inference-perf lifecycle report.")
    draft.put("runs.count", 1)
    _figures(draft, tree)
    _load(draft, tree)
    _tokens(draft, tree)
    card = draft.finish(("output_throughput", "total_throughput", "request_throughput"), raw.as_raw())
    yield card or ImportProblem(message=F_("holds no figure that can be read"), path=where or None)


def _figures(draft: Draft, tree: dict[str, Any]) -> None:
    for axis, name, unit in RATES:
        draft.rate(axis, draft.number(tree, "successes", "throughput", name), unit, name)
    draft.rate("run_duration", draft.number(tree, "benchmark_time_seconds"), "s", "benchmark_time_seconds")
    for axis, name in TIMES:
        holder = get(tree, "successes", "latency", name)
        found = {key: draft.number(holder, key) for key in holder} if isinstance(holder, dict) else {}
        draft.times(axis, {key: value for key, value in found.items() if value is not None}, name, THOUSAND)
    mean = draft.number(tree, "successes", "latency", "inter_token_latency", "mean")
    if mean is not None:
        draft.times("token_itl", {"mean": mean}, "inter_token_latency", THOUSAND)
    if get(tree, "successes", "latency", "normalized_time_per_output_token") is not None:
        message = F_("includes the first token and is no TPOT; left out")
        draft.warn("T4", "normalized_time_per_output_token", message)


def _load(draft: Draft, tree: dict[str, Any]) -> None:
    requested, achieved = draft.number(tree, "load_summary", "requested_rate"), None
    if requested is None and "requested_rate" not in (get(tree, "load_summary") or {}):
        message = F_("the summary of all stages mixes their loads: no single load stands behind these numbers")
        draft.warn("T10", "load_summary", message)
    else:
        draft.put("workload.rate", requested)
        achieved = draft.number(tree, "load_summary", "achieved_rate")
        traps.rate_reached(draft, requested, achieved, "load_summary.requested_rate")
    draft.put("workload.concurrency", draft.count(tree, "load_summary", "concurrency"))
    late = draft.number(tree, "load_summary", "schedule_delay", "mean")
    if late is not None and late > LATE_S:
        message = F_(
            "requests left {number_late} s late on average: the load generator could not keep its schedule"
        ).format(number_late=short(late))
        draft.warn("T10", "load_summary.schedule_delay", message)
    failed, total = draft.count(tree, "failures", "count"), draft.count(tree, "load_summary", "count")
    traps.failures(draft, failed, total)


def _tokens(draft: Draft, tree: dict[str, Any]) -> None:
    """The report holds what came, not what was asked for: the config file beside it does."""
    output = _lengths(tree, OUTPUT)
    for field, holder in (("workload.input_tokens", _lengths(tree, INPUT)), ("workload.output_tokens", output)):
        mean = draft.number(holder, "mean")
        if mean is not None:
            fixed = draft.number(holder, "min") == draft.number(holder, "max")
            draft.put(field, in_tokens(mean) if fixed else f"mean {in_tokens(mean)}")
    least, most = draft.number(output, "min"), draft.number(output, "max")
    if least is not None and most is not None and least < most * traps.REACHED:
        message = F_(
            "outputs run from {number_least} to {number_most} tokens: the length was not fixed, or replies ended early"
        ).format(number_least=short(least), number_most=short(most))
        draft.warn("T15", "workload.output_tokens", message)
    _counting(draft, tree)
    wrong = draft.count(tree, "successes", "token_count_mismatches")
    if wrong:
        message = F_(
            "{number_wrong} replies whose text, tokenised again, does not give the server's token count"
        ).format(number_wrong=wrong)
        draft.warn("T15", "successes.token_count_mismatches", message)
    counted = draft.count(tree, "successes", "client_fallback_requests", "output")
    if counted:
        message = F_(
            "the output tokens of {number_counted} replies were counted by tokenising their text again"
        ).format(number_counted=counted)
        draft.warn("definition", "successes.client_fallback_requests", message)
    cached, total = (draft.number(tree, "successes", "prompt_tokens", key) for key in ("cached", "total"))
    if cached and total:
        traps.cache_hits(draft, divide(cached * 100, total), "successes.prompt_tokens.cached")


def _lengths(tree: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((get(tree, "successes", name) for name in names if get(tree, "successes", name, "mean")), None)


def _counting(draft: Draft, tree: dict[str, Any]) -> None:
    """Unless told otherwise the tool tokenises each reply's text again, and takes rates and TPOT from that count."""
    server = draft.number(tree, "successes", "output_tokens", "total")
    rate = draft.number(tree, "successes", "throughput", "output_tokens_per_sec")
    seconds = draft.number(tree, "benchmark_time_seconds")
    if server and rate and seconds and not server * traps.LENGTH <= rate * seconds <= server / traps.LENGTH:
        message = F_(
            "{number_rate} output tokens by the client's tokenizer, {number_server} by the server's count: throughput, "
            "TPOT and the gap per token are in the client's tokens"
        ).format(number_rate=short(rate * seconds), number_server=short(server))
        draft.warn("definition", "output_tokens_per_sec", message)


IMPORTER = Importer("inference-perf", fits, no_version, read)
