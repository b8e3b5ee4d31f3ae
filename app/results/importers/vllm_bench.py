"""`vllm bench serve --save-result` and `--append-result`, with or without `--save-detailed`. Pure.

Times are in ms, those of the detailed lists in seconds. Not in the file: engine, version, flags, hardware, data set,
seed. `itl` is the gap between two stream events, not the time between two tokens.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from app.language import F_
from app.results.importers import traps
from app.results.importers.draft import THOUSAND, Draft, date_in, divide, get, in_tokens, number_in, plain, short
from app.results.importers.lists import lengths, not_empty, row_sizes
from app.results.importers.schema import Imported, ImportProblem
from app.results.importers.source import Importer, RawSource, no_version

if TYPE_CHECKING:
    from collections.abc import Iterator

AXIS_OF = {"ttft": "ttft", "tpot": "tpot", "itl": "event_gap", "e2el": "e2e_latency"}
TIMED = re.compile(r"(mean|median|std|p\d+(?:\.\d+)?)_(ttft|tpot|itl|e2el)_ms")
METHOD_KEYS = ("spec_method", "speculative_method", "speculative_algorithm")  # what people give as metadata
METHOD_IN = re.compile(r"['\"]method['\"]\s*:\s*['\"]([\w-]{1,50})['\"]")  # of --speculative-config
KNOWN = re.compile(
    r"date|endpoint_type|backend|label|model_id|tokenizer_id|num_prompts|request_rate|burstiness|max_concurrency|"
    r"duration|completed|failed|rtfx|ramp_up_.*|rps_change_events|total_.*|.*_throughput|.*_goodput|max_.*|.*_ms|"
    r"spec_decode_.*|input_lens|output_lens|start_times|ttfts|itls|latencies|generated_texts|errors|.*queue.*|probe_.*"
)


def fits(tree: Any) -> bool:
    keys = tree.keys() if isinstance(tree, dict) else set()
    mine = {"duration", "completed", "total_token_throughput"} <= keys and "total_throughput" not in keys
    return mine and any(TIMED.fullmatch(key) for key in keys)  # without `_ms` it is a fork that writes seconds


def read(tree: dict[str, Any], raw: RawSource, where: str) -> Iterator[Imported | ImportProblem]:
    draft = Draft("vllm bench", where)
    completed = draft.count(tree, "completed")
    if completed == 0:
        yield ImportProblem(message=F_("no request succeeded: there is nothing to make a card of"), path=where or None)
        return
    draft.put("title", f"vllm bench serve: {plain(tree.get('model_id')) or 'model not stated'}")
    draft.put("model.id", tree.get("model_id"))
    draft.put("runs.count", 1)
    draft.card["result"] = {"measured_at": date_in(tree.get("date"))}
    if "chat" in str(tree.get("endpoint_type") or tree.get("backend")):
        draft.put("workload.chat_template", True)
    _note(draft, tree)
    _speculation(draft, tree)
    _figures(draft, tree)
    _load(draft, tree, completed)
    _details(draft, tree, completed)
    card = draft.finish(("output_throughput", "total_throughput", "request_throughput"), raw.as_raw())
    yield card or ImportProblem(message=F_("holds no figure that can be read"), path=where or None)


def _note(draft: Draft, tree: dict[str, Any]) -> None:
    """`--metadata KEY=VAL` stands flat among the tool's own keys; what is said there is kept as it is said."""
    said = {key: plain(value) for key, value in tree.items() if not KNOWN.fullmatch(key)}
    extra = ", ".join(f"{plain(key)}={value}" for key, value in said.items() if value)
    draft.put("note", "Imported from a vllm bench serve result." + (f" Its metadata: {extra}." if extra else ""))


def _speculation(draft: Draft, tree: dict[str, Any]) -> None:
    """The server's counters say that drafts were made; which method made them stands in a file only as metadata."""
    said = METHOD_IN.search(str(tree.get("speculative_config") or ""))
    named = said[1] if said else next((name for key in METHOD_KEYS if (name := plain(tree.get(key)))), None)
    if named is not None:
        draft.put("speculation.method", named.lower())
        draft.put("speculation.draft_tokens", _positions(tree))
        draft.put("speculation.accept_length", draft.number(tree, "spec_decode_acceptance_length"))
    elif drafts := draft.count(tree, "spec_decode_num_drafts"):
        length, places = draft.number(tree, "spec_decode_acceptance_length"), _positions(tree)
        form = F_("speculation was on ({number_drafts} drafts); the file does not say by which method: say it")
        if length is not None:
            form = F_(
                "speculation was on ({number_drafts} drafts, accepting {number_length} tokens a step); the file does "
                "not say by which method: say it"
            )
        if length is not None and places:
            form = F_(
                "speculation was on ({number_drafts} drafts, accepting {number_length} of at most {number_most} "
                "tokens a step); the file does not say by which method: say it"
            )
        said_length = "" if length is None else short(length)
        message = form.format(number_drafts=f"{drafts:,}", number_length=said_length, number_most=(places or 0) + 1)
        draft.warn("definition", "spec_decode_num_drafts", message)


def _positions(tree: dict[str, Any]) -> int | None:
    """Drafts of a step: the server counts what it accepts at each place."""
    rates = tree.get("spec_decode_per_position_acceptance_rates")
    return len(rates) if isinstance(rates, list) and rates else None


def _figures(draft: Draft, tree: dict[str, Any]) -> None:
    draft.rate("output_throughput", draft.number(tree, "output_throughput"), "tok/s", "output_throughput")
    draft.rate("total_throughput", draft.number(tree, "total_token_throughput"), "tok/s", "total_token_throughput")
    draft.rate("request_throughput", draft.number(tree, "request_throughput"), "req/s", "request_throughput")
    draft.rate("run_duration", draft.number(tree, "duration"), "s", "duration")
    found: dict[str, dict[str, Decimal]] = {}
    for key in tree:
        match = TIMED.fullmatch(key)
        value = draft.number(tree, key) if match else None
        if match and value is not None:
            found.setdefault(match[2], {})[match[1]] = value
    for name, times in found.items():
        draft.times(AXIS_OF[name], times, f"{name}_ms")
    length = draft.number(tree, "spec_decode_acceptance_length")
    draft.figure("acceptance_length_vllm", None, length, "tokens/step")
    draft.figure("acceptance_rate", None, draft.number(tree, "spec_decode_acceptance_rate"), "%")
    if draft.number(tree, "max_output_tokens_per_s"):
        message = F_("the highest second of the run, counted in events and not in tokens; a peak is no mean; left out")
        draft.warn("T20", "max_output_tokens_per_s", message)


def _load(draft: Draft, tree: dict[str, Any], completed: int | None) -> None:
    limit = draft.count(tree, "max_concurrency")
    draft.put("workload.concurrency", limit)
    achieved = draft.number(tree, "request_throughput")
    rate = number_in(tree.get("request_rate"))
    if tree.get("ramp_up_strategy"):
        ramp = F_("the request rate rises during the run: there is no single load behind these numbers")
        draft.warn("T10", "workload.rate", ramp)
    elif rate is not None and rate.is_finite():
        rate = draft.number(tree, "request_rate")
        draft.put("workload.rate", rate)
        traps.rate_reached(draft, rate, achieved, "request_rate")
    form, why = traps.FAR_UNDER, {}
    if rate is not None and rate.is_finite():
        form, why = traps.AT_A_RATE, {"number_rate": short(rate)}
    in_flight = _in_flight(draft, tree, completed)
    traps.concurrency_reached(draft, limit, in_flight, form, **why)
    traps.plausible_units(draft, limit, in_flight)
    failed = draft.count(tree, "failed") or not_empty(tree.get("errors"))
    traps.failures(draft, failed, draft.count(tree, "num_prompts"))
    if not failed:
        traps.stopped_early(draft, completed, draft.count(tree, "num_prompts"))


def _in_flight(draft: Draft, tree: dict[str, Any], completed: int | None) -> Decimal | None:
    """Mean requests in flight by Little's law, from E2EL or else from TTFT and TPOT."""
    rate, whole = draft.number(tree, "request_throughput"), draft.number(tree, "mean_e2el_ms")
    first, step = draft.number(tree, "mean_ttft_ms"), draft.number(tree, "mean_tpot_ms")
    tokens = draft.number(tree, "total_output_tokens")
    if whole is None and first is not None and step is not None and tokens and completed:
        whole = first + step * (tokens / completed - 1)
    return None if rate is None or whole is None else rate * whole / THOUSAND


def _details(draft: Draft, tree: dict[str, Any], completed: int | None) -> None:
    for key, total, field in (
        ("input_lens", "total_input_tokens", "workload.input_tokens"),
        ("output_lens", "total_output_tokens", "workload.output_tokens"),
    ):
        each = [length for length in lengths(tree.get(key)) if length > 0]
        tokens = draft.number(tree, total)
        if each and min(each) == max(each):
            draft.put(field, str(each[0]))
        elif tokens and completed:
            draft.put(field, f"mean {in_tokens(divide(tokens, Decimal(completed)))}")
    gaps = row_sizes(get(tree, "itls"))
    if gaps:
        traps.bundled_events(draft, draft.number(tree, "total_output_tokens"), Decimal(sum(gaps) + len(gaps)))
    else:
        traps.gap_above_tpot(draft)


IMPORTER = Importer("vllm-bench", fits, no_version, read)
