"""The summary CSV of MLPerf Inference's submission checker: one card for each row of a language model. Pure.

A row gives one number with its unit and the system; the engine's flags are in the submission's own folders.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from app.language import F_
from app.results.importers.draft import Draft, plain
from app.results.importers.schema import Imported, ImportProblem
from app.results.importers.source import Importer, RawSource, no_version

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = {"Organization", "SystemName", "Model", "Scenario", "Result", "Units"}
TOKENS = "tokens/s"
PER_REQUEST = {"samples/s", "queries/s"}
TIMES = {"latency (ms)": "P90", "millisec": "P90"}
LANGUAGE_MODELS = re.compile(r"llama|gpt|deepseek|mixtral|qwen|kimi|glm|minimax|mistral", re.IGNORECASE)
VLLM = re.compile(r"^\s*vllm\s+v?(?P<version>\S+?),?(?:\s|$)", re.IGNORECASE)
ACCELERATORS_SAID = re.compile(r"\(x\s*(\d+)\)|^(\d+)x", re.IGNORECASE)
DATATYPE_UNSTATED = {"", "n/a"}


def fits(tree: Any) -> bool:
    return isinstance(tree, list) and bool(tree) and isinstance(tree[0], dict) and tree[0].keys() >= COLUMNS


def read(tree: list[dict[str, str]], raw: RawSource, where: str) -> Iterator[Imported | ImportProblem]:
    others = 0
    for number, row in enumerate(tree, start=1):
        place = where + F_("row {number}").format(number=number)
        model = plain(row.get("Model"))
        if not model or not LANGUAGE_MODELS.search(model):
            others += 1
            continue
        draft = Draft(None, place)
        value = draft.number(row, "Result")
        if not _figure(draft, row, value):
            unit = plain(row.get("Units")) or "no unit"
            yield ImportProblem(
                message=F_("a result in {unit} is on no axis here, or the result is missing").format(unit=unit),
                path=place,
            )
            continue
        _system(draft, row)
        _measurement(draft, row, model)
        card = draft.finish((), raw.as_raw())
        yield card or ImportProblem(message=F_("holds no figure that can be read"), path=place)
    if others:
        yield ImportProblem(
            message=F_("{others} rows are of models that are no language models; they are passed over").format(
                others=others
            )
        )


def _figure(draft: Draft, row: dict[str, str], value: Decimal | None) -> bool:
    unit = (plain(row.get("Units")) or "").lower()
    if unit == TOKENS:
        draft.rate("output_throughput", value, "tok/s", "Result")
    elif unit in PER_REQUEST:
        draft.rate("request_throughput", value, "req/s", "Result")
    elif unit in TIMES and value is not None:
        draft.times("e2e_latency", {TIMES[unit].lower(): value}, "Result")
    return bool(draft.figures)


def _system(draft: Draft, row: dict[str, str]) -> None:
    framework = plain(row.get("framework")) or ""
    own = VLLM.match(framework)
    draft.put("engine.name", "vLLM" if own else framework or None)
    draft.put("engine.version", own["version"] if own else None)
    accelerator, platform = plain(row.get("accelerator_model_name")) or "", plain(row.get("Platform")) or ""
    draft.put("hardware.accelerator", ACCELERATORS_SAID.sub("", accelerator).strip() or None)
    total = draft.count(row, "total_accelerators")
    draft.put("hardware.count", total or None)
    hosts = f"{plain(row.get('number_of_nodes')) or '?'} nodes, {plain(row.get('host_processor_model_name')) or '?'}"
    draft.put("hardware.host", f"{plain(row.get('SystemName')) or '?'}; {hosts}")
    for said, where in ((accelerator, "accelerator_model_name"), (platform, "Platform")):
        match = ACCELERATORS_SAID.search(said)
        stated = int(match[1] or match[2]) if match and len(match[0]) < 9 else None
        if stated and total and stated != total:
            share = short_percent(Decimal(total) / stated - 1)
            message = F_(
                "{where} says {stated} GPUs, total_accelerators {number_total}: a number per GPU differs by {share}"
            ).format(where=where, stated=stated, number_total=total, share=share)
            draft.warn("T9", "hardware.count", message)
    weights = plain(row.get("weight_data_types")) or ""
    draft.put("dtypes.weights", weights if weights.lower() not in DATATYPE_UNSTATED else None)


def short_percent(share: Decimal) -> str:
    return f"{abs(share) * 100:.1f} %"


def _measurement(draft: Draft, row: dict[str, str], model: str) -> None:
    said = {key: plain(row.get(key)) for key in ("version", "Scenario", "Division", "Availability", "Organization")}
    edition = f"MLPerf Inference {said['version'] or ''}".strip()
    draft.put("title", f"{edition}: {model} {said['Scenario'] or ''} by {said['Organization'] or '?'}")
    draft.put("model.id", model)
    draft.put("workload.name", f"{edition}, {model}, {said['Scenario'] or 'no scenario'}")
    draft.put("source", f"{edition}, {said['Organization'] or '?'}, {plain(row.get('Location')) or ''}".strip(", "))
    draft.put("note", f"Division {said['Division']}, {said['Availability']}. {plain(row.get('notes')) or ''}".strip())
    accuracy = plain(row.get("Accuracy"))
    if accuracy:
        draft.put("quality.checked", True)
        draft.put("quality.how", f"MLPerf accuracy run: {' '.join(accuracy.split())}")
    if row.get("inferred") == "1":
        draft.warn(
            "invalid", "Result", F_("the checker inferred this result from another scenario; it was not measured")
        )
    if (plain(row.get("errors")) or "0") != "0":
        draft.warn(
            "invalid",
            "errors",
            F_("the checker counts {errors} errors in this result").format(errors=plain(row.get("errors"))),
        )


IMPORTER = Importer("mlperf", fits, no_version, read)
