"""InferenceX's fixed-length results: the client's raw file and the rows of `agg_bmk.json`. Pure.

All times are in seconds. The raw file comes from a fork of an old vLLM benchmark and names neither engine nor GPUs;
its name does (`tp8`). A row divides by GPUs: `tput_per_gpu` is input plus output tokens, except in the rows of the
offline decode benchmark, where the same name holds derived output tokens (T1, T2).
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from app.language import F_
from app.results.importers import inferencex_agentx, traps
from app.results.importers.draft import THOUSAND, Draft, date_in, divide, get, in_tokens, number_in, plain, short
from app.results.importers.inferencex_setup import deployment, speculation
from app.results.importers.schema import Imported, ImportProblem
from app.results.importers.source import Importer, RawSource, no_version

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMED = re.compile(r"(mean|median|std|p\d+(?:\.\d+)?)_(ttft|tpot|itl|e2el)")
AXIS_OF = {"ttft": "ttft", "tpot": "tpot", "itl": "event_gap", "e2el": "e2e_latency"}
TP_IN_NAME = re.compile(r"(?:^|[_-])tp(\d{1,3})(?=[_.-])")
EQUAL = Decimal("1e-6")  # relative, for numbers that one file computes twice


def fits(tree: Any) -> bool:
    first = tree[0] if isinstance(tree, list) and tree else tree
    return _is_raw(first) or _is_row(first) or inferencex_agentx.fits(first)


def _is_raw(tree: Any) -> bool:
    keys = tree.keys() if isinstance(tree, dict) else set()
    return {"model_id", "duration", "completed"} <= keys and any(TIMED.fullmatch(key) for key in keys)


def _is_row(tree: Any) -> bool:
    keys = tree.keys() if isinstance(tree, dict) else set()
    return {"hw", "conc", "framework"} <= keys


def read(tree: Any, raw: RawSource, where: str) -> Iterator[Imported | ImportProblem]:
    rows = tree if isinstance(tree, list) else [tree]
    for index, row in enumerate(rows):
        place = f"[{index}]" if isinstance(tree, list) else where
        draft = Draft("InferenceX", place)
        if inferencex_agentx.fits(row):
            main = inferencex_agentx.fill(draft, row)
        elif _is_row(row):
            main = _row(draft, row)
        elif _is_raw(row):
            main = _raw(draft, row, raw.name)
        else:
            yield ImportProblem(message=F_("is no InferenceX row"), path=place or None)
            continue
        card = draft.finish(main, raw.as_raw()) if main else None
        yield card or ImportProblem(message=F_("holds no figure that can be read"), path=place or None)


def _raw(draft: Draft, tree: dict[str, Any], name: str) -> tuple[str, ...]:
    completed = draft.count(tree, "completed")
    if completed == 0:
        return ()
    draft.put("title", f"InferenceX client: {plain(tree.get('model_id')) or 'model not stated'}")
    draft.put("note", "Imported from a raw InferenceX result.")
    draft.put("model.id", tree.get("model_id"))
    draft.put("runs.count", 1)
    draft.card["result"] = {"measured_at": date_in(tree.get("date"))}
    limit = draft.count(tree, "max_concurrency")
    draft.put("workload.concurrency", limit)
    for field, key in (("input_tokens", "total_input_tokens"), ("output_tokens", "total_output_tokens")):
        tokens = draft.number(tree, key)
        if tokens and completed:
            draft.put(f"workload.{field}", f"mean {in_tokens(divide(tokens, Decimal(completed)))}")
    output, incoming = draft.number(tree, "output_throughput"), draft.number(tree, "input_throughput")
    whole = draft.number(tree, "total_token_throughput")
    if whole is None and output is not None and incoming is not None:
        whole = output + incoming
    draft.rate("output_throughput", output, "tok/s", "output_throughput")
    draft.rate("total_throughput", whole, "tok/s", "total_token_throughput")
    draft.rate("request_throughput", draft.number(tree, "request_throughput"), "req/s", "request_throughput")
    draft.rate("run_duration", draft.number(tree, "duration"), "s", "duration")
    _per_gpu(draft, output, whole, name)
    _times(draft, tree)
    rate = number_in(tree.get("request_rate"))
    if rate is not None and rate.is_finite():
        rate = draft.number(tree, "request_rate")
        draft.put("workload.rate", rate)
        traps.rate_reached(draft, rate, draft.number(tree, "request_throughput"), "request_rate")
    traps.stopped_early(draft, completed, draft.count(tree, "num_prompts"))
    whole_s = draft.number(tree, "mean_e2el") or draft.number(tree, "median_e2el")
    per_second = draft.number(tree, "request_throughput")
    if whole_s and per_second:
        traps.plausible_units(draft, limit, whole_s * per_second)
    return ("output_throughput", "total_throughput", "request_throughput")


def _per_gpu(draft: Draft, output: Decimal | None, whole: Decimal | None, name: str) -> None:
    """Per GPU where the file's name tells the tensor parallelism, as InferenceX names its files."""
    match = TP_IN_NAME.search(name)
    if not match or not int(match[1]):
        return
    gpus = int(match[1])
    draft.put("parallelism.tp", gpus)
    draft.put("hardware.count", gpus)
    message = F_(
        "{gpus} GPUs are read from the file's name (tp{gpus}); check that nothing else multiplies them"
    ).format(gpus=gpus)
    draft.warn("T9", "hardware.count", message)
    for axis, value in (("output_per_gpu", output), ("total_per_gpu", whole)):
        draft.figure(axis, None, divide(value, Decimal(gpus)) if value else None, "tok/s/GPU", "output_throughput")


def _times(draft: Draft, tree: dict[str, Any]) -> None:
    found: dict[str, dict[str, Decimal]] = {}
    for key in tree:
        match = TIMED.fullmatch(key)
        value = draft.number(tree, key) if match else None
        if match and value is not None:
            found.setdefault(match[2], {})[match[1]] = value
    for name, times in found.items():
        draft.times(AXIS_OF[name], times, f"*_{name}", THOUSAND)
    interactivity(draft, found.get("tpot", {}))
    traps.reciprocal_std(draft, present="std_intvty" in tree, where="std_intvty")


def interactivity(draft: Draft, tpot_s: dict[str, Decimal]) -> None:
    """1 / TPOT statistic, as the tool defines `intvty`: its percentiles are the slow tail (T5)."""
    for name, value in tpot_s.items():
        if not value or name == "std":
            continue
        rate = divide(Decimal(1), value)
        if name == "p90":
            draft.figure("interactivity_p90_slow", "P90 slow tail", rate, "tok/s/user", "p90_intvty")
        else:
            said = f"{name.upper()} of TPOT, slow tail" if name[0] == "p" else f"{name} TPOT"
            draft.figure("decode_rate", f"1 / {said}", rate, "tok/s", f"{name}_intvty")


def _row(draft: Draft, row: dict[str, Any]) -> tuple[str, ...]:
    gpus = deployment(draft, row)
    draft.put("title", f"InferenceX row: {plain(row.get('model')) or 'model not stated'}")
    draft.put("runs.count", 1)
    for field, key in (("input_tokens", "isl"), ("output_tokens", "osl")):
        length = draft.count(row, key)
        draft.put(f"workload.{field}", str(length) if length else None)
    draft.put("workload.concurrency", draft.count(row, "conc"))
    speculation(draft, row)
    whole, output = draft.number(row, "tput_per_gpu"), draft.number(row, "output_tput_per_gpu")
    if whole is not None and output is not None and abs(whole - output) <= abs(output) * EQUAL and row.get("isl"):
        main = _output_under_the_name_of_total(draft, row, output, gpus)
    else:
        draft.rate("total_per_gpu", whole, "tok/s/GPU", "tput_per_gpu")
        main = _output_per_gpu(draft, row, output)
    incoming = draft.number(row, "input_tput_per_gpu")
    draft.rate("prefill_per_gpu", incoming, "tok/s/GPU", "input_tput_per_gpu")
    _times(draft, row)
    if get(row, "decode_step_tput_per_gpu") is not None:
        message = F_("counts decode steps and not tokens; a step yields 1 + accepted tokens; left out")
        draft.warn("T3", "decode_step_tput_per_gpu", message)
    if any(key.startswith("joules_per_") for key in row):
        message = F_("energy figures changed their meaning under one name between versions of this format; left out")
        draft.warn("T16", "joules_per_*", message)
    return main


def _output_under_the_name_of_total(
    draft: Draft, row: dict[str, Any], output: Decimal, gpus: int | None
) -> tuple[str, ...]:
    isl = plain(row.get("isl"))
    step, whole = draft.number(row, "mean_tpot"), draft.number(row, "mean_e2el")
    load, osl = draft.number(row, "conc"), draft.number(row, "osl")
    derived = divide(load, step * gpus) if load and step and gpus else None
    is_derived = derived is not None and abs(derived - output) <= output * EQUAL
    message = (
        F_(
            "tput_per_gpu == output_tput_per_gpu although isl={isl}: this row's tput_per_gpu is "
            "output-only and derived (conc/mean_tpot/GPUs), not input+output wall clock"
        )
        if is_derived
        else F_(
            "tput_per_gpu == output_tput_per_gpu although isl={isl}: this row's tput_per_gpu is "
            "output-only, not input+output wall clock"
        )
    ).format(isl=isl)
    draft.warn("T1", "tput_per_gpu", message)
    if not is_derived:
        return _output_per_gpu(draft, row, output)
    if load and osl and whole and gpus:
        wall = divide(load * osl, whole * gpus)
        message = F_(
            "derived: {number_output} tok/s/GPU holds only while every request decodes; by mean latency the "
            "wall clock gives about {number_wall}"
        ).format(number_output=short(output), number_wall=short(wall))
        draft.warn("T2", "output_tput_per_gpu", message)
    draft.rate("decode_per_gpu", output, "tok/s/GPU", "output_tput_per_gpu")
    return ("decode_per_gpu",)


def _output_per_gpu(draft: Draft, row: dict[str, Any], output: Decimal | None) -> tuple[str, ...]:
    if row.get("disagg") is not True:
        draft.rate("output_per_gpu", output, "tok/s/GPU", "output_tput_per_gpu")
        return ("total_per_gpu", "output_per_gpu")
    draft.rate("decode_per_gpu", output, "tok/s/GPU", "output_tput_per_gpu")
    message = F_("total over all GPUs, output over the decode GPUs, input over the prefill GPUs: they do not add up")
    draft.warn("T9", "output_tput_per_gpu", message)
    return ("total_per_gpu", "decode_per_gpu")


IMPORTER = Importer("inferencex", fits, no_version, read)
