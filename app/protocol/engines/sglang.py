"""SGLang: the table of what its versions call things. Pure.

Read at 0.5.17 and 0.5.23; renamed flags come from the change that removed them (its issue 38375 and 8658).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.protocol.engines.table import Engine, Flush, Name, Put, as_flag

if TYPE_CHECKING:
    from app.protocol.engines.recipe import Speculation, Value


def _speculate(wanted: Speculation) -> dict[str, Value]:
    """SGLang counts the root of the tree, which is no draft, among its draft tokens."""
    more = {f"speculative-{name}": value for name, value in wanted.more.items() if isinstance(value, str | int | float)}
    return {
        "speculative-algorithm": wanted.method.upper(),
        "speculative-num-draft-tokens": wanted.draft_tokens + 1,
        **more,
    }


def _prefix_cache(wanted: Value) -> dict[str, Value]:
    return {"disable-radix-cache": not wanted}


def _flushed(answer: str) -> bool | None:
    """`Cache flushed. ...` in plain text; with requests under way it answers 400."""
    return "flushed" in answer.lower()


SGLANG = Engine(
    name="sglang",
    title="SGLang",
    package="sglang",
    module=("sglang.launch_server",),
    help=("--help",),
    positional=(),
    fixed={
        "model-path": Put("MODEL"),
        "host": "127.0.0.1",
        "port": Put("PORT"),
        "api-key": Put("KEY"),
        "served-model-name": Put("NAME"),
        "enable-metrics": True,
        "enable-cache-report": True,  # cached tokens in every usage
    },
    device_fixed={"cpu": {"device": "cpu", "attention-backend": "torch_native", "sampling-backend": "pytorch"}},
    settings={
        "tensor_parallel": as_flag("tp-size"),
        "pipeline_parallel": as_flag("pp-size"),
        "data_parallel": as_flag("dp-size"),
        "dtype": as_flag("dtype"),
        "kv_cache_dtype": as_flag("kv-cache-dtype"),
        "context_tokens": as_flag("context-length"),
        "max_requests": as_flag("max-running-requests"),
        "load_format": as_flag("load-format"),
        "seed": as_flag("random-seed"),
        "prefix_cache": _prefix_cache,
    },
    speculate=_speculate,
    renamed={
        "enable-ep-moe": "replaced by --ep-size and --moe-a2a-backend",
        "enable-deepep-moe": "replaced by --ep-size and --moe-a2a-backend=deepep",
        "disable-cuda-graph": "replaced by --cuda-graph-backend-decode and --cuda-graph-backend-prefill (=disabled)",
        "enable-dp-attention": "replaced by --attn-dp-size",
        "enable-flashinfer-allreduce-fusion": "replaced by --flashinfer-allreduce-fusion-backend=auto",
        "piecewise-cuda-graph-max-tokens": "replaced by --cuda-graph-max-bs-prefill",
        "activate-cache-report": "spelled --enable-cache-report",
    },
    environment={"SGLANG_HOST_IP": "127.0.0.1"},
    device_environment={"cpu": {"SGLANG_USE_CPU_ENGINE": "1"}},
    variables="sglang/srt/environ.py",
    shared_memory=("psm_", "sglang_", "nccl-"),
    health="/health",
    version=("/server_info", "/get_server_info"),
    info="/server_info",
    flush=Flush("/flush_cache", _flushed),
    metric_prefix="sglang:",
    metrics={
        "generated_tokens": (Name("sglang:generation_tokens_total"),),
        "prompt_tokens": (Name("sglang:prompt_tokens_total"),),
        "cached_tokens": (Name("sglang:cached_tokens_total"),),
        "spec_steps": (Name("sglang:spec_verify_calls_total"),),
        "ttft_s": (Name("sglang:time_to_first_token_seconds"),),
        "itl_s": (Name("sglang:inter_token_latency_seconds"),),
        "tpot_s": (Name("sglang:request_time_per_output_token_seconds"),),
        "e2e_s": (Name("sglang:e2e_request_latency_seconds"),),
    },
    from_first_event={"cached_tokens": "prompt_tokens", "spec_steps": "prompt_tokens"},
    ranks={"tp_rank": "0", "pp_rank": "0"},
)
