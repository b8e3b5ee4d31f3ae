"""A model in the runner's own folder: what it is known by, beside its name."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from app.protocol.outcome import ModelFiles

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = "config.json"
# Of a transformer; what of them a configuration states is its shape.
SIZES = (
    "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
    "head_dim", "num_experts", "n_routed_experts", "num_local_experts", "num_experts_per_tok", "moe_intermediate_size",
    "max_position_embeddings",
)  # fmt: skip
MOST_READ = 64 << 20  # bytes: configuration, tokenizer and the weights' index; larger files are weights


def fingerprint(folder: Path) -> str:
    """SHA-256 over the lines `NAME SIZE SHA-256` of the folder's files, sorted by name: `-` stands for the hash of a
    file above 64 MiB, so weights count by name and size alone. OSError: it cannot be read."""
    lines = []
    for file in sorted(item for item in folder.iterdir() if item.is_file()):
        size = file.stat().st_size
        content = hashlib.sha256(file.read_bytes()).hexdigest() if size <= MOST_READ else "-"
        lines.append(f"{file.name} {size} {content}\n")
    return hashlib.sha256("".join(lines).encode(errors="surrogateescape")).hexdigest()


def files_of(folder: Path) -> ModelFiles:
    """What a report records of it. OSError: it cannot be read; a config.json that is no JSON object states no size."""
    config = (folder / CONFIG).read_bytes()
    return ModelFiles(
        fingerprint=fingerprint(folder), config_sha256=hashlib.sha256(config).hexdigest(), shape=_shape(config)
    )


def _shape(config: bytes) -> dict[str, int]:
    """The sizes that a configuration states, those of its text model where it has several."""
    try:
        found = json.loads(config)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    inner = found.get("text_config")
    stated = {**found, **(inner if isinstance(inner, dict) else {})}
    return {name: size for name in SIZES if type(size := stated.get(name)) is int and 0 <= size < 2**53}


def notes_of(folder: Path, known: ModelFiles, revision: str | None) -> list[str]:
    """What a report says of it."""
    told = (
        f"the model is the runner's own folder {folder.name}: its files have the fingerprint {known.fingerprint} "
        "(weights above 64 MiB by name and size alone)"
    )
    return [told, *([f"that it is revision {revision} was not checked"] if revision else [])]
