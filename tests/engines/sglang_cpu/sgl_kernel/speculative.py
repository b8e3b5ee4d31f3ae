"""The part of the stand-in that n-gram speculation needs.

SGLang's torch-native attention knows prefill and decode only. Checking drafts is a third kind of step, in which a few
tokens per request see all that came before and, among themselves, only those that they follow in the tree. It is
added here because this module is imported by exactly those processes that speculate.
"""

from __future__ import annotations

from typing import Any

import torch
from sglang.srt.layers.attention.torch_native_backend import TorchNativeAttnBackend
from sglang.srt.mem_cache.memory_pool import KVWriteLoc
from torch import Tensor


def reconstruct_indices_from_tree_mask(  # noqa: PLR0917 - as its call site has it
    tree_mask: Tensor,
    verified: Tensor,
    positions: Tensor,
    index: Tensor,
    next_token: Tensor,
    next_sibling: Tensor,
    requests: int,
    drafts: int,
) -> None:
    """A tree's links from its mask, in which a node's row marks the nodes that it follows."""
    trees = tree_mask.view(-1)[: requests * drafts * drafts].view(requests, drafts, drafts)
    for request in range(requests):
        before = [[node for node in range(row) if trees[request, row, node]] for row in range(drafts)]
        parents = [nodes[-1] if nodes else -1 for nodes in before]
        for node in range(drafts):
            positions.view(-1)[request * drafts + node] = int(verified[request]) + len(before[node])
            index.view(-1)[request * drafts + node] = request * drafts + node
            later = range(node + 1, drafts)
            children = (other for other in later if parents[other] == node)
            siblings = (other for other in later if parents[other] == parents[node] >= 0)
            next_token.view(-1)[request * drafts + node] = next(children, -1)
            next_sibling.view(-1)[request * drafts + node] = next(siblings, -1)


_prefill = TorchNativeAttnBackend.forward_extend


def _attend(self: Any, q: Tensor, k: Tensor, v: Tensor, layer: Any, batch: Any, save_kv_cache: bool = True) -> Tensor:
    if not batch.forward_mode.is_target_verify():
        return _prefill(self, q, k, v, layer, batch, save_kv_cache)
    if save_kv_cache:
        self.token_to_kv_pool.set_kv_buffer(layer, KVWriteLoc(batch.out_cache_loc, self.swa_out_cache_loc), k, v)
    keys = self.token_to_kv_pool.get_key_buffer(layer.layer_id)
    values = self.token_to_kv_pool.get_value_buffer(layer.layer_id)
    drafts = batch.spec_info.draft_token_num
    trees = batch.spec_info.custom_mask.view(-1).view(-1, drafts, drafts)
    queries = q.view(-1, drafts, layer.tp_q_head_num, layer.qk_head_dim)
    outputs = []
    for request, length in enumerate(batch.seq_lens.tolist()):
        slots = self.req_to_token_pool.req_to_token[batch.req_pool_indices[request], : length + drafts]
        mask = torch.cat((torch.ones(drafts, length, dtype=torch.bool), trees[request].bool()), dim=1)
        found = torch.nn.functional.scaled_dot_product_attention(
            queries[request].movedim(0, 1).unsqueeze(0),
            keys[slots].to(q.dtype).movedim(0, 1).unsqueeze(0),
            values[slots].to(q.dtype).movedim(0, 1).unsqueeze(0),
            attn_mask=mask,
            scale=layer.scaling,
            enable_gqa=layer.tp_q_head_num != layer.tp_k_head_num,
        )
        outputs.append(found.squeeze(0).movedim(0, 1).reshape(drafts, -1))
    return torch.cat(outputs)


TorchNativeAttnBackend.forward_extend = _attend
