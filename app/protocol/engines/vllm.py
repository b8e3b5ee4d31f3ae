"""vLLM: the table of what its versions call things. Pure.

Read at 0.25.1, 0.32.0 and 0.33.0; older entries come from its change log and issues, with the version that they name.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from app.protocol.engines.table import Engine, Flush, Name, Put, as_flag

if TYPE_CHECKING:
    from app.protocol.engines.recipe import Speculation, Value


def _speculate(wanted: Speculation) -> dict[str, Value]:
    config = {"method": wanted.method, "num_speculative_tokens": wanted.draft_tokens, **wanted.more}
    return {"speculative-config": config}


def _flushed(answer: str) -> bool | None:
    """`{"success": true}` since about 0.26; an empty answer before, which says nothing."""
    try:
        found = json.loads(answer)
    except ValueError:
        return None
    return found.get("success") is True if isinstance(found, dict) else None


VLLM = Engine(
    name="vllm",
    title="vLLM",
    package="vllm",
    module=("vllm.entrypoints.cli.main", "serve"),
    help=("--help=all",),
    positional=(Put("MODEL"),),
    fixed={
        "host": "127.0.0.1",
        "port": Put("PORT"),
        "api-key": Put("KEY"),
        "served-model-name": Put("NAME"),
        "enable-prompt-tokens-details": True,  # cached tokens in every usage
        "generation-config": "vllm",  # the model's own file would change the sampling
    },
    device_fixed={},
    settings={
        "tensor_parallel": as_flag("tensor-parallel-size"),
        "pipeline_parallel": as_flag("pipeline-parallel-size"),
        "data_parallel": as_flag("data-parallel-size"),
        "dtype": as_flag("dtype"),
        "kv_cache_dtype": as_flag("kv-cache-dtype"),
        "context_tokens": as_flag("max-model-len"),
        "max_requests": as_flag("max-num-seqs"),
        "load_format": as_flag("load-format"),
        "seed": as_flag("seed"),
        "prefix_cache": as_flag("enable-prefix-caching"),
    },
    speculate=_speculate,
    renamed={
        "disable-log-requests": "removed; requests are logged only with --enable-log-requests",
        "swap-space": "removed in 0.18, without a successor",
        "speculative-model": "replaced by the recipe's speculation (--speculative-config)",
        "num-speculative-tokens": "replaced by the recipe's speculation (--speculative-config)",
        "use-v2-block-manager": "removed; there is one block manager",
        "num-scheduler-steps": "removed with the V0 engine, without a successor",
        "gpu-memory-utilisation": "spelled --gpu-memory-utilization",
    },
    environment={
        "VLLM_HOST_IP": "127.0.0.1",
        "VLLM_PLUGINS": "",  # an allow-list that no plug-in is on
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_SERVER_DEV_MODE": "1",  # has /reset_prefix_cache and /server_info
    },
    device_environment={},
    variables="vllm/envs.py",
    shared_memory=("psm_", "nccl-"),
    health="/health",
    version=("/version",),
    info="/server_info?config_format=json",
    flush=Flush("/reset_prefix_cache", _flushed),
    metric_prefix="vllm:",
    metrics={
        "generated_tokens": (Name("vllm:generation_tokens_total"),),
        "prompt_tokens": (Name("vllm:prompt_tokens_total"),),
        "cached_tokens": (Name("vllm:prefix_cache_hits_total"), Name("vllm:gpu_prefix_cache_hits_total")),
        "preemptions": (Name("vllm:num_preemptions_total"),),
        "spec_steps": (Name("vllm:spec_decode_num_drafts_total"),),
        "spec_draft_tokens": (Name("vllm:spec_decode_num_draft_tokens_total"),),
        "spec_accepted_tokens": (Name("vllm:spec_decode_num_accepted_tokens_total"),),
        "ttft_s": (Name("vllm:time_to_first_token_seconds"),),
        "itl_s": (
            Name("vllm:inter_token_latency_seconds", since="0.11"),
            Name("vllm:time_per_output_token_seconds"),  # deprecated in 0.11; it always held gaps
        ),
        "tpot_s": (Name("vllm:request_time_per_output_token_seconds", since="0.11"),),
        "e2e_s": (Name("vllm:e2e_request_latency_seconds"),),
    },
    from_first_event={},
    ranks={},
)
