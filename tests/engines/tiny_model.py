"""Makes a model small enough for any CPU: Qwen3's shape with two layers, random weights, and a tokenizer of its own.

Run in an engine's own environment, which has torch, safetensors and tokenizers: `python tiny_model.py FOLDER`. The same
folder comes out every time. Its weights are float32 and spread widely enough that its greedy text varies: some guesses
of an n-gram are right, and some are wrong.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

VOCABULARY = 2048
WIDTH, INNER, LAYERS, HEADS, KEYS, HEAD = 256, 512, 2, 4, 2, 64
SPREAD = 0.05
END = "<|end|>"
CONFIG = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "vocab_size": VOCABULARY,
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KEYS,
    "head_dim": HEAD,
    "hidden_act": "silu",
    "max_position_embeddings": 4096,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10000.0,
    "attention_bias": False,
    "attention_dropout": 0.0,
    "tie_word_embeddings": False,
    "bos_token_id": 0,
    "eos_token_id": 0,
    "torch_dtype": "float32",
}


def tokenizer() -> Tokenizer:
    """Byte-level BPE, trained on words that chance made."""
    dice = random.Random(7)
    words = ["".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=dice.randint(2, 8))) for _ in range(700)]
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=[END], initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator((" ".join(dice.choices(words, k=30)) for _ in range(500)), trainer)
    return made


def weights() -> dict[str, torch.Tensor]:
    chance = torch.Generator().manual_seed(7)

    def matrix(rows: int, columns: int) -> torch.Tensor:
        return torch.randn(rows, columns, generator=chance) * SPREAD

    found = {
        "model.embed_tokens.weight": matrix(VOCABULARY, WIDTH),
        "model.norm.weight": torch.ones(WIDTH),
        "lm_head.weight": matrix(VOCABULARY, WIDTH),
    }
    for layer in range(LAYERS):
        parts = {
            "input_layernorm": torch.ones(WIDTH),
            "self_attn.q_proj": matrix(HEADS * HEAD, WIDTH),
            "self_attn.k_proj": matrix(KEYS * HEAD, WIDTH),
            "self_attn.v_proj": matrix(KEYS * HEAD, WIDTH),
            "self_attn.o_proj": matrix(WIDTH, HEADS * HEAD),
            "self_attn.q_norm": torch.ones(HEAD),
            "self_attn.k_norm": torch.ones(HEAD),
            "post_attention_layernorm": torch.ones(WIDTH),
            "mlp.gate_proj": matrix(INNER, WIDTH),
            "mlp.up_proj": matrix(INNER, WIDTH),
            "mlp.down_proj": matrix(WIDTH, INNER),
        }
        found |= {f"model.layers.{layer}.{name}.weight": tensor for name, tensor in parts.items()}
    return found


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer().save(str(folder / "tokenizer.json"))
    described = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": END, "pad_token": END}
    (folder / "tokenizer_config.json").write_text(json.dumps(described))
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "generation_config.json").write_text(json.dumps({"bos_token_id": 0, "eos_token_id": 0}))
    save_file(weights(), str(folder / "model.safetensors"), metadata={"format": "pt"})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
