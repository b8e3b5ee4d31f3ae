"""What an InferenceX row says of the deployment: GPUs, parallelism, speculation. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.language import F_
from app.results.importers.draft import plain

if TYPE_CHECKING:
    from app.results.importers.draft import Draft

ENGINES = {"vllm": "vLLM", "sglang": "SGLang", "trt": "TensorRT-LLM"}
SIZES = (("tp", "tp"), ("pp", "pp"), ("ep", "ep"), ("pcp", "pcp_size"), ("dcp", "dcp_size"))


def truth(value: Any) -> bool | None:
    """True and false as JSON or as the text that the shell scripts pass on."""
    return value if isinstance(value, bool) else {"true": True, "false": False}.get(str(value).lower())


def deployment(draft: Draft, row: dict[str, Any]) -> int | None:
    """States engine, model, types and parallelism; returns the GPUs that the row's numbers are divided by."""
    framework = plain(row.get("framework")) or ""
    draft.put("engine.name", ENGINES.get(framework, framework))
    draft.put("engine.version", f"image {plain(row['image'])}" if plain(row.get("image")) else None)
    draft.put("model.id", row.get("model"))
    draft.put("dtypes.weights", row.get("precision"))
    accelerator = (plain(row.get("hw")) or "").partition("-")[0]
    draft.put("hardware.accelerator", accelerator.upper() or None)
    gpus = _gpus(draft, row)
    draft.put("hardware.count", gpus)
    draft.put("note", "Imported from an InferenceX aggregate.")
    return gpus


def _gpus(draft: Draft, row: dict[str, Any]) -> int | None:
    prefill, decode = (draft.count(row, f"num_{pool}_gpu") for pool in ("prefill", "decode"))
    if row.get("disagg") is True or truth(row.get("is_multinode")):
        pools = [_pool(draft, row, pool) for pool in ("prefill", "decode")]
        draft.put("parallelism.note", "; ".join(pools))
        both = (prefill or 0) + (decode or 0)
        if decode and prefill:
            message = F_(
                "{prefill} prefill and {decode} decode GPUs: per-GPU numbers of the two pools have other divisors"
            ).format(prefill=prefill, decode=decode)
            draft.warn("T9", "hardware.count", message)
        return both or None
    tp = draft.count(row, "tp") or draft.count(row, "decode_tp")
    for ours, theirs in SIZES:
        size = draft.count(row, theirs)
        draft.put(f"parallelism.{ours}", (draft.count(row, f"decode_{theirs}") if size is None else size) or None)
    attention = truth(row.get("dp_attention"))
    draft.put("parallelism.dp_attention", truth(row.get("decode_dp_attention")) if attention is None else attention)
    ranks = (tp or 0) * (draft.count(row, "pp") or 1) * (draft.count(row, "pcp_size") or 1)
    return ranks or decode or None


def _pool(draft: Draft, row: dict[str, Any], pool: str) -> str:
    sizes = " ".join(
        f"{name.upper()}{size}"
        for name in ("tp", "pp", "ep")
        if (size := draft.count(row, f"{pool}_{name}" if name != "pp" else f"{pool}_pp"))
    )
    workers = draft.count(row, f"{pool}_num_workers")
    attention = " with DP attention" if truth(row.get(f"{pool}_dp_attention")) else ""
    return f"{pool}: {'' if workers is None else f'{workers} workers '}{sizes}{attention}"


def speculation(draft: Draft, row: dict[str, Any]) -> None:
    method = plain(row.get("spec_decoding"))
    if method is None:
        return
    if method.lower() in ("none", "off", "false"):
        draft.put("speculation.method", "off")
        return
    draft.put("speculation.method", method)
    draft.put("speculation.accept_length", draft.number(row, "observed_tokens_per_step"))
    message = F_(
        "InferenceX may force the acceptance length (golden AL), and the engines count it differently "
        "(TensorRT-LLM's knob is one lower): ask whether it was measured"
    )
    draft.warn("T13", "speculation.acceptance", message)
