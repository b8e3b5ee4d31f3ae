"""Time of one decoding step in attention alone: SGLang's FlashAttention 3 and Triton kernels at one model's shape.

    SGLANGS_PYTHON bench/carried/kernels.py OUT.json

Each layer of Qwen3-0.6B's shape has keys and values of its own (28 layers, 16 query heads, 8 key and value heads of
128, bf16), so that a step reads from memory what a server's step reads; the calls are those of SGLang 0.5.17's
backends, replayed as one CUDA graph. A kernel's output is held against PyTorch's own attention first: a kernel that is
called wrongly is not timed. OUT.json: milliseconds of REPEATS steps, for each kernel, batch and length of context.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import triton
from sgl_kernel.flash_attn import flash_attn_with_kvcache
from sglang.kernels.ops.attention.decode_attention import decode_attention_fwd
from sglang.kernels.ops.attention.metadata import get_num_kv_splits_triton

if TYPE_CHECKING:
    from collections.abc import Callable

LAYERS, HEADS, KV_HEADS, DIM, SPLITS = 28, 16, 8, 128, 8  # 8: SGLang's --triton-attention-num-kv-splits
SHAPES = ((1, 1152), (64, 1152), (1, 4608), (64, 4608))  # sequences, tokens of context
WARM_UPS, REPEATS, TOLERANCE = 5, 20, 2e-2


class Shape:
    """The tensors of one shape. Sequences' tokens lie scattered in the pool, as after other requests."""

    def __init__(self, batch: int, context: int) -> None:
        torch.manual_seed(batch * context)
        tokens = batch * context
        new = {"device": "cuda", "dtype": torch.bfloat16}
        self.batch, self.context = batch, context
        self.q = torch.randn(batch, HEADS, DIM, **new)
        self.keys = [torch.randn(tokens, KV_HEADS, DIM, **new) for _ in range(LAYERS)]
        self.values = [torch.randn(tokens, KV_HEADS, DIM, **new) for _ in range(LAYERS)]
        self.places = torch.randperm(tokens, device="cuda").view(batch, context).to(torch.int32)
        self.lengths = torch.full((batch,), context, device="cuda", dtype=torch.int32)

    def expected(self, layer: int) -> torch.Tensor:
        at = self.places.long()
        keys, values = self.keys[layer][at].transpose(1, 2), self.values[layer][at].transpose(1, 2)
        found = torch.nn.functional.scaled_dot_product_attention(self.q.unsqueeze(2), keys, values, enable_gqa=True)
        return found.squeeze(2)


def flash(shape: Shape) -> Callable[[int], torch.Tensor]:
    queries = torch.arange(shape.batch + 1, device="cuda", dtype=torch.int32)
    ends = queries * shape.context
    return lambda layer: flash_attn_with_kvcache(
        q=shape.q, k_cache=shape.keys[layer].unsqueeze(1), v_cache=shape.values[layer].unsqueeze(1),
        page_table=shape.places, cache_seqlens=shape.lengths, cu_seqlens_q=queries,
        cu_seqlens_k_new=ends, max_seqlen_q=1, softmax_scale=DIM**-0.5, causal=True, ver=3,
    )  # fmt: skip


def triton_attention(shape: Shape) -> Callable[[int], torch.Tensor]:
    single = {"device": "cuda", "dtype": torch.float32}
    logits = torch.empty(shape.batch, HEADS, SPLITS, DIM, **single)
    lse = torch.empty(shape.batch, HEADS, SPLITS, **single)
    splits = torch.empty(shape.batch, device="cuda", dtype=torch.int32)
    cores = torch.cuda.get_device_properties(0).multi_processor_count
    get_num_kv_splits_triton[(1,)](
        splits, shape.lengths, shape.batch, 1, HEADS, KV_HEADS, SPLITS, cores,
        MAX_NUM_SEQ=max(256, triton.next_power_of_2(shape.batch)),
    )  # fmt: skip
    starts = torch.arange(shape.batch + 1, device="cuda", dtype=torch.int32) * shape.context
    places = shape.places.flatten().long()
    out = torch.empty_like(shape.q)

    def run(layer: int) -> torch.Tensor:
        decode_attention_fwd(
            shape.q, shape.keys[layer], shape.values[layer], out, starts, places, logits, lse, splits, SPLITS,
            DIM**-0.5, 1.0, 1.0,
        )  # fmt: skip
        return out

    return run


def step_ms(run: Callable[[int], torch.Tensor]) -> list[float]:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for layer in range(LAYERS):
            run(layer)
    for _ in range(WARM_UPS):
        graph.replay()
    found = []
    for _ in range(REPEATS):
        begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begun.record()
        graph.replay()
        ended.record()
        ended.synchronize()
        found.append(begun.elapsed_time(ended))
    return found


def timed(make: Callable[[Shape], Callable[[int], torch.Tensor]], shape: Shape) -> dict[str, Any]:
    try:
        run = make(shape)
        apart = max((run(layer).float() - shape.expected(layer).float()).abs().max().item() for layer in (0, 1))
        torch.cuda.synchronize()
        return {"apart": apart} | ({"step_ms": step_ms(run)} if apart < TOLERANCE else {})
    except Exception as error:  # what one kernel says is kept, the others go on
        return {"error": f"{type(error).__name__}: {error}"[:500]}


def main(out: Path) -> None:
    found = []
    for batch, context in SHAPES:
        shape = Shape(batch, context)
        for name, make in (("fa3", flash), ("triton", triton_attention)):
            found.append({"kernel": name, "batch": batch, "context": context} | timed(make, shape))
            print(found[-1], flush=True)
        del shape
        torch.cuda.empty_cache()
    out.write_text(json.dumps({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "found": found}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
