"""A stand-in, for tests alone, for the CPU kernels of SGLang 0.5.23, which no package registry has.

SGLang imports them as `sgl_kernel`. These do in plain torch what their call sites in `sglang/kernels/ops` and
`sglang/srt/mem_cache` expect, as slowly as may be; all that is not needed to serve a small model raises when called.
So scheduler, radix cache, HTTP server, metrics and n-gram speculation are SGLang's own, and their counts can be tested;
times measured on it say nothing about SGLang.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor


def assign_req_to_token_pool_cpu(
    rows: Tensor, table: Tensor, starts: Tensor, ends: Tensor, slots: Tensor, _width: int
) -> None:
    """Write the new slots of each request into its row of the table; `slots` holds them one request after another."""
    at = 0
    for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True):
        table[row, start:end] = slots[at : at + end - start].to(table.dtype)
        at += end - start


def assign_extend_cache_locs_cpu(
    rows: Tensor, table: Tensor, starts: Tensor, ends: Tensor, slots: Tensor, _width: int
) -> None:
    """The reverse: read them out of the table."""
    at = 0
    for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True):
        slots[at : at + end - start] = table[row, start:end].to(slots.dtype)
        at += end - start


def copy_all_layer_kv_cache_cpu(pointers: Tensor, strides: Tensor, targets: Tensor, sources: Tensor) -> None:
    """Move rows of every layer's cache, given by its address and the bytes of a row; rows may overlap."""
    moves = list(zip(targets.tolist(), sources.tolist(), strict=True))
    for base, size in zip(pointers.tolist(), strides.tolist(), strict=True):
        rows = [ctypes.string_at(base + source * size, size) for _, source in moves]
        for (target, _), row in zip(moves, rows, strict=True):
            ctypes.memmove(base + target * size, row, size)


def fill_bonus_tokens_cpu(tokens: Tensor, lengths: Tensor, bonus: Tensor, width: int) -> None:
    """The last accepted token of each request; `lengths` counts it."""
    for request, length in enumerate(lengths.tolist()):
        bonus[request] = tokens.view(-1)[request * width + length - 1]


def fill_accept_out_cache_loc_cpu(accepted: Tensor, slots: Tensor, kept: Tensor) -> None:
    """The slots of the accepted tokens, without gaps; -1 marks one that was not accepted."""
    chosen = accepted.view(-1)
    chosen = chosen[chosen >= 0].long()
    kept[: len(chosen)] = slots[chosen]


def verify_tree_greedy_cpu(  # noqa: PLR0917 - as its call site has it
    predicts: Tensor,
    accept_index: Tensor,
    accept_token_num: Tensor,
    candidates: Tensor,
    retrive_index: Tensor,
    retrive_next_token: Tensor,
    retrive_next_sibling: Tensor,
    target_predict: Tensor,
) -> None:
    """Walk each request's tree of drafts from its root along the model's own choices, as long as a child is one."""
    choices = target_predict.reshape(-1)
    for request in range(candidates.shape[0]):
        node = 0
        here = int(retrive_index[request, 0])
        accept_index[request, 0] = here
        accepted = 0
        while accepted + 1 < accept_index.shape[1]:
            node = int(retrive_next_token[request, node])
            while node >= 0 and int(candidates[request, node]) != int(choices[here]):
                node = int(retrive_next_sibling[request, node])
            if node < 0:
                break
            predicts[here] = choices[here]
            here = int(retrive_index[request, node])
            accepted += 1
            accept_index[request, accepted] = here
        accept_token_num[request] = accepted
        predicts[here] = choices[here]


def __getattr__(name: str) -> Callable[..., NoReturn]:
    if name.startswith("__"):
        raise AttributeError(name)

    def missing(*_: object, **__: object) -> NoReturn:
        raise NotImplementedError(f"the stand-in for SGLang's CPU kernels has no {name}")

    return missing
